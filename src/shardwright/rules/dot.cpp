// Matrix products.
#include <algorithm>

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

using program::Combiner;
using program::DotAttrs;

constexpr size_t kLhs = 0, kRhs = 1;

void checkDims(Checker& check, const DotAttrs& attrs) {
  check.dims("lhs dims", joined(attrs.lhsBatch, attrs.lhsContracting), kLhs)
      .dims("rhs dims", joined(attrs.rhsBatch, attrs.rhsContracting), kRhs)
      .sameLength("lhs_batch", attrs.lhsBatch, "rhs_batch", attrs.rhsBatch)
      .sameLength("lhs_contracting", attrs.lhsContracting, "rhs_contracting", attrs.rhsContracting);
}

// A rule under construction, with the next dim of the result to fill.
struct Dot {
  const OpView& view;
  RuleBuilder builder{view};
  size_t next = 0;

  void toResult(FactorId factor) { builder.mapResult(0, next++, factor); }
  int64_t size(size_t tensor, int64_t dim) const {
    return view.shape(tensor)[static_cast<size_t>(dim)];
  }
  // One factor for a dim of each side; it stands in the result if `kept`.
  FactorId shared(int64_t lhsDim, int64_t rhsDim, FactorKind kind, bool kept) {
    const FactorId factor = builder.add(size(kLhs, lhsDim), kind, Combiner::kAdd);
    builder.map(kLhs, static_cast<size_t>(lhsDim), factor);
    builder.map(kRhs, static_cast<size_t>(rhsDim), factor);
    if (kept) toResult(factor);
    return factor;
  }
  FactorId free(size_t tensor, size_t dim, FactorKind kind = FactorKind::kParallel) {
    const FactorId factor = builder.add(view.shape(tensor)[dim], kind);
    builder.map(tensor, dim, factor);
    toResult(factor);
    return factor;
  }
};

}  // namespace

// ([b, i, k], [b, k, j])->([b, i, j]), k summed.
Result<Rule> dotGeneral(const OpView& view) {
  const auto* attrs = view.attributes<DotAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  Checker check(view);
  checkDims(check.counts(2, 1), *attrs);
  if (Status bad = check.status()) return *bad;
  const auto lhsFree =
      restOf(joined(attrs->lhsBatch, attrs->lhsContracting), view.shape(kLhs).size());
  const auto rhsFree =
      restOf(joined(attrs->rhsBatch, attrs->rhsContracting), view.shape(kRhs).size());
  check.rank(2, attrs->lhsBatch.size() + lhsFree.size() + rhsFree.size());
  if (Status bad = check.status()) return *bad;

  Dot dot{view};
  for (size_t b = 0; b < attrs->lhsBatch.size(); ++b) {
    dot.shared(attrs->lhsBatch[b], attrs->rhsBatch[b], FactorKind::kParallel, true);
  }
  for (const size_t d : lhsFree) dot.free(kLhs, d);
  for (const size_t d : rhsFree) dot.free(kRhs, d);
  for (size_t c = 0; c < attrs->lhsContracting.size(); ++c) {
    dot.shared(attrs->lhsContracting[c], attrs->rhsContracting[c], FactorKind::kReduction, false);
  }
  dot.builder.flopsPerPoint(multiplyAddFlops(view.dtype(kLhs)));
  return std::move(dot.builder).finish();
}

namespace {

Status checkRagged(const OpView& view, const DotAttrs& attrs) {
  Checker check(view);
  checkDims(check.counts(3, 1), attrs);
  check.that(attrs.lhsRagged.size() == 1, "expected one ragged dim")
      .dims("lhs_ragged", attrs.lhsRagged, kLhs)
      .that(attrs.rhsGroup.size() <= 1, "expected at most one group dim")
      .dims("rhs dims", joined(joined(attrs.rhsBatch, attrs.rhsContracting), attrs.rhsGroup), kRhs)
      .rankAtLeast(2, 1);
  return check.status();
}

// The ragged dim of the left side is cut into groups whose sizes are known only when the program
// runs. A device that has some of its rows counts how many of them are of each group, so it may be
// split; not where it is a batch dim. Group sizes of rank 2 and more differ from one batch or row
// to the next; which dims they go with depends on the mode, and blocking all of the left side's is
// right in every mode.
class RaggedKinds {
 public:
  RaggedKinds(const OpView& view, const DotAttrs& attrs)
      : allBlocked_(view.operandShape(2).size() > 1) {
    const int64_t ragged = attrs.lhsRagged.front();
    for (const int64_t d : attrs.lhsBatch) raggedBatch_ = d == ragged ? d : raggedBatch_;
  }
  FactorKind of(int64_t lhsDim, FactorKind usual) const {
    return allBlocked_ || lhsDim == raggedBatch_ ? FactorKind::kBlocked : usual;
  }

