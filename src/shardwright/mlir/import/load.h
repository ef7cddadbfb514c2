// A module with the rules of its ops: what every command and the Python package start from.
#pragma once

#include <string>

#include "shardwright/mlir/import/importer.h"
#include "shardwright/rules/table.h"

namespace shardwright {

struct LoadedModule {
  ImportedProgram imported;
  rules::RuleTable rules;
};

// Parses, imports and finds the rules. `name` stands for the text in messages.
[[nodiscard]] Result<LoadedModule> loadModule(llvm::StringRef text, const std::string& name,
                                              const ImportOptions& options = {});

}  // namespace shardwright
