// Ops that move or repeat whole dims.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// Result dims take the operand's dims of the same size; the others are new. `to[d]` is where
// operand dim d went.
Result<Rule> repeated(const OpView& view, std::span<const int64_t> to) {
  const auto in = view.operandShape(0);
  const auto out = view.resultShape(0);
  RuleBuilder builder(view);
  for (size_t d = 0; d < out.size(); ++d) builder.mapResult(0, d, builder.parallel(out[d]));
  for (size_t d = 0; d < in.size(); ++d) {
    const auto target = static_cast<size_t>(to[d]);
    const bool expanded = in[d] == 1 && out[target] != 1;
    builder.map(0, d, expanded ? builder.parallel(1) : FactorId(target));
  }
  // The operand that holds the result's shape, when there is one.
  for (size_t t = 1; t < view.operandCount(); ++t) blockAll(builder, view, t);
  return std::move(builder).finish();
}

}  // namespace

// Dim o of the result is dim dims[o] of the operand: ([j, i])->([i, j]).
Result<Rule> transpose(const OpView& view) {
  const auto* attrs = view.attributes<program::DimsAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = Checker(view)
                       .counts(1, 1)
                       .sameRank(1, 0)
                       .perDim("permutation", attrs->dims, 0)
                       .dims("permutation", attrs->dims, 0)
                       .status()) {
    return *bad;
  }
  RuleBuilder builder(view);
  const auto out = view.resultShape(0);
  for (size_t d = 0; d < out.size(); ++d) {
    const FactorId factor = builder.parallel(out[d]);
    builder.map(0, static_cast<size_t>(attrs->dims[d]), factor);
    builder.mapResult(0, d, factor);
  }
  return std::move(builder).finish();
}

// f32[8,1] -> f32[3,8,5] with dims [1, 2] is ([j, l])->([i, j, k]) {i=3, j=8, k=5, l=1}.
Result<Rule> broadcastInDim(const OpView& view) {
  const auto* attrs = view.attributes<program::DimsAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  const size_t operands = view.operandCount();
  // dynamic_broadcast_in_dim has its shape as a second operand.
  if (Status bad = Checker(view)
                       .that(operands == 1 || operands == 2,
                             "has " + std::to_string(operands) + " operands, expected 1")
                       .counts(operands, 1)
                       .perDim("broadcast_dimensions", attrs->dims, 0)
                       .dims("broadcast_dimensions", attrs->dims, operands)
                       .status()) {
    return *bad;
  }
  return repeated(view, attrs->dims);
}

// The old op: all new dims are leading.
Result<Rule> broadcast(const OpView& view) {
  if (Status bad = Checker(view).counts(1, 1).status()) return *bad;
  const size_t rank = view.operandShape(0).size();
  if (Status bad = Checker(view).rankAtLeast(1, rank).status()) return *bad;
  const size_t leading = view.resultShape(0).size() - rank;
  std::vector<int64_t> to;
  for (size_t d = 0; d < rank; ++d) to.push_back(static_cast<int64_t>(leading + d));
  return repeated(view, to);
}

}  // namespace shardwright::rules
