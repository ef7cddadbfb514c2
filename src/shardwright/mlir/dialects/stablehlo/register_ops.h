// How the dialect learns its ops: each family's source registers its own, so that no translation
// unit has to instantiate the models of all of them.
#pragma once

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"

namespace shardwright::stablehlo {

void registerUnaryOps(mlir::Dialect& dialect);
void registerBinaryOps(mlir::Dialect& dialect);
void registerShapeOps(mlir::Dialect& dialect);
void registerLinearOps(mlir::Dialect& dialect);
void registerReductionOps(mlir::Dialect& dialect);
void registerControlOps(mlir::Dialect& dialect);
void registerCollectiveOps(mlir::Dialect& dialect);
void registerDynamicOps(mlir::Dialect& dialect);

template <typename... Ops>
void insertOps(mlir::Dialect& dialect) {
  (mlir::RegisteredOperationName::insert<Ops>(dialect), ...);
}

}  // namespace shardwright::stablehlo
