#include "shardwright/mlir/import/load.h"

#include <utility>

namespace shardwright {

Result<LoadedModule> loadModule(llvm::StringRef text, const std::string& name,
                                const ImportOptions& options) {
  Result<ImportedProgram> imported = importText(text, name, options);
  if (!imported) return imported.error();
  Result<rules::RuleTable> rules = rules::RuleTable::make(imported->program);
  if (!rules) return rules.error();
  return LoadedModule{std::move(*imported), std::move(*rules)};
}

}  // namespace shardwright
