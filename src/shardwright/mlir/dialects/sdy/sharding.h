// Shardings against the mesh they name and the tensor they describe.
//
// A sharding is well formed for a type when
//   S1 its mesh exists in the nearest module;
//   S2 it has one entry per dim of the type, which is ranked; only `[]` fits a type without a
//   shape, and only `[]` without
//      any axes fits a maximal mesh;
//   S3 every axis is in the mesh, and every part `"x":(m)k` has m >= 1, k >= 2, m*k dividing the
//   axis, and is not all of it; S4 no axis and no part of one is used twice, and neighbours in a
//   list that make up one larger part are written as it; S5 replicated and unreduced axes stand in
//   mesh order; S6 a dim that is empty and closed has no priority; S7 it uses no axis that an
//   enclosing sdy.manual_computation has made manual.
#pragma once

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"

namespace shardwright::sdy {

inline constexpr llvm::StringLiteral kShardingAttr = "sdy.sharding";
inline constexpr llvm::StringLiteral kShardingRuleAttr = "sdy.sharding_rule";
inline constexpr llvm::StringLiteral kPropagationEdgesAttr = "sdy.propagation_edges";

// Starts an error; the callee appends what is wrong.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

// Returns the mesh that `meshOrRef` is or that an `sdy.mesh` of the module around `from` names;
// null if there is none.
//   lookupMesh(@mesh, op)            the mesh of `sdy.mesh @mesh = <["x"=2]>`
//   lookupMesh(#sdy.mesh<[]>, op)    that mesh
[[nodiscard]] MeshAttr lookupMesh(mlir::Attribute meshOrRef, mlir::Operation* from);

// Checks that `sharding`, used by `user`, is well formed (S1-S7) for a value of `type`.
//   <@mesh, [{"x"}, {}]> of tensor<8x8xf32>    succeeds in a module with `sdy.mesh @mesh =
//   <["x"=2]>`
//   <@mesh, [{"x"}]> of tensor<8x8xf32>        "sharding has 1 dims, but 'tensor<8x8xf32>' has rank
//   2"
[[nodiscard]] mlir::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                                 mlir::Operation* user, EmitError emitError);

// Checks one sharding per type. `what` names the values in messages, e.g. "result".
[[nodiscard]] mlir::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                                                  mlir::TypeRange types, mlir::Operation* user,
                                                  llvm::StringRef what);

// Checks that `rule` fits the operands and results of `op`, and that it is a rule: every factor is
// used, at most once per tensor; a reduction factor is in no result; special factors are sorted,
// and in one set only.
//   <([i, j])->([i, j]) {i=8, j=8}> fits an op from tensor<8x8xf32> to tensor<8x8xf32>
//   <([i, i])->([i, i]) {i=8}> is none: "operand 0: factor i is used more than once"
[[nodiscard]] mlir::LogicalResult verifyShardingRule(OpShardingRuleAttr rule, mlir::Operation* op);

// Returns the name of factor `index` in a rule: 0 is "i", 17 is "z", 18 is "z_1". Requires `index
// >= 0`.
[[nodiscard]] std::string factorName(int64_t index);

// Checks references to the axes of one mesh (S3, S4), list after list.
class AxisChecker {
 public:
  // Looks up the mesh of `sharding`, which must exist, as seen from `user`. Whatever `emitError`
  // refers to must outlive the checker.
  AxisChecker(TensorShardingAttr sharding, mlir::Operation* user, EmitError emitError);

  // Checks `axes` and that none was added before. `where` begins the message, e.g. "dim 0".
  [[nodiscard]] mlir::LogicalResult add(llvm::ArrayRef<AxisRefAttr> axes, llvm::StringRef where);
  // Adds one list per dim.
  [[nodiscard]] mlir::LogicalResult add(ListOfAxisRefListsAttr lists, llvm::StringRef where);
  // Checks that `axes`, added before, stand in mesh order (S5).
  [[nodiscard]] mlir::LogicalResult verifyMeshOrder(llvm::ArrayRef<AxisRefAttr> axes,
                                                    llvm::StringRef where);

 private:
  mlir::LogicalResult verifyInMesh(AxisRefAttr axis, llvm::StringRef where);
  mlir::LogicalResult verifyUnused(AxisRefAttr axis, llvm::StringRef where);

  mlir::Attribute meshOrRef_;
  MeshAttr mesh_;
  EmitError emitError_;
  llvm::StringMap<llvm::SmallVector<AxisRefAttr, 2>> seen_;
};

}  // namespace shardwright::sdy
