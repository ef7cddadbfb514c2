// Runs MLIR passes over modules of the project's dialects; the lit tests drive it.
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "shardwright/mlir/dialects/bool_constants.h"
#include "shardwright/mlir/dialects/register.h"

namespace {

constexpr llvm::StringLiteral kBytecodeMagic = "ML\xefR";

// Text goes through the boolean constants' other form on its way in and out; bytecode is binary and
// goes as it is.
int run(std::unique_ptr<llvm::MemoryBuffer> input, llvm::raw_ostream& output,
        mlir::DialectRegistry& registry) {
  const mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (!input->getBuffer().starts_with(kBytecodeMagic)) {
    input = llvm::MemoryBuffer::getMemBufferCopy(shardwright::packBoolConstants(input->getBuffer()),
                                                 input->getBufferIdentifier());
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  const mlir::LogicalResult result = mlir::MlirOptMain(stream, std::move(input), registry, config);
  output << (llvm::StringRef(text).starts_with(kBytecodeMagic)
                 ? text
                 : shardwright::unpackBoolConstants(text));
  return mlir::asMainReturnCode(result);
}

}  // namespace

int main(int argc, char** argv) {
  llvm::InitLLVM initialize(argc, argv);
  mlir::DialectRegistry registry;
  shardwright::registerDialects(registry);
  mlir::registerTransformsPasses();
  const auto [inputName, outputName] = mlir::registerAndParseCLIOptions(
      argc, argv, "Shardwright modular optimizer driver\n", registry);
  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  auto output = input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return 1;
  }
  const int status = run(std::move(input), output->os(), registry);
  if (status == 0) output->keep();
  return status;
}
