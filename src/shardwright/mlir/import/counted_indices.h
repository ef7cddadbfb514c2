// Gathers and scatters whose indices count along a dim.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

// Rewrites gathers and scatters that have a component of their indices count 0, 1, … along a whole
// dim: the dim batches instead. `x[jnp.arange(64), i]` takes of row k what i[k] says,
//     x f32[64,40], indices i32[64,2] = [[0, i[0]], [1, i[1]], …]
// and so does a gather with operand_batching_dims = [0] and the indices i32[64,1] that are left.
// The first looks rows up, so that rows split over devices would leave parts to be summed and i
// whole everywhere; in the second each device has the rows that it needs.
void batchCountedDims(mlir::ModuleOp module);

}  // namespace shardwright
