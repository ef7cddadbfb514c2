#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_linear.cpp.inc"

namespace shardwright::stablehlo {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::success;

void registerLinearOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_linear.cpp.inc"
      >(dialect);
}

namespace {

int64_t sizeOf(RankedTensorType type, int64_t dim) {
  return type.getDimSize(static_cast<unsigned>(dim));
}

// A precision for each of two operands, or none at all.
LogicalResult verifyPrecision(Operation* op, std::optional<mlir::ArrayAttr> precision) {
  if (!precision || precision->empty() || precision->size() <= 2) return success();
  return op->emitOpError() << "precision_config has " << precision->size()
                           << " entries, expected at most 2";
}

// Dimensions of both sides that belong together have the same size.
LogicalResult verifyPairedDims(Operation* op, StringRef name, RankedTensorType lhs,
                               ArrayRef<int64_t> lhsDims, RankedTensorType rhs,
                               ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size()) {
    return op->emitOpError() << "lhs has " << lhsDims.size() << " " << name
                             << " dimensions, but rhs has " << rhsDims.size();
  }
  for (const auto& [left, right] : llvm::zip_equal(lhsDims, rhsDims)) {
    if (sizesAgree(sizeOf(lhs, left), sizeOf(rhs, right))) continue;
    return op->emitOpError() << name << " dimension " << left << " of lhs has size "
                             << sizeOf(lhs, left) << ", but dimension " << right
                             << " of rhs has size " << sizeOf(rhs, right);
  }
  return success();
}

// The dimensions of one side are its own and are named once.
LogicalResult verifySide(Operation* op, StringRef name, RankedTensorType type,
                         ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting) {
  Dims all(batching);
  llvm::append_range(all, contracting);
  return verifyDims(op, name, all, type.getRank());
}

// The sizes of the dimensions of `type` that are not in `used`.
void appendFree(Dims& sizes, RankedTensorType type, ArrayRef<int64_t> batching,
                ArrayRef<int64_t> contracting) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!llvm::is_contained(batching, dim) && !llvm::is_contained(contracting, dim))
      sizes.push_back(sizeOf(type, dim));
  }
}

}  // namespace

// -- Products
// --------------------------------------------------------------------------------------------------------

LogicalResult DotGeneralOp::verify() {
  const DotDimensionNumbersAttr dims = getDotDimensionNumbers();
  const RankedTensorType lhs = getLhs().getType();
  const RankedTensorType rhs = getRhs().getType();
  const ArrayRef<int64_t> lhsBatching = dims.getLhsBatchingDimensions();
  const ArrayRef<int64_t> rhsBatching = dims.getRhsBatchingDimensions();
  const ArrayRef<int64_t> lhsContracting = dims.getLhsContractingDimensions();
  const ArrayRef<int64_t> rhsContracting = dims.getRhsContractingDimensions();
  if (failed(verifySide(*this, "dot_dimension_numbers of lhs", lhs, lhsBatching, lhsContracting)) ||
      failed(verifySide(*this, "dot_dimension_numbers of rhs", rhs, rhsBatching, rhsContracting)) ||
      failed(verifyPairedDims(*this, "batching", lhs, lhsBatching, rhs, rhsBatching)) ||
      failed(verifyPairedDims(*this, "contracting", lhs, lhsContracting, rhs, rhsContracting)) ||
      failed(verifyPrecision(*this, getPrecisionConfig()))) {
    return failure();
  }
  Dims expected;
  for (const int64_t dim : lhsBatching) expected.push_back(sizeOf(lhs, dim));
  appendFree(expected, lhs, lhsBatching, lhsContracting);
  appendFree(expected, rhs, rhsBatching, rhsContracting);
  return verifyShape(*this, "result", getType(), expected);
}

LogicalResult DotOp::verify() {
  const RankedTensorType lhs = getLhs().getType();
  const RankedTensorType rhs = getRhs().getType();
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 || rhs.getRank() > 2) {
    return emitOpError() << "expected vectors or matrices, got ranks " << lhs.getRank() << " and "
                         << rhs.getRank();
  }
  const int64_t lhsContracting = lhs.getRank() - 1;
  if (failed(verifyPairedDims(*this, "contracting", lhs, {lhsContracting}, rhs, {0})) ||
      failed(verifyPrecision(*this, getPrecisionConfig()))) {
    return failure();
  }
  Dims expected;
  appendFree(expected, lhs, {}, {lhsContracting});
  appendFree(expected, rhs, {}, {0});
  return verifyShape(*this, "result", getType(), expected);
}

