// Every dialect that a module may use, in one place.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace shardwright {

// Registers stablehlo, chlo, sdy and func.
void registerDialects(mlir::DialectRegistry& registry);

}  // namespace shardwright
