#include "shardwright/mlir/import/combiner.h"

#include <optional>

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Operation.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright {
namespace {

using program::Combiner;

Combiner kindOf(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, Combiner>(op)
      .Case([](stablehlo::AddOp) { return Combiner::kAdd; })
      .Case([](stablehlo::MulOp) { return Combiner::kMul; })
      .Case([](stablehlo::MinOp) { return Combiner::kMin; })
      .Case([](stablehlo::MaxOp) { return Combiner::kMax; })
      .Case([](stablehlo::AndOp) { return Combiner::kAnd; })
      .Case([](stablehlo::OrOp) { return Combiner::kOr; })
      .Case([](stablehlo::XorOp) { return Combiner::kXor; })
      .Default([](mlir::Operation*) { return Combiner::kOther; });
}

bool isPair(mlir::Value x, mlir::Value y, mlir::Value a, mlir::Value b) {
  return (x == a && y == b) || (x == b && y == a);
}

// What one yielded value does with its accumulator `a` and its element `b`.
Combiner kindOfYield(mlir::Value yielded, mlir::Value a, mlir::Value b) {
  if (yielded == b) return Combiner::kReplace;
  mlir::Operation* op = yielded.getDefiningOp();
  if (!op || op->getNumOperands() != 2) return Combiner::kOther;
  if (!isPair(op->getOperand(0), op->getOperand(1), a, b)) return Combiner::kOther;
  return kindOf(op);
}

bool selectsBetween(mlir::Value value, mlir::Value a, mlir::Value b) {
  auto select = value.getDefiningOp<stablehlo::SelectOp>();
  return select && isPair(select.getOnTrue(), select.getOnFalse(), a, b);
}

// (value, index) pairs: both results are chosen between their two inputs, by a comparison of the
// values. Ties and NaNs are settled by further terms, which do not matter here.
Combiner kindOfPairs(mlir::Block& body, mlir::Operation* terminator) {
  const mlir::Value a = body.getArgument(0), b = body.getArgument(2);
  if (!selectsBetween(terminator->getOperand(0), a, b)) return Combiner::kOther;
  if (!selectsBetween(terminator->getOperand(1), body.getArgument(1), body.getArgument(3))) {
    return Combiner::kOther;
  }
  for (auto compare : body.getOps<stablehlo::CompareOp>()) {
    if (compare.getLhs() != a || compare.getRhs() != b) continue;
    switch (compare.getComparisonDirection()) {
      case stablehlo::ComparisonDirection::GT:
      case stablehlo::ComparisonDirection::GE:
        return Combiner::kArgMax;
      case stablehlo::ComparisonDirection::LT:
      case stablehlo::ComparisonDirection::LE:
        return Combiner::kArgMin;
      default:
        break;
    }
  }
  return Combiner::kOther;
}

}  // namespace

Combiner recognizeCombiner(mlir::Region& region) {
  if (!region.hasOneBlock() || region.front().empty()) return Combiner::kOther;
  mlir::Block& body = region.front();
  mlir::Operation* terminator = &body.back();
  const unsigned count = terminator->getNumOperands();
  if (count == 0 || body.getNumArguments() != 2 * count) return Combiner::kOther;
  const Combiner first =
      kindOfYield(terminator->getOperand(0), body.getArgument(0), body.getArgument(count));
  bool allAlike = first != Combiner::kOther;
  for (unsigned i = 1; allAlike && i < count; ++i) {
    allAlike = kindOfYield(terminator->getOperand(i), body.getArgument(i),
                           body.getArgument(count + i)) == first;
  }
  if (allAlike) return first;
  return count == 2 ? kindOfPairs(body, terminator) : Combiner::kOther;
}

}  // namespace shardwright
