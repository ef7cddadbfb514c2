// How long an estimate of a program on one device takes, in its two parts: what is found once per
// program, and what is found again for every plan.
//   estimate_benchmark MODULE... [--benchmark_format=json]
// Counters: ops of the flat program, kernels, milliseconds of either part.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "shardwright/analysis/analysis.h"
#include "shardwright/cost/estimate.h"
#include "shardwright/cost/graph.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/rules/table.h"

namespace {

using namespace shardwright;
using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<ImportedProgram> import(const std::string& path) {
  const auto text = readInput(path);
  if (!text) return text.error();
  auto parsed = parseModule(*text, path);
  if (!parsed) return parsed.error();
  return importModule(std::move(*parsed));
}

void estimateModule(benchmark::State& state, const std::string& path) {
  const auto imported = import(path);
  if (!imported) return state.SkipWithError(imported.error().str().c_str());
  const auto rules = rules::RuleTable::make(imported->program);
  if (!rules) return state.SkipWithError(rules.error().str().c_str());
  const auto analysis = analysis::Analysis::make(imported->program, *rules);
  const plan::Subject subject{imported->program, *rules, analysis};
  const spmd::SpmdProgram spmd = cost::oneDeviceProgram(subject);
  const cost::Device device = *cost::loadDevice("h100");
  const cost::Topology topology = cost::defaultTopology(device, spmd.mesh);

  double once = 0, each = 0, kernels = 0;
  for (auto _ : state) {
    auto start = Clock::now();
    const cost::Estimator estimator(subject, device.flavor);
    once += millisecondsSince(start);
    start = Clock::now();
    kernels = estimator.estimate(spmd, device, topology).kernels;
    each += millisecondsSince(start);
  }
  state.counters["ops"] = static_cast<double>(imported->program.opCount());
  state.counters["kernels"] = kernels;
  state.counters["once_ms"] = benchmark::Counter(once, benchmark::Counter::kAvgIterations);
  state.counters["each_ms"] = benchmark::Counter(each, benchmark::Counter::kAvgIterations);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int n = 1; n < argc; ++n) {
    benchmark::RegisterBenchmark(argv[n], estimateModule, std::string(argv[n]))
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
