// What an MLIR location says in terms of a source file and the framework's own name for the op.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Location.h"
#include "shardwright/base/result.h"

namespace shardwright {

// The innermost source frame of a location and its outermost name. JAX prints
//   loc("jit(step)/dot_general"(callsite("f"("model.py":3:7) at …)))
// of which file = model.py, line = 3, column = 7, name = jit(step)/dot_general.
struct ResolvedLocation {
  llvm::StringRef file;
  llvm::StringRef name;
  unsigned line = 0;
  unsigned column = 0;
};
ResolvedLocation resolve(mlir::Location location);

SourceLocation sourceOf(mlir::Location location);

}  // namespace shardwright
