#include "shardwright/mlir/import/neutral_starts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/import/combiner.h"
#include "shardwright/mlir/import/numbers.h"

namespace shardwright {
namespace {

using program::Combiner;

bool hasNeutral(Combiner combiner) {
  switch (combiner) {
    case Combiner::kAdd:
    case Combiner::kMul:
    case Combiner::kMin:
    case Combiner::kMax:
    case Combiner::kAnd:
    case Combiner::kOr:
      return true;
    default:
      return false;
  }
}

mlir::Type elementOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

bool isNeutral(mlir::Value start, Combiner combiner) {
  auto constant = start.getDefiningOp<stablehlo::ConstantOp>();
  if (!constant) return false;
  if (constant.getValue() == neutral(elementOf(start), {}, combiner)) return true;
  // Both zeros change nothing.
  return combiner == Combiner::kAdd && mlir::matchPattern(start, mlir::m_AnyZeroFloat());
}

// What the body makes of its accumulator and its element, of whole tensors.
mlir::Value combine(mlir::OpBuilder& builder, stablehlo::ReduceOp reduce, unsigned i,
                    mlir::Value start) {
  const mlir::Value result = reduce->getResult(i);
  mlir::Operation* inBody = reduce.getBody().front().back().getOperand(i).getDefiningOp();
  const mlir::Value filled = stablehlo::BroadcastInDimOp::create(
      builder, reduce.getLoc(), result.getType(), start, llvm::ArrayRef<int64_t>());
  mlir::OperationState state(reduce.getLoc(), inBody->getName(), {filled, result},
                             {result.getType()}, inBody->getAttrs());
  return builder.create(state)->getResult(0);
}

void moveStart(stablehlo::ReduceOp reduce, unsigned i, Combiner combiner) {
  mlir::OpOperand& start = reduce->getOpOperand(reduce->getNumResults() + i);
  const mlir::Value given = start.get();
  mlir::OpBuilder builder(reduce);
  start.set(stablehlo::ConstantOp::create(builder, reduce.getLoc(),
                                          neutral(elementOf(given), {}, combiner)));
  builder.setInsertionPointAfter(reduce);
  const mlir::Value combined = combine(builder, reduce, i, given);
  reduce->getResult(i).replaceAllUsesExcept(combined, combined.getDefiningOp());
}

void startFromNeutral(stablehlo::ReduceOp reduce) {
  const Combiner combiner = recognizeCombiner(reduce.getBody());
  if (!hasNeutral(combiner)) return;
  for (unsigned i = 0; i < reduce->getNumResults(); ++i) {
    const mlir::Value start = reduce->getOperand(reduce->getNumResults() + i);
    if (hasNumbers(elementOf(start)) && !isNeutral(start, combiner)) moveStart(reduce, i, combiner);
  }
}

}  // namespace

void startFromNeutral(mlir::ModuleOp module) {
  module.walk([](stablehlo::ReduceOp reduce) { startFromNeutral(reduce); });
}

}  // namespace shardwright
