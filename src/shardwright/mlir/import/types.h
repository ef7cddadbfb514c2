// MLIR types as the core's element types and shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "mlir/IR/Types.h"
#include "shardwright/base/result.h"
#include "shardwright/program/types.h"

namespace shardwright {

struct FlatType {
  program::DType dtype;
  std::vector<int64_t> shape;
};

// Static ranked tensors and tokens. Anything else gives a diagnostic that names the type and, for
// dynamic shapes, the dim; it has no location.
Result<FlatType> flatten(mlir::Type type);

}  // namespace shardwright
