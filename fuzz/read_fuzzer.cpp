// Feeds any text to the reader and to everything that looks at what was read, and plans what is
// short. Whatever the input, the answer is a diagnostic or a program that obeys its laws; a crash,
// a leak or a hang is a bug.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "shardwright/driver/inspection.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/partition.h"
#include "shardwright/driver/rules_report.h"
#include "shardwright/driver/target.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/program/printer.h"
#include "shardwright/rules/table.h"
#include "shardwright/spmd/checker.h"

namespace {

using namespace shardwright;

// Known strategies and some single actions, on GPUs and on hosts.
void planFor(const plan::Subject& subject, const char* device) {
  const mesh::Mesh mesh = *mesh::parseMesh("data=2,model=2");
  const auto target = driver::makeTarget({.device = device, .topology = "", .memory = ""}, mesh);
  driver::PartitionOptions options;
  options.budget.evaluations = 12;
  const auto found = driver::partition(subject, mesh, target->view(), options);
  if (!found) return;  // The module states shardings that contradict each other.
  const Status bad = spmd::check(subject, found->outcome.plan, found->spmd);
  SW_CHECK(!bad);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const llvm::StringRef text(reinterpret_cast<const char*>(data), size);
  // Inlining may multiply a small input; the limit keeps one run short.
  auto imported = importText(text, "fuzz.mlir", {.defaultTripCount = 10, .mostOps = 20'000});
  if (!imported) return 0;
  const shardwright::program::Program& program = imported->program;
  (void)shardwright::program::print(program);
  auto rules = shardwright::rules::RuleTable::make(program);
  if (!rules) return 0;
  (void)shardwright::driver::toText(shardwright::driver::inspect(program, *rules));
  (void)shardwright::driver::rulesJson(program, *rules);
  constexpr size_t kShort = 200;  // Ops: one run stays short.
  if (program.opCount() > kShort) return 0;
  const auto analysis = shardwright::analysis::Analysis::make(program, *rules);
  for (const char* device : {"h100", "host-cpu"}) planFor({program, *rules, analysis}, device);
  return 0;
}
