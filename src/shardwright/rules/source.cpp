// Values that come from nothing, or from a shape: any part can be made where it is needed.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {

// Constants and random numbers: ()->([i, j]). A device makes its part of a constant from its own
// copy of the program. Operands (bounds and shape of a rng) are whole.
Result<Rule> source(const OpView& view) {
  RuleBuilder builder(view);
  for (size_t t = 0; t < view.operandCount(); ++t) blockAll(builder, view, t);
  for (size_t n = 0; n < view.resultCount(); ++n)
    tieDims(builder, view, {{view.operandCount() + n}});
  return std::move(builder).finish();
}

// A device counts its part from its own position.
Result<Rule> iota(const OpView& view) {
  const auto* attrs = view.attributes<program::DimAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = Checker(view)
                       .counts(view.operandCount(), 1)
                       .dim("iota_dimension", attrs->dim, view.operandCount())
                       .status()) {
    return *bad;
  }
  return source(view);
}

// Which bits an element gets depends on the algorithm and on the shape as a whole, so a part cannot
// be made alone: state and bits are whole.
Result<Rule> rngBitGenerator(const OpView& view) {
  if (Status bad = Checker(view).counts(1, 2).sameRank(1, 0).status()) return *bad;
  RuleBuilder builder(view);
  for (size_t d = 0; d < view.operandShape(0).size(); ++d) {
    tieWhole(builder, view, FactorKind::kBlocked, 0, d, 1, d);
  }
  blockAll(builder, view, 2);
  return std::move(builder).finish();
}

// The result is the size of one dim and needs no data: the dim itself must be whole, how the others
// are split does not matter.
Result<Rule> getDimensionSize(const OpView& view) {
  const auto* attrs = view.attributes<program::DimAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = Checker(view).counts(1, 1).rank(1, 0).dim("dimension", attrs->dim, 0).status()) {
    return *bad;
  }
  RuleBuilder builder(view);
  const auto shape = view.operandShape(0);
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool asked = d == static_cast<size_t>(attrs->dim);
    builder.map(0, d, asked ? builder.blocked(shape[d]) : builder.parallel(shape[d]));
  }
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
