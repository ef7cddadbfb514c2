// Gather and scatter whose operand is split along a dim that the indices point into: indices are
// shifted by where the device's part begins. Other splits need nothing but local sizes.
#include <algorithm>
#include <limits>

#include "shardwright/mlir/export/parts.h"

namespace shardwright {
namespace {

using mesh::AxisList;

// One dim that the indices point into.
struct Indexed {
  int64_t component;  // Of the index vector; -1 if the dim is not indexed, which means index 0.
  int64_t low, high;  // Indices of the program beyond these are brought to them.
  AxisList axes;      // That split the dim; may be empty.
  int64_t part;       // The size of the device's part.
  int64_t greatest;   // The greatest index into the part.
};

int64_t componentOf(Shape map, int64_t dim) {
  const auto found = std::find(map.begin(), map.end(), dim);
  return found == map.end() ? -1 : found - map.begin();
}

// The largest number of an integer type that an int64 can hold.
int64_t largest(mlir::IntegerType type) {
  const unsigned bits = type.isUnsigned() ? type.getWidth() : type.getWidth() - 1;
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
}

// Indices on their way from the program's numbering to the part's.
class Shift {
 public:
  Shift(LocalOp& op, mlir::Value indices, int64_t vectorDim, std::vector<Indexed> dims)
      : op_(op), emit_(op.emit), indices_(indices), vectorDim_(vectorDim), dims_(std::move(dims)) {}

  // Indices into the device's part, in a signed type that holds all of them.
  mlir::Value run() {
    const mlir::Value within = clamped();
    return shifted_ = emit_.subtract(within, offsets(elementOf(within)));
  }

  // After run(): whether the device has what an index vector points at. The dims are those of the
  // indices, without the vector's.
  mlir::Value inRange() {
    const mlir::Type type = elementOf(shifted_);
    using stablehlo::ComparisonDirection;
    const mlir::Value above =
        emit_.compare(shifted_, emit_.number(type, shapeOf(shifted_), 0), ComparisonDirection::GE);
    const mlir::Value below =
        emit_.compare(shifted_, perComponent(type, [](const Indexed& dim) { return dim.greatest; }),
                      ComparisonDirection::LE);
    const mlir::Value inside = emit_.both(above, below);
    const bool hasVector = vectorDim_ < tensorType(indices_).getRank();
    return hasVector ? emit_.reduceAlong(inside, vectorDim_, program::Combiner::kAnd) : inside;
  }

 private:
  // An index that is out of bounds stays so; what the type cannot hold needs no bound.
  mlir::Value clamped() {
    const auto type = mlir::cast<mlir::IntegerType>(elementOf(indices_));
    const mlir::Value low = perComponent(type, [&](const Indexed& dim) {
      return type.isUnsigned() ? std::max<int64_t>(dim.low, 0) : dim.low;
    });
    const mlir::Value high =
        perComponent(type, [&](const Indexed& dim) { return std::min(dim.high, largest(type)); });
    const bool wide = llvm::any_of(
        dims_, [](const Indexed& dim) { return dim.high > std::numeric_limits<int32_t>::max(); });
    return emit_.convert(emit_.clamp(low, indices_, high), wide ? emit_.i64() : emit_.i32());
  }

  // Where the device's part begins, per component.
  mlir::Value offsets(mlir::Type type) {
    const size_t count = components();
    const auto length = static_cast<int64_t>(count);
    mlir::Value sum;
    for (const Indexed& dim : dims_) {
      if (dim.component < 0 || dim.axes.empty()) continue;
      if (count == 1) return spread(op_.positions.offset(dim.axes, dim.part, type));
      llvm::SmallVector<int64_t> sizes(count, 0);
      sizes[static_cast<size_t>(dim.component)] = dim.part;
      const mlir::Value place = emit_.convert(op_.positions.position(dim.axes), type);
      const mlir::Value term =
          emit_.multiply(emit_.fill(place, {length}), emit_.numbers(type, sizes));
      sum = sum ? emit_.add(sum, term) : term;
    }
    return spread(sum ? sum : emit_.number(type, {length}, 0));
  }

  template <typename Number>
  mlir::Value perComponent(mlir::Type type, Number number) {
    llvm::SmallVector<int64_t> values(components(), 0);
    for (const Indexed& dim : dims_) {
      if (dim.component >= 0) values[static_cast<size_t>(dim.component)] = number(dim);
    }
    if (values.size() == 1) return emit_.number(type, shapeOf(indices_), values[0]);
    return spread(emit_.numbers(type, values));
  }

  size_t components() const {
    const bool hasVector = vectorDim_ < tensorType(indices_).getRank();
    return hasVector ? static_cast<size_t>(shapeOf(indices_)[static_cast<size_t>(vectorDim_)]) : 1;
  }
  // A scalar, or one number per component, to all indices.
  mlir::Value spread(mlir::Value value) {
    const bool scalar = tensorType(value).getRank() == 0;
    return emit_.broadcast(value, shapeOf(indices_), scalar ? Shape() : Shape(vectorDim_));
  }

