// The stablehlo dialect. StableHLO: the operation set that JAX prints its programs in.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "shardwright/mlir/dialects/stablehlo/dialect.h.inc"
