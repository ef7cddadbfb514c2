#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_shape.cpp.inc"

namespace shardwright::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void registerShapeOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_shape.cpp.inc"
      >(dialect);
}

// -- constant
// --------------------------------------------------------------------------------------------------------

void ConstantOp::build(mlir::OpBuilder& builder, mlir::OperationState& state,
                       mlir::ElementsAttr value) {
  build(builder, state, value.getShapedType(), value);
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getResult(), isIntegerOrIndex(getType().getElementType()) ? "c" : "cst");
}

// `stablehlo.constant dense<1> : tensor<i32>`, or, where the value's type is not that of the result
// (quantized types), `stablehlo.constant() {value = dense<1> : tensor<i8>} : () -> tensor<...>`.
ParseResult ConstantOp::parse(OpAsmParser& parser, mlir::OperationState& state) {
  if (mlir::succeeded(parser.parseOptionalLParen())) {
    mlir::Type type;
    if (parser.parseRParen() || parser.parseOptionalAttrDict(state.attributes) ||
        parser.parseColon() || parser.parseLParen() || parser.parseRParen() ||
        parser.parseArrow() || parser.parseType(type)) {
      return failure();
    }
    state.addTypes(type);
    return success();
  }
  mlir::ElementsAttr value;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseAttribute(value))
    return failure();
  state.attributes.set(getValueAttrName(state.name), value);
  state.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter& printer) {
  if (getValue().getType() != getType()) {
    printer << "()";
    printer.printOptionalAttrDict((*this)->getAttrs());
    printer << " : () -> " << getType();
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << " " << getValue();
}

LogicalResult ConstantOp::verify() {
  const ShapedType value = getValue().getShapedType();
  if (!getType().hasStaticShape())
    return emitOpError() << "result must have a static shape, got " << getType();
  if (value.getShape() != getType().getShape()) {
    return emitOpError() << "value has type " << value << ", but the result has " << getType();
  }
  if (value.getElementType() == getType().getElementType() ||
      isQuantized(getType().getElementType()))
    return success();
  return emitOpError() << "value has element type " << value.getElementType()
                       << ", but the result has " << getType().getElementType();
}

// -- Ops that make or reinterpret elements
// ---------------------------------------------------------------------------

LogicalResult IotaOp::verify() {
  if (!getType().hasStaticShape())
    return emitOpError() << "result must have a static shape, got " << getType();
  return verifyDim(*this, "iota_dimension", static_cast<int64_t>(getIotaDimension()),
                   getType().getRank());
}

namespace {

// The number of bits of a float, integer or complex element; empty if it is not known.
std::optional<int64_t> elementBits(mlir::Type type) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type)) {
    const std::optional<int64_t> part = elementBits(complex.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  return type.isIntOrFloat() ? std::optional<int64_t>(type.getIntOrFloatBitWidth()) : std::nullopt;
}

}  // namespace

LogicalResult BitcastConvertOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const std::optional<int64_t> from = elementBits(operand.getElementType());
  const std::optional<int64_t> to = elementBits(getType().getElementType());
  if (!from || !to) return success();
  if (std::max(*from, *to) % std::min(*from, *to) != 0) {
    return emitOpError() << "cannot split " << std::max(*from, *to) << " bits into parts of "
                         << std::min(*from, *to);
  }
  // The side with the narrower elements has one more dimension, which counts the parts.
  Dims expected(operand.getShape());
  if (*from > *to) expected.push_back(*from / *to);
  if (*from < *to) {
    if (expected.empty()) return emitOpError() << "operand of rank 0 has too few bits";
    if (!sizesAgree(expected.back(), *to / *from)) {
      return emitOpError() << "the last dimension of the operand has size " << expected.back()
                           << ", expected " << *to / *from;
    }
    expected.pop_back();
  }
  return verifyShape(*this, "result", getType(), expected);
}

// -- Broadcasts
// ------------------------------------------------------------------------------------------------------

LogicalResult BroadcastOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  for (const int64_t size : getBroadcastSizes()) {
    if (size < 0) return emitOpError() << "broadcast_sizes holds the negative size " << size;
  }
  Dims expected(getBroadcastSizes());
  llvm::append_range(expected, operand.getShape());
  return verifyResult(*this, operand, getType(), expected);
}

