// The sdy dialect. Shardy: meshes, shardings and the ops that carry them.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "shardwright/mlir/dialects/sdy/dialect.h.inc"
