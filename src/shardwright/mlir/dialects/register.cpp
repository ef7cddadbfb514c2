#include "shardwright/mlir/dialects/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardwright/mlir/dialects/chlo/chlo.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright {

void registerDialects(mlir::DialectRegistry& registry) {
  registry.insert<mlir::func::FuncDialect, stablehlo::StablehloDialect, chlo::ChloDialect,
                  sdy::SdyDialect>();
}

}  // namespace shardwright
