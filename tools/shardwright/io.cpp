#include "io.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "commands.h"

namespace shardwright::tool {
namespace {

int writeStdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kSuccess;
  printError({std::string("cannot write to stdout: ") + std::strerror(errno), {}, {}});
  return kBadInput;
}

// Beside the target, so that renaming it there is one step.
bool writeBeside(const std::string& temporary, const std::string& text) {
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return static_cast<bool>(file);
}

// Removes what temporaries are left and says what went wrong, if that has not been said.
int giveUp(const std::vector<Output>& files, const std::string& path = "",
           std::error_code error = {}) {
  for (const Output& file : files) {
    std::error_code ignored;
    std::filesystem::remove(file.text, ignored);
  }
  if (error) printError({"cannot write `" + path + "`: " + error.message(), {}, {}});
  return kBadInput;
}

}  // namespace

void addModuleOptions(CLI::App& command, ModuleOptions& options) {
  command.add_option("MODULE", options.path, "StableHLO module as text; - is standard input")
      ->required();
  command.add_flag("--json", options.json, "Machine-readable output with stable keys");
  command.add_option("-o,--output", options.output, "Where to write; - is standard output")
      ->capture_default_str();
  command
      .add_option("--default-trip-count", options.import.defaultTripCount,
                  "Iterations assumed for loops whose module does not tell")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
}

std::optional<LoadedModule> load(const ModuleOptions& options) {
  const Result<std::string> text = readInput(options.path);
  if (!text) {
    printError(text.error());
    return {};
  }
  Result<LoadedModule> loaded =
      loadModule(*text, options.path == "-" ? "<stdin>" : options.path, options.import);
  if (loaded) return std::move(*loaded);
  printError(loaded.error());
  return {};
}

int write(const std::string& path, const std::string& text) { return writeAll({{path, text}}); }

int writeAll(const std::vector<Output>& outputs) {
  std::vector<Output> files;  // Targets, and the temporaries in the place of the texts.
  for (const Output& output : outputs) {
    if (output.path == "-") continue;
    files.push_back({output.path, output.path + ".tmp" + std::to_string(getpid())});
    if (!std::filesystem::is_directory(output.path) && writeBeside(files.back().text, output.text))
      continue;
    const int code = std::filesystem::is_directory(output.path) ? EISDIR : errno;
    return giveUp(files, output.path, std::error_code(code, std::generic_category()));
  }
  for (const Output& output : outputs) {
    if (output.path == "-" && writeStdout(output.text) != kSuccess) return giveUp(files);
  }
  for (const Output& file : files) {
    std::error_code error;
    std::filesystem::rename(file.text, file.path, error);
    if (error) return giveUp(files, file.path, error);
  }
  return kSuccess;
}

void printError(const Diagnostic& diagnostic) {
  std::fprintf(stderr, "%s\n", diagnostic.str().c_str());
}

}  // namespace shardwright::tool
