#include "module.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind.h"
#include "errors.h"
#include "run.h"
#include "shardwright/plan/pattern.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwright::python {
namespace {

using program::ValueId;

// Path, shape, element type.
using TensorTuple = std::tuple<std::string, std::vector<int64_t>, std::string>;

TensorTuple tensorOf(const program::Program& program, const std::string& path, ValueId value) {
  const std::span<const int64_t> shape = program.shape(value);
  const program::DType dtype = program.types().dtype(program.value(value).type);
  return {path, {shape.begin(), shape.end()}, std::string(program::dtypeName(dtype))};
}

std::vector<TensorTuple> argumentsOf(const Module& module) {
  std::vector<TensorTuple> tensors;
  for (const program::Argument& argument : module.program().arguments())
    tensors.push_back(tensorOf(module.program(), argument.path, argument.value));
  return tensors;
}

std::vector<TensorTuple> resultsOf(const Module& module) {
  const program::Program& program = module.program();
  std::vector<TensorTuple> tensors;
  for (const program::ProgramResult& result : program.results())
    tensors.push_back(tensorOf(program, result.path, program.operands(result.returnOp)[0]));
  return tensors;
}

std::shared_ptr<Module> loadWithoutGil(const std::string& text, const std::string& name,
                                       int64_t defaultTripCount,
                                       const std::vector<uint32_t>& stated) {
  std::shared_ptr<Module> module;
  std::atomic<bool> interrupt{false};
  runInterruptibly(
      interrupt, [] {},
      [&] {
        module = Module::load(text, name,
                              {.defaultTripCount = defaultTripCount, .statedInside = stated});
      });
  return module;
}

}  // namespace

std::shared_ptr<Module> Module::load(const std::string& text, const std::string& name,
                                     const ImportOptions& options) {
  LoadedModule loaded = valueOf(loadModule(text, name, options));
  analysis::Analysis analysis = analysis::Analysis::make(loaded.imported.program, loaded.rules);
  return std::make_shared<Module>(std::move(loaded), std::move(analysis));
}

void bindModule(nb::module_& native) {
  nb::class_<Module>(native, "Module", "A StableHLO module, read and analysed.")
      .def_static("load", &loadWithoutGil, "text"_a, "name"_a, nb::kw_only(),
                  "default_trip_count"_a, "stated"_a = std::vector<uint32_t>(),
                  "Reads a module from its text.")
      .def_prop_ro("arguments", &argumentsOf, "Path, shape and element type of each argument.")
      .def_prop_ro("results", &resultsOf, "Path, shape and element type of each result.")
      .def(
          "matching",
          [](const Module& module, const std::string& pattern) {
            return plan::matchingArguments(module.program(), pattern);
          },
          "pattern"_a, "Numbers of the arguments whose path a pattern matches.");
}

}  // namespace shardwright::python
