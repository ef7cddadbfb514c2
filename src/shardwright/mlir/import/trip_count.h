// How often a loop runs, where the module says so.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Value.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright {

// Argument of an inlined function -> what the call passes for it.
using CallArguments = llvm::DenseMap<mlir::Value, mlir::Value>;

struct TripCount {
  int64_t count = 0;
  bool exact = true;  // False: at most `count` (the condition has further terms).
};

// Recognises the counter that JAX emits for scan and fori_loop: the condition compares a carried
// scalar with a bound, the body adds a constant to it, and start and bound are constants (or
// carried along unchanged, or passed into the function as constants).
std::optional<TripCount> recognizeTripCount(stablehlo::WhileOp loop,
                                            const CallArguments& arguments);

// The value that a loop starts with, if the argument of its body is one that the body passes on
// unchanged; else none.
mlir::Value initOfInvariant(mlir::BlockArgument argument);

}  // namespace shardwright
