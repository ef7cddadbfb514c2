// The chlo dialect. CHLO: the client-level operations that JAX emits beside StableHLO.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "shardwright/mlir/dialects/chlo/dialect.h.inc"