// -- Convolutions
// ----------------------------------------------------------------------------------------------------

namespace {

// The named and spatial dimensions of one tensor are each of its dimensions once.
LogicalResult verifyConvTensor(Operation* op, StringRef what, int64_t first, int64_t second,
                               ArrayRef<int64_t> spatial, RankedTensorType type) {
  Dims all(spatial);
  all.append({first, second});
  if (static_cast<int64_t>(all.size()) != type.getRank()) {
    return op->emitOpError() << "dimension_numbers name " << all.size() << " dimensions of the "
                             << what << ", which has rank " << type.getRank();
  }
  return verifyDims(op, ("dimension_numbers of the " + what).str(), all, type.getRank());
}

LogicalResult verifyConvDims(Operation* op, ConvDimensionNumbersAttr dims, RankedTensorType input,
                             RankedTensorType kernel, RankedTensorType output) {
  if (failed(verifyConvTensor(op, "input", dims.getInputBatchDimension(),
                              dims.getInputFeatureDimension(), dims.getInputSpatialDimensions(),
                              input)) ||
      failed(verifyConvTensor(op, "kernel", dims.getKernelInputFeatureDimension(),
                              dims.getKernelOutputFeatureDimension(),
                              dims.getKernelSpatialDimensions(), kernel))) {
    return failure();
  }
  if (kernel.getRank() != input.getRank()) {
    return op->emitOpError() << "kernel has rank " << kernel.getRank()
                             << ", but the input has rank " << input.getRank();
  }
  return verifyConvTensor(op, "output", dims.getOutputBatchDimension(),
                          dims.getOutputFeatureDimension(), dims.getOutputSpatialDimensions(),
                          output);
}

// `size`, known or not, is a multiple of `count`.
LogicalResult verifyDivisible(Operation* op, StringRef what, int64_t size, StringRef name,
                              int64_t count) {
  if (mlir::ShapedType::isDynamic(size) || size % count == 0) return success();
  return op->emitOpError() << what << " has size " << size << ", which is no multiple of " << name
                           << " " << count;
}

// Sizes of the batch and feature dimensions, and the groups they are split into.
template <typename ConvOp>
LogicalResult verifyConvGroups(ConvOp op, RankedTensorType input, RankedTensorType kernel) {
  const ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  const auto featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
  const auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  if (featureGroups < 1 || batchGroups < 1) {
    return op.emitOpError() << "feature_group_count " << featureGroups << " and batch_group_count "
                            << batchGroups << " must be positive";
  }
  if (featureGroups > 1 && batchGroups > 1) {
    return op.emitOpError() << "feature_group_count " << featureGroups << " and batch_group_count "
                            << batchGroups << " cannot both exceed 1";
  }
  const int64_t batch = sizeOf(input, dims.getInputBatchDimension());
  const int64_t features = sizeOf(input, dims.getInputFeatureDimension());
  const int64_t outputs = sizeOf(kernel, dims.getKernelOutputFeatureDimension());
  if (failed(verifyDivisible(op, "the input's batch dimension", batch, "batch_group_count",
                             batchGroups)) ||
      failed(verifyDivisible(op, "the input's feature dimension", features, "feature_group_count",
                             featureGroups)) ||
      failed(verifyDivisible(op, "the kernel's output feature dimension", outputs,
                             "batch_group_count", batchGroups)) ||
      failed(verifyDivisible(op, "the kernel's output feature dimension", outputs,
                             "feature_group_count", featureGroups))) {
    return failure();
  }
  const int64_t wanted =
      mlir::ShapedType::isDynamic(features) ? features : features / featureGroups;
  const int64_t inputs = sizeOf(kernel, dims.getKernelInputFeatureDimension());
  if (!sizesAgree(inputs, wanted)) {
    return op.emitOpError() << "the kernel's input feature dimension has size " << inputs
                            << ", expected " << wanted;
  }
  return success();
}

template <typename ConvOp>
LogicalResult verifyConv(ConvOp op, RankedTensorType input, RankedTensorType kernel,
                         RankedTensorType output) {
  if (failed(verifyConvDims(op, op.getDimensionNumbers(), input, kernel, output))) return failure();
  const int64_t spatial = input.getRank() - 2;
  if (failed(verifyNumbers(op, "window_strides", op.getWindowStrides(), spatial, 1)) ||
      failed(verifyNumbers(op, "lhs_dilation", op.getLhsDilation(), spatial, 1)) ||
      failed(verifyPrecision(op, op.getPrecisionConfig()))) {
    return failure();
  }
  if (op.getWindowReversal() &&
      failed(verifyCount(op, "window_reversal", op.getWindowReversal()->size(), spatial))) {
    return failure();
  }
  return verifyConvGroups(op, input, kernel);
}

}  // namespace

