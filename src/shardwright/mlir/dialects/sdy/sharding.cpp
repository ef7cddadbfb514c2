#include "shardwright/mlir/dialects/sdy/sharding.h"

#include <algorithm>

namespace shardwright::sdy {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

MeshAttr lookupMesh(mlir::Attribute meshOrRef, mlir::Operation* from) {
  if (auto mesh = llvm::dyn_cast_or_null<MeshAttr>(meshOrRef)) return mesh;
  auto name = llvm::dyn_cast_or_null<mlir::FlatSymbolRefAttr>(meshOrRef);
  if (!name) return nullptr;
  auto op = mlir::SymbolTable::lookupNearestSymbolFrom<MeshOp>(from, name.getAttr());
  return op ? op.getMeshAttr() : nullptr;
}

namespace {

// The part of an axis as first and last split: [preSize, preSize * size). Requires an axis that is
// in the mesh (S3), so that the product does not overflow.
struct Part {
  int64_t begin;
  int64_t end;
};

Part partOf(AxisRefAttr axis, MeshAttr mesh) {
  if (SubAxisInfoAttr info = axis.getSubAxisInfo())
    return {info.getPreSize(), info.getPreSize() * info.getSize()};
  return {1, *mesh.getAxisSize(axis.getName())};
}

bool usesNoAxes(TensorShardingAttr sharding) {
  return sharding.getDimShardings().empty() && sharding.getReplicatedAxes().empty() &&
         sharding.getUnreducedAxes().empty();
}

// A tuple of one value is sharded like that value; custom calls return such.
mlir::Type withoutTuple(mlir::Type type) {
  auto tuple = llvm::dyn_cast<mlir::TupleType>(type);
  return tuple && tuple.size() == 1 ? tuple.getType(0) : type;
}

// S2: the sharding has as many dims as the type.
LogicalResult verifyRank(TensorShardingAttr sharding, mlir::Type type, MeshAttr mesh,
                         EmitError emitError) {
  if (mesh.isMaximal()) {
    if (usesNoAxes(sharding)) return success();
    return emitError() << "a sharding on the maximal mesh " << sharding.getMeshOrRef()
                       << " has no dims and no axes, got " << sharding;
  }
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(withoutTuple(type));
  if (!shaped) {
    if (usesNoAxes(sharding)) return success();
    return emitError() << "a sharding of " << type
                       << ", which has no shape, has no dims and no axes, got " << sharding;
  }
  if (!shaped.hasRank()) return emitError() << "a sharding needs a type with a rank, got " << type;
  if (shaped.getRank() == sharding.getRank()) return success();
  return emitError() << "sharding has " << sharding.getRank() << " dims, but " << type
                     << " has rank " << shaped.getRank();
}

LogicalResult verifyDims(TensorShardingAttr sharding, AxisChecker& checker, EmitError emitError) {
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    const std::string where = "dim " + std::to_string(index);
    if (failed(checker.add(dim.getAxes(), where))) return failure();
    if (dim.getAxes().empty() && dim.getIsClosed() && dim.getPriority())
      return emitError() << where << ": has priority " << *dim.getPriority()
                         << ", but is empty and closed";
  }
  return success();
}

LogicalResult verifySortedAxes(ArrayRef<AxisRefAttr> axes, StringRef where, AxisChecker& checker) {
  return success(succeeded(checker.add(axes, where)) &&
                 succeeded(checker.verifyMeshOrder(axes, where)));
}

// S7: the sharding leaves alone what a computation around `user` has made manual.
LogicalResult verifyNotManual(TensorShardingAttr sharding, mlir::Operation* user,
                              EmitError emitError) {
  for (auto manual = user->getParentOfType<ManualComputationOp>(); manual;
       manual = manual->getParentOfType<ManualComputationOp>()) {
    auto isManual = [&](AxisRefAttr axis) {
      return llvm::any_of(manual.getManualAxes().getAxes(),
                          [&](mlir::StringAttr name) { return name.getValue() == axis.getName(); });
    };
    auto verify = [&](ArrayRef<AxisRefAttr> axes) -> LogicalResult {
      const auto* found = llvm::find_if(axes, isManual);
      if (found == axes.end()) return success();
      return emitError() << "axis \"" << found->getName()
                         << "\" is manual in an enclosing sdy.manual_computation";
    };
    for (DimensionShardingAttr dim : sharding.getDimShardings())
      if (failed(verify(dim.getAxes()))) return failure();
    if (failed(verify(sharding.getReplicatedAxes())) || failed(verify(sharding.getUnreducedAxes())))
      return failure();
  }
  return success();
}

// Names a mesh in a message: `@mesh = #sdy.mesh<["x"=2]>`.
mlir::InFlightDiagnostic& describeMesh(mlir::InFlightDiagnostic& error, mlir::Attribute meshOrRef,
                                       MeshAttr mesh) {
  error << meshOrRef;
  return meshOrRef == mesh ? error : error << " = " << mesh;
}

}  // namespace

AxisChecker::AxisChecker(TensorShardingAttr sharding, mlir::Operation* user, EmitError emitError)
    : meshOrRef_(sharding.getMeshOrRef()),
      mesh_(lookupMesh(meshOrRef_, user)),
      emitError_(emitError) {}

