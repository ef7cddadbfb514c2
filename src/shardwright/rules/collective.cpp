// Collectives that are in the program already. What they do happens between the programs of the
// replicas; within one, an operand goes to its result. Several operands only travel together: each
// pair has factors of its own, so that they do not compete for an axis.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

Status checkPairs(const OpView& view) {
  const size_t count = view.resultCount();
  Checker check(view);
  check.counts(count, count);
  for (size_t n = 0; n < count; ++n) check.sameRank(count + n, n);
  return check.status();
}

// The dims in `whole` of each pair are blocked, each side by itself; the others are parallel.
Result<Rule> pairs(const OpView& view, std::span<const int64_t> wholeDims) {
  RuleBuilder builder(view);
  for (size_t n = 0; n < view.resultCount(); ++n) {
    const auto in = view.operandShape(n);
    const std::vector<bool> isWhole = maskOf(wholeDims, in.size());
    for (size_t d = 0; d < in.size(); ++d) {
      const FactorId factor = isWhole[d] ? builder.blocked(in[d]) : builder.parallel(in[d]);
      builder.map(n, d, factor);
      builder.mapResult(n, d, isWhole[d] ? builder.blocked(view.resultShape(n)[d]) : factor);
    }
  }
  return std::move(builder).finish();
}

}  // namespace

Result<Rule> passingBy(const OpView& view) {
  if (Status bad = checkPairs(view)) return *bad;
  return pairs(view, {});
}

Result<Rule> dimCollective(const OpView& view) {
  const auto* attrs = view.attributes<program::DimAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = checkPairs(view)) return *bad;
  Checker check(view);
  for (size_t n = 0; n < view.operandCount(); ++n) check.dim("dimension", attrs->dim, n);
  if (Status bad = check.status()) return *bad;
  return pairs(view, {{attrs->dim}});
}

// `dims` holds the split dim and the concat dim, which may be the same.
Result<Rule> allToAll(const OpView& view) {
  const auto* attrs = view.attributes<program::DimsAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = checkPairs(view)) return *bad;
  Checker check(view);
  for (size_t n = 0; n < view.operandCount(); ++n) {
    for (const int64_t dim : attrs->dims) check.dim("split or concat dimension", dim, n);
  }
  if (Status bad = check.status()) return *bad;
  return pairs(view, attrs->dims);
}

}  // namespace shardwright::rules
