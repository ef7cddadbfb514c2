// Runs MLIR passes over modules of the project's dialects; the lit tests drive it.
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "shardwright/mlir/dialects/register.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  shardwright::registerDialects(registry);
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Shardwright modular optimizer driver\n", registry));
}
