// The chlo dialect. CHLO: the client-level operations that JAX emits beside StableHLO, with the
// assembly that jaxlib prints and parses.
//
//   %0 = chlo.erf %x : tensor<8xf32> -> tensor<8xf32>
//   %1 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 1>} : (tensor<8x4xf32>,
//   tensor<4xf32>) -> tensor<8x4xf32> %values, %indices = chlo.top_k(%x, k = 2) : tensor<8xf32> ->
//   (tensor<2xf32>, tensor<2xi32>)
#pragma once

#include <cstdint>
#include <optional>

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardwright/mlir/dialects/chlo/dialect.h.inc"
#include "shardwright/mlir/dialects/chlo/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwright/mlir/dialects/chlo/attrs.h.inc"

namespace shardwright::chlo {

// Element types that the ops take. StableHLO has no 80- and 128-bit floats, no tf32, no explicitly
// signed integers.
[[nodiscard]] bool isFloat(mlir::Type type);
[[nodiscard]] bool isInteger(mlir::Type type);
[[nodiscard]] bool isComplex(mlir::Type type);
[[nodiscard]] bool isQuantized(mlir::Type type);

// Checks that all shapes of an op could be one.
//   tensor<?x8xf32> and tensor<4x8xi1>    succeeds
//   tensor<4xf32> and tensor<8xi1>        "has incompatible shapes 'tensor<4xf32>' and
//   'tensor<8xi1>'"
[[nodiscard]] mlir::LogicalResult verifyCompatibleShapes(mlir::Operation* op);

// The same, and that all element types are equal.
[[nodiscard]] mlir::LogicalResult verifySameElementType(mlir::Operation* op);

// Checks that the operands of a binary op broadcast to its result. `sameElementType` includes the
// result.
//   8x4 and 4          8x4
//   8x4 and 8          fails unless `dimensions` is [0]
[[nodiscard]] mlir::LogicalResult verifyBroadcast(mlir::Operation* op,
                                                  std::optional<llvm::ArrayRef<int64_t>> dimensions,
                                                  bool sameElementType);

}  // namespace shardwright::chlo

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/chlo/ops.h.inc"
