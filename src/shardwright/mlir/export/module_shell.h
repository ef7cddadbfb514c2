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

// Whether @main takes and returns whole values with their shardings, or what one device has of
// them.
enum class Extent { kWhole, kDevice };

// Where the annotated form keeps its plan. An imported module may have another one.
inline constexpr llvm::StringLiteral kPlanAttr = "shardwright.plan";

// A module like the imported one with an @main without ops. Argument and result attributes are
// those of the imported @main. Of whole values, shardings are the program's layouts over one mesh.
// Of a device's parts, there are no shardings and no mesh, and an argument is donated to a result
// of its type only.
class ModuleShell {
 public:
  ModuleShell(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
              Extent extent = Extent::kWhole);

  mlir::ModuleOp module() { return *module_; }
  // The one block of @main, which has its arguments.
  mlir::Block& body() { return main_.getBody().front(); }
  // The place of the program's return.
  mlir::Location returnLocation();
  const ShardingWriter& shardings() const { return shardings_; }

  // Adds what the ops refer to by name (functions, meshes) from the imported module, lets
  // reductions start from neutral elements, verifies and prints. Locations are printed if the
  // imported module had any.
  Result<std::string> finish() &&;

 private:
  void addMain();
  void shardMain();
  void localizeMain();
  void addMesh();
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