LogicalResult BroadcastInDimOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const llvm::ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(verifyCount(*this, "broadcast_dimensions", dims.size(), operand.getRank())) ||
      failed(verifyDims(*this, "broadcast_dimensions", dims, getType().getRank())) ||
      failed(verifyElement(*this, "result", getType(), "operand", operand))) {
    return failure();
  }
  for (const auto& [dim, target] : llvm::enumerate(dims)) {
    const int64_t size = operand.getDimSize(static_cast<unsigned>(dim));
    const int64_t wanted = getType().getDimSize(static_cast<unsigned>(target));
    if (size == 1 || sizesAgree(size, wanted)) continue;
    return emitOpError() << "operand dimension " << dim << " has size " << size
                         << ", expected 1 or " << wanted << ", the size of result dimension "
                         << target;
  }
  return success();
}

// -- Blocks
// ----------------------------------------------------------------------------------------------------------

namespace {

// The size of the concatenation of all inputs along `dim`; unknown if one input's size is.
std::optional<int64_t> totalSize(mlir::ValueRange inputs, int64_t dim) {
  int64_t total = 0;
  for (const mlir::Value input : inputs) {
    const int64_t size =
        mlir::cast<RankedTensorType>(input.getType()).getDimSize(static_cast<unsigned>(dim));
    if (ShapedType::isDynamic(size)) return ShapedType::kDynamic;
    const std::optional<int64_t> sum = checkedAdd(total, size);
    if (!sum) return std::nullopt;
    total = *sum;
  }
  return total;
}

}  // namespace

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty()) return emitOpError() << "expected at least one input";
  auto first = mlir::cast<RankedTensorType>(getInputs().front().getType());
  const auto dim = static_cast<int64_t>(getDimension());
  if (failed(verifyDim(*this, "dimension", dim, first.getRank()))) return failure();
  Dims expected(first.getShape());
  for (const auto& [index, input] : llvm::enumerate(getInputs())) {
    auto type = mlir::cast<RankedTensorType>(input.getType());
    const std::string what = "input " + std::to_string(index);
    expected[static_cast<size_t>(dim)] = ShapedType::kDynamic;
    if (failed(verifyElement(*this, what, type, "input 0", first)) ||
        failed(verifyShape(*this, what, type, expected))) {
      return failure();
    }
  }
  const std::optional<int64_t> total = totalSize(getInputs(), dim);
  if (!total)
    return emitOpError() << "the size of dimension " << dim << " of the result exceeds 64 bits";
  expected[static_cast<size_t>(dim)] = *total;
  return verifyResult(*this, first, getType(), expected);
}

namespace {

// One scalar start index per dimension.
LogicalResult verifyStarts(mlir::Operation* op, mlir::OperandRange starts, int64_t rank) {
  if (failed(verifyCount(op, "start_indices", starts.size(), rank))) return failure();
  for (const mlir::Value start : starts) {
    if (failed(verifyRank(op, "start index", mlir::cast<RankedTensorType>(start.getType()), 0)))
      return failure();
  }
  return success();
}

// A block of `sizes` fits into `operand`.
LogicalResult verifyBlock(mlir::Operation* op, llvm::StringRef what, llvm::ArrayRef<int64_t> sizes,
                          RankedTensorType operand) {
  for (const auto& [dim, size, whole] : llvm::enumerate(sizes, operand.getShape())) {
    if (ShapedType::isDynamic(size)) continue;
    if (size < 0 || (!ShapedType::isDynamic(whole) && size > whole)) {
      return op->emitOpError() << what << " has size " << size << " in dimension " << dim
                               << ", where the operand has "
                               << (ShapedType::isDynamic(whole) ? std::string("?")
                                                                : std::to_string(whole));
    }
  }
  return success();
}

}  // namespace

LogicalResult DynamicSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(verifyCount(*this, "slice_sizes", getSliceSizes().size(), operand.getRank())) ||
      failed(verifyStarts(*this, getStartIndices(), operand.getRank())) ||
      failed(verifyBlock(*this, "slice", getSliceSizes(), operand))) {
    return failure();
  }
  return verifyResult(*this, operand, getType(), getSliceSizes());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const RankedTensorType update = getUpdate().getType();
  if (failed(verifyRank(*this, "update", update, operand.getRank())) ||
      failed(verifyElement(*this, "update", update, "operand", operand)) ||
      failed(verifyStarts(*this, getStartIndices(), operand.getRank())) ||
      failed(verifyBlock(*this, "update", update.getShape(), operand))) {
    return failure();
  }
  return verifyResult(*this, operand, getType(), operand.getShape());
}

