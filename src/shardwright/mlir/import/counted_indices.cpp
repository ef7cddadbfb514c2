#include "shardwright/mlir/import/counted_indices.h"

#include <algorithm>
#include <optional>

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/import/numbers.h"
#include "shardwright/mlir/import/trip_count.h"

namespace shardwright {
namespace {

using Dims = llvm::SmallVector<int64_t>;

// JAX puts a handful of ops between a count and the indices; the bound is for odd modules.
constexpr int kLongestChain = 16;

Shape shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

bool contains(Shape dims, int64_t dim) { return llvm::is_contained(dims, dim); }

// Whether integers of this type count to `size` before they wrap or turn negative.
bool holds(mlir::Type type, int64_t size) {
  const auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer) return false;
  const unsigned bits = integer.isUnsigned() ? integer.getWidth() : integer.getWidth() - 1;
  return bits >= 63 || size <= int64_t{1} << bits;
}

bool isZero(mlir::Value value) {
  if (auto filled = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) value = filled.getOperand();
  return mlir::matchPattern(value, mlir::m_Zero());
}

std::optional<int64_t> countedDim(mlir::Value value, int depth = 0);

std::optional<int64_t> countedDimOf(stablehlo::ConstantOp constant) {
  const auto elements = mlir::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.getType().getRank() != 1) return {};
  int64_t next = 0;
  for (const llvm::APInt& element : elements.getValues<llvm::APInt>()) {
    if (element != static_cast<uint64_t>(next++)) return {};
  }
  return 0;
}

std::optional<int64_t> countedDimOf(stablehlo::BroadcastInDimOp broadcast, int depth) {
  const auto dim = countedDim(broadcast.getOperand(), depth);
  if (!dim) return {};
  const int64_t target = broadcast.getBroadcastDimensions()[static_cast<size_t>(*dim)];
  const bool whole = shapeOf(broadcast.getOperand())[static_cast<size_t>(*dim)] ==
                     shapeOf(broadcast)[static_cast<size_t>(target)];
  return whole ? std::optional(target) : std::nullopt;
}

// If nothing but dims of size 1 comes or goes.
std::optional<int64_t> countedDimOf(stablehlo::ReshapeOp reshape, int depth) {
  const auto dim = countedDim(reshape.getOperand(), depth);
  if (!dim) return {};
  Dims from, to;
  for (const auto [d, size] : llvm::enumerate(shapeOf(reshape.getOperand()))) {
    if (size != 1) from.push_back(static_cast<int64_t>(d));
  }
  for (const auto [d, size] : llvm::enumerate(shapeOf(reshape))) {
    if (size != 1) to.push_back(static_cast<int64_t>(d));
  }
  const auto sizes = [](Shape shape) {
    return llvm::make_filter_range(shape, [](int64_t size) { return size != 1; });
  };
  if (!llvm::equal(sizes(shapeOf(reshape.getOperand())), sizes(shapeOf(reshape)))) return {};
  const auto place = llvm::find(from, *dim);
  if (place == from.end()) return {};
  return to[static_cast<size_t>(place - from.begin())];
}

// Whether a count would never be below zero, as the predicate asks, or it is false by itself.
bool isFalse(mlir::Value predicate, mlir::Value count) {
  auto compare = predicate.getDefiningOp<stablehlo::CompareOp>();
  if (!compare) return isZero(predicate);
  return compare.getComparisonDirection() == stablehlo::ComparisonDirection::LT &&
         compare.getLhs() == count && isZero(compare.getRhs());
}

// How JAX lets negative indices count from the end: select(i < 0, i + size, i).
std::optional<int64_t> countedDimOf(stablehlo::SelectOp select, int depth) {
  if (!isFalse(select.getPred(), select.getOnFalse())) return {};
  return countedDim(select.getOnFalse(), depth);
}

// The dim along which the value is 0, 1, …, at each place of the others.
std::optional<int64_t> countedDim(mlir::Value value, int depth) {
  if (!value || ++depth > kLongestChain) return {};
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return countedDim(initOfInvariant(argument), depth);
  mlir::Operation* op = value.getDefiningOp();
  std::optional<int64_t> dim;
  if (auto iota = mlir::dyn_cast<stablehlo::IotaOp>(op)) {
    dim = static_cast<int64_t>(iota.getIotaDimension());
  } else if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) {
    dim = countedDimOf(constant);
  } else if (auto convert = mlir::dyn_cast<stablehlo::ConvertOp>(op)) {
    dim = countedDim(convert.getOperand(), depth);
  } else if (auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    dim = countedDimOf(broadcast, depth);
  } else if (auto reshape = mlir::dyn_cast<stablehlo::ReshapeOp>(op)) {
    dim = countedDimOf(reshape, depth);
  } else if (auto select = mlir::dyn_cast<stablehlo::SelectOp>(op)) {
    dim = countedDimOf(select, depth);
  }
  const auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  const bool counts =
      dim && holds(type.getElementType(), type.getShape()[static_cast<size_t>(*dim)]);
  return counts ? dim : std::nullopt;
}

// What the dimension numbers of both ops say, in the words of the gather.
struct Numbers {
  Dims collapsed, batching, indicesBatching, map;
  int64_t vectorDim;
};

