// StableHLO module to flat program.
#pragma once

#include <string>
#include <vector>

#include "shardwright/base/result.h"
#include "shardwright/mlir/import/parse.h"
#include "shardwright/program/program.h"

namespace shardwright {

// Marks what an annotated module has for XLA's sake alone: sharding constraints, and starts of
// reductions (neutral_starts.h). They are no part of the program and are passed by when the module
// is read again.
inline constexpr llvm::StringLiteral kForXlaAttr = "shardwright.for_xla";

struct ImportOptions {
  // Stands in for the trip count of a loop whose module does not say how often it runs. Each such
  // loop is named in Program::remarks.
  int64_t defaultTripCount = 10;
  // Calls are inlined; a module whose calls multiply beyond this many ops is refused.
  size_t mostOps = 50'000'000;
  // Arguments whose own sharding stands in a constraint that is their only use, as JAX writes the
  // `in_shardings` of a function inside another.
  std::vector<uint32_t> statedInside = {};
};

// A program together with the module it was read from, which exporters print from.
struct ImportedProgram {
  ParsedModule parsed;
  program::Program program;
  // Op::origin -> the op of the module: all ops in pre-order, the module itself first.
  std::vector<mlir::Operation*> origins;
};

// Reads @main of the module. Refused, with the place: dynamic shapes, tuples and other values that
// are not tensors, functions of several blocks, recursion, no @main.
// The program obeys verify().
Result<ImportedProgram> importModule(ParsedModule parsed, const ImportOptions& options = {});

// Parses `text` (see parseModule) and imports it.
Result<ImportedProgram> importText(llvm::StringRef text, const std::string& name,
                                   const ImportOptions& options = {});

}  // namespace shardwright
