#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_unary.cpp.inc"

namespace shardwright::stablehlo {

using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

void registerUnaryOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_unary.cpp.inc"
      >(dialect);
}

namespace {

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

}  // namespace shardwright::stablehlo
