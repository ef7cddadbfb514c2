// Feeds any text to the reader and to everything that looks at what was read. Whatever the input,
// the answer is a diagnostic or a program that obeys its laws; a crash, a leak or a hang is a bug.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "shardwright/driver/inspection.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/rules_report.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/program/printer.h"
#include "shardwright/rules/table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const llvm::StringRef text(reinterpret_cast<const char*>(data), size);
  // Inlining may multiply a small input; the limit keeps one run short.
  auto imported =
      shardwright::importText(text, "fuzz.mlir", {.defaultTripCount = 10, .mostOps = 20'000});
  if (!imported) return 0;
  const shardwright::program::Program& program = imported->program;
  (void)shardwright::program::print(program);
  auto rules = shardwright::rules::RuleTable::make(program);
  if (!rules) return 0;
  (void)shardwright::driver::toText(shardwright::driver::inspect(program, *rules));
  (void)shardwright::driver::rulesJson(program, *rules);
  return 0;
}
