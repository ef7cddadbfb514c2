// Layouts as Shardy's attributes, and the attributes that a plan replaces.
#pragma once

#include <string>

#include "mlir/IR/BuiltinOps.h"
#include "shardwright/mesh/layout.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"

namespace shardwright {

// Writes the layouts of one mesh, which the module calls `name`.
class ShardingWriter {
 public:
  ShardingWriter(mlir::MLIRContext* context, const mesh::Mesh& mesh,
                 const mesh::LayoutTable& layouts, llvm::StringRef name)
      : context_(context), mesh_(mesh), layouts_(layouts), name_(name.str()) {}

  // The dims of a layout, closed. Axes over which it is partial are left out: Shardy sees the value
  // after it has been reduced.
  //   [data, -] partial over model  ->  <@mesh, [{"data"}, {}]>
  sdy::TensorShardingAttr sharding(mesh::LayoutId layout) const;
  sdy::TensorShardingAttr sharding(llvm::ArrayRef<mesh::AxisList> dims) const;
  sdy::TensorShardingPerValueAttr perValue(llvm::ArrayRef<mesh::LayoutId> layouts) const;
  // All axes of the mesh: {"data", "model"}.
  sdy::ManualAxesAttr allAxes() const;
  sdy::MeshAttr meshAttr() const;
  const std::string& name() const { return name_; }

 private:
  mlir::MLIRContext* context_;
  const mesh::Mesh& mesh_;
  const mesh::LayoutTable& layouts_;
  std::string name_;
};

// Takes off what `op` says about shardings, its own and its rule's; not what stands in its regions.
void removeShardings(mlir::Operation* op);

}  // namespace shardwright
