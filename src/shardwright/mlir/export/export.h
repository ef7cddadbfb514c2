// The printed forms of a partitioned program.
#pragma once

#include <string>

#include "shardwright/mlir/import/importer.h"
#include "shardwright/plan/plan.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright {

// The device-local program inside one `sdy.manual_computation` over all axes, with `stablehlo`
// collectives. XLA runs exactly what is written. A diagnostic where an op has no device-local form
// (a `sdy.manual_computation` of the user's own over the same devices).
Result<std::string> exportExplicit(const ImportedProgram& imported, const spmd::SpmdProgram& spmd);

// The same for one device alone, to see what a compiler makes of it: no mesh, local shapes, and in
// the place of collectives ops with operands and results of the same shapes (stand_ins.h). The
// device is the first of the mesh. What it computes is of no use.
Result<std::string> exportLocal(const ImportedProgram& imported, const spmd::SpmdProgram& spmd);

// The module as it was read, with `sdy.mesh` and an `sdy.sharding` on every argument, result and
// op (but for converts from a type to itself). XLA reads those of arguments, results and
// constraints only, so a constraint stands behind each op and wherever the plan changes a layout:
//   %0 = stablehlo.tanh %x {sdy.sharding = …} : tensor<8x4xf32>
//   %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {}]> {shardwright.for_xla} : tensor<8x4xf32>
// Scalars, constants and what is made of one number have none, and partial values first when they
// are reduced. Operands of convolutions that XLA computes wrongly come whole. The mark makes
// importModule pass them by. `planText` (a plan file, may be empty) travels in the module attribute
// `shardwright.plan`.
Result<std::string> exportAnnotated(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
                                    const std::string& planText);

}  // namespace shardwright
