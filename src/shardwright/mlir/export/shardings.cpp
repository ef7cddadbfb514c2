#include "shardwright/mlir/export/shardings.h"

#include "shardwright/mlir/dialects/sdy/sharding.h"

namespace shardwright {

sdy::TensorShardingAttr ShardingWriter::sharding(mesh::LayoutId layout) const {
  return sharding(layouts_.dims(layout));
}

sdy::TensorShardingAttr ShardingWriter::sharding(llvm::ArrayRef<mesh::AxisList> lists) const {
  llvm::SmallVector<sdy::DimensionShardingAttr> dims;
  for (const mesh::AxisList list : lists) {
    llvm::SmallVector<sdy::AxisRefAttr> axes;
    for (uint32_t i = 0; i < list.size(); ++i) {
      axes.push_back(sdy::AxisRefAttr::get(context_, mesh_.axes[list[i]].name, {}));
    }
    dims.push_back(sdy::DimensionShardingAttr::get(context_, axes, /*isClosed=*/true, {}));
  }
  return sdy::TensorShardingAttr::get(context_, mlir::FlatSymbolRefAttr::get(context_, name_),
                                      dims);
}

sdy::TensorShardingPerValueAttr ShardingWriter::perValue(
    llvm::ArrayRef<mesh::LayoutId> layouts) const {
  llvm::SmallVector<sdy::TensorShardingAttr> shardings;
  for (const mesh::LayoutId layout : layouts) shardings.push_back(sharding(layout));
  return sdy::TensorShardingPerValueAttr::get(context_, shardings);
}

sdy::ManualAxesAttr ShardingWriter::allAxes() const {
  llvm::SmallVector<mlir::StringAttr> names;
  for (const mesh::Axis& axis : mesh_.axes) {
    names.push_back(mlir::StringAttr::get(context_, axis.name));
  }
  return sdy::ManualAxesAttr::get(context_, names);
}

sdy::MeshAttr ShardingWriter::meshAttr() const {
  llvm::SmallVector<sdy::MeshAxisAttr> axes;
  for (const mesh::Axis& axis : mesh_.axes) {
    axes.push_back(sdy::MeshAxisAttr::get(context_, axis.name, axis.size));
  }
  return sdy::MeshAttr::get(context_, axes, mesh_.deviceIds);
}

void removeShardings(mlir::Operation* op) {
  for (const llvm::StringLiteral name :
       {sdy::kShardingAttr, sdy::kShardingRuleAttr, sdy::kPropagationEdgesAttr,
        llvm::StringLiteral("mhlo.sharding")}) {
    op->removeDiscardableAttr(name);
  }
}

}  // namespace shardwright
