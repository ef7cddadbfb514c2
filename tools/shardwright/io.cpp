#include "io.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "commands.h"

namespace shardwright::tool {
namespace {

// A reader that has seen enough (`| head`) is no failure: the files are wanted all the same.
int writeStdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((written && std::fflush(stdout) == 0) || errno == EPIPE) return kSuccess;
  printError({std::string("cannot write to stdout: ") + std::strerror(errno), {}, {}});
  return kBadInput;
}

bool writeFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return static_cast<bool>(file);
}

// A pipe or a device: it is written to, and no file put in its place.
bool isStream(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

// Where a file will lie: what a link points to, so that the link stays.
std::string targetOf(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
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

bool checkPlaces(const std::vector<std::string>& paths) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    const bool isStdout = path == "-";
    if (!isStdout && isStream(path)) continue;
    if (seen.insert(isStdout ? path : targetOf(path)).second) continue;
    const std::string where = isStdout ? "standard output" : "`" + path + "`";
    printError({"two outputs go to " + where + "; give each a place of its own", {}, {}});
    return false;
  }
  return true;
}

int writeAll(const std::vector<Output>& outputs) {
  std::vector<std::string> paths;
  for (const Output& output : outputs) paths.push_back(output.path);
  if (!checkPlaces(paths)) return kBadInput;
  std::vector<Output> files;  // Targets, and the temporaries in the place of the texts.
  for (const Output& output : outputs) {
    if (output.path == "-" || isStream(output.path)) continue;
    const std::string target = targetOf(output.path);
    files.push_back({target, target + ".tmp" + std::to_string(getpid())});
    if (!std::filesystem::is_directory(target) && writeFile(files.back().text, output.text))
      continue;
    const int code = std::filesystem::is_directory(target) ? EISDIR : errno;
    return giveUp(files, output.path, std::error_code(code, std::generic_category()));
  }
  for (const Output& output : outputs) {
    if (output.path == "-" && writeStdout(output.text) != kSuccess) return giveUp(files);
    if (output.path == "-" || !isStream(output.path) || writeFile(output.path, output.text))
      continue;
    return giveUp(files, output.path, std::error_code(errno, std::generic_category()));
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
