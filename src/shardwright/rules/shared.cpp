#include "shardwright/rules/families.h"

namespace shardwright::rules {

void tieDims(RuleBuilder& builder, const OpView& view, std::span<const size_t> tensors) {
  if (tensors.empty()) return;
  const auto sizes = view.shape(tensors.front());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const FactorId factor = builder.parallel(sizes[d]);
    for (const size_t tensor : tensors) builder.map(tensor, d, factor);
  }
}

void blockAll(RuleBuilder& builder, const OpView& view, size_t tensor) {
  const auto sizes = view.shape(tensor);
  for (size_t d = 0; d < sizes.size(); ++d) builder.map(tensor, d, builder.blocked(sizes[d]));
}

void tieWhole(RuleBuilder& builder, const OpView& view, FactorKind kind, size_t in, size_t inDim,
              size_t out, size_t outDim) {
  const int64_t inSize = view.shape(in)[inDim];
  const int64_t outSize = view.shape(out)[outDim];
  const FactorId factor = builder.add(inSize, kind);
  builder.map(in, inDim, factor);
  builder.map(out, outDim, inSize == outSize ? factor : builder.add(outSize, kind));
}

FactorId reductionOrBlocked(RuleBuilder& builder, int64_t size, program::Combiner combiner,
                            program::DType dtype) {
  using enum program::Combiner;
  switch (combiner) {
    case kAdd:
    case kMul:
    case kMin:
    case kMax:
      return builder.reduction(size, combiner);
    // XLA has these collectives for booleans alone.
    case kAnd:
    case kOr:
      return dtype == program::DType::kPred ? builder.reduction(size, combiner)
                                            : builder.blocked(size);
    // No all-reduce of XLA's combines with these.
    case kXor:
    case kReplace:
    case kArgMin:
    case kArgMax:
    case kOther:
      break;
  }
  return builder.blocked(size);
}

double multiplyAddFlops(program::DType dtype) {
  const bool isComplex = dtype == program::DType::kC64 || dtype == program::DType::kC128;
  return isComplex ? 8 : 2;
}

}  // namespace shardwright::rules