LogicalResult AxisChecker::verifyInMesh(AxisRefAttr axis, StringRef where) {
  const std::optional<int64_t> axisSize = mesh_.getAxisSize(axis.getName());
  if (!axisSize) {
    mlir::InFlightDiagnostic error = emitError_() << where << ": unknown axis \"" << axis.getName()
                                                  << "\" in mesh ";
    return describeMesh(error, meshOrRef_, mesh_);
  }
  const SubAxisInfoAttr part = axis.getSubAxisInfo();
  if (!part) return success();
  if (part.getPreSize() < 1)
    return emitError_() << where << ": pre-size of sub-axis " << axis.toString()
                        << " must be at least 1";
  if (part.getSize() < 2)
    return emitError_() << where << ": size of sub-axis " << axis.toString()
                        << " must be at least 2";
  // Dividing first keeps the product from overflowing.
  if (part.getPreSize() > *axisSize / part.getSize() ||
      *axisSize % (part.getPreSize() * part.getSize()) != 0)
    return emitError_() << where << ": sub-axis " << axis.toString() << " does not divide axis \""
                        << axis.getName() << "\" of size " << *axisSize;
  if (part.getSize() == *axisSize)
    return emitError_() << where << ": sub-axis " << axis.toString() << " is all of axis \""
                        << axis.getName() << "\"";
  return success();
}

LogicalResult AxisChecker::verifyUnused(AxisRefAttr axis, StringRef where) {
  const Part part = partOf(axis, mesh_);
  for (AxisRefAttr other : seen_[axis.getName()]) {
    if (axis == other)
      return emitError_() << where << ": axis " << axis.toString() << " is used more than once";
    const Part otherPart = partOf(other, mesh_);
    if (!axis.getSubAxisInfo() || !other.getSubAxisInfo() ||
        (part.begin < otherPart.end && otherPart.begin < part.end))
      return emitError_() << where << ": axis " << axis.toString() << " overlaps "
                          << other.toString();
  }
  return success();
}

LogicalResult AxisChecker::add(ArrayRef<AxisRefAttr> axes, StringRef where) {
  AxisRefAttr previous;
  for (AxisRefAttr axis : axes) {
    if (failed(verifyInMesh(axis, where)) || failed(verifyUnused(axis, where))) return failure();
    if (previous && previous.getName() == axis.getName() &&
        partOf(previous, mesh_).end == partOf(axis, mesh_).begin)
      return emitError_() << where << ": sub-axes " << previous.toString() << " and "
                          << axis.toString() << " make up one and must be written as it";
    seen_[axis.getName()].push_back(axis);
    previous = axis;
  }
  return success();
}

LogicalResult AxisChecker::add(ListOfAxisRefListsAttr lists, StringRef where) {
  for (auto [index, list] : llvm::enumerate(lists.getLists()))
    if (failed(add(list.getAxes(), (where + " of dim " + llvm::Twine(index)).str())))
      return failure();
  return success();
}

LogicalResult AxisChecker::verifyMeshOrder(ArrayRef<AxisRefAttr> axes, StringRef where) {
  auto position = [&](AxisRefAttr axis) {
    const auto* found = llvm::find_if(
        mesh_.getAxes(), [&](MeshAxisAttr other) { return other.getName() == axis.getName(); });
    return std::pair(found - mesh_.getAxes().begin(), partOf(axis, mesh_).begin);
  };
  for (size_t i = 1; i < axes.size(); ++i) {
    if (position(axes[i - 1]) < position(axes[i])) continue;
    mlir::InFlightDiagnostic error = emitError_()
                                     << where << ": " << axes[i - 1].toString() << " and "
                                     << axes[i].toString() << " are not in the order of mesh ";
    return describeMesh(error, meshOrRef_, mesh_);
  }
  return success();
}

LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type, mlir::Operation* user,
                             EmitError emitError) {
  const MeshAttr mesh = lookupMesh(sharding.getMeshOrRef(), user);
  if (!mesh) return emitError() << "unknown mesh " << sharding.getMeshOrRef();
  AxisChecker checker(sharding, user, emitError);
  return success(
      succeeded(verifyRank(sharding, type, mesh, emitError)) &&
      succeeded(verifyDims(sharding, checker, emitError)) &&
      succeeded(verifySortedAxes(sharding.getReplicatedAxes(), "replicated axes", checker)) &&
      succeeded(verifySortedAxes(sharding.getUnreducedAxes(), "unreduced axes", checker)) &&
      succeeded(verifyNotManual(sharding, user, emitError)));
}

// JAX pins ops without results, such as calls into Python, to one device.
static bool pinsToOneDevice(TensorShardingPerValueAttr shardings, mlir::Operation* user) {
  if (shardings.getShardings().size() != 1) return false;
  const MeshAttr mesh = lookupMesh(shardings.getShardings().front().getMeshOrRef(), user);
  return mesh && mesh.isMaximal();
}

LogicalResult verifyShardings(TensorShardingPerValueAttr shardings, mlir::TypeRange types,
                              mlir::Operation* user, StringRef what) {
  if (types.empty() && pinsToOneDevice(shardings, user)) return success();
  if (shardings.getShardings().size() != types.size())
    return user->emitOpError() << "has " << types.size() << " " << what << "s, but "
                               << shardings.getShardings().size() << " " << what << " shardings";
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(shardings.getShardings(), types))) {
    auto emitError = [&, position = index] {
      return user->emitOpError() << what << " " << position << ": ";
    };
    if (failed(verifySharding(std::get<0>(pair), std::get<1>(pair), user, emitError)))
      return failure();
  }
  return success();
}

}  // namespace shardwright::sdy