namespace {

// The shape of a convolution's output. The op's lists have been verified.
mlir::FailureOr<Dims> convShape(ConvolutionOp op) {
  const ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  const RankedTensorType input = op.getLhs().getType();
  const RankedTensorType kernel = op.getRhs().getType();
  const auto at = [](std::optional<ArrayRef<int64_t>> numbers, size_t i) {
    return numbers ? (*numbers)[i] : 1;
  };
  Dims pads(2 * dims.getInputSpatialDimensions().size(), 0);
  if (op.getPadding()) {
    for (const auto& [index, value] : llvm::enumerate(op.getPadding()->getValues<llvm::APInt>())) {
      pads[index] = value.getSExtValue();
    }
  }
  Dims shape(static_cast<size_t>(op.getType().getRank()), mlir::ShapedType::kDynamic);
  for (size_t i = 0; i < dims.getInputSpatialDimensions().size(); ++i) {
    const Window window = {sizeOf(kernel, dims.getKernelSpatialDimensions()[i]),
                           at(op.getWindowStrides(), i),
                           pads[2 * i],
                           pads[2 * i + 1],
                           at(op.getLhsDilation(), i),
                           at(op.getRhsDilation(), i)};
    const std::optional<int64_t> count =
        windowCount(sizeOf(input, dims.getInputSpatialDimensions()[i]), window);
    if (!count)
      return op.emitOpError() << "window of spatial dimension " << i << " exceeds 64 bits";
    shape[static_cast<size_t>(dims.getOutputSpatialDimensions()[i])] = *count;
  }
  const int64_t batch = sizeOf(input, dims.getInputBatchDimension());
  shape[static_cast<size_t>(dims.getOutputBatchDimension())] =
      mlir::ShapedType::isDynamic(batch) ? batch
                                         : batch / static_cast<int64_t>(op.getBatchGroupCount());
  shape[static_cast<size_t>(dims.getOutputFeatureDimension())] =
      sizeOf(kernel, dims.getKernelOutputFeatureDimension());
  return shape;
}

}  // namespace

LogicalResult ConvolutionOp::verify() {
  const int64_t spatial = getLhs().getType().getRank() - 2;
  if (failed(verifyConv(*this, getLhs().getType(), getRhs().getType(), getType())) ||
      failed(verifyNumbers(*this, "rhs_dilation", getRhsDilation(), spatial, 1)) ||
      failed(verifyPadding(*this, getPadding(), spatial))) {
    return failure();
  }
  const mlir::FailureOr<Dims> expected = convShape(*this);
  return failed(expected) ? failure() : verifyShape(*this, "result", getType(), *expected);
}

LogicalResult DynamicConvOp::verify() {
  if (failed(verifyConv(*this, getLhs().getType(), getRhs().getType(), getType())))
    return failure();
  return verifyShape(*this, "padding", getPadding().getType(),
                     {getLhs().getType().getRank() - 2, 2});
}

// -- Matrices and transforms
// -----------------------------------------------------------------------------------------

namespace {

// A batch of square matrices.
LogicalResult verifySquare(Operation* op, StringRef what, RankedTensorType type) {
  const int64_t rank = type.getRank();
  if (rank < 2) return op->emitOpError() << what << " has rank " << rank << ", expected at least 2";
  if (sizesAgree(sizeOf(type, rank - 1), sizeOf(type, rank - 2))) return success();
  return op->emitOpError() << what << " must hold square matrices, got " << sizeOf(type, rank - 2)
                           << "x" << sizeOf(type, rank - 1);
}

}  // namespace

LogicalResult CholeskyOp::verify() { return verifySquare(*this, "a", getA().getType()); }

