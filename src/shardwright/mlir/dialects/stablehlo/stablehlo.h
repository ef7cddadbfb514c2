// The stablehlo dialect. StableHLO: the operation set that JAX prints its programs in.
//
// Accessors follow the names of the generic form: `dot_dimension_numbers` is
// getDotDimensionNumbers(), whose `lhs_batching_dimensions` is getLhsBatchingDimensions(). Lists
// that print as `array<i64: ...>` are ArrayRef<int64_t>, those that print as `dense<...>` are
// elements attributes.
//
// A verified op is safe to read (dynamic_conv is checked only as far as jaxlib does): regions have
// one block that ends in stablehlo.return with as many values as the op needs, lists per dimension
// have the rank's length, dimensions named by attributes exist. Shapes may hold unknown sizes
// (ShapedType::kDynamic).
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardwright/mlir/dialects/stablehlo/dialect.h.inc"
#include "shardwright/mlir/dialects/stablehlo/enums.h.inc"
#include "shardwright/mlir/dialects/stablehlo/types.h"

#define GET_ATTRDEF_CLASSES
#include "shardwright/mlir/dialects/stablehlo/attrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "shardwright/mlir/dialects/stablehlo/types.h.inc"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_unary.h.inc"
#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_binary.h.inc"
#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_shape.h.inc"
#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_linear.h.inc"
#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_reduction.h.inc"
#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_control.h.inc"
#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_collective.h.inc"
#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_dynamic.h.inc"
