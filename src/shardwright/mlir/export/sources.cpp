// Values from nothing: a device makes its own part.
#include <limits>

#include "shardwright/mlir/export/parts.h"

namespace shardwright {

mlir::Value takePart(Emit& emit, Positions& positions, mlir::Value value, mlir::Type partType,
                     llvm::ArrayRef<mesh::AxisList> axes) {
  const Shape sizes = mlir::cast<mlir::RankedTensorType>(partType).getShape();
  const bool wide = llvm::any_of(
      shapeOf(value), [](int64_t size) { return size > std::numeric_limits<int32_t>::max(); });
  const mlir::Type index = wide ? emit.i64() : emit.i32();
  mlir::Value zero;
  Values starts;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (!axes[d].empty()) {
      starts.push_back(positions.offset(axes[d], sizes[d], index));
      continue;
    }
    if (!zero) zero = emit.number(index, {}, 0);
    starts.push_back(zero);
  }
  return stablehlo::DynamicSliceOp::create(emit.builder(), emit.location(), partType, value, starts,
                                           sizes);
}

// Splats are made small; of other constants each device takes its part.
Values localConstant(LocalOp& op, mlir::ElementsAttr value) {
  const auto type = mlir::cast<mlir::RankedTensorType>(op.resultType());
  if (type.getShape() == op.globalResultShape()) return {op.emit.constant(value)};
  if (auto splatValue = mlir::dyn_cast<mlir::SplatElementsAttr>(value)) {
    return {op.emit.constant(splatValue.resizeSplat(type))};
  }
  return {takePart(op.emit, op.positions, op.emit.constant(value), type,
                   op.spmd.layouts.dims(op.resultLayout()))};
}

namespace {

// Counts in integers, so that a float is rounded once, as in the program.
mlir::Type countingType(LocalOp& op, int64_t size) {
  const mlir::Type element =
      mlir::cast<mlir::RankedTensorType>(op.origin->getResult(0).getType()).getElementType();
  const bool wide = size > std::numeric_limits<int32_t>::max();
  return wide || element.isInteger(64) ? op.emit.i64() : op.emit.i32();
}

}  // namespace

Values localIota(LocalOp& op, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  Emit& emit = op.emit;
  const auto type = mlir::cast<mlir::RankedTensorType>(op.resultType());
  const mesh::AxisList axes = op.spmd.layouts.dim(op.resultLayout(), d);
  const auto iota = [&](mlir::Type element) -> mlir::Value {
    const auto counted = mlir::RankedTensorType::get(type.getShape(), element);
    return stablehlo::IotaOp::create(emit.builder(), emit.location(), counted,
                                     static_cast<uint64_t>(dim));
  };
  if (axes.empty()) return {iota(type.getElementType())};
  const mlir::Type counting = countingType(op, op.globalResultShape()[d]);
  const mlir::Value start = op.positions.offset(axes, type.getShape()[d], counting);
  const mlir::Value counted = emit.add(iota(counting), emit.fill(start, type.getShape()));
  return {emit.convert(counted, type.getElementType())};
}

// Two devices draw different numbers. Where they must agree, those of the first one count.
Values localRng(LocalOp& op) {
  Emit& emit = op.emit;
  auto rng = mlir::cast<stablehlo::RngOp>(op.origin);
  const mlir::Value shape = emit.numbers(elementOf(rng.getShape()), op.resultShape());
  const mlir::Value drawn =
      stablehlo::RngOp::create(emit.builder(), emit.location(), op.resultType(), op.operands[0],
                               op.operands[1], shape, rng.getRngDistributionAttr());
  mesh::AxisSet others;
  for (uint32_t axis = 0; axis < op.spmd.mesh.axes.size(); ++axis) {
    if (op.spmd.mesh.axes[axis].size > 1) others.add(axis);
  }
  const auto same =
      mesh::AxisList::inMeshOrder(others - op.spmd.layouts.splitting(op.resultLayout()));
  if (same.empty()) return {drawn};
  const mlir::Value nothing = emit.number(elementOf(drawn), op.resultShape(), 0);
  const mlir::Value first = emit.select(op.positions.isFirst(same), drawn, nothing);
  return {op.collectives.allReduce(emit, first, same, program::Combiner::kAdd)};
}

}  // namespace shardwright
