#include "shardwright/mlir/import/neutral_starts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/import/combiner.h"
#include "shardwright/mlir/import/importer.h"
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
  mlir::Operation* combined = builder.create(state);
  combined->setDiscardableAttr(kForXlaAttr, builder.getUnitAttr());
  return combined->getResult(0);
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

// If the op is one that startFromNeutral added. Attributes can be on any op, so all is checked.
void restoreStart(mlir::Operation* combined, const mlir::DominanceInfo& dominance) {
  if (combined->getNumOperands() != 2 || combined->getNumResults() != 1) return;
  auto filled = combined->getOperand(0).getDefiningOp<stablehlo::BroadcastInDimOp>();
  auto reduce = combined->getOperand(1).getDefiningOp<stablehlo::ReduceOp>();
  if (!filled || !reduce || combined->getResultTypes()[0] != combined->getOperand(1).getType())
    return;
  const unsigned i = mlir::cast<mlir::OpResult>(combined->getOperand(1)).getResultNumber();
  const mlir::Value start = filled.getOperand();
  mlir::OpOperand& held = reduce->getOpOperand(reduce->getNumResults() + i);
  if (start.getType() != held.get().getType() || !dominance.properlyDominates(start, reduce))
    return;
  held.set(start);
  combined->getResult(0).replaceAllUsesWith(combined->getOperand(1));
  combined->erase();
}

}  // namespace

void startFromNeutral(mlir::ModuleOp module) {
  module.walk([](stablehlo::ReduceOp reduce) { startFromNeutral(reduce); });
}

void restoreStarts(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Operation*> marked;
  module.walk([&](mlir::Operation* op) {
    if (op->hasAttr(kForXlaAttr)) marked.push_back(op);
  });
  if (marked.empty()) return;
  const mlir::DominanceInfo dominance(module);
  for (mlir::Operation* op : marked) restoreStart(op, dominance);
}

}  // namespace shardwright
