// Batch normalization. Inference treats every element by itself; training and its gradient need the
// mean and the variance over all dims but the feature.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// Tensors of the operand's rank share its dims; tensors of rank 1 hold one number per feature.
Result<Rule> batchNorm(const OpView& view, FactorKind others, double flopsPerPoint) {
  const auto* attrs = view.attributes<program::DimAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  Checker check(view);
  check.that(view.operandCount() > 0, "has no operands");
  if (Status bad = check.status()) return *bad;
  check.dim("feature_index", attrs->dim, 0);
  for (size_t t = 1; t < view.tensorCount(); ++t) {
    if (view.shape(t).size() != 1) check.sameRank(t, 0);
  }
  if (Status bad = check.status()) return *bad;

  RuleBuilder builder(view);
  const auto shape = view.operandShape(0);
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool feature = d == static_cast<size_t>(attrs->dim);
    const FactorId factor = builder.add(shape[d], feature ? FactorKind::kParallel : others);
    for (size_t t = 0; t < view.tensorCount(); ++t) {
      const bool perFeature = view.shape(t).size() != shape.size();
      if (!perFeature) builder.map(t, d, factor);
      if (perFeature && feature) builder.map(t, 0, factor);
    }
  }
  builder.flopsPerPoint(flopsPerPoint);
  return std::move(builder).finish();
}

}  // namespace

// Subtract, multiply, add.
Result<Rule> batchNormInference(const OpView& view) {
  return batchNorm(view, FactorKind::kParallel, 3);
}

// Those, after one pass for the mean and one for the variance (subtract, square, add).
Result<Rule> batchNormTraining(const OpView& view) {
  return batchNorm(view, FactorKind::kBlocked, 7);
}

// Two sums over the batch (of the gradient, and of the gradient times the centred operand), then
// each element is scaled and centred.
Result<Rule> batchNormGrad(const OpView& view) { return batchNorm(view, FactorKind::kBlocked, 9); }

}  // namespace shardwright::rules
