// chlo.scan: what is carried along a dim. That dim is whole; the others are parallel where the body
// works point by point.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/window.h"

namespace shardwright::rules {

// Inputs and outputs [i, s], values carried along s [i]: ([i, s], [i])->([i, s], [i]), s blocked.
// The attributes are there only if the body works point by point.
Result<Rule> scan(const OpView& view) {
  const auto* attrs = view.attributes<program::DimAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  Checker check(view);
  check.that(view.operandCount() > 0, "has no operands").dim("dimension", attrs->dim, 0);
  if (Status bad = check.status()) return *bad;
  const size_t rank = view.operandShape(0).size();
  const auto along = static_cast<size_t>(attrs->dim);
  for (size_t t = 1; t < view.tensorCount(); ++t) {
    const size_t here = view.shape(t).size();
    check.that(here == rank || here + 1 == rank, view.tensorName(t) + " has rank " +
                                                     std::to_string(here) + ", expected " +
                                                     std::to_string(rank) + " or one less");
  }
  if (Status bad = check.status()) return *bad;
  RuleBuilder builder(view);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t size = view.operandShape(0)[d];
    const FactorId factor = d == along ? builder.blocked(size) : builder.parallel(size);
    for (size_t t = 0; t < view.tensorCount(); ++t) {
      const bool carried = view.shape(t).size() < rank;
      if (!carried) builder.map(t, d, factor);
      if (carried && d != along) builder.map(t, d - (d > along ? 1 : 0), factor);
    }
  }
  builder.flops(productOf(view.operandShape(0)));
  builder.passes(kCumulativePasses);
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
