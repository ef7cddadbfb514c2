#include "emit.h"

#include "shardwright/mlir/export/export.h"

namespace shardwright::tool {
namespace {

using Export = Result<std::string> (*)(const LoadedModule& module, const spmd::SpmdProgram& spmd,
                                       const std::string& planText);

Export exporter(const std::string& form) {
  if (form == "annotated") {
    return [](const LoadedModule& module, const spmd::SpmdProgram& spmd, const std::string& plan) {
      return exportAnnotated(module.imported, spmd, plan);
    };
  }
  if (form == "explicit") {
    return [](const LoadedModule& module, const spmd::SpmdProgram& spmd, const std::string&) {
      return exportExplicit(module.imported, spmd);
    };
  }
  if (form == "local") {
    return [](const LoadedModule& module, const spmd::SpmdProgram& spmd, const std::string&) {
      return exportLocal(module.imported, spmd);
    };
  }
  return nullptr;
}

std::string validateEmit(const std::string& text) {
  const size_t equals = text.find('=');
  const bool known = exporter(text.substr(0, equals)) != nullptr;
  if (known && equals != std::string::npos && equals + 1 < text.size()) return "";
  return "expected annotated=FILE, explicit=FILE or local=FILE, not `" + text + "`";
}

}  // namespace

void addEmitOption(CLI::App& command, std::vector<std::string>& requests) {
  command
      .add_option("--emit", requests,
                  "annotated=FILE: the module with a sharding on every op; explicit=FILE: the "
                  "program of one device with its collectives; local=FILE: the same for a device "
                  "alone, with collectives replaced by ops of the same shapes")
      ->check(CLI::Validator([](std::string& text) { return validateEmit(text); }, "FORM=FILE",
                             "emit"));
}

std::string emitPath(const std::string& request) { return request.substr(request.find('=') + 1); }

Result<Output> emitted(const std::string& request, const LoadedModule& module,
                       const spmd::SpmdProgram& spmd, const std::string& planText) {
  const std::string form = request.substr(0, request.find('='));
  Result<std::string> text = exporter(form)(module, spmd, planText);
  if (!text) return text.error();
  return Output{emitPath(request), std::move(*text)};
}

}  // namespace shardwright::tool
