#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_binary.cpp.inc"

namespace shardwright::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

void registerBinaryOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_binary.cpp.inc"
      >(dialect);
}

namespace {

// A side operand of a ternary op: a scalar or of the shape of the result.
LogicalResult verifyScalarOrShape(mlir::Operation* op, llvm::StringRef what, RankedTensorType type,
                                  RankedTensorType shape) {
  return type.getRank() == 0 ? success() : verifyShape(op, what, type, shape.getShape());
}

}  // namespace

LogicalResult ComplexOp::verify() {
  auto element = mlir::dyn_cast<mlir::ComplexType>(getType().getElementType());
  if (!element)
    return emitOpError() << "result has element type " << getType().getElementType()
                         << ", expected complex";
  for (const mlir::Value operand : getOperands()) {
    const mlir::Type part = mlir::cast<RankedTensorType>(operand.getType()).getElementType();
    if (part == element.getElementType()) continue;
    return emitOpError() << "operand has element type " << part
                         << ", but the parts of the result have " << element.getElementType();
  }
  return success();
}

LogicalResult CompareOp::verify() {
  return verifyElement(*this, "rhs", getRhs().getType(), "lhs", getLhs().getType());
}

LogicalResult ClampOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(verifyElement(*this, "min", getMin().getType(), "operand", operand)) ||
      failed(verifyElement(*this, "max", getMax().getType(), "operand", operand)) ||
      failed(verifyScalarOrShape(*this, "min", getMin().getType(), operand)) ||
      failed(verifyScalarOrShape(*this, "max", getMax().getType(), operand))) {
    return failure();
  }
  return verifyResult(*this, operand, getType(), operand.getShape());
}

LogicalResult SelectOp::verify() {
  const RankedTensorType onTrue = getOnTrue().getType();
  if (failed(verifyElement(*this, "on_false", getOnFalse().getType(), "on_true", onTrue)) ||
      failed(verifyShape(*this, "on_false", getOnFalse().getType(), onTrue.getShape())) ||
      failed(verifyScalarOrShape(*this, "pred", getPred().getType(), onTrue))) {
    return failure();
  }
  return verifyResult(*this, onTrue, getType(), onTrue.getShape());
}

}  // namespace shardwright::stablehlo
