// Shardy's attributes as the core's meshes, shardings and explicit rules.
#pragma once

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"
#include "shardwright/program/attributes.h"
#include "shardwright/program/builder.h"

namespace shardwright {

// Reads shardings of one module; meshes are added to `builder` as they are met, those of the module
// first.
class ShardingReader {
 public:
  ShardingReader(mlir::ModuleOp module, program::ProgramBuilder& builder);

  // Empty if the mesh it names does not exist.
  std::optional<mesh::Sharding> read(sdy::TensorShardingAttr attribute);

 private:
  std::optional<uint32_t> meshOf(mlir::Attribute meshOrRef);

  program::ProgramBuilder& builder_;
  llvm::DenseMap<mlir::Attribute, uint32_t> meshes_;  // By symbol name or by inline mesh.
};

program::ExplicitRuleAttrs readRule(sdy::OpShardingRuleAttr attribute);

}  // namespace shardwright
