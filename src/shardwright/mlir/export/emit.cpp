#include "shardwright/mlir/export/emit.h"

#include "llvm/ADT/APInt.h"
#include "shardwright/base/check.h"

namespace shardwright {
namespace {

using program::Combiner;

// What a combiner is for booleans. XLA's collectives know no sums and products of them.
Combiner forBooleans(Combiner combiner) {
  switch (combiner) {
    case Combiner::kMul:
    case Combiner::kMin:
    case Combiner::kAnd:
      return Combiner::kAnd;
    default:
      return Combiner::kOr;
  }
}

}  // namespace

mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
Shape shapeOf(mlir::Value value) { return tensorType(value).getShape(); }
mlir::Type elementOf(mlir::Value value) { return tensorType(value).getElementType(); }

mlir::Type withShape(mlir::Type type, Shape shape) {
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? mlir::RankedTensorType::get(shape, tensor.getElementType(), tensor.getEncoding())
                : type;
}

mlir::Value Emit::constant(mlir::ElementsAttr value) {
  return stablehlo::ConstantOp::create(builder_, location_, value);
}

mlir::Value Emit::numbers(mlir::Type element, Shape values) {
  llvm::SmallVector<llvm::APInt> integers;
  const unsigned width = mlir::cast<mlir::IntegerType>(element).getWidth();
  for (const int64_t value : values) {
    integers.emplace_back(width, static_cast<uint64_t>(value), true, /*implicitTrunc=*/true);
  }
  const auto type = mlir::RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return constant(mlir::DenseElementsAttr::get(type, integers));
}

mlir::Value Emit::convert(mlir::Value value, mlir::Type element) {
  if (elementOf(value) == element) return value;
  const auto type = mlir::RankedTensorType::get(shapeOf(value), element);
  return stablehlo::ConvertOp::create(builder_, location_, type, value);
}

mlir::Value Emit::broadcast(mlir::Value value, Shape shape, Shape dims) {
  if (shapeOf(value) == shape) return value;
  const auto type = mlir::RankedTensorType::get(shape, elementOf(value));
  return stablehlo::BroadcastInDimOp::create(builder_, location_, type, value, dims);
}

mlir::Value Emit::reshape(mlir::Value value, Shape shape) {
  if (shapeOf(value) == shape) return value;
  const auto type = mlir::RankedTensorType::get(shape, elementOf(value));
  return stablehlo::ReshapeOp::create(builder_, location_, type, value);
}

mlir::Value Emit::add(mlir::Value a, mlir::Value b) {
  return stablehlo::AddOp::create(builder_, location_, a.getType(), a, b);
}
mlir::Value Emit::subtract(mlir::Value a, mlir::Value b) {
  return stablehlo::SubtractOp::create(builder_, location_, a.getType(), a, b);
}
mlir::Value Emit::multiply(mlir::Value a, mlir::Value b) {
  return stablehlo::MulOp::create(builder_, location_, a.getType(), a, b);
}
mlir::Value Emit::divide(mlir::Value a, mlir::Value b) {
  return stablehlo::DivOp::create(builder_, location_, a.getType(), a, b);
}
mlir::Value Emit::remainder(mlir::Value a, mlir::Value b) {
  return stablehlo::RemOp::create(builder_, location_, a.getType(), a, b);
}
mlir::Value Emit::minimum(mlir::Value a, mlir::Value b) {
  return stablehlo::MinOp::create(builder_, location_, a.getType(), a, b);
}
mlir::Value Emit::both(mlir::Value a, mlir::Value b) {
  return stablehlo::AndOp::create(builder_, location_, a.getType(), a, b);
}

mlir::Value Emit::compare(mlir::Value a, mlir::Value b, stablehlo::ComparisonDirection direction) {
  mlir::MLIRContext* context = builder_.getContext();
  const auto type = mlir::RankedTensorType::get(shapeOf(a), builder_.getI1Type());
  const auto how = stablehlo::ComparisonTypeAttr::get(context, stablehlo::ComparisonType::SIGNED);
  return stablehlo::CompareOp::create(builder_, location_, type, a, b,
                                      stablehlo::ComparisonDirectionAttr::get(context, direction),
                                      how);
}

mlir::Value Emit::clamp(mlir::Value low, mlir::Value value, mlir::Value high) {
  return stablehlo::ClampOp::create(builder_, location_, value.getType(), low, value, high);
}

mlir::Value Emit::select(mlir::Value condition, mlir::Value a, mlir::Value b) {
  return stablehlo::SelectOp::create(builder_, location_, a.getType(), condition, a, b);
}

mlir::Value Emit::barrier(mlir::Value value) {
  return stablehlo::OptimizationBarrierOp::create(builder_, location_, value.getType(), value)
      ->getResult(0);
}

mlir::Value Emit::concatenate(mlir::ValueRange values, int64_t dim) {
  const auto index = static_cast<size_t>(dim);
  llvm::SmallVector<int64_t> shape(shapeOf(values.front()));
  shape[index] = 0;
  for (const mlir::Value value : values) shape[index] += shapeOf(value)[index];
  return stablehlo::ConcatenateOp::create(builder_, location_,
                                          withShape(values.front().getType(), shape), values,
                                          builder_.getI64IntegerAttr(dim));
}

mlir::Value Emit::slice(mlir::Value value, int64_t dim, int64_t start, int64_t size) {
  const auto index = static_cast<size_t>(dim);
  llvm::SmallVector<int64_t> shape(shapeOf(value)), starts(shape.size(), 0), ends(shape);
  shape[index] = size;
  starts[index] = start;
  ends[index] = start + size;
  const llvm::SmallVector<int64_t> strides(shape.size(), 1);
  return stablehlo::SliceOp::create(builder_, location_, withShape(value.getType(), shape), value,
                                    starts, ends, strides);
}

mlir::Value Emit::iota(mlir::Type element, Shape shape, int64_t dim) {
  return stablehlo::IotaOp::create(builder_, location_, mlir::RankedTensorType::get(shape, element),
                                   builder_.getI64IntegerAttr(dim));
}

mlir::Value Emit::reduceAlong(mlir::Value value, int64_t dim, Combiner combiner) {
  llvm::SmallVector<int64_t> shape(shapeOf(value));
  shape.erase(shape.begin() + dim);
  const mlir::Type element = elementOf(value);
  const mlir::Value start = constant(neutral(element, {}, combiner));
  auto reduce = stablehlo::ReduceOp::create(
      builder_, location_, mlir::TypeRange{mlir::RankedTensorType::get(shape, element)},
      mlir::ValueRange{value}, mlir::ValueRange{start}, Shape{dim});
  combinerBody(reduce.getBody(), element, combiner);
  return reduce->getResult(0);
}

mlir::Value Emit::combine(mlir::Value a, mlir::Value b, Combiner combiner) {
  switch (combiner) {
    case Combiner::kAdd:
      return add(a, b);
    case Combiner::kMul:
      return multiply(a, b);
    case Combiner::kMin:
      return minimum(a, b);
    case Combiner::kMax:
      return stablehlo::MaxOp::create(builder_, location_, a.getType(), a, b);
    case Combiner::kAnd:
      return both(a, b);
    case Combiner::kOr:
      return stablehlo::OrOp::create(builder_, location_, a.getType(), a, b);
    default:
      break;
  }
  checkFailed("the combiner is one that devices can combine with", __FILE__, __LINE__);
}

void Emit::combinerBody(mlir::Region& region, mlir::Type element, Combiner combiner) {
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  const auto scalar = mlir::RankedTensorType::get({}, element);
  mlir::Block* block = builder_.createBlock(&region, {}, {scalar, scalar}, {location_, location_});
  const Combiner known = element.isInteger(1) ? forBooleans(combiner) : combiner;
  const mlir::Value result = combine(block->getArgument(0), block->getArgument(1), known);
  stablehlo::ReturnOp::create(builder_, location_, result);
}

}  // namespace shardwright
