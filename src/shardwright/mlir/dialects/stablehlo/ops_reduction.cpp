#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_reduction.cpp.inc"

namespace shardwright::stablehlo {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void registerReductionOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_reduction.cpp.inc"
      >(dialect);
}

namespace {

RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<RankedTensorType>(value.getType());
}

// There is at least one input, all have one shape, and there are as many results.
LogicalResult verifyInputs(Operation* op, mlir::OperandRange inputs) {
  if (inputs.empty()) return op->emitOpError() << "expected at least one input";
  for (const auto& [index, input] : llvm::enumerate(inputs)) {
    if (failed(verifyShape(op, "input " + std::to_string(index), tensorType(input),
                           tensorType(inputs.front()).getShape()))) {
      return failure();
    }
  }
  return verifyCount(op, "list of results", op->getNumResults(),
                     static_cast<int64_t>(inputs.size()));
}

// The initial values are scalars, one for each input. Operands are split into halves, so that an
// odd one shows here only.
LogicalResult verifyInits(Operation* op, mlir::OperandRange inits) {
  if (op->getNumOperands() != 2 * inits.size()) {
    return op->emitOpError() << "has " << op->getNumOperands()
                             << " operands, expected as many initial values as inputs";
  }
  for (const auto& [index, init] : llvm::enumerate(inits)) {
    if (failed(verifyRank(op, "initial value " + std::to_string(index), tensorType(init), 0)))
      return failure();
  }
  return success();
}

LogicalResult verifyResultShapes(Operation* op, ArrayRef<int64_t> expected) {
  for (const auto& [index, result] : llvm::enumerate(op->getResults())) {
    if (failed(verifyShape(op, "result " + std::to_string(index), tensorType(result), expected)))
      return failure();
  }
  return success();
}

}  // namespace

// -- reduce
// ----------------------------------------------------------------------------------------------------------

LogicalResult ReduceOp::verify() {
  if (failed(verifyInputs(*this, getInputs())) || failed(verifyInits(*this, getInitValues())))
    return failure();
  const RankedTensorType input = tensorType(getInputs().front());
  if (failed(verifyDims(*this, "dimensions", getDimensions(), input.getRank()))) return failure();
  Dims expected;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    if (!llvm::is_contained(getDimensions(), dim))
      expected.push_back(input.getDimSize(static_cast<unsigned>(dim)));
  }
  return verifyResultShapes(*this, expected);
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyCombiner(*this, getBody(), "body", getInputs().size());
}

// -- Windows
// ---------------------------------------------------------------------------------------------------------

namespace {

using Numbers = std::optional<ArrayRef<int64_t>>;

int64_t numberAt(Numbers numbers, size_t dim, int64_t otherwise = 1) {
  return numbers ? (*numbers)[dim] : otherwise;
}

// The shape of the places that windows have in a tensor of `shape`. The lists have been verified.
mlir::FailureOr<Dims> windowShape(Operation* op, ArrayRef<int64_t> shape, Numbers sizes,
                                  Numbers strides, Numbers baseDilations, Numbers dilations,
                                  std::optional<mlir::DenseIntElementsAttr> padding) {
  Dims pads(2 * shape.size(), 0);
  if (padding) {
    for (const auto& [index, value] : llvm::enumerate(padding->getValues<llvm::APInt>())) {
      pads[index] = value.getSExtValue();
    }
  }
  Dims counts;
  for (const auto& [dim, size] : llvm::enumerate(shape)) {
    const Window window = {
        numberAt(sizes, dim), numberAt(strides, dim),       pads[2 * dim],
        pads[2 * dim + 1],    numberAt(baseDilations, dim), numberAt(dilations, dim)};
    const std::optional<int64_t> count = windowCount(size, window);
    if (!count) return op->emitOpError() << "window of dimension " << dim << " exceeds 64 bits";
    counts.push_back(*count);
  }
  return counts;
}

}  // namespace

