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

// Back through two layers, the gradient of each weight written before the loop goes on.
TEST(Schedule, M12ABodyLeavesTheGradientsOfWeightsToTheEnd) {
  Writer w;
  const ValueId weight = w.argument("w", {64, 64});
  auto& b = w.builder;
  const program::OpId dx = b.addCarry(0, w.argument("dx", {64, 64}));
  const program::OpId dw = b.addCarry(1, w.argument("dw", {64, 64}));
  const program::OpId loop = w.openLoop();
  const ValueId outer = w.unary("stablehlo.tanh", w.matmul(b.result(dx, 1), weight));
  const ValueId gradient = w.transposedMatmul(outer, outer);
  const ValueId inner = w.unary("stablehlo.sine", w.matmul(outer, weight));
  const ValueId sum = w.add(b.result(dw, 1), gradient);
  b.setOperand(dx, 1, inner);
  b.setOperand(dw, 1, sum);
  b.closeRegion(std::vector<ValueId>{inner, sum});
  w.result("dx", b.result(dx, 2));
  w.result("dw", b.result(dw, 2));
  const Analysed analysed = w.finish();
  const program::RegionId body = analysed.program.regions(loop).back();
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).kernels(body),
            (Names{"dot_general", "tanh", "dot_general", "sine", "dot_general", "add"}));
}

// A step whose output layer has its gradient before the loop that goes back through the others.
// With `tied`, what the loop leaves is added to that gradient.
Names kernelsAroundALoop(bool tied) {
  Writer w;
  const ValueId head = w.donated("head", {64, 64}, 0);
  const ValueId x = w.argument("x", {64, 64});
  const ValueId y = w.matmul(x, head);
  const ValueId gradient = w.transposedMatmul(x, y);
  auto& b = w.builder;
  const program::OpId carry = b.addCarry(0, w.matmul(y, head));
  w.openLoop();
  const ValueId next = w.unary("stablehlo.tanh", b.result(carry, 1));
  b.setOperand(carry, 1, next);
  b.closeRegion(std::vector<ValueId>{next});
  const ValueId left = b.result(carry, 2);
  const ValueId whole = tied ? w.add(gradient, left) : gradient;
  w.result("head", w.elementwise("stablehlo.subtract", {head, whole}));
  w.result("left", w.matmul(left, x));
  const Analysed analysed = w.finish();
  return OnOneDevice(analysed, Flavor::kGpu).kernels();
}

TEST(Schedule, M14TheGradientOfAnOutputLayerWaitsForTheLoops) {
  EXPECT_EQ(kernelsAroundALoop(false), (Names{"dot_general", "dot_general", "while", "dot_general",
                                              "dot_general", "subtract"}));
  EXPECT_EQ(kernelsAroundALoop(true), (Names{"dot_general", "dot_general", "dot_general", "while",
                                             "subtract", "dot_general"}));
}

// Two loops that begin with zeros, one after the other. The zeros are written in two ways, or they
// would be one value.
Analysed loopsFromZeros() {
  Writer w;
  const program::ConstantAttrs isZero{.splat = true, .zero = true};
  const ValueId x = w.argument("x", {64, 64});
  const auto loop = [&](uint32_t number, ValueId zeros, ValueId y) {
    auto& b = w.builder;
    const program::OpId carry = b.addCarry(number, zeros);
    w.openLoop();
    const ValueId next = w.add(b.result(carry, 1), y);
    b.setOperand(carry, 1, next);
    b.closeRegion(std::vector<ValueId>{next});
    return b.result(carry, 2);
  };
  const ValueId zero = w.op("stablehlo.constant", {}, {}, isZero);
  const ValueId repeated =
      w.op("stablehlo.broadcast_in_dim", {zero}, {64, 64}, program::DimsAttrs{{}});
  const ValueId y = w.matmul(loop(0, repeated, x), x);
  const ValueId constant = w.op("stablehlo.constant", {}, {64, 64}, isZero);
  w.result("y", w.matmul(loop(0, constant, y), x));
  return w.finish();
}

TEST(Schedule, M13ZerosThatLoopsBeginWithAreMadeTogetherOnGpus) {
  const Analysed analysed = loopsFromZeros();
  EXPECT_EQ(
      OnOneDevice(analysed, Flavor::kGpu).kernels(),
      (Names{"broadcast_in_dim", "constant", "while", "dot_general", "while", "dot_general"}));
  EXPECT_EQ(
      OnOneDevice(analysed, Flavor::kTpu).kernels(),
      (Names{"broadcast_in_dim", "while", "dot_general", "constant", "while", "dot_general"}));
}

TEST(Schedule, HostsRunBreadthFirst) {
  const Analysed analysed = twoUpdates();
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kCpu).kernels(),
            (Names{"dot_general", "dot_general", "subtract", "add"}));
}

