// Elementwise ops: ([i, j], [i, j])->([i, j]). Point (i, j) of the result needs point (i, j) of
// each operand and nothing else.
#include <algorithm>

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// The tensor that gives the shape: the first result, or for an op without results the first
// operand.
size_t shapeGiver(const OpView& view) { return view.resultCount() > 0 ? view.operandCount() : 0; }

// All tensors alike. Operands in `mayBeScalar` may have rank 0 instead.
Result<Rule> tied(const OpView& view, double flopsPerPoint,
                  std::initializer_list<size_t> mayBeScalar = {}) {
  RuleBuilder builder(view);
  Checker check(view);
  std::vector<size_t> members;
  if (view.tensorCount() > 0) members.push_back(shapeGiver(view));
  for (size_t t = 0; t < view.tensorCount(); ++t) {
    const bool optional = std::find(mayBeScalar.begin(), mayBeScalar.end(), t) != mayBeScalar.end();
    if (t == members.front() || (optional && view.shape(t).empty())) continue;
    check.sameRank(t, members.front());
    members.push_back(t);
  }
  if (Status bad = check.status()) return *bad;
  tieDims(builder, view, members);
  builder.flopsPerPoint(flopsPerPoint);
  return std::move(builder).finish();
}

}  // namespace

Result<Rule> elementwise(const OpView& view) { return tied(view, 1); }

Result<Rule> identity(const OpView& view) { return tied(view, 0); }

Result<Rule> select(const OpView& view) {
  if (Status bad = Checker(view).counts(3, 1).status()) return *bad;
  return tied(view, 1, {0});
}

Result<Rule> clamp(const OpView& view) {
  if (Status bad = Checker(view).counts(3, 1).status()) return *bad;
  return tied(view, 1, {0, 2});
}

// i32[8] -> i8[8,4] and back: the bytes of one element stay together.
Result<Rule> bitcastConvert(const OpView& view) {
  if (Status bad = Checker(view).counts(1, 1).status()) return *bad;
  const auto in = view.operandShape(0);
  const auto out = view.resultShape(0);
  const size_t common = std::min(in.size(), out.size());
  const size_t wider = in.size() > out.size() ? 0 : 1;
  if (Status bad = Checker(view)
                       .that(std::max(in.size(), out.size()) <= common + 1,
                             "ranks " + std::to_string(in.size()) + " and " +
                                 std::to_string(out.size()) + " differ by more than one")
                       .status()) {
    return *bad;
  }
  RuleBuilder builder(view);
  for (size_t d = 0; d < common; ++d) {
    const FactorId factor = builder.parallel(out[d]);
    builder.map(0, d, factor);
    builder.map(1, d, factor);
  }
  if (in.size() != out.size()) {
    builder.map(wider, common, builder.blocked(view.shape(wider)[common]));
  }
  return std::move(builder).finish();
}

// Operands of lower rank are aligned with the minor dims of the result, or as `dims` says; a dim of
// size 1 is repeated.
Result<Rule> broadcastingElementwise(const OpView& view) {
  if (Status bad = Checker(view).counts(view.operandCount(), 1).status()) return *bad;
  const auto out = view.resultShape(0);
  const auto* given = view.attributes<program::DimsAttrs>();
  RuleBuilder builder(view);
  const size_t result = view.operandCount();
  tieDims(builder, view, {{result}});
  for (size_t t = 0; t < view.operandCount(); ++t) {
    const auto in = view.operandShape(t);
    const bool mapped = given != nullptr && in.size() < out.size();
    Checker check(view);
    check.that(in.size() <= out.size(), view.tensorName(t) + " has a higher rank than the result");
    if (mapped) {
      check.perDim("broadcast_dimensions", given->dims, t)
          .dims("broadcast_dimensions", given->dims, result);
    }
    if (Status bad = check.status()) return *bad;
    for (size_t d = 0; d < in.size(); ++d) {
      const size_t to = mapped ? static_cast<size_t>(given->dims[d]) : out.size() - in.size() + d;
      const bool repeated = in[d] == 1 && out[to] != 1;
      builder.map(t, d, repeated ? builder.parallel(1) : FactorId(to));
    }
  }
  builder.flopsPerPoint(1);
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