// Moves dims of the operand from the index vector to the batching dims.
class Batcher {
 public:
  Batcher(Shape operand, mlir::Value indices, Numbers numbers)
      : operand_(operand), indices_(indices), numbers_(std::move(numbers)) {}

  // Whether there is anything to move.
  bool run() {
    auto parts = indices_.getDefiningOp<stablehlo::ConcatenateOp>();
    if (!parts || static_cast<int64_t>(parts.getDimension()) != numbers_.vectorDim) return false;
    const Dims map = numbers_.map;
    int64_t component = 0;
    for (const mlir::Value part : parts->getOperands()) {
      const int64_t width = shapeOf(part)[static_cast<size_t>(numbers_.vectorDim)];
      const bool last = part == parts->getOperands().back() && kept_.empty();
      const size_t at = static_cast<size_t>(component);
      // An index vector without components is more than XLA expects.
      if (last || width != 1 || at >= map.size() || !move(part, map[at])) kept_.push_back(part);
      component += width;
    }
    return kept_.size() < parts->getNumOperands();
  }

  const Numbers& numbers() const { return numbers_; }

  // The index vectors without the components that count.
  mlir::Value indicesLeft(mlir::OpBuilder& builder, mlir::Location location) const {
    if (kept_.size() == 1) return kept_[0];
    const auto type = mlir::cast<mlir::RankedTensorType>(indices_.getType());
    const auto dim = static_cast<size_t>(numbers_.vectorDim);
    Dims shape(type.getShape());
    shape[dim] = 0;
    for (const mlir::Value part : kept_) shape[dim] += shapeOf(part)[dim];
    return stablehlo::ConcatenateOp::create(builder, location, type.clone(shape), kept_,
                                            static_cast<uint64_t>(numbers_.vectorDim));
  }

 private:
  bool move(mlir::Value part, int64_t operandDim) {
    if (!contains(numbers_.collapsed, operandDim)) return false;
    const auto dim = countedDim(part);
    if (!dim || *dim == numbers_.vectorDim || contains(numbers_.indicesBatching, *dim))
      return false;
    const int64_t size = shapeOf(part)[static_cast<size_t>(*dim)];
    if (size == 1 || size != operand_[static_cast<size_t>(operandDim)]) return false;
    llvm::erase(numbers_.collapsed, operandDim);
    llvm::erase(numbers_.map, operandDim);
    // The dims of the operand ascend; those of the indices go with them.
    const auto place = llvm::lower_bound(numbers_.batching, operandDim) - numbers_.batching.begin();
    numbers_.batching.insert(numbers_.batching.begin() + place, operandDim);
    numbers_.indicesBatching.insert(numbers_.indicesBatching.begin() + place, *dim);
    return true;
  }

  Shape operand_;
  mlir::Value indices_;
  Numbers numbers_;
  llvm::SmallVector<mlir::Value> kept_;
};

void batch(stablehlo::GatherOp gather) {
  const auto given = gather.getDimensionNumbers();
  Batcher batcher(shapeOf(gather.getOperand()), gather.getStartIndices(),
                  {Dims(given.getCollapsedSliceDims()), Dims(given.getOperandBatchingDims()),
                   Dims(given.getStartIndicesBatchingDims()), Dims(given.getStartIndexMap()),
                   given.getIndexVectorDim()});
  if (!batcher.run()) return;
  mlir::OpBuilder builder(gather);
  const Numbers& numbers = batcher.numbers();
  gather.getStartIndicesMutable().assign(batcher.indicesLeft(builder, gather.getLoc()));
  gather.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
      gather.getContext(), given.getOffsetDims(), numbers.collapsed, numbers.batching,
      numbers.indicesBatching, numbers.map, numbers.vectorDim));
  gather.setIndicesAreSorted(false);  // What is left of sorted vectors need not be.
}

void batch(stablehlo::ScatterOp scatter) {
  const auto given = scatter.getScatterDimensionNumbers();
  Batcher batcher(shapeOf(scatter.getInputs()[0]), scatter.getScatterIndices(),
                  {Dims(given.getInsertedWindowDims()), Dims(given.getInputBatchingDims()),
                   Dims(given.getScatterIndicesBatchingDims()),
                   Dims(given.getScatterDimsToOperandDims()), given.getIndexVectorDim()});
  if (!batcher.run()) return;
  mlir::OpBuilder builder(scatter);
  const Numbers& numbers = batcher.numbers();
  scatter.getScatterIndicesMutable().assign(batcher.indicesLeft(builder, scatter.getLoc()));
  scatter.setScatterDimensionNumbersAttr(stablehlo::ScatterDimensionNumbersAttr::get(
      scatter.getContext(), given.getUpdateWindowDims(), numbers.collapsed, numbers.batching,
      numbers.indicesBatching, numbers.map, numbers.vectorDim));
  scatter.setIndicesAreSorted(false);
}

}  // namespace

void batchCountedDims(mlir::ModuleOp module) {
  module.walk([](stablehlo::GatherOp gather) { batch(gather); });
  module.walk([](stablehlo::ScatterOp scatter) { batch(scatter); });
}

}  // namespace shardwright
