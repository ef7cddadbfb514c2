// Reductions that start from the neutral element of their combiner.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

// Rewrites reductions with a known combiner that start from anything else, as `sum(x, initial=3)`:
// they start from the neutral element, and the start is combined with what comes out.
//
// For modules that go to XLA, which takes the initial value of a reduction for neutral: it counts
// it once for each part of a dim that it cuts up for speed or over devices, and not at all along a
// dim of size 1.
void startFromNeutral(mlir::ModuleOp module);

// Undoes that in a module that is read again.
void restoreStarts(mlir::ModuleOp module);

}  // namespace shardwright
