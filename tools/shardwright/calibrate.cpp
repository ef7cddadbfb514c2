// shardwright calibrate: measures the devices at hand. Measuring needs JAX, so the work is done by
// the Python package tools/calibrate; this hands over to it, or says how to run it.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands.h"
#include "io.h"

namespace shardwright::tool {
namespace {

namespace fs = std::filesystem;

// The folder that holds the package: beside the sources that this binary was built from, or where
// SHARDWRIGHT_TOOLS says.
std::optional<fs::path> packageFolder() {
  const char* told = std::getenv("SHARDWRIGHT_TOOLS");
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  // build/PRESET/tools/shardwright stands three folders below the checkout.
  for (const fs::path& folder :
       {fs::path(told == nullptr ? "" : told), binary.parent_path() / "../../../tools"}) {
    if (fs::exists(folder / "calibrate" / "__main__.py", error))
      return fs::canonical(folder, error);
  }
  return {};
}

void prependToPythonPath(const fs::path& folder) {
  const char* before = std::getenv("PYTHONPATH");
  const std::string path = folder.string() + (before == nullptr ? "" : ":" + std::string(before));
  setenv("PYTHONPATH", path.c_str(), 1);
}

// Replaces this process; returns only when that fails.
int execute(const std::vector<std::string>& arguments) {
  const char* chosen = std::getenv("PYTHON");
  std::vector<std::string> words = {chosen == nullptr ? "python3" : chosen, "-m", "calibrate"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  printError({"cannot run `" + words[0] + "`: " + std::strerror(errno) +
                  "; set PYTHON to a Python that has JAX",
              {},
              {}});
  return kBadInput;
}

int run(const std::vector<std::string>& arguments) {
  const std::optional<fs::path> folder = packageFolder();
  if (!folder) {
    printError(
        {"calibrate measures through JAX, and its Python package is not beside this binary; "
         "set SHARDWRIGHT_TOOLS to the folder `tools` of a checkout, or run "
         "`python -m calibrate -o here.json` there",
         {},
         {}});
    return kBadInput;
  }
  prependToPythonPath(*folder);
  return execute(arguments);
}

}  // namespace

Command addCalibrate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Measure the devices at hand through JAX and write a device profile: -o here.json, --name, "
      "--base, --quick. PYTHON names the Python to use");
  // All that follows belongs to the package, --help too.
  command->set_help_flag();
  command->prefix_command();
  return [command] { return run(command->remaining()); };
}

}  // namespace shardwright::tool
