// The part of an op's MLIR attributes that rules need, in the core's own structs.
#pragma once

#include "mlir/IR/Operation.h"
#include "shardwright/program/attributes.h"

namespace shardwright {

// Nothing for ops whose rule follows from shapes alone (elementwise, reshape, …) and for ops of
// dialects we do not know. A rule that comes with the op (`sdy.sharding_rule`) wins.
program::Attributes readAttributes(mlir::Operation* op);

}  // namespace shardwright
