// How long it takes from a plan to the SPMD program, to its estimate, to its independent check and
// to its two printed forms. What is made once per program (patterns, tables) is not counted.
//   partitioning_benchmark MODULE MESH TACTIC... [--benchmark_format=json]
//   partitioning_benchmark gemma.mlir data=8,model=4 'zero3(data)' 'megatron(model)'
// CPU time: the machine may be shared.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

#include "shardwright/cost/estimate.h"
#include "shardwright/mlir/export/export.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/spmd/checker.h"
#include "shardwright/spmd/partition.h"

namespace {

using namespace shardwright;

int fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

struct Inputs {
  const ImportedProgram& imported;
  const plan::Subject& subject;
  const plan::Plan& plan;
  const spmd::SpmdProgram& spmd;
  const plan::OpPatterns& patterns;
  const spmd::Partitioner& partitioner;
  const cost::Estimator& estimator;
  const cost::Device& device;
  const cost::Topology& topology;

  cost::Estimate estimate(const spmd::SpmdProgram& program, cost::Detail detail) const {
    return estimator.estimate(program, device, topology, detail);
  }
};

void registerAll(const Inputs& in) {
  const auto add = [](const char* name, auto body) {
    benchmark::RegisterBenchmark(name,
                                 [body](benchmark::State& state) {
                                   for (auto _ : state) body();
                                 })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  };
  add("law", [in] { benchmark::DoNotOptimize(plan::assign(in.subject, in.patterns, in.plan)); });
  add("partition", [in] { benchmark::DoNotOptimize(in.partitioner.partition(in.plan)); });
  add("estimate", [in] { benchmark::DoNotOptimize(in.estimate(in.spmd, cost::Detail::kLists)); });
  add("evaluation", [in] {
    benchmark::DoNotOptimize(in.estimate(in.partitioner.partition(in.plan), cost::Detail::kTotals));
  });
  add("check", [in] { benchmark::DoNotOptimize(spmd::check(in.subject, in.plan, in.spmd)); });
  add("explicit", [in] { benchmark::DoNotOptimize(exportExplicit(in.imported, in.spmd)); });
  add("annotated", [in] { benchmark::DoNotOptimize(exportAnnotated(in.imported, in.spmd, "")); });
}

int run(int argc, char** argv) {
  const auto text = readInput(argv[1]);
  if (!text) return fail(text.error().str());
  const auto imported = importText(*text, argv[1]);
  if (!imported) return fail(imported.error().str());
  const auto rules = rules::RuleTable::make(imported->program);
  if (!rules) return fail(rules.error().str());
  const auto analysis = analysis::Analysis::make(imported->program, *rules);
  const plan::Subject subject{imported->program, *rules, analysis};
  const auto mesh = mesh::parseMesh(argv[2]);
  if (!mesh) return fail(mesh.error().str());
  std::vector<plan::Tactic> tactics;
  for (int i = 3; i < argc; ++i) {
    const auto tactic = plan::parseTactic(argv[i]);
    if (!tactic) return fail(tactic.error().str());
    tactics.push_back(*tactic);
  }
  const auto outcome = plan::applyTactics(subject, *mesh, tactics);
  if (!outcome) return fail(outcome.error().str());
  const plan::OpPatterns patterns(subject);
  const spmd::Partitioner partitioner(subject);
  const spmd::SpmdProgram spmd = partitioner.partition(outcome->plan);
  const cost::Device device = *cost::loadDevice("h100");
  const cost::Topology topology = cost::defaultTopology(device, *mesh);
  const cost::Estimator estimator(subject, device.flavor);
  registerAll({*imported, subject, outcome->plan, spmd, patterns, partitioner, estimator, device,
               topology});
  benchmark::AddCustomContext("ops", std::to_string(imported->program.opCount()));
  benchmark::AddCustomContext("instructions", std::to_string(spmd.instructions.size()));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 3) return fail("usage: partitioning_benchmark MODULE MESH TACTIC...");
  const int status = run(argc, argv);
  benchmark::Shutdown();
  return status;
}
