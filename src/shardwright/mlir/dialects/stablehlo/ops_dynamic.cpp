#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_dynamic.cpp.inc"

namespace shardwright::stablehlo {

using llvm::StringRef;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;

void registerDynamicOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_dynamic.cpp.inc"
      >(dialect);
}

namespace {

// `type` is a vector with one entry per dimension.
LogicalResult verifyShapeOperand(Operation* op, StringRef what, RankedTensorType type,
                                 int64_t rank) {
  return verifyShape(op, what, type, {rank});
}

}  // namespace

LogicalResult DynamicBroadcastInDimOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(verifyElement(*this, "result", getType(), "operand", operand)) ||
      failed(verifyRank(*this, "output_dimensions", getOutputDimensions().getType(), 1)) ||
      failed(verifyCount(*this, "broadcast_dimensions", getBroadcastDimensions().size(),
                         operand.getRank())) ||
      failed(verifyDims(*this, "broadcast_dimensions", getBroadcastDimensions(),
                        getType().getRank()))) {
    return failure();
  }
  for (const auto& [dim, target] : llvm::enumerate(getBroadcastDimensions())) {
    const int64_t size = operand.getDimSize(static_cast<unsigned>(dim));
    const int64_t wanted = getType().getDimSize(static_cast<unsigned>(target));
    if (size == 1 || sizesAgree(size, wanted)) continue;
    return emitOpError() << "operand dimension " << dim << " has size " << size
                         << ", expected 1 or " << wanted;
  }
  Dims known(getKnownExpandingDimensions().value_or(llvm::ArrayRef<int64_t>()));
  llvm::append_range(known, getKnownNonexpandingDimensions().value_or(llvm::ArrayRef<int64_t>()));
  return verifyDims(*this, "known dimension", known, operand.getRank());
}

LogicalResult DynamicIotaOp::verify() {
  if (failed(verifyRank(*this, "output_shape", getOutputShape().getType(), 1))) {
    return failure();
  }
  return verifyDim(*this, "iota_dimension", static_cast<int64_t>(getIotaDimension()),
                   getType().getRank());
}

LogicalResult DynamicPadOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  if (failed(verifyElement(*this, "result", getType(), "operand", operand)) ||
      failed(
          verifyElement(*this, "padding_value", getPaddingValue().getType(), "operand", operand)) ||
      failed(verifyRank(*this, "padding_value", getPaddingValue().getType(), 0)) ||
      failed(verifyShapeOperand(*this, "edge_padding_low", getEdgePaddingLow().getType(), rank)) ||
      failed(
          verifyShapeOperand(*this, "edge_padding_high", getEdgePaddingHigh().getType(), rank)) ||
      failed(verifyShapeOperand(*this, "interior_padding", getInteriorPadding().getType(), rank))) {
    return failure();
  }
  return verifyRank(*this, "result", getType(), rank);
}

LogicalResult DynamicReshapeOp::verify() {
  if (failed(verifyElement(*this, "result", getType(), "operand", getOperand().getType())))
    return failure();
  return verifyShapeOperand(*this, "output_shape", getOutputShape().getType(), getType().getRank());
}

LogicalResult RealDynamicSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  if (failed(verifyElement(*this, "result", getType(), "operand", operand)) ||
      failed(verifyShapeOperand(*this, "start_indices", getStartIndices().getType(), rank)) ||
      failed(verifyShapeOperand(*this, "limit_indices", getLimitIndices().getType(), rank)) ||
      failed(verifyShapeOperand(*this, "strides", getStrides().getType(), rank))) {
    return failure();
  }
  return verifyRank(*this, "result", getType(), rank);
}

LogicalResult GetDimensionSizeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(verifyRank(*this, "result", getType(), 0))) return failure();
  return verifyDim(*this, "dimension", static_cast<int64_t>(getDimension()), operand.getRank());
}

LogicalResult SetDimensionSizeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const auto dim = static_cast<int64_t>(getDimension());
  if (failed(verifyDim(*this, "dimension", dim, operand.getRank())) ||
      failed(verifyRank(*this, "size", getSize().getType(), 0))) {
    return failure();
  }
  Dims expected(operand.getShape());
  expected[static_cast<size_t>(dim)] = mlir::ShapedType::kDynamic;
  return verifyResult(*this, operand, getType(), expected);
}

}  // namespace shardwright::stablehlo
