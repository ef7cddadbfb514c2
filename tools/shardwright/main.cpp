// The command line of Shardwright. Exit status: 0 success, 1 bad input, 2 bad usage,
// 3 no plan fits.
#include <CLI/CLI.hpp>
#include <exception>
#include <utility>
#include <vector>

#include "commands.h"

namespace {

using shardwright::tool::Command;

int runChosen(const CLI::App& app, const std::vector<std::pair<std::string, Command>>& commands) {
  for (const auto& [name, command] : commands) {
    if (app.got_subcommand(name)) return command();
  }
  return shardwright::tool::kBadUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Shardwright: an automatic SPMD partitioner for machine-learning programs",
               "shardwright");
  app.set_version_flag("--version", SHARDWRIGHT_VERSION);
  app.require_subcommand(1);
  const std::vector<std::pair<std::string, Command>> commands = {
      {"inspect", shardwright::tool::addInspect(app)},
      {"analyze", shardwright::tool::addAnalyze(app)},
      {"partition", shardwright::tool::addPartition(app)},
      {"apply", shardwright::tool::addApply(app)},
      {"estimate", shardwright::tool::addEstimate(app)},
      {"calibrate", shardwright::tool::addCalibrate(app)},
  };
  try {
    app.parse(argc, argv);
    return runChosen(app, commands);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? shardwright::tool::kSuccess : shardwright::tool::kBadUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return shardwright::tool::kBadInput;
  }
}
