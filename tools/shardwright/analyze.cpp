// shardwright analyze: the decisions there are to make.
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "io.h"
#include "shardwright/analysis/analysis.h"
#include "shardwright/driver/analysis_report.h"
#include "shardwright/driver/rules_report.h"

namespace shardwright::tool {
namespace {

struct AnalyzeOptions {
  ModuleOptions module;
  bool rules = false;
  bool ops = false;
};

std::string report(const LoadedModule& loaded, const AnalyzeOptions& options) {
  const program::Program& program = loaded.imported.program;
  if (options.rules) {
    return options.module.json ? driver::rulesJson(program, loaded.rules).dump(1) + "\n"
                               : driver::rulesText(program, loaded.rules);
  }
  const analysis::Analysis analysis = analysis::Analysis::make(program, loaded.rules);
  const driver::AnalysisView view{program, loaded.rules, analysis};
  if (options.module.json) return driver::analysisJson(view, options.ops).dump(1) + "\n";
  return options.ops ? driver::analysisOpsText(view) : driver::analysisText(view);
}

int run(const AnalyzeOptions& options) {
  const std::optional<LoadedModule> loaded = load(options.module);
  if (!loaded) return kBadInput;
  return write(options.module.output, report(*loaded, options));
}

}  // namespace

Command addAnalyze(CLI::App& app) {
  auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* command = app.add_subcommand(
      "analyze",
      "Which dims want to be sharded alike: colours, conflicts, compatibility sets, classes");
  addModuleOptions(*command, options->module);
  command->add_flag("--rules", options->rules,
                    "Print the rule of every op instead, in Shardy's notation");
  command->add_flag("--ops", options->ops,
                    "List each op with the classes of its factors and its source line");
  return [options] { return run(*options); };
}

}  // namespace shardwright::tool
