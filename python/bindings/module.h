// A module that plans can be made for.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "shardwright/analysis/analysis.h"
#include "shardwright/mlir/import/load.h"
#include "shardwright/plan/plan.h"

namespace shardwright::python {

// Text, program, rules and analysis. Immutable once made but for the MLIR context, which exporters
// use: they hold `exporting`.
class Module {
 public:
  Module(LoadedModule loaded, analysis::Analysis analysis)
      : loaded_(std::move(loaded)), analysis_(std::move(analysis)) {}

  // Throws NativeError.
  static std::shared_ptr<Module> load(const std::string& text, const std::string& name,
                                      const ImportOptions& options);

  const ImportedProgram& imported() const { return loaded_.imported; }
  const program::Program& program() const { return loaded_.imported.program; }
  plan::Subject subject() const { return {program(), loaded_.rules, analysis_}; }
  std::mutex& exporting() { return exporting_; }

 private:
  LoadedModule loaded_;
  analysis::Analysis analysis_;
  std::mutex exporting_;
};

}  // namespace shardwright::python
