// Reduce: ([i, j], [])->([i]) {…} reduction={j}.
//
// With the reduced dim split, each device reduces its part and the parts are combined. The initial
// value counts once. StableHLO would let it count any number of times; people who write
// `sum(x, initial=3)` would not, so modules for XLA have what is not neutral combined with the
// result (mlir/import/neutral_starts.h).
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {

// n inputs, n initial values, n results. Kept dims are tied across all of them.
Result<Rule> reduce(const OpView& view) {
  const auto* attrs = view.attributes<program::ReduceAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  const size_t count = view.resultCount();
  Checker check(view);
  check.that(count > 0, "has no results").counts(2 * count, count).dims("dims", attrs->dims, 0);
  if (Status bad = check.status()) return *bad;
  const auto shape = view.operandShape(0);
  for (size_t n = 0; n < count; ++n) {
    check.sameRank(n, 0).rank(count + n, 0).rank(2 * count + n, shape.size() - attrs->dims.size());
  }
  if (Status bad = check.status()) return *bad;

  RuleBuilder builder(view);
  const std::vector<bool> reduced = maskOf(attrs->dims, shape.size());
  for (size_t d = 0, kept = 0; d < shape.size(); ++d) {
    const FactorId factor =
        reduced[d] ? reductionOrBlocked(builder, shape[d], attrs->combiner, view.dtype(0))
                   : builder.parallel(shape[d]);
    for (size_t n = 0; n < count; ++n) {
      builder.map(n, d, factor);
      if (!reduced[d]) builder.mapResult(n, kept, factor);
    }
    if (!reduced[d]) ++kept;
  }
  // Several inputs are reduced by one body, which may mix them.
  if (count == 1 && attrs->combiner == program::Combiner::kAdd) {
    builder.linear(0, 1);
    builder.linear(1, 1);
  }
  for (size_t n = 0; n < count; ++n) builder.countsOnce(count + n, attrs->combiner);
  builder.flopsPerPoint(static_cast<double>(count));
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