LogicalResult ReduceWindowOp::verify() {
  if (failed(verifyInputs(*this, getInputs())) || failed(verifyInits(*this, getInitValues())))
    return failure();
  const int64_t rank = tensorType(getInputs().front()).getRank();
  if (failed(verifyNumbers(*this, "window_dimensions", getWindowDimensions(), rank, 1)) ||
      failed(verifyNumbers(*this, "window_strides", getWindowStrides(), rank, 1)) ||
      failed(verifyNumbers(*this, "base_dilations", getBaseDilations(), rank, 1)) ||
      failed(verifyNumbers(*this, "window_dilations", getWindowDilations(), rank, 1)) ||
      failed(verifyPadding(*this, getPadding(), rank))) {
    return failure();
  }
  const mlir::FailureOr<Dims> expected =
      windowShape(*this, tensorType(getInputs().front()).getShape(), getWindowDimensions(),
                  getWindowStrides(), getBaseDilations(), getWindowDilations(), getPadding());
  if (failed(expected)) return failure();
  return verifyResultShapes(*this, *expected);
}

LogicalResult ReduceWindowOp::verifyRegions() {
  return verifyCombiner(*this, getBody(), "body", getInputs().size());
}

LogicalResult SelectAndScatterOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  if (failed(verifyRank(*this, "source", getSource().getType(), rank)) ||
      failed(verifyRank(*this, "init_value", getInitValue().getType(), 0)) ||
      failed(verifyNumbers(*this, "window_dimensions", getWindowDimensions(), rank, 1)) ||
      failed(verifyNumbers(*this, "window_strides", getWindowStrides(), rank, 1)) ||
      failed(verifyPadding(*this, getPadding(), rank))) {
    return failure();
  }
  const mlir::FailureOr<Dims> windows =
      windowShape(*this, operand.getShape(), getWindowDimensions(), getWindowStrides(),
                  std::nullopt, std::nullopt, getPadding());
  if (failed(windows) || failed(verifyShape(*this, "source", getSource().getType(), *windows)))
    return failure();
  return verifyShape(*this, "result", getType(), operand.getShape());
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  if (failed(verifyComparator(*this, getSelect(), "select", 1))) return failure();
  return verifyCombiner(*this, getScatter(), "scatter", 1);
}

// -- sort, map
// -------------------------------------------------------------------------------------------------------

LogicalResult SortOp::verify() {
  if (failed(verifyInputs(*this, getInputs()))) return failure();
  const RankedTensorType input = tensorType(getInputs().front());
  const int64_t rank = input.getRank();
  // A negative dimension counts from the last.
  const auto dim = static_cast<int64_t>(getDimension());
  if (dim < -rank || dim >= rank)
    return emitOpError() << "dimension " << dim << " is out of range for rank " << rank;
  return verifyResultShapes(*this, input.getShape());
}

LogicalResult SortOp::verifyRegions() {
  return verifyComparator(*this, getComparator(), "comparator", getInputs().size());
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) return emitOpError() << "expected at least one input";
  const RankedTensorType input = tensorType(getInputs().front());
  for (const auto& [index, other] : llvm::enumerate(getInputs())) {
    if (failed(verifyShape(*this, "input " + std::to_string(index), tensorType(other),
                           input.getShape()))) {
      return failure();
    }
  }
  if (failed(verifyCount(*this, "dimensions", getDimensions().size(), input.getRank())))
    return failure();
  for (const auto& [index, dim] : llvm::enumerate(getDimensions())) {
    if (dim != static_cast<int64_t>(index)) {
      return emitOpError() << "dimensions must be all in order, got " << dim << " at " << index;
    }
  }
  return verifyShape(*this, "result", getType(), input.getShape());
}

