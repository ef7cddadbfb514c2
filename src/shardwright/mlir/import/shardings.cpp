#include "shardwright/mlir/import/shardings.h"

namespace shardwright {
namespace {

mesh::Mesh readMesh(llvm::StringRef name, sdy::MeshAttr attribute) {
  mesh::Mesh mesh;
  mesh.name = name.str();
  for (const sdy::MeshAxisAttr axis : attribute.getAxes()) {
    mesh.axes.push_back({axis.getName().str(), axis.getSize()});
  }
  mesh.deviceIds.assign(attribute.getDeviceIds().begin(), attribute.getDeviceIds().end());
  return mesh;
}

std::vector<mesh::AxisRef> readAxes(llvm::ArrayRef<sdy::AxisRefAttr> attributes) {
  std::vector<mesh::AxisRef> axes;
  for (const sdy::AxisRefAttr attribute : attributes) {
    mesh::AxisRef axis{attribute.getName().str(), {}};
    if (const auto part = attribute.getSubAxisInfo()) {
      axis.subAxis = mesh::AxisRef::SubAxis{part.getPreSize(), part.getSize()};
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

program::IntList toList(llvm::ArrayRef<int64_t> values) { return {values.begin(), values.end()}; }

std::vector<std::vector<program::IntList>> readMappings(
    llvm::ArrayRef<sdy::TensorMappingAttr> tensors) {
  std::vector<std::vector<program::IntList>> mappings;
  for (const sdy::TensorMappingAttr tensor : tensors) {
    auto& dims = mappings.emplace_back();
    for (const sdy::DimMappingAttr dim : tensor.getDimMappings()) {
      dims.push_back(toList(dim.getFactorIndices()));
    }
  }
  return mappings;
}

}  // namespace

ShardingReader::ShardingReader(mlir::ModuleOp module, program::ProgramBuilder& builder)
    : builder_(builder) {
  for (auto mesh : module.getOps<sdy::MeshOp>()) {
    const auto name = mesh.getSymNameAttr();
    meshes_[mlir::FlatSymbolRefAttr::get(name)] =
        builder.addMesh(readMesh(name.getValue(), mesh.getMesh()));
  }
}

std::optional<uint32_t> ShardingReader::meshOf(mlir::Attribute meshOrRef) {
  const auto known = meshes_.find(meshOrRef);
  if (known != meshes_.end()) return known->second;
  const auto inlined = mlir::dyn_cast_or_null<sdy::MeshAttr>(meshOrRef);
  if (!inlined) return {};
  return meshes_[meshOrRef] = builder_.addMesh(readMesh("", inlined));
}

std::optional<mesh::Sharding> ShardingReader::read(sdy::TensorShardingAttr attribute) {
  const auto mesh = meshOf(attribute.getMeshOrRef());
  if (!mesh) return {};
  mesh::Sharding sharding;
  sharding.mesh = *mesh;
  for (const sdy::DimensionShardingAttr dim : attribute.getDimShardings()) {
    sharding.dims.push_back({readAxes(dim.getAxes()), dim.getIsClosed(), dim.getPriority()});
  }
  sharding.replicated = readAxes(attribute.getReplicatedAxes());
  sharding.unreduced = readAxes(attribute.getUnreducedAxes());
  return sharding;
}

program::ExplicitRuleAttrs readRule(sdy::OpShardingRuleAttr attribute) {
  program::ExplicitRuleAttrs rule;
  rule.factorSizes = toList(attribute.getFactorSizes());
  rule.operandDims = readMappings(attribute.getOperandMappings());
  rule.resultDims = readMappings(attribute.getResultMappings());
  rule.reduction = toList(attribute.getReductionFactors());
  rule.needReplication = toList(attribute.getNeedReplicationFactors());
  rule.permutation = toList(attribute.getPermutationFactors());
  return rule;
}

}  // namespace shardwright
