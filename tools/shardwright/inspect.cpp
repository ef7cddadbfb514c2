// shardwright inspect: what is in a module.
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "io.h"
#include "shardwright/driver/inspection.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/program/printer.h"

namespace shardwright::tool {
namespace {

// A person reads the first screen; --all is for the rest.
constexpr size_t kMostArguments = 40;

struct InspectOptions {
  ModuleOptions module;
  bool all = false;
  bool program = false;
};

int run(const InspectOptions& options) {
  const std::optional<LoadedModule> loaded = load(options.module);
  if (!loaded) return kBadInput;
  if (options.program)
    return write(options.module.output, program::print(loaded->imported.program));
  const driver::Inspection inspection = driver::inspect(loaded->imported.program, loaded->rules);
  if (options.module.json)
    return write(options.module.output, driver::toJson(inspection).dump(2) + "\n");
  return write(options.module.output,
               driver::toText(inspection, {options.all ? 0 : kMostArguments}));
}

}  // namespace

Command addInspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "What is in a module: arguments, ops, loops, FLOPs, what has no rule");
  addModuleOptions(*command, options->module);
  command->add_flag("--all", options->all, "List every argument");
  command->add_flag("--program", options->program, "Print the flat program instead, one op a line");
  return [options] { return run(*options); };
}

}  // namespace shardwright::tool
