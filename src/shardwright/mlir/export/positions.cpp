#include "shardwright/mlir/export/positions.h"

namespace shardwright {

Positions::Positions(const mesh::Mesh& mesh, mlir::Block& block, mlir::Location location,
                     bool alone)
    : mesh_(mesh),
      block_(block),
      alone_(alone),
      builder_(location.getContext()),
      emit_(builder_, location) {}

template <typename Make>
mlir::Value Positions::atTop(Make make) {
  last_ ? builder_.setInsertionPointAfter(last_) : builder_.setInsertionPointToStart(&block_);
  const mlir::Value value = make();
  last_ = value.getDefiningOp();
  return value;
}

mlir::Value Positions::digit(int64_t stride, int64_t count) {
  const mlir::Type unsigned32 = builder_.getIntegerType(32, false);
  mlir::Value value = deviceNumber_;
  if (stride != 1) value = emit_.divide(value, emit_.number(unsigned32, {}, stride));
  if (stride * count != mesh::deviceCount(mesh_)) {
    value = emit_.remainder(value, emit_.number(unsigned32, {}, count));
  }
  return emit_.convert(value, builder_.getI32Type());
}

// The number of the device in mesh order.
mlir::Value Positions::deviceNumber() {
  if (alone_) return numberOfFirst();
  const mlir::Type unsigned32 = builder_.getIntegerType(32, false);
  const mlir::Value id = stablehlo::PartitionIdOp::create(
      builder_, emit_.location(), mlir::RankedTensorType::get({}, unsigned32));
  if (mesh_.deviceIds.empty()) return id;
  std::vector<int64_t> numbers(mesh_.deviceIds.size());
  for (size_t n = 0; n < numbers.size(); ++n) {
    numbers[static_cast<size_t>(mesh_.deviceIds[n])] = static_cast<int64_t>(n);
  }
  const mlir::Value number = stablehlo::DynamicSliceOp::create(
      builder_, emit_.location(), mlir::RankedTensorType::get({1}, unsigned32),
      emit_.numbers(unsigned32, numbers), id, Shape{1});
  return emit_.reshape(number, {});
}

// A 0 that the compiler must not see, or it would fold away what devices do with their number.
mlir::Value Positions::numberOfFirst() {
  return emit_.barrier(emit_.number(builder_.getIntegerType(32, false), {}, 0));
}

// Neighbours in the mesh are one digit of the device's number.
mlir::Value Positions::makePosition(mesh::AxisList axes) {
  if (!deviceNumber_) deviceNumber_ = deviceNumber();
  mlir::Value result;
  for (uint32_t i = 0; i < axes.size();) {
    const uint32_t first = i;
    int64_t count = 1, stride = 1;
    do {
      count *= mesh_.axes[axes[i++]].size;
    } while (i < axes.size() && axes[i] == axes[i - 1] + 1);
    for (size_t a = axes[i - 1] + 1; a < mesh_.axes.size(); ++a) stride *= mesh_.axes[a].size;
    const mlir::Value next = digit(stride, count);
    result = first == 0
                 ? next
                 : emit_.add(emit_.multiply(result, emit_.number(emit_.i32(), {}, count)), next);
  }
  return result ? result : emit_.number(emit_.i32(), {}, 0);
}

mlir::Value Positions::position(mesh::AxisList axes) {
  mlir::Value& known = positions_[axes.code()];
  if (!known) known = atTop([&] { return makePosition(axes); });
  return known;
}

mlir::Value Positions::isFirst(mesh::AxisList axes) {
  mlir::Value& known = firsts_[axes.code()];
  if (known) return known;
  const mlir::Value place = position(axes);
  return known = atTop([&] {
           return emit_.compare(place, emit_.number(emit_.i32(), {}, 0),
                                stablehlo::ComparisonDirection::EQ);
         });
}

mlir::Value Positions::offset(mesh::AxisList axes, int64_t size, mlir::Type element) {
  mlir::Value& known = offsets_[{axes.code(), size, element.isInteger(64)}];
  if (known) return known;
  const mlir::Value place = position(axes);
  if (size == 1 && element.isInteger(32)) return known = place;
  return known = atTop([&] {
           return emit_.multiply(emit_.convert(place, element), emit_.number(element, {}, size));
         });
}

}  // namespace shardwright
