// The sdy dialect. Shardy: meshes, shardings and the ops that carry them, with the assembly that
// jaxlib prints and parses.
//
//   sdy.mesh @mesh = <["x"=2, "y"=4]>
//   %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y":(1)2, ?}p1]> : tensor<8x8xf32>
//
// A sharding of a function's argument or result is its attribute `sdy.sharding` (a
// TensorShardingAttr); the shardings of an op's results are the op's attribute `sdy.sharding` (a
// TensorShardingPerValueAttr). sharding.h says what is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardwright/mlir/dialects/sdy/dialect.h.inc"
#include "shardwright/mlir/dialects/sdy/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwright/mlir/dialects/sdy/attrs.h.inc"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/sdy/ops.h.inc"
