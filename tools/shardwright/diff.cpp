// shardwright diff: what two plan files say differently.
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "io.h"
#include "shardwright/driver/plan_diff.h"

namespace shardwright::tool {
namespace {

struct DiffOptions {
  std::string first, second;
  bool json = false;
  bool all = false;
  std::string output = "-";
};

Result<driver::PlanWords> read(const std::string& path) {
  const Result<std::string> text = readInput(path);
  if (!text) return text.error();
  return driver::planWords(path == "-" ? "<stdin>" : path, *text);
}

int run(const DiffOptions& options) {
  const Result<driver::PlanWords> a = read(options.first);
  const Result<driver::PlanWords> b = a ? read(options.second) : a.error();
  const Status failure = b ? driver::checkComparable(*a, *b) : b.error();
  if (failure) {
    printError(*failure);
    return kBadInput;
  }
  return write(options.output, options.json ? driver::diffJson(*a, *b).dump(1) + "\n"
                                            : driver::diffText(*a, *b, options.all ? 0 : 20));
}

}  // namespace

Command addDiff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "What two plan files say differently");
  command->add_option("A", options->first, "Plan file; - is standard input")->required();
  command->add_option("B", options->second, "Plan file; - is standard input")->required();
  command->add_flag("--json", options->json, "Machine-readable output with stable keys");
  command->add_flag("--all", options->all, "List everything, not only the first of each list");
  command->add_option("-o,--output", options->output, "Where to write; - is standard output")
      ->capture_default_str();
  return [options] { return run(*options); };
}

}  // namespace shardwright::tool
