#include "shardwright/mlir/export/collectives.h"

#include <map>

namespace shardwright {
namespace {

using mesh::AxisList;
using mesh::LayoutId;
using spmd::Instruction;
using spmd::Kind;

// Which part of a value a device holds: its position along the axes of each dim, and the term it
// has of a partial value.
using Part = std::vector<int64_t>;

Part partOf(const mesh::Mesh& mesh, const mesh::LayoutTable& layouts, LayoutId layout,
            int64_t device) {
  Part part;
  for (size_t d = 0; d < layouts.rank(layout); ++d) {
    part.push_back(mesh::position(mesh, device, layouts.dim(layout, d)));
  }
  part.push_back(mesh::position(mesh, device, AxisList::inMeshOrder(layouts.partial(layout))));
  return part;
}

// Devices that differ along few axes are near; among those, devices with near numbers.
std::pair<int, int64_t> distance(const mesh::Mesh& mesh, int64_t a, int64_t b) {
  int axes = 0;
  for (uint32_t axis = 0; axis < mesh.axes.size(); ++axis) {
    if (mesh::position(mesh, a, axis) != mesh::position(mesh, b, axis)) ++axes;
  }
  return {axes, a < b ? b - a : a - b};
}

// Takes the nearest of `sources` for `target`.
int64_t takeNearest(const mesh::Mesh& mesh, std::vector<int64_t>& sources, int64_t target) {
  SW_CHECK(!sources.empty());
  auto best = sources.begin();
  for (auto it = sources.begin(); it != sources.end(); ++it) {
    if (distance(mesh, *it, target) < distance(mesh, *best, target)) best = it;
  }
  const int64_t source = *best;
  sources.erase(best);
  return source;
}

// What XLA calls the device that comes at this place in mesh order.
int64_t idOf(const mesh::Mesh& mesh, int64_t device) {
  return mesh.deviceIds.empty() ? device : mesh.deviceIds[static_cast<size_t>(device)];
}

mlir::DenseIntElementsAttr rows(Emit& emit, size_t count, size_t length, Shape flat) {
  const auto type = mlir::RankedTensorType::get(
      {static_cast<int64_t>(count), static_cast<int64_t>(length)}, emit.i64());
  return mlir::DenseIntElementsAttr::get(type, flat);
}

}  // namespace

std::vector<std::pair<int64_t, int64_t>> permutation(const mesh::Mesh& mesh,
                                                     const mesh::LayoutTable& layouts,
                                                     LayoutId from, LayoutId to) {
  const int64_t devices = mesh::deviceCount(mesh);
  std::map<Part, std::vector<int64_t>> holders;
  std::vector<int64_t> moving;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t device = 0; device < devices; ++device) {
    Part part = partOf(mesh, layouts, from, device);
    const bool stays = part == partOf(mesh, layouts, to, device);
    if (stays) pairs.emplace_back(device, device);
    if (!stays) moving.push_back(device);
    if (!stays) holders[std::move(part)].push_back(device);
  }
  for (const int64_t target : moving) {
    std::vector<int64_t>& sources = holders[partOf(mesh, layouts, to, target)];
    pairs.emplace_back(takeNearest(mesh, sources, target), target);
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  return pairs;
}

mlir::Attribute Collectives::groups(Emit& emit, AxisList axes) const {
  const auto groups = mesh::deviceGroups(spmd_.mesh, axes);
  llvm::SmallVector<int64_t> flat;
  for (const auto& group : groups) {
    for (const int64_t device : group) flat.push_back(idOf(spmd_.mesh, device));
  }
  return rows(emit, groups.size(), groups.front().size(), flat);
}

stablehlo::ChannelHandleAttr Collectives::channel(Emit& emit) {
  constexpr int64_t kDeviceToDevice = 1;
  return stablehlo::ChannelHandleAttr::get(emit.builder().getContext(), ++channels_,
                                           kDeviceToDevice);
}

mlir::Type Collectives::resultType(const Instruction& instruction, mlir::Value operand) const {
  const auto shape = spmd_.types.shape(spmd_.locals[spmd_.result(instruction)].type);
  return withShape(operand.getType(), Shape(shape.data(), shape.size()));
}

mlir::Value Collectives::write(Emit& emit, const Instruction& instruction, mlir::Value operand) {
  switch (instruction.kind) {
    case Kind::kAllReduce:
      return allReduce(emit, operand, instruction.axes, instruction.combiner);
    case Kind::kReduceScatter:
      return reduceScatter(emit, instruction, operand);
    case Kind::kAllGather:
      return allGather(emit, instruction, operand);
    case Kind::kAllToAll:
      return allToAll(emit, instruction, operand);
    case Kind::kCollectivePermute:
      return permute(emit, instruction, operand);
    default:
      break;
  }
  checkFailed("the instruction is a collective", __FILE__, __LINE__);
}

mlir::Value Collectives::allReduce(Emit& emit, mlir::Value operand, AxisList axes,
                                   program::Combiner combiner) {
  auto op = stablehlo::AllReduceOp::create(
      emit.builder(), emit.location(), mlir::TypeRange{operand.getType()},
      mlir::ValueRange{operand}, groups(emit, axes), channel(emit), emit.builder().getUnitAttr());
  emit.combinerBody(op.getComputation(), elementOf(operand), combiner);
  return op->getResult(0);
}

mlir::Value Collectives::reduceScatter(Emit& emit, const Instruction& instruction,
                                       mlir::Value operand) {
  auto op = stablehlo::ReduceScatterOp::create(
      emit.builder(), emit.location(), resultType(instruction, operand), operand,
      emit.builder().getI64IntegerAttr(instruction.dim), groups(emit, instruction.axes),
      channel(emit), emit.builder().getUnitAttr());
  emit.combinerBody(op.getComputation(), elementOf(operand), instruction.combiner);
  return op.getResult();
}

mlir::Value Collectives::allGather(Emit& emit, const Instruction& instruction,
                                   mlir::Value operand) {
  auto op = stablehlo::AllGatherOp::create(
      emit.builder(), emit.location(), mlir::TypeRange{resultType(instruction, operand)},
      mlir::ValueRange{operand}, emit.builder().getI64IntegerAttr(instruction.dim),
      groups(emit, instruction.axes), channel(emit), emit.builder().getUnitAttr());
  return op->getResult(0);
}

// The axes are the minor ones of `dim`, so the blocks that a device receives, in the order of the
// group, are neighbours.
mlir::Value Collectives::allToAll(Emit& emit, const Instruction& instruction, mlir::Value operand) {
  mlir::OpBuilder& builder = emit.builder();
  const int64_t count = mesh::deviceCount(spmd_.mesh, instruction.axes);
  // XLA for hosts sends the slices one by one. Of one point each, it takes some of them from an
  // all_to_all before, where they may lie otherwise in memory, and refuses the program for that.
  if (shapeOf(operand)[instruction.toDim] == count) operand = emit.barrier(operand);
  auto op = stablehlo::AllToAllOp::create(
      builder, emit.location(), mlir::TypeRange{resultType(instruction, operand)},
      mlir::ValueRange{operand}, builder.getI64IntegerAttr(instruction.toDim),
      builder.getI64IntegerAttr(instruction.dim), builder.getI64IntegerAttr(count),
      groups(emit, instruction.axes), channel(emit));
  return op->getResult(0);
}

mlir::Value Collectives::permute(Emit& emit, const Instruction& instruction, mlir::Value operand) {
  const LayoutId from = spmd_.locals[spmd_.operandsOf(instruction)[0]].layout;
  const LayoutId to = spmd_.locals[spmd_.result(instruction)].layout;
  const auto pairs = permutation(spmd_.mesh, spmd_.layouts, from, to);
  llvm::SmallVector<int64_t> flat;
  for (const auto& [source, target] : pairs) {
    flat.append({idOf(spmd_.mesh, source), idOf(spmd_.mesh, target)});
  }
  return stablehlo::CollectivePermuteOp::create(emit.builder(), emit.location(),
                                                resultType(instruction, operand), operand,
                                                rows(emit, pairs.size(), 2, flat), channel(emit));
}

}  // namespace shardwright
