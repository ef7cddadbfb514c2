// Checks of shapes and element types.
#include "mlir/IR/TypeUtilities.h"
#include "shardwright/mlir/dialects/chlo/chlo.h"

namespace shardwright::chlo {

using llvm::ArrayRef;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::ShapedType;
using mlir::success;
using Shape = llvm::SmallVector<int64_t>;

namespace {

llvm::SmallVector<mlir::Type> allTypes(mlir::Operation* op) {
  auto types = llvm::to_vector(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types;
}

LogicalResult verifyElementTypes(mlir::Operation* op, ArrayRef<mlir::Type> types) {
  for (mlir::Type type : types.drop_front())
    if (mlir::getElementTypeOrSelf(type) != mlir::getElementTypeOrSelf(types.front()))
      return op->emitOpError() << "has different element types in " << types.front() << " and "
                               << type;
  return success();
}

// Says whether one dim can be broadcast with another, and to what. A dynamic dim with any other but
// 1 is that other.
bool broadcastDim(int64_t& dim, int64_t other) {
  if (dim == other || other == 1) return true;
  if (dim == 1 || ShapedType::isDynamic(dim)) {
    dim = other == ShapedType::kDynamic && dim != 1 ? dim : other;
    return true;
  }
  return ShapedType::isDynamic(other);
}

// Broadcasts `shape` with `other`, whose dim i stands at `positions[i]`. Requires positions in
// range.
bool broadcastShape(Shape& shape, ArrayRef<int64_t> other, ArrayRef<int64_t> positions) {
  for (auto [size, position] : llvm::zip_equal(other, positions))
    if (!broadcastDim(shape[static_cast<size_t>(position)], size)) return false;
  return true;
}

// Where `count` dims stand among `rank` when aligned to the right.
Shape lastPositions(size_t count, size_t rank) {
  Shape positions;
  for (size_t i = rank - count; i < rank; ++i) positions.push_back(static_cast<int64_t>(i));
  return positions;
}

LogicalResult verifyPositions(mlir::Operation* op, ArrayRef<int64_t> positions, size_t low,
                              size_t high) {
  if (positions.size() != low)
    return op->emitOpError() << "has " << positions.size()
                             << " broadcast_dimensions for an operand of rank " << low;
  for (int64_t position : positions)
    if (position < 0 || position >= static_cast<int64_t>(high))
      return op->emitOpError() << "has broadcast dimension " << position << " outside [0, " << high
                               << ")";
  return success();
}

// Checks that `shape` could be the shape of the result.
LogicalResult verifyResultShape(mlir::Operation* op, ArrayRef<int64_t> shape) {
  auto result = llvm::cast<ShapedType>(op->getResult(0).getType());
  if (!result.hasRank() || succeeded(mlir::verifyCompatibleShape(shape, result.getShape())))
    return success();
  auto expected = mlir::RankedTensorType::get(shape, result.getElementType());
  return op->emitOpError() << "operands broadcast to " << expected << ", but its result is "
                           << result;
}

}  // namespace

LogicalResult verifyCompatibleShapes(mlir::Operation* op) {
  const auto types = allTypes(op);
  for (mlir::Type type : ArrayRef(types).drop_front())
    if (failed(mlir::verifyCompatibleShape(types.front(), type)))
      return op->emitOpError() << "has incompatible shapes " << types.front() << " and " << type;
  return success();
}

LogicalResult verifySameElementType(mlir::Operation* op) {
  return success(succeeded(verifyElementTypes(op, allTypes(op))) &&
                 succeeded(verifyCompatibleShapes(op)));
}

LogicalResult verifyBroadcast(mlir::Operation* op, std::optional<ArrayRef<int64_t>> dimensions,
                              bool sameElementType) {
  const auto types = allTypes(op);
  if (failed(
          verifyElementTypes(op, sameElementType ? ArrayRef(types) : ArrayRef(types).drop_back())))
    return failure();
  auto high = llvm::cast<ShapedType>(types[0]);
  auto low = llvm::cast<ShapedType>(types[1]);
  if (!high.hasRank() || !low.hasRank()) return success();
  if (low.getRank() > high.getRank()) std::swap(low, high);
  const auto lowRank = static_cast<size_t>(low.getRank());
  const auto highRank = static_cast<size_t>(high.getRank());
  if (dimensions && failed(verifyPositions(op, *dimensions, lowRank, highRank))) return failure();
  Shape shape(high.getShape());
  if (!broadcastShape(shape, low.getShape(),
                      dimensions ? Shape(*dimensions) : lastPositions(lowRank, highRank)))
    return op->emitOpError() << "operands " << types[0] << " and " << types[1]
                             << " do not broadcast";
  return verifyResultShape(op, shape);
}

LogicalResult BroadcastComplexOp::verify() {
  auto made = mlir::ComplexType::get(mlir::getElementTypeOrSelf(getLhs().getType()));
  if (mlir::getElementTypeOrSelf(getType()) != made)
    return emitOpError() << "makes elements of " << made << ", but its result is " << getType();
  return verifyBroadcast(*this, getBroadcastDimensions(), false);
}

LogicalResult BroadcastCompareOp::verify() {
  return verifyBroadcast(*this, getBroadcastDimensions(), false);
}

LogicalResult BroadcastSelectOp::verify() {
  const auto types = allTypes(*this);
  if (failed(verifyElementTypes(*this, ArrayRef(types).drop_front()))) return failure();
  Shape shape;
  for (mlir::Type type : getOperandTypes()) {
    auto shaped = llvm::cast<ShapedType>(type);
    if (!shaped.hasRank()) return success();
    const auto rank = static_cast<size_t>(shaped.getRank());
    if (rank > shape.size()) shape.insert(shape.begin(), rank - shape.size(), 1);
    if (!broadcastShape(shape, shaped.getShape(), lastPositions(rank, shape.size())))
      return emitOpError() << "operand " << type << " does not broadcast with those before";
  }
  return verifyResultShape(*this, shape);
}

}  // namespace shardwright::chlo