LogicalResult SliceOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  if (failed(verifyNumbers(*this, "start_indices", getStartIndices(), rank, 0)) ||
      failed(verifyCount(*this, "limit_indices", getLimitIndices().size(), rank)) ||
      failed(verifyNumbers(*this, "strides", getStrides(), rank, 1))) {
    return failure();
  }
  Dims expected;
  for (const auto& [dim, start, limit, stride] :
       llvm::enumerate(getStartIndices(), getLimitIndices(), getStrides())) {
    const int64_t size = operand.getDimSize(static_cast<unsigned>(dim));
    if (start > limit || (!ShapedType::isDynamic(size) && limit > size)) {
      return emitOpError() << "range " << start << ":" << limit << " of dimension " << dim
                           << " does not fit into its size " << size;
    }
    const int64_t span = limit - start;
    expected.push_back(span / stride + (span % stride != 0 ? 1 : 0));
  }
  return verifyResult(*this, operand, getType(), expected);
}

// -- Rearrangements
// --------------------------------------------------------------------------------------------------

namespace {

// The size of a padded dimension; empty if it leaves 64 bits.
std::optional<int64_t> paddedSize(int64_t size, int64_t low, int64_t high, int64_t interior) {
  const std::optional<int64_t> inner = checkedMul(std::max<int64_t>(size - 1, 0), interior);
  const std::optional<int64_t> edges = checkedAdd(low, high);
  const std::optional<int64_t> filled = inner ? checkedAdd(size, *inner) : std::nullopt;
  return filled && edges ? checkedAdd(*filled, *edges) : std::nullopt;
}

}  // namespace

LogicalResult PadOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const int64_t rank = operand.getRank();
  if (failed(
          verifyElement(*this, "padding_value", getPaddingValue().getType(), "operand", operand)) ||
      failed(verifyRank(*this, "padding_value", getPaddingValue().getType(), 0)) ||
      failed(verifyCount(*this, "edge_padding_low", getEdgePaddingLow().size(), rank)) ||
      failed(verifyCount(*this, "edge_padding_high", getEdgePaddingHigh().size(), rank)) ||
      failed(verifyNumbers(*this, "interior_padding", getInteriorPadding(), rank, 0))) {
    return failure();
  }
  Dims expected(operand.getShape());
  for (const auto& [dim, low, high, interior] :
       llvm::enumerate(getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding())) {
    if (ShapedType::isDynamic(expected[dim])) continue;
    const std::optional<int64_t> size = paddedSize(expected[dim], low, high, interior);
    if (!size || *size < 0) {
      return emitOpError() << "dimension " << dim << " of size " << expected[dim] << " padded by "
                           << low << ", " << high << " and " << interior << " has no valid size";
    }
    expected[dim] = *size;
  }
  return verifyResult(*this, operand, getType(), expected);
}

namespace {

// The number of elements of a static shape; empty if it leaves 64 bits.
std::optional<int64_t> elementCount(RankedTensorType type) {
  if (llvm::is_contained(type.getShape(), 0)) return 0;
  int64_t count = 1;
  for (const int64_t size : type.getShape()) {
    const std::optional<int64_t> product = checkedMul(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

}  // namespace

LogicalResult ReshapeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(verifyElement(*this, "result", getType(), "operand", operand))) return failure();
  if (!operand.hasStaticShape() || !getType().hasStaticShape()) return success();
  const std::optional<int64_t> from = elementCount(operand);
  const std::optional<int64_t> to = elementCount(getType());
  if (!from || !to) return emitOpError() << "has more elements than 64 bits can count";
  if (*from == *to) return success();
  return emitOpError() << "operand has " << *from << " elements, but the result has " << *to;
}

LogicalResult ReverseOp::verify() {
  return verifyDims(*this, "dimensions", getDimensions(), getOperand().getType().getRank());
}

LogicalResult TransposeOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  if (failed(verifyCount(*this, "permutation", getPermutation().size(), operand.getRank())) ||
      failed(verifyDims(*this, "permutation", getPermutation(), operand.getRank()))) {
    return failure();
  }
  Dims expected;
  for (const int64_t dim : getPermutation())
    expected.push_back(operand.getDimSize(static_cast<unsigned>(dim)));
  return verifyResult(*this, operand, getType(), expected);
}

}  // namespace shardwright::stablehlo