LogicalResult MapOp::verifyRegions() {
  Operation* end = verifyBody(*this, getComputation(), "computation");
  if (!end) return failure();
  const size_t taken = getComputation().getNumArguments();
  if (taken != getInputs().size()) {
    return emitOpError() << "computation takes " << taken << " arguments, expected "
                         << getInputs().size();
  }
  auto returned = end->getNumOperands() == 1
                      ? mlir::dyn_cast<RankedTensorType>(end->getOperand(0).getType())
                      : nullptr;
  if (!returned || returned.getRank() != 0)
    return emitOpError() << "computation must return one tensor of rank 0";
  return verifyElement(*this, "result", getType(), "computation", returned);
}

// -- gather, scatter
// -------------------------------------------------------------------------------------------------

namespace {

// What gather and scatter have in common: the indices' dimensions, and how index components and
// batching dimensions fall on the operand.
struct IndexedDims {
  StringRef indexVectorName;
  int64_t indexVectorDim;
  StringRef mapName;
  ArrayRef<int64_t> map;
  StringRef operandBatchingName;
  ArrayRef<int64_t> operandBatching;
  StringRef indicesBatchingName;
  ArrayRef<int64_t> indicesBatching;
};

LogicalResult verifyBatching(Operation* op, const IndexedDims& dims, RankedTensorType operand,
                             RankedTensorType indices) {
  if (failed(verifyDims(op, dims.indicesBatchingName, dims.indicesBatching, indices.getRank())) ||
      failed(verifyDims(op, dims.operandBatchingName, dims.operandBatching, operand.getRank())) ||
      failed(verifySorted(op, dims.operandBatchingName, dims.operandBatching)) ||
      failed(verifyCount(op, dims.indicesBatchingName, dims.indicesBatching.size(),
                         static_cast<int64_t>(dims.operandBatching.size())))) {
    return failure();
  }
  if (llvm::is_contained(dims.indicesBatching, dims.indexVectorDim)) {
    return op->emitOpError() << dims.indicesBatchingName << " holds the index vector dimension "
                             << dims.indexVectorDim;
  }
  for (const auto& [left, right] : llvm::zip_equal(dims.operandBatching, dims.indicesBatching)) {
    const int64_t size = operand.getDimSize(static_cast<unsigned>(left));
    const int64_t other = indices.getDimSize(static_cast<unsigned>(right));
    if (sizesAgree(size, other)) continue;
    return op->emitOpError() << "batching dimension " << left << " of the operand has size " << size
                             << ", but dimension " << right << " of the indices has size " << other;
  }
  return success();
}

LogicalResult verifyIndices(Operation* op, const IndexedDims& dims, RankedTensorType operand,
                            RankedTensorType indices) {
  // An index vector dimension just past the last means that the indices are scalars.
  if (failed(verifyDim(op, dims.indexVectorName, dims.indexVectorDim, indices.getRank() + 1)))
    return failure();
  const int64_t components = dims.indexVectorDim == indices.getRank()
                                 ? 1
                                 : indices.getDimSize(static_cast<unsigned>(dims.indexVectorDim));
  if (!sizesAgree(components, static_cast<int64_t>(dims.map.size()))) {
    return op->emitOpError() << dims.mapName << " has " << dims.map.size()
                             << " entries, but an index has " << components << " components";
  }
  Dims mapped(dims.map);
  llvm::append_range(mapped, dims.operandBatching);
  if (failed(verifyDims(op, dims.mapName, mapped, operand.getRank()))) return failure();
  return verifyBatching(op, dims, operand, indices);
}

// The dimensions of the indices without the one that holds the components.
Dims batchSizes(RankedTensorType indices, int64_t indexVectorDim) {
  Dims sizes(indices.getShape());
  if (indexVectorDim < indices.getRank()) sizes.erase(sizes.begin() + indexVectorDim);
  return sizes;
}

// Operand dimensions that windows do not have: collapsed (or inserted) and batching ones, each
// once.
LogicalResult verifyDropped(Operation* op, StringRef name, ArrayRef<int64_t> dropped,
                            ArrayRef<int64_t> batching, int64_t rank) {
  Dims all(dropped);
  llvm::append_range(all, batching);
  if (failed(verifyDims(op, name, all, rank))) return failure();
  return verifySorted(op, name, dropped);
}

LogicalResult verifyWindowRank(Operation* op, StringRef name, size_t windowDims, size_t dropped,
                               int64_t rank) {
  if (static_cast<int64_t>(windowDims + dropped) == rank) return success();
  return op->emitOpError() << name << " has " << windowDims << " entries, expected " << rank
                           << " less the " << dropped << " dimensions that windows do not have";
}

IndexedDims indexedDims(GatherDimensionNumbersAttr dims) {
  return {"index_vector_dim",
          dims.getIndexVectorDim(),
          "start_index_map",
          dims.getStartIndexMap(),
          "operand_batching_dims",
          dims.getOperandBatchingDims(),
          "start_indices_batching_dims",
          dims.getStartIndicesBatchingDims()};
}

// The result's shape: window sizes at the offset dimensions, sizes of the indices at the others.
// `windows` are the sizes of the operand dimensions that windows have.
Dims gatheredShape(ArrayRef<int64_t> offsetDims, ArrayRef<int64_t> batch,
                   ArrayRef<int64_t> windows) {
  Dims shape;
  size_t nextWindow = 0;
  size_t nextBatch = 0;
  for (size_t dim = 0; dim < batch.size() + windows.size(); ++dim) {
    const bool isOffset = llvm::is_contained(offsetDims, static_cast<int64_t>(dim));
    if (isOffset && nextWindow < windows.size()) {
      shape.push_back(windows[nextWindow++]);
    } else {
      shape.push_back(nextBatch < batch.size() ? batch[nextBatch++] : ShapedType::kDynamic);
    }
  }
  return shape;
}

// `sliceSizes` may hold unknown sizes.
template <typename Op>
LogicalResult verifyGather(Op op, ArrayRef<int64_t> sliceSizes) {
  const GatherDimensionNumbersAttr dims = op.getDimensionNumbers();
  const RankedTensorType operand = op.getOperand().getType();
  const RankedTensorType indices = op.getStartIndices().getType();
  const ArrayRef<int64_t> collapsed = dims.getCollapsedSliceDims();
  const ArrayRef<int64_t> batching = dims.getOperandBatchingDims();
  if (failed(verifyIndices(op, indexedDims(dims), operand, indices)) ||
      failed(verifyDropped(op, "collapsed_slice_dims", collapsed, batching, operand.getRank())) ||
      failed(verifyDims(op, "offset_dims", dims.getOffsetDims(), op.getType().getRank())) ||
      failed(verifySorted(op, "offset_dims", dims.getOffsetDims())) ||
      failed(verifyWindowRank(op, "offset_dims", dims.getOffsetDims().size(),
                              collapsed.size() + batching.size(), operand.getRank()))) {
    return failure();
  }
  Dims windows;
  for (const auto& [dim, size] : llvm::enumerate(sliceSizes)) {
    const int64_t whole = operand.getDimSize(static_cast<unsigned>(dim));
    const auto index = static_cast<int64_t>(dim);
    const bool dropped =
        llvm::is_contained(collapsed, index) || llvm::is_contained(batching, index);
    if (!ShapedType::isDynamic(size) &&
        (size < 0 || (!ShapedType::isDynamic(whole) && size > whole))) {
      return op.emitOpError() << "slice size " << size << " of dimension " << dim
                              << " does not fit into the operand's size " << whole;
    }
    if (dropped && !ShapedType::isDynamic(size) && size > 1) {
      return op.emitOpError() << "slice size " << size << " of dimension " << dim
                              << ", which the result does not have,"
                              << " exceeds 1";
    }
    if (!dropped) windows.push_back(size);
  }
  return verifyResult(
      op, operand, op.getType(),
      gatheredShape(dims.getOffsetDims(), batchSizes(indices, dims.getIndexVectorDim()), windows));
}

}  // namespace