LogicalResult TriangularSolveOp::verify() {
  const RankedTensorType a = getA().getType();
  const RankedTensorType b = getB().getType();
  if (failed(verifyElement(*this, "b", b, "a", a)) || failed(verifySquare(*this, "a", a)) ||
      failed(verifyRank(*this, "b", b, a.getRank()))) {
    return failure();
  }
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOpError() << "transpose_a must say what to do";
  const int64_t rank = a.getRank();
  Dims expected(b.getShape());
  for (int64_t dim = 0; dim < rank - 2; ++dim) expected[static_cast<size_t>(dim)] = sizeOf(a, dim);
  expected[static_cast<size_t>(getLeftSide() ? rank - 2 : rank - 1)] = sizeOf(a, rank - 1);
  if (failed(verifyShape(*this, "b", b, expected))) return failure();
  return verifyResult(*this, b, getType(), b.getShape());
}

namespace {

// The number of frequencies that a real signal of `length` has; nothing is asked of an empty one.
int64_t frequencies(int64_t length) {
  return length == 0 ? mlir::ShapedType::kDynamic : length / 2 + 1;
}

}  // namespace

LogicalResult FftOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const ArrayRef<int64_t> length = getFftLength();
  const auto count = static_cast<int64_t>(length.size());
  if (count < 1 || count > 3 || count > operand.getRank()) {
    return emitOpError() << "fft_length has " << count
                         << " entries, expected 1 to 3 and at most the rank " << operand.getRank();
  }
  const bool toReal = getFftType() == FftType::IRFFT;
  const bool fromReal = getFftType() == FftType::RFFT;
  // The transformed dimensions are the minor ones.
  Dims expected(operand.getShape().drop_back(length.size()));
  llvm::append_range(expected, length);
  if (toReal) expected.back() = frequencies(length.back());
  if (failed(verifyShape(*this, "operand", operand, expected))) return failure();
  expected.assign(operand.getShape().begin(), operand.getShape().end());
  if (toReal) expected.back() = length.back();
  if (fromReal) expected.back() = frequencies(length.back());
  return verifyShape(*this, "result", getType(), expected);
}

// -- Normalizations
// --------------------------------------------------------------------------------------------------

namespace {

// A vector with one entry per feature.
LogicalResult verifyFeatures(Operation* op, StringRef what, RankedTensorType type,
                             RankedTensorType operand, int64_t feature) {
  return verifyShape(op, what, type, {sizeOf(operand, feature)});
}

LogicalResult verifyFeatureIndex(Operation* op, RankedTensorType operand, uint64_t feature) {
  return verifyDim(op, "feature_index", static_cast<int64_t>(feature), operand.getRank());
}

}  // namespace

LogicalResult BatchNormTrainingOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const auto feature = static_cast<int64_t>(getFeatureIndex());
  if (failed(verifyFeatureIndex(*this, operand, getFeatureIndex())) ||
      failed(verifyFeatures(*this, "scale", getScale().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "offset", getOffset().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "batch_mean", getBatchMean().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "batch_var", getBatchVar().getType(), operand, feature))) {
    return failure();
  }
  return verifyResult(*this, operand, getOutput().getType(), operand.getShape());
}

LogicalResult BatchNormInferenceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const auto feature = static_cast<int64_t>(getFeatureIndex());
  if (failed(verifyFeatureIndex(*this, operand, getFeatureIndex())) ||
      failed(verifyFeatures(*this, "scale", getScale().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "offset", getOffset().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "mean", getMean().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "variance", getVariance().getType(), operand, feature))) {
    return failure();
  }
  return verifyResult(*this, operand, getType(), operand.getShape());
}

LogicalResult BatchNormGradOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const auto feature = static_cast<int64_t>(getFeatureIndex());
  if (failed(verifyFeatureIndex(*this, operand, getFeatureIndex())) ||
      failed(verifyFeatures(*this, "scale", getScale().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "mean", getMean().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "variance", getVariance().getType(), operand, feature)) ||
      failed(verifyShape(*this, "grad_output", getGradOutput().getType(), operand.getShape())) ||
      failed(verifyFeatures(*this, "grad_scale", getGradScale().getType(), operand, feature)) ||
      failed(verifyFeatures(*this, "grad_offset", getGradOffset().getType(), operand, feature))) {
    return failure();
  }
  return verifyResult(*this, operand, getGradOperand().getType(), operand.getShape());
}

}  // namespace shardwright::stablehlo
