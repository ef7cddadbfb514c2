#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_elementwise.cpp.inc"

namespace shardwright::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

void registerElementwiseOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_elementwise.cpp.inc"
      >(dialect);
}

namespace {

// A side operand of a ternary op: a scalar or of the shape of the result.
LogicalResult verifyScalarOrShape(mlir::Operation* op, llvm::StringRef what, RankedTensorType type,
                                  RankedTensorType shape) {
  return type.getRank() == 0 ? success() : verifyShape(op, what, type, shape.getShape());
}

// The result has the element type of the operand, or that of its parts if it is complex.
LogicalResult verifyPart(mlir::Operation* op, RankedTensorType operand, RankedTensorType result) {
  mlir::Type expected = operand.getElementType();
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(expected))
    expected = complex.getElementType();
  if (elementsAgree(result.getElementType(), expected)) return success();
  return op->emitOpError() << "result has element type " << result.getElementType() << ", expected "
                           << expected;
}

}  // namespace

LogicalResult AbsOp::verify() { return verifyPart(*this, getOperand().getType(), getType()); }

LogicalResult ImagOp::verify() { return verifyPart(*this, getOperand().getType(), getType()); }

LogicalResult RealOp::verify() { return verifyPart(*this, getOperand().getType(), getType()); }

LogicalResult ReducePrecisionOp::verify() {
  const auto exponent = static_cast<int32_t>(getExponentBits());
  const auto mantissa = static_cast<int32_t>(getMantissaBits());
  if (exponent < 1)
    return emitOpError() << "exponent_bits is " << exponent << ", expected at least 1";
  if (mantissa < 0)
    return emitOpError() << "mantissa_bits is " << mantissa << ", expected at least 0";
  return success();
}

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
