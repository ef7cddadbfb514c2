// Text to MLIR module, for input that nobody vouches for.
#pragma once

#include <memory>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardwright/base/result.h"

namespace shardwright {

// A module and the context that owns its types.
struct ParsedModule {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

// Parses and verifies `text`, which is called `name` in messages. Ops of dialects we do not know
// are kept. Bad text gives the first error with its line and column; so do bytecode (text is the
// interchange format) and nesting so deep that the recursive parser could not survive it.
Result<ParsedModule> parseModule(llvm::StringRef text, const std::string& name);

// The whole file, or standard input for "-".
Result<std::string> readInput(const std::string& path);

// Runs `work` on a thread with a stack large enough for the nesting that parseModule lets through.
void runWithLargeStack(llvm::function_ref<void()> work);

// How deep brackets nest in `text`, outside of strings and comments, and where the deepest is.
struct Nesting {
  unsigned depth = 0;
  unsigned line = 1;
};
Nesting deepestNesting(llvm::StringRef text);

}  // namespace shardwright
