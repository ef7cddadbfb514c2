#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

#include "shardwright/mlir/dialects/stablehlo/dialect.cpp.inc"

namespace shardwright::stablehlo {

void StablehloDialect::initialize() {}

}  // namespace shardwright::stablehlo
