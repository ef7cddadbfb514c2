// How long an estimate of a program on one device takes, and what it says.
//   estimate_benchmark DEVICE MODULE...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "shardwright/analysis/analysis.h"
#include "shardwright/cost/estimate.h"
#include "shardwright/cost/graph.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/rules/table.h"

namespace {

using namespace shardwright;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

int fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

int report(const std::string& path, const cost::Device& device) {
  const auto text = readInput(path);
  if (!text) return fail(text.error().str());
  auto parsed = parseModule(*text, path);
  if (!parsed) return fail(parsed.error().str());
  const auto imported = importModule(std::move(*parsed));
  if (!imported) return fail(imported.error().str());
  const auto rules = rules::RuleTable::make(imported->program);
  if (!rules) return fail(rules.error().str());
  const auto analysis = analysis::Analysis::make(imported->program, *rules);
  const plan::Subject subject{imported->program, *rules, analysis};
  const spmd::SpmdProgram spmd = cost::oneDeviceProgram(subject);
  const cost::Topology topology = cost::defaultTopology(device, spmd.mesh);

  auto start = Clock::now();
  const cost::Estimator estimator(subject, device.flavor);
  const double once = milliseconds(start);
  std::vector<double> times;
  for (int n = 0; n < 5; ++n) {
    start = Clock::now();
    const cost::Estimate estimate = estimator.estimate(spmd, device, topology);
    times.push_back(milliseconds(start));
    if (n > 0) continue;
    const cost::Memory& memory = estimate.memory;
    std::printf(
        "{\"path\": \"%s\", \"arg\": %ld, \"out\": %ld, \"alias\": %ld, \"temp\": %ld, \"peak\": "
        "%ld, "
        "\"step_seconds\": %.6g, \"kernels\": %.0f, \"flops\": %.4g, \"traffic\": %.4g",
        path.c_str(), memory.arguments.value, memory.results.value, memory.aliased.value,
        memory.temporaries.value, memory.peak.value, estimate.step.value, estimate.kernels,
        estimate.flops.value, estimate.traffic);
    if (std::getenv("RESIDENTS") != nullptr) {
      std::printf("\n");
      std::printf(
          "peak at %s\n",
          memory.peakAt.valid()
              ? std::string(imported->program.name(spmd.instructions[memory.peakAt].op)).c_str()
              : "-");
      size_t shown = 0;
      for (const cost::Resident& r : memory.residents) {
        if (r.kind == cost::Resident::Kind::kArgument) continue;
        std::printf("  %12ld %s %s %s %s\n", r.bytes.value, cost::residentKindName(r.kind),
                    std::string(imported->program.name(r.op)).c_str(),
                    spmd.types.str(spmd.locals[r.local].type).c_str(),
                    imported->program.source(r.op).str().c_str());
        if (++shown == 400) break;
      }
    }
  }
  std::sort(times.begin(), times.end());
  std::printf(", \"ops\": %zu, \"once_ms\": %.2f, \"estimate_ms\": %.2f}\n",
              imported->program.opCount(), once, times[times.size() / 2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail("usage: estimate_benchmark DEVICE MODULE...");
  const auto device = cost::loadDevice(argv[1]);
  if (!device) return fail(device.error().str());
  for (int n = 2; n < argc; ++n) {
    if (const int status = report(argv[n], *device); status != 0) return status;
  }
  return 0;
}