// x times weights, with tanh in between, and all split along their rows: each weight is gathered.
struct Gathered {
  explicit Gathered(uint32_t weights) : analysed(make(weights)) {
    plan::Plan plan = plan::testing::planOf("data=4");
    plan::Decision decision{0, {}};
    for (uint32_t i = 0; i <= weights; ++i) decision.colors.push_back(analysed.color(i, 0));
    plan.decisions.push_back(decision);
    spmd = spmd::partition(analysed.subject(), plan);
  }
  static Analysed make(uint32_t weights) {
    Writer w;
    ValueId x = w.argument("x", {64, 16});
    for (uint32_t i = 0; i < weights; ++i) {
      const int64_t rows = 16 << i;
      if (i > 0) x = w.unary("stablehlo.tanh", x);
      x = w.matmul(x, w.argument(("w" + std::to_string(i)).c_str(), {rows, 2 * rows}));
    }
    w.result("y", x);
    return w.finish();
  }
  Analysed analysed;
  spmd::SpmdProgram spmd;
};

// One letter per step: g is a gather, k a kernel.
std::string gathersAndKernels(const Gathered& program, Flavor flavor) {
  const plan::Subject subject = program.analysed.subject();
  const OnOneDevice one(program.analysed, flavor);
  const auto work = rules::workTable(program.analysed.program);
  const Graph graph = makeGraph(subject, program.spmd, work, flavor);
  const Fusion fusion = fuse(graph, flavor);
  const Steps steps = makeSteps(graph, fusion);
  const Order order = orderSteps(graph, steps, baseOrder(one.graph, one.steps), flavor);
  std::string kinds;
  for (const StepId step : order[subject.program.entry()]) {
    kinds +=
        graph.instruction(steps.steps[step].instruction).kind == spmd::Kind::kAllGather ? 'g' : 'k';
  }
  return kinds;
}

TEST(Schedule, M4AGatherIsStartedOneGatherEarly) {
  // Gather, gather, matmul, tanh, matmul. Just before its user, the second would follow the tanh.
  EXPECT_EQ(gathersAndKernels(Gathered(2), Flavor::kGpu), "ggkkk");
  // The third gather comes where the second was needed.
  EXPECT_EQ(gathersAndKernels(Gathered(4), Flavor::kGpu), "ggkkgkkgkkk");
}

// x split along its rows, and two products that sum over those, each with a sum over the devices
// and a kernel after it. The second product needs the first sum, if so wished.
struct Summed {
  explicit Summed(bool chained) : analysed(make(chained)) {
    plan::Plan plan = plan::testing::planOf("data=4");
    plan.decisions.push_back({0, {analysed.color(0, 0)}});
    spmd = spmd::partition(analysed.subject(), plan);
  }
  static Analysed make(bool chained) {
    Writer w;
    const ValueId x = w.argument("x", {64, 16});
    const ValueId first = w.transposedMatmul(x, x);
    const ValueId other = chained ? w.matmul(x, first) : w.unary("stablehlo.tanh", x);
    const ValueId second = w.transposedMatmul(other, other);
    for (const ValueId sum : {first, second}) {
      w.result("y", w.sumRows(w.unary("stablehlo.tanh", sum)));
    }
    return w.finish();
  }

  // One letter per step: r is an all-reduce, k a kernel; and the bytes of temporaries.
  std::pair<std::string, int64_t> run(Flavor flavor) const {
    const plan::Subject subject = analysed.subject();
    const OnOneDevice one(analysed, flavor);
    const auto work = rules::workTable(analysed.program);
    const Graph graph = makeGraph(subject, spmd, work, flavor);
    const Steps steps = makeSteps(graph, fuse(graph, flavor));
    const Order order = orderSteps(graph, steps, baseOrder(one.graph, one.steps), flavor);
    std::string kinds;
    for (const StepId step : order[subject.program.entry()]) {
      const spmd::Kind kind = graph.instruction(steps.steps[step].instruction).kind;
      kinds += kind == spmd::Kind::kAllReduce ? 'r' : 'k';
    }
    return {kinds, memoryOf(graph, steps, order, flavor).temporaries.value};
  }

  Analysed analysed;
  spmd::SpmdProgram spmd;
};

TEST(Schedule, M16HostsSumOverDevicesInOneCollective) {
  const auto [kinds, temporaries] = Summed(false).run(Flavor::kCpu);
  EXPECT_EQ(kinds, "kkkrrkk") << "the first sum waits for the second";
  EXPECT_EQ(temporaries, 4 * 16 * 16 * 4) << "both operands and both results";
  EXPECT_EQ(Summed(false).run(Flavor::kGpu).first, "kkrkkrk");
}

TEST(Schedule, M16ButNotWhereOneNeedsTheOther) {
  EXPECT_EQ(Summed(true).run(Flavor::kCpu).first, "krkkkrk");
}

TEST(Schedule, HostsGatherAsSoonAsTheyCan) {
  EXPECT_EQ(gathersAndKernels(Gathered(4), Flavor::kCpu), "ggggkkkkkkk");
}

}  // namespace
}  // namespace shardwright::cost
