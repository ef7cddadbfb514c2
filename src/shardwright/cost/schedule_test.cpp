#include "shardwright/cost/schedule.h"

#include <gtest/gtest.h>

#include "shardwright/cost/testing.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::cost {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

TEST(Schedule, M1ProgramOrder) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.matmul(x, x);
  const ValueId b = w.unary("stablehlo.tanh", a);
  w.result("y", w.matmul(b, a));
  const Analysed analysed = w.finish();
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).kernels(),
            (Names{"dot_general", "tanh", "dot_general"}));
}

// Two gradients, then two updates, as JAX writes them.
Analysed twoUpdates() {
  Writer w;
  const ValueId p = w.donated("p", {64, 64}, 0), q = w.donated("q", {64, 64}, 1);
  const ValueId x = w.argument("x", {64, 64});
  const ValueId dp = w.matmul(x, x);
  const ValueId dq = w.transposedMatmul(x, x);
  w.result("p", w.elementwise("stablehlo.subtract", {p, dp}));
  w.result("q", w.add(q, dq));
  return w.finish();
}

TEST(Schedule, M2AGradientIsUsedAtOnce) {
  const Analysed analysed = twoUpdates();
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).kernels(),
            (Names{"dot_general", "subtract", "dot_general", "add"}));
}

TEST(Schedule, M2WhatFreesNoMoreThanItMakesKeepsItsTurn) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.matmul(w.matmul(x, x), x);
  const ValueId b = w.matmul(a, x);
  const ValueId c = w.unary("stablehlo.tanh", b);
  const ValueId da = w.transposedMatmul(x, a);
  w.result("y", w.matmul(w.matmul(c, da), b));
  const Analysed analysed = w.finish();
  // After b, da frees a and is as large: it does not run before the tanh.
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).kernels(),
            (Names{"dot_general", "dot_general", "dot_general", "tanh", "dot_general",
                   "dot_general", "dot_general"}));
}

TEST(Schedule, M2AnUpdateWaitsForTheLastReaderOfWhatItOverwrites) {
  Writer w;
  const ValueId p = w.donated("p", {64, 64}, 0);
  const ValueId x = w.argument("x", {64, 64});
  const ValueId dp = w.transposedMatmul(x, x);
  const ValueId y = w.matmul(x, p);
  w.result("p", w.elementwise("stablehlo.subtract", {p, dp}));
  w.result("y", w.matmul(y, y));
  const Analysed analysed = w.finish();
  // x @ p, y @ y (which frees y), the gradient, and only then the update.
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).kernels(),
            (Names{"dot_general", "dot_general", "dot_general", "subtract"}));
}

TEST(Schedule, M3WhatNeedsOnlyArgumentsRunsJustBeforeItsUser) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), weight = w.argument("w", {64, 64});
  const ValueId cast = w.unary("stablehlo.negate", weight);
  const ValueId y = w.matmul(w.matmul(x, x), x);
  w.result("y", w.matmul(y, cast));
  const Analysed analysed = w.finish();
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).kernels(),
            (Names{"dot_general", "dot_general", "negate", "dot_general"}));
}

TEST(Schedule, HostsRunBreadthFirst) {
  const Analysed analysed = twoUpdates();
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kCpu).kernels(),
            (Names{"dot_general", "dot_general", "subtract", "add"}));
}

// y = (x @ a) @ b with both weights split along their rows: each is gathered.
struct Gathered {
  Gathered() : analysed(make()) {
    plan::Plan plan = plan::testing::planOf("data=4");
    plan.decisions.push_back(
        {0, {analysed.color(0, 0), analysed.color(1, 0), analysed.color(2, 0)}});
    spmd = spmd::partition(analysed.subject(), plan);
  }
  static Analysed make() {
    Writer w;
    const ValueId x = w.argument("x", {64, 16});
    const ValueId a = w.argument("a", {16, 32}), b = w.argument("b", {32, 8});
    w.result("y", w.matmul(w.unary("stablehlo.tanh", w.matmul(x, a)), b));
    return w.finish();
  }
  Analysed analysed;
  spmd::SpmdProgram spmd;
};

TEST(Schedule, M4AGatherIsStartedOneGatherEarly) {
  const Gathered program;
  const plan::Subject subject = program.analysed.subject();
  const OnOneDevice one(program.analysed, Flavor::kGpu);
  const auto work = rules::workTable(program.analysed.program);
  const Graph graph = makeGraph(subject, program.spmd, work);
  const Fusion fusion = fuse(graph, Flavor::kGpu);
  const Steps steps = makeSteps(graph, fusion);
  const Order order = orderSteps(graph, steps, baseOrder(one.graph, one.steps, Flavor::kGpu));
  std::string kinds;
  for (const StepId step : order[subject.program.entry()]) {
    kinds +=
        graph.instruction(steps.steps[step].instruction).kind == spmd::Kind::kAllGather ? 'g' : 'k';
  }
  // Gather a, gather b, matmul, tanh, matmul. Just before its user, b would come after the tanh.
  EXPECT_EQ(kinds, "ggkkk");
}

}  // namespace
}  // namespace shardwright::cost
