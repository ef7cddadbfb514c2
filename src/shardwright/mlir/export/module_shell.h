// The module around an exported program: attributes, mesh, @main, and the way to text.
#pragma once

#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardwright/mlir/export/shardings.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright {

// A module like the imported one, with one mesh and an @main without ops. Argument and result
// attributes are those of the imported @main, with the program's layouts for shardings.
class ModuleShell {
 public:
  ModuleShell(const ImportedProgram& imported, const spmd::SpmdProgram& spmd);

  mlir::ModuleOp module() { return *module_; }
  // The one block of @main, which has its arguments.
  mlir::Block& body() { return main_.getBody().front(); }
  // The place of the program's return.
  mlir::Location returnLocation();
  const ShardingWriter& shardings() const { return shardings_; }

  // Adds what the ops refer to by name (functions, meshes) from the imported module, verifies and
  // prints. Locations are printed if the imported module had any.
  Result<std::string> finish() &&;

 private:
  void addMain();
  void addReferenced();
  std::string print();

  const ImportedProgram& imported_;
  const spmd::SpmdProgram& spmd_;
  mlir::ModuleOp source_;
  ShardingWriter shardings_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp main_;
};

}  // namespace shardwright