 private:
  bool allBlocked_;
  int64_t raggedBatch_ = -1;
};

// A ragged contracting dim gives one product per group, numbered by a new first dim of the result.
bool hasGroupResult(const DotAttrs& attrs) {
  return std::find(attrs.lhsContracting.begin(), attrs.lhsContracting.end(),
                   attrs.lhsRagged.front()) != attrs.lhsContracting.end();
}

}  // namespace

// [m,k] x [g,k,n] -> [m,n] is ([i, k], [l, k, j], [m])->([i, j]), l and m blocked, k summed.
Result<Rule> raggedDot(const OpView& view) {
  const auto* attrs = view.attributes<DotAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = checkRagged(view, *attrs)) return *bad;
  const auto lhsFree =
      restOf(joined(attrs->lhsBatch, attrs->lhsContracting), view.shape(kLhs).size());
  const auto rhsFree =
      restOf(joined(joined(attrs->rhsBatch, attrs->rhsContracting), attrs->rhsGroup),
             view.shape(kRhs).size());
  const size_t groups = hasGroupResult(*attrs) ? 1 : 0;
  if (Status bad = Checker(view)
                       .rank(3, groups + attrs->lhsBatch.size() + lhsFree.size() + rhsFree.size())
                       .status()) {
    return *bad;
  }

  Dot dot{view};
  const RaggedKinds kinds(view, *attrs);
  std::vector<FactorId> ofLhs(view.shape(kLhs).size());
  if (groups == 1) dot.toResult(dot.builder.blocked(view.resultShape(0)[0]));
  for (size_t b = 0; b < attrs->lhsBatch.size(); ++b) {
    const int64_t lhsDim = attrs->lhsBatch[b];
    ofLhs[static_cast<size_t>(lhsDim)] =
        dot.shared(lhsDim, attrs->rhsBatch[b], kinds.of(lhsDim, FactorKind::kParallel), true);
  }
  for (const size_t d : lhsFree) {
    ofLhs[d] = dot.free(kLhs, d, kinds.of(static_cast<int64_t>(d), FactorKind::kParallel));
  }
  double columns = 1;
  for (const size_t d : rhsFree) {
    dot.free(kRhs, d);
    columns *= static_cast<double>(view.shape(kRhs)[d]);
  }
  for (size_t c = 0; c < attrs->lhsContracting.size(); ++c) {
    const int64_t lhsDim = attrs->lhsContracting[c];
    ofLhs[static_cast<size_t>(lhsDim)] = dot.shared(
        lhsDim, attrs->rhsContracting[c], kinds.of(lhsDim, FactorKind::kReduction), false);
  }
  dot.builder.groups(ofLhs[static_cast<size_t>(attrs->lhsRagged.front())],
                     view.operandShape(2).back());
  for (const int64_t d : attrs->rhsGroup) {
    dot.builder.map(kRhs, static_cast<size_t>(d), dot.builder.blocked(dot.size(kRhs, d)));
  }
  blockAll(dot.builder, view, 2);
  dot.builder.linear(kLhs, 1);
  dot.builder.linear(kRhs, 2);
  // Each row of the left side meets the matrix of its own group only.
  dot.builder.flops(multiplyAddFlops(view.dtype(kLhs)) * columns * productOf(view.shape(kLhs)));
  return std::move(dot.builder).finish();
}

}  // namespace shardwright::rules