  LocalOp& op_;
  Emit& emit_;
  mlir::Value indices_, shifted_;
  int64_t vectorDim_;
  std::vector<Indexed> dims_;
};

bool anySplit(const std::vector<Indexed>& dims, bool indexed) {
  return llvm::any_of(dims, [&](const Indexed& dim) {
    return !dim.axes.empty() && (dim.component >= 0) == indexed;
  });
}

// Whether the device is the first along the axes of all dims that are split and not indexed.
mlir::Value isFirst(LocalOp& op, const std::vector<Indexed>& dims) {
  AxisList axes;
  for (const Indexed& dim : dims) {
    if (dim.component < 0) axes.append(dim.axes);
  }
  return op.positions.isFirst(axes);
}

// --- gather ---

// A gather takes a slice, and moves it into bounds where it would reach beyond.
std::vector<Indexed> gatherDims(LocalOp& op, stablehlo::GatherDimensionNumbersAttr numbers,
                                Shape sliceSizes) {
  std::vector<Indexed> dims;
  const Shape global = op.globalOperandShape(0), local = shapeOf(op.operands[0]);
  for (size_t d = 0; d < global.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (llvm::is_contained(numbers.getOperandBatchingDims(), dim)) continue;
    const int64_t component = componentOf(numbers.getStartIndexMap(), dim);
    const bool takenWhole = sliceSizes[d] == global[d];
    const AxisList axes = takenWhole ? AxisList() : op.operandAxes(0, d);
    const int64_t high = global[d] - sliceSizes[d];
    dims.push_back({component, 0, high, axes, local[d], axes.empty() ? high : local[d] - 1});
  }
  return dims;
}

// A dim that is taken whole is taken whole of the part.
llvm::SmallVector<int64_t> localSliceSizes(LocalOp& op, Shape sliceSizes) {
  const Shape global = op.globalOperandShape(0), local = shapeOf(op.operands[0]);
  llvm::SmallVector<int64_t> sizes(sliceSizes);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == global[d]) sizes[d] = local[d];
  }
  return sizes;
}

// The dims of the result that are not slices.
llvm::SmallVector<int64_t> batchDims(Shape offsetDims, size_t rank) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (!llvm::is_contained(offsetDims, d)) dims.push_back(d);
  }
  return dims;
}

}  // namespace

Values localGather(LocalOp& op, stablehlo::GatherDimensionNumbersAttr numbers, Shape sliceSizes,
                   bool sorted) {
  Emit& emit = op.emit;
  const std::vector<Indexed> dims = gatherDims(op, numbers, sliceSizes);
  const bool shifts = anySplit(dims, true), onlyFirst = anySplit(dims, false);
  Shift shift(op, op.operands[1], numbers.getIndexVectorDim(), dims);
  const mlir::Value indices = shifts ? shift.run() : op.operands[1];
  const mlir::Value taken = stablehlo::GatherOp::create(
      emit.builder(), emit.location(), op.resultType(), op.operands[0], indices, numbers,
      emit.builder().getDenseI64ArrayAttr(localSliceSizes(op, sliceSizes)),
      emit.builder().getBoolAttr(sorted && !shifts));
  if (!shifts && !onlyFirst) return {taken};
  const Shape shape = op.resultShape();
  const mlir::Value nothing = emit.number(elementOf(taken), shape, 0);
  mlir::Value result = taken;
  if (shifts) {
    const mlir::Value has =
        emit.broadcast(shift.inRange(), shape, batchDims(numbers.getOffsetDims(), shape.size()));
    result = emit.select(has, result, nothing);
  }
  if (onlyFirst) result = emit.select(isFirst(op, dims), result, nothing);
  return {result};
}

namespace {

// --- scatter ---

// An update that would reach out of bounds is dropped, so indices may be out of bounds by one and
// no more.
std::vector<Indexed> scatterDims(LocalOp& op, stablehlo::ScatterDimensionNumbersAttr numbers) {
  std::vector<Indexed> dims;
  const Shape global = op.globalOperandShape(0), local = shapeOf(op.operands[0]);
  for (size_t d = 0; d < global.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (llvm::is_contained(numbers.getInputBatchingDims(), dim)) continue;
    const bool inserted = llvm::is_contained(numbers.getInsertedWindowDims(), dim);
    const AxisList axes = inserted ? op.operandAxes(0, d) : AxisList();
    const int64_t component = componentOf(numbers.getScatterDimsToOperandDims(), dim);
    dims.push_back({component, -1, global[d], axes, local[d], local[d] - 1});
  }
  return dims;
}

}  // namespace

Values localScatter(LocalOp& op, stablehlo::ScatterOp scatter) {
  const auto numbers = scatter.getScatterDimensionNumbers();
  const size_t inputs = scatter.getInputs().size();
  const std::vector<Indexed> dims = scatterDims(op, numbers);
  const bool shifts = anySplit(dims, true);
  if (shifts) {
    op.operands[inputs] = Shift(op, op.operands[inputs], numbers.getIndexVectorDim(), dims).run();
  }
  auto local = mlir::cast<stablehlo::ScatterOp>(cloneLocal(op));
  if (shifts) local.setIndicesAreSorted(false);
  Values results(local->getResults());
  if (!anySplit(dims, false)) return results;
  for (size_t n = 0; n < inputs; ++n) {
    results[n] = op.emit.select(isFirst(op, dims), results[n], op.operands[n]);
  }
  return results;
}

}  // namespace shardwright
