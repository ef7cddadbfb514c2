#include "shardwright/mlir/dialects/stablehlo/verify.h"

namespace shardwright::stablehlo {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::success;

namespace {

// `4x?x8`
std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(shape, stream, [&](int64_t size) {
    if (mlir::ShapedType::isDynamic(size)) {
      stream << "?";
    } else {
      stream << size;
    }
  });
  return text + "]";
}

}  // namespace

// -- Lists of dimensions
// ---------------------------------------------------------------------------------------------

LogicalResult verifyDim(Operation* op, StringRef name, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank) return success();
  return op->emitOpError() << name << " " << dim << " is out of range for rank " << rank;
}

LogicalResult verifyDistinct(Operation* op, StringRef name, ArrayRef<int64_t> dims) {
  Dims sorted(dims);
  llvm::sort(sorted);
  const auto* twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return success();
  return op->emitOpError() << name << " holds dimension " << *twice << " twice";
}

LogicalResult verifyDims(Operation* op, StringRef name, ArrayRef<int64_t> dims, int64_t rank) {
  for (const int64_t dim : dims) {
    if (dim >= 0 && dim < rank) continue;
    return op->emitOpError() << name << " holds dimension " << dim
                             << ", which is out of range for rank " << rank;
  }
  return verifyDistinct(op, name, dims);
}

LogicalResult verifySorted(Operation* op, StringRef name, ArrayRef<int64_t> dims) {
  if (llvm::is_sorted(dims)) return success();
  return op->emitOpError() << name << " must ascend, got " << shapeText(dims);
}

LogicalResult verifyCount(Operation* op, StringRef name, size_t count, int64_t expected) {
  if (static_cast<int64_t>(count) == expected) return success();
  return op->emitOpError() << name << " has " << count << " entries, expected " << expected;
}

LogicalResult verifyNumbers(Operation* op, StringRef name, ArrayRef<int64_t> numbers,
                            int64_t expected, int64_t least) {
  if (failed(verifyCount(op, name, numbers.size(), expected))) return failure();
  for (const auto& [dim, number] : llvm::enumerate(numbers)) {
    if (number >= least) continue;
    return op->emitOpError() << name << " of dimension " << dim << " is " << number
                             << ", expected at least " << least;
  }
  return success();
}

LogicalResult verifyNumbers(Operation* op, StringRef name, std::optional<ArrayRef<int64_t>> numbers,
                            int64_t expected, int64_t least) {
  return numbers ? verifyNumbers(op, name, *numbers, expected, least) : success();
}

LogicalResult verifyPadding(Operation* op, std::optional<mlir::DenseIntElementsAttr> padding,
                            int64_t expected) {
  if (!padding) return success();
  const mlir::ShapedType type = padding->getType();
  if (type.getRank() == 2 && type.getDimSize(0) == expected && type.getDimSize(1) == 2)
    return success();
  return op->emitOpError() << "padding has the shape " << shapeText(type.getShape())
                           << ", expected [" << expected << ", 2]";
}

// -- Shapes
// ----------------------------------------------------------------------------------------------------------

LogicalResult verifyRank(Operation* op, StringRef what, RankedTensorType type, int64_t expected) {
  if (type.getRank() == expected) return success();
  return op->emitOpError() << what << " has rank " << type.getRank() << ", expected " << expected;
}

LogicalResult verifyShape(Operation* op, StringRef what, RankedTensorType type,
                          ArrayRef<int64_t> expected) {
  if (failed(verifyRank(op, what, type, static_cast<int64_t>(expected.size())))) return failure();
  for (const auto& [dim, actual, wanted] : llvm::enumerate(type.getShape(), expected)) {
    if (sizesAgree(actual, wanted)) continue;
    return op->emitOpError() << "dimension " << dim << " of " << what << " has size " << actual
                             << ", expected " << wanted;
  }
  return success();
}

LogicalResult verifyElement(Operation* op, StringRef what, RankedTensorType type,
                            StringRef otherWhat, RankedTensorType other) {
  if (elementsAgree(type.getElementType(), other.getElementType())) return success();
  return op->emitOpError() << what << " has element type " << type.getElementType() << ", but "
                           << otherWhat << " has " << other.getElementType();
}

LogicalResult verifyResult(Operation* op, RankedTensorType operand, RankedTensorType result,
                           ArrayRef<int64_t> expected) {
  if (failed(verifyElement(op, "result", result, "operand", operand))) return failure();
  return verifyShape(op, "result", result, expected);
}

// -- Regions
// ---------------------------------------------------------------------------------------------------------

