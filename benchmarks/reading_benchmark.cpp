// How long it takes from the text of a module to a verified flat program with rules, and to its
// analysis.
//   reading_benchmark MODULE... [--benchmark_format=json]
// Counters: ops of the flat program, seconds per phase, nanoseconds and bytes per op.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "shardwright/analysis/analysis.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/rules/table.h"

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Phases {
  double read = 0, parse = 0, import = 0, rules = 0, analysis = 0;
};

void readModule(benchmark::State& state, const std::string& path) {
  Phases phases;
  double ops = 0, programBytes = 0, analysisBytes = 0, signatures = 0;
  for (auto _ : state) {
    auto start = Clock::now();
    const auto text = shardwright::readInput(path);
    phases.read += secondsSince(start);
    start = Clock::now();
    auto parsed = shardwright::parseModule(*text, path);
    phases.parse += secondsSince(start);
    if (!parsed) return state.SkipWithError(parsed.error().str().c_str());
    start = Clock::now();
    const auto imported = shardwright::importModule(std::move(*parsed));
    phases.import += secondsSince(start);
    if (!imported) return state.SkipWithError(imported.error().str().c_str());
    start = Clock::now();
    const auto rules = shardwright::rules::RuleTable::make(imported->program);
    phases.rules += secondsSince(start);
    if (!rules) return state.SkipWithError(rules.error().str().c_str());
    start = Clock::now();
    const auto analysis = shardwright::analysis::Analysis::make(imported->program, *rules);
    phases.analysis += secondsSince(start);
    analysisBytes = static_cast<double>(analysis.capacityBytes());
    ops = static_cast<double>(imported->program.opCount());
    signatures = static_cast<double>(imported->program.signatureCount());
    programBytes = static_cast<double>(imported->program.capacityBytes());
  }
  const auto perIteration = benchmark::Counter::kAvgIterations;
  state.counters["ops"] = ops;
  state.counters["signatures"] = signatures;
  state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(path));
  state.counters["program_bytes_per_op"] = programBytes / ops;
  state.counters["analysis_bytes_per_op"] = analysisBytes / ops;
  state.counters["read_s"] = {phases.read, perIteration};
  state.counters["parse_s"] = {phases.parse, perIteration};
  state.counters["import_s"] = {phases.import, perIteration};
  state.counters["rules_s"] = {phases.rules, perIteration};
  state.counters["analysis_s"] = {phases.analysis, perIteration};
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_rss_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    benchmark::RegisterBenchmark(path.c_str(), readModule, path)
        ->Unit(benchmark::kMillisecond)
        ->MinTime(1)
        ->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
