// What the subcommands share: reading a module with its rules, and writing output.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shardwright/mlir/import/load.h"

namespace shardwright::tool {

// MODULE and the options that every command with a module has.
struct ModuleOptions {
  std::string path;
  ImportOptions import;
  bool json = false;
  std::string output = "-";
};
void addModuleOptions(CLI::App& command, ModuleOptions& options);

// Reads, imports and finds the rules. On error prints it to stderr and returns nothing.
std::optional<LoadedModule> load(const ModuleOptions& options);

// Writes `text` to `path` ("-" is stdout). A file appears whole or not at all. Returns an exit
// status, having printed what went wrong.
int write(const std::string& path, const std::string& text);

struct Output {
  std::string path;
  std::string text;
};
// Writes all of them or none: files appear together once every text lies beside its target. A link
// is followed; a pipe or device is written to. Standard output may be closed early by who reads it.
int writeAll(const std::vector<Output>& outputs);
// False, having said so, if two outputs would go to one place. `writeAll` asks too; whoever works
// long before it writes asks first.
bool checkPlaces(const std::vector<std::string>& paths);

void printError(const Diagnostic& diagnostic);

}  // namespace shardwright::tool