Operation* verifyBody(Operation* op, mlir::Region& region, StringRef what) {
  if (!region.hasOneBlock()) {
    op->emitOpError() << what << " must have one block";
    return nullptr;
  }
  mlir::Block& block = region.front();
  if (block.empty() || !mlir::isa<ReturnOp>(block.back())) {
    op->emitOpError() << what << " must end in stablehlo.return";
    return nullptr;
  }
  return &block.back();
}

LogicalResult verifyBodyTypes(Operation* op, mlir::Region& region, StringRef what,
                              mlir::TypeRange arguments, mlir::TypeRange results) {
  Operation* end = verifyBody(op, region, what);
  if (!end) return failure();
  const mlir::TypeRange taken = region.front().getArgumentTypes();
  const mlir::TypeRange returned = end->getOperandTypes();
  if (taken.size() != arguments.size()) {
    return op->emitOpError() << what << " takes " << taken.size() << " arguments, expected "
                             << arguments.size();
  }
  if (returned.size() != results.size()) {
    return op->emitOpError() << what << " returns " << returned.size() << " values, expected "
                             << results.size();
  }
  for (const auto& [index, actual, expected] : llvm::enumerate(taken, arguments)) {
    if (typesAgree(actual, expected)) continue;
    return op->emitOpError() << "argument " << index << " of " << what << " has type " << actual
                             << ", expected " << expected;
  }
  for (const auto& [index, actual, expected] : llvm::enumerate(returned, results)) {
    if (typesAgree(actual, expected)) continue;
    return op->emitOpError() << "value " << index << " that " << what << " returns has type "
                             << actual << ", expected " << expected;
  }
  return success();
}

namespace {

// The body takes 2 * count tensors of rank 0; returns what it ends in, or null after an error.
Operation* verifyPairs(Operation* op, mlir::Region& region, StringRef what, size_t count) {
  Operation* end = verifyBody(op, region, what);
  if (!end) return nullptr;
  const mlir::TypeRange taken = region.front().getArgumentTypes();
  if (taken.size() != 2 * count) {
    op->emitOpError() << what << " takes " << taken.size() << " arguments, expected " << 2 * count;
    return nullptr;
  }
  for (const auto& [index, type] : llvm::enumerate(taken)) {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getRank() == 0) continue;
    op->emitOpError() << "argument " << index << " of " << what << " has type " << type
                      << ", expected a tensor of rank 0";
    return nullptr;
  }
  return end;
}

}  // namespace

LogicalResult verifyCombiner(Operation* op, mlir::Region& region, StringRef what, size_t count) {
  Operation* end = verifyPairs(op, region, what, count);
  if (!end) return failure();
  if (end->getNumOperands() != count) {
    return op->emitOpError() << what << " returns " << end->getNumOperands() << " values, expected "
                             << count;
  }
  for (const auto& [index, value] : llvm::enumerate(end->getOperands())) {
    const mlir::Type expected = region.front().getArgument(static_cast<unsigned>(index)).getType();
    if (typesAgree(value.getType(), expected)) continue;
    return op->emitOpError() << "value " << index << " that " << what << " returns has type "
                             << value.getType() << ", expected " << expected;
  }
  return success();
}

LogicalResult verifyComparator(Operation* op, mlir::Region& region, StringRef what, size_t count) {
  Operation* end = verifyPairs(op, region, what, count);
  if (!end) return failure();
  auto returned = end->getNumOperands() == 1
                      ? mlir::dyn_cast<RankedTensorType>(end->getOperand(0).getType())
                      : nullptr;
  if (returned && returned.getRank() == 0 && isPred(returned.getElementType())) return success();
  return op->emitOpError() << what << " must return one tensor<i1>";
}

// -- Windows
// ---------------------------------------------------------------------------------------------------------

namespace {

// The size of `size` elements with `dilation - 1` gaps between them: (size - 1) * dilation + 1, or
// 0.
std::optional<int64_t> dilatedSize(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  const std::optional<int64_t> gaps = checkedMul(size - 1, dilation);
  return gaps ? checkedAdd(*gaps, 1) : std::nullopt;
}

}  // namespace

std::optional<int64_t> windowCount(int64_t size, const Window& window) {
  if (mlir::ShapedType::isDynamic(size) || mlir::ShapedType::isDynamic(window.size))
    return mlir::ShapedType::kDynamic;
  const std::optional<int64_t> dilated = dilatedSize(size, window.baseDilation);
  const std::optional<int64_t> span = dilatedSize(window.size, window.dilation);
  const std::optional<int64_t> edges = checkedAdd(window.low, window.high);
  const std::optional<int64_t> padded =
      dilated && edges ? checkedAdd(*dilated, *edges) : std::nullopt;
  if (!padded || !span) return std::nullopt;
  if (*padded <= 0 || *span > *padded) return 0;
  return (*padded - *span) / window.stride + 1;
}

// -- Numbers
// ---------------------------------------------------------------------------------------------------------

std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace shardwright::stablehlo
