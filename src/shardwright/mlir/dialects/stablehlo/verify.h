// What the ops' verifiers share. Each function reports the first fault it finds as an error of
// `op`, in lower case with the dimension and the sizes, and then returns failure. Unknown sizes
// agree with all sizes.
#pragma once

#include <optional>

#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright::stablehlo {

using Dims = llvm::SmallVector<int64_t>;

// -- Lists of dimensions
// ---------------------------------------------------------------------------------------------

// `dim`, which the attribute `name` holds, is a dimension of a tensor of rank `rank`.
mlir::LogicalResult verifyDim(mlir::Operation* op, llvm::StringRef name, int64_t dim, int64_t rank);

// So is each of `dims`, and none occurs twice.
mlir::LogicalResult verifyDims(mlir::Operation* op, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> dims, int64_t rank);

// None of `dims` occurs twice.
mlir::LogicalResult verifyDistinct(mlir::Operation* op, llvm::StringRef name,
                                   llvm::ArrayRef<int64_t> dims);

// `dims` ascend.
mlir::LogicalResult verifySorted(mlir::Operation* op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dims);

// The attribute `name` has `expected` entries.
mlir::LogicalResult verifyCount(mlir::Operation* op, llvm::StringRef name, size_t count,
                                int64_t expected);

// The attribute `name` has `expected` entries, each at least `least`.
mlir::LogicalResult verifyNumbers(mlir::Operation* op, llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> numbers, int64_t expected, int64_t least);
mlir::LogicalResult verifyNumbers(mlir::Operation* op, llvm::StringRef name,
                                  std::optional<llvm::ArrayRef<int64_t>> numbers, int64_t expected,
                                  int64_t least);

// The attribute `padding` is missing or has two entries for each of `expected` dimensions.
mlir::LogicalResult verifyPadding(mlir::Operation* op,
                                  std::optional<mlir::DenseIntElementsAttr> padding,
                                  int64_t expected);

// -- Shapes
// ----------------------------------------------------------------------------------------------------------

// `what`, a value, has the rank `expected`.
mlir::LogicalResult verifyRank(mlir::Operation* op, llvm::StringRef what,
                               mlir::RankedTensorType type, int64_t expected);

// `what`, a value, can have the shape `expected`.
mlir::LogicalResult verifyShape(mlir::Operation* op, llvm::StringRef what,
                                mlir::RankedTensorType type, llvm::ArrayRef<int64_t> expected);

// Two values have element types that agree.
mlir::LogicalResult verifyElement(mlir::Operation* op, llvm::StringRef what,
                                  mlir::RankedTensorType type, llvm::StringRef otherWhat,
                                  mlir::RankedTensorType other);

// The result agrees with the operand in element type and has the shape `expected`.
mlir::LogicalResult verifyResult(mlir::Operation* op, mlir::RankedTensorType operand,
                                 mlir::RankedTensorType result, llvm::ArrayRef<int64_t> expected);

// -- Regions
// ---------------------------------------------------------------------------------------------------------

// `region`, called `what`, has one block, which ends in a stablehlo.return; returns that, or null
// after an error.
mlir::Operation* verifyBody(mlir::Operation* op, mlir::Region& region, llvm::StringRef what);

// And the block takes `arguments` and returns types that agree with `results`.
mlir::LogicalResult verifyBodyTypes(mlir::Operation* op, mlir::Region& region, llvm::StringRef what,
                                    mlir::TypeRange arguments, mlir::TypeRange results);

// A body that combines `count` values with `count` others: it takes 2 * count tensors of rank 0 and
// returns count.
mlir::LogicalResult verifyCombiner(mlir::Operation* op, mlir::Region& region, llvm::StringRef what,
                                   size_t count);

// A body that compares `count` pairs of elements: it takes 2 * count tensors of rank 0 and returns
// one i1.
mlir::LogicalResult verifyComparator(mlir::Operation* op, mlir::Region& region,
                                     llvm::StringRef what, size_t count);

// -- Windows
// ---------------------------------------------------------------------------------------------------------

// A window that slides along one dimension.
struct Window {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t low = 0;
  int64_t high = 0;
  int64_t baseDilation = 1;
  int64_t dilation = 1;
};

// How many places the window has along a dimension of `size` elements: unknown if a size is, empty
// if the numbers leave 64 bits. The stride and the dilations must be positive.
//   windowCount(8, {.size = 3, .low = 1, .high = 1}) = 8
//   windowCount(8, {.size = 2, .stride = 2}) = 4
[[nodiscard]] std::optional<int64_t> windowCount(int64_t size, const Window& window);

// -- Numbers
// ---------------------------------------------------------------------------------------------------------

// Sums and products that are empty where they leave 64 bits.
[[nodiscard]] std::optional<int64_t> checkedAdd(int64_t a, int64_t b);
[[nodiscard]] std::optional<int64_t> checkedMul(int64_t a, int64_t b);

}  // namespace shardwright::stablehlo