LogicalResult GatherOp::verify() {
  if (failed(verifyCount(*this, "slice_sizes", getSliceSizes().size(),
                         getOperand().getType().getRank()))) {
    return failure();
  }
  return verifyGather(*this, getSliceSizes());
}

LogicalResult DynamicGatherOp::verify() {
  const int64_t rank = getOperand().getType().getRank();
  if (failed(verifyShape(*this, "slice_sizes", getSliceSizes().getType(), {rank})))
    return failure();
  return verifyGather(*this, Dims(static_cast<size_t>(rank), ShapedType::kDynamic));
}

namespace {

// The windows of the updates fit into the operand, and their other dimensions are those of the
// indices.
LogicalResult verifyUpdate(ScatterOp op, StringRef what, RankedTensorType update,
                           RankedTensorType operand) {
  const ScatterDimensionNumbersAttr dims = op.getScatterDimensionNumbers();
  const RankedTensorType indices = op.getScatterIndices().getType();
  const Dims batch = batchSizes(indices, dims.getIndexVectorDim());
  const ArrayRef<int64_t> windowDims = dims.getUpdateWindowDims();
  if (failed(
          verifyRank(op, what, update, static_cast<int64_t>(batch.size() + windowDims.size()))) ||
      failed(verifyDims(op, "update_window_dims", windowDims, update.getRank()))) {
    return failure();
  }
  Dims wholes;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    if (llvm::is_contained(dims.getInsertedWindowDims(), dim) ||
        llvm::is_contained(dims.getInputBatchingDims(), dim)) {
      continue;
    }
    wholes.push_back(operand.getDimSize(static_cast<unsigned>(dim)));
  }
  for (const auto& [dim, whole] : llvm::zip_equal(windowDims, wholes)) {
    const int64_t size = update.getDimSize(static_cast<unsigned>(dim));
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(whole) || size <= whole) continue;
    return op.emitOpError() << "window dimension " << dim << " of " << what << " has size " << size
                            << ", which exceeds the input's size " << whole;
  }
  const Dims unknown(wholes.size(), ShapedType::kDynamic);
  return verifyShape(op, what, update, gatheredShape(windowDims, batch, unknown));
}

}  // namespace

