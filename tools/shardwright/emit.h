// --emit: the partitioned program in one of its printed forms.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "io.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::tool {

// --emit FORM=FILE, as often as wanted.
void addEmitOption(CLI::App& command, std::vector<std::string>& requests);

// Where a request wants its text.
std::string emitPath(const std::string& request);

// What a request (`annotated=FILE`, `explicit=FILE`, `local=FILE`) asks to be written.
Result<Output> emitted(const std::string& request, const LoadedModule& module,
                       const spmd::SpmdProgram& spmd, const std::string& planText);

}  // namespace shardwright::tool
