// The command line of Shardwright. Exit status: 0 success, 1 bad input, 2 bad usage,
// 3 no plan fits.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "shardwright/base/spelling.h"

namespace {

using shardwright::tool::Command;
using Commands = std::vector<std::pair<std::string, Command>>;

// What a word that is no command may have been meant for; empty if it is too far from all.
std::string nearest(const std::string& word, const Commands& commands) {
  const auto distance = [&](const auto& command) {
    return shardwright::editDistance(word, command.first);
  };
  const auto near = std::ranges::min_element(commands, {}, distance);
  return 2 * distance(*near) <= near->first.size() ? near->first : "";
}

// "error: there is no command `aply`; did you mean `apply`? There are inspect, …". Nothing where
// the first word is an option: that is for CLI11 to say.
std::string wrongCommand(int argc, char** argv, const Commands& commands) {
  std::string names;
  for (const auto& [name, command] : commands) names += (names.empty() ? "" : ", ") + name;
  if (argc < 2) return "error: no command; there are " + names + "\n";
  const std::string word = argv[1];
  if (word.starts_with('-')) return "";
  const std::string near = nearest(word, commands);
  return "error: there is no command `" + word + "`; " +
         (near.empty() ? "there" : "did you mean `" + near + "`? There") + " are " + names + "\n";
}

int runChosen(const CLI::App& app, const Commands& commands) {
  for (const auto& [name, command] : commands) {
    if (app.got_subcommand(name)) return command();
  }
  return shardwright::tool::kBadUsage;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // See writeAll: outputs to files do not go with a closed pipe.
  CLI::App app("Shardwright: an automatic SPMD partitioner for machine-learning programs",
               "shardwright");
  app.set_version_flag("--version", SHARDWRIGHT_VERSION);
  app.require_subcommand(1);
  const Commands commands = {
      {"inspect", shardwright::tool::addInspect(app)},
      {"analyze", shardwright::tool::addAnalyze(app)},
      {"partition", shardwright::tool::addPartition(app)},
      {"apply", shardwright::tool::addApply(app)},
      {"estimate", shardwright::tool::addEstimate(app)},
      {"explain", shardwright::tool::addExplain(app)},
      {"diff", shardwright::tool::addDiff(app)},
      {"calibrate", shardwright::tool::addCalibrate(app)},
  };
  try {
    app.parse(argc, argv);
    return runChosen(app, commands);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0 && app.get_subcommands().empty()) {
      const std::string text = wrongCommand(argc, argv, commands);
      std::fputs(text.c_str(), stderr);
      if (!text.empty()) return shardwright::tool::kBadUsage;
    }
    return app.exit(error) == 0 ? shardwright::tool::kSuccess : shardwright::tool::kBadUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return shardwright::tool::kBadInput;
  }
}