LogicalResult ScatterOp::verify() {
  if (failed(verifyInputs(*this, getInputs()))) return failure();
  if (getNumOperands() != 2 * getInputs().size() + 1) {
    return emitOpError() << "has " << getNumOperands()
                         << " operands, expected indices and as many updates as inputs";
  }
  const ScatterDimensionNumbersAttr dims = getScatterDimensionNumbers();
  const RankedTensorType operand = tensorType(getInputs().front());
  const ArrayRef<int64_t> inserted = dims.getInsertedWindowDims();
  const ArrayRef<int64_t> batching = dims.getInputBatchingDims();
  const IndexedDims indexed = {"index_vector_dim",
                               dims.getIndexVectorDim(),
                               "scatter_dims_to_operand_dims",
                               dims.getScatterDimsToOperandDims(),
                               "input_batching_dims",
                               batching,
                               "scatter_indices_batching_dims",
                               dims.getScatterIndicesBatchingDims()};
  if (failed(verifyIndices(*this, indexed, operand, getScatterIndices().getType())) ||
      failed(verifyDropped(*this, "inserted_window_dims", inserted, batching, operand.getRank())) ||
      failed(verifySorted(*this, "update_window_dims", dims.getUpdateWindowDims())) ||
      failed(verifyWindowRank(*this, "update_window_dims", dims.getUpdateWindowDims().size(),
                              inserted.size() + batching.size(), operand.getRank()))) {
    return failure();
  }
  for (const auto& [index, update] : llvm::enumerate(getUpdates())) {
    if (failed(verifyUpdate(*this, "update " + std::to_string(index), tensorType(update), operand)))
      return failure();
  }
  return verifyResultShapes(*this, operand.getShape());
}

LogicalResult ScatterOp::verifyRegions() {
  return verifyCombiner(*this, getUpdateComputation(), "update_computation", getInputs().size());
}

}  // namespace shardwright::stablehlo
