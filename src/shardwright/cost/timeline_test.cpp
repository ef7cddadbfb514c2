#include "shardwright/cost/timeline.h"

#include <gtest/gtest.h>

#include "shardwright/cost/compute.h"
#include "shardwright/cost/testing.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::cost {
namespace {

using namespace testing;

std::vector<KernelCost> costsOf(const OnOneDevice& one, const Device& device = plainDevice()) {
  return kernelCosts(one.graph, one.fusion, device);
}

TEST(Compute, T1AMatmulTakesTheLongerOfArithmeticAndTraffic) {
  Writer w;
  const ValueId x = w.argument("x", {4096, 4096});
  w.result("y", w.matmul(x, w.argument("w", {4096, 4096})));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kGpu);
  const KernelCost cost = costsOf(one)[0];
  EXPECT_DOUBLE_EQ(cost.flops.value, 2.0 * 4096 * 4096 * 4096);
  EXPECT_EQ(cost.traffic, Bytes{3 * 4096 * 4096 * 4});
  const double share = 4096.0 / (4096 + 32);
  EXPECT_DOUBLE_EQ(cost.seconds.value, cost.flops.value / (1e14 * share) + 1e-6);
  Device slow = plainDevice();
  slow.hbmBandwidth = BytesPerSecond{1e9};
  EXPECT_DOUBLE_EQ(costsOf(one, slow)[0].seconds.value, 3 * 4096 * 4096 * 4 / 1e9 + 1e-6);
}

TEST(Compute, T1AMatmulWithoutElementsTakesTheTimeOfItsTraffic) {
  Writer w;
  const ValueId x = w.argument("x", {0, 64});
  w.result("y", w.matmul(x, w.argument("w", {64, 64})));
  const Analysed analysed = w.finish();
  for (const Flavor flavor : {Flavor::kGpu, Flavor::kTpu, Flavor::kCpu}) {
    const KernelCost cost = costsOf(OnOneDevice(analysed, flavor))[0];
    EXPECT_EQ(cost.flops, Flops{});
    EXPECT_LT(cost.seconds, Seconds{1e-5});
  }
}

TEST(Compute, T2AGatherReadsWhatItTakes) {
  Writer w;
  const ValueId table = w.argument("table", {100'000, 64});
  const ValueId rows = w.builder.addArgument({.path = "i"}, w.builder.type(DType::kI32, {8, 1}));
  w.result("y", w.op("stablehlo.gather", {table, rows}, {8, 64},
                     program::GatherAttrs{{1}, {0}, {}, {}, {0}, {1, 64}, 1}));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kGpu);
  EXPECT_EQ(costsOf(one)[0].traffic, Bytes{2 * 8 * 64 * 4 + 8 * 4});
}

TEST(Compute, T2KernelsLaunchedTogetherReadWhatTheyShareOnce) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
  w.result("a", w.add(x, y));
  w.result("b", w.multiply(x, y));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kGpu);
  const auto costs = costsOf(one);
  EXPECT_EQ(costs[0].traffic, Bytes{3 * 64 * 64 * 4});
  EXPECT_EQ(costs[1].traffic, Bytes{64 * 64 * 4});
  EXPECT_LT(costs[1].seconds.value, 1e-6) << "no launch of its own";
}

TEST(Compute, T2AnUpdateThatTransposesAStackOfProductsIsSlow) {
  const auto seconds = [](program::DimsAttrs order) {
    Writer w;
    const ValueId p = w.donated("p", {4, 64, 64}, 0), m = w.donated("m", {4, 64, 64}, 1);
    const ValueId x = w.argument("x", {4, 32, 64});
    const ValueId product =
        w.op("stablehlo.dot_general", {x, x}, {4, 64, 64}, program::DotAttrs{{0}, {0}, {1}, {1}});
    const ValueId dp = w.op("stablehlo.transpose", {product}, {4, 64, 64}, order);
    const ValueId moment = w.add(m, dp);
    w.result("p", w.add(p, w.multiply(moment, dp)));
    w.result("m", moment);
    const Analysed analysed = w.finish();
    const OnOneDevice one(analysed, Flavor::kGpu);
    Device device = plainDevice();
    device.launchOverhead = {};
    Seconds sum;
    for (const KernelCost& cost : costsOf(one, device)) sum += cost.seconds;
    return sum.value;
  };
  EXPECT_GT(seconds({{0, 2, 1}}), 3 * seconds({{0, 1, 2}}));
}

TEST(Compute, T3SmallShapesWasteTheMatmulUnit) {
  EXPECT_DOUBLE_EQ(matmulShare(64, 64, 96, Flavor::kGpu), 0.75);
  EXPECT_DOUBLE_EQ(matmulShare(16, 64, 96, Flavor::kGpu), 0.75 / 4);
  EXPECT_DOUBLE_EQ(matmulShare(8, 64, 64, Flavor::kTpu), 0.25);
  for (const Flavor flavor : {Flavor::kGpu, Flavor::kTpu, Flavor::kCpu}) {
    EXPECT_GT(matmulShare(8192, 8192, 8192, flavor), 0.95);
    EXPECT_LE(matmulShare(8192, 8192, 8192, flavor), 1);
  }
}

TEST(Compute, T4ExpensiveOpsCountMore) {
  Writer w;
  w.result("y", w.unary("stablehlo.tanh", w.argument("x", {1024, 1024})));
  const Analysed analysed = w.finish();
  Device fastMemory = plainDevice();
  fastMemory.hbmBandwidth = BytesPerSecond{1e18};
  const KernelCost cost = costsOf(OnOneDevice(analysed, Flavor::kGpu), fastMemory)[0];
  EXPECT_DOUBLE_EQ(cost.flops.value, 1024 * 1024);
  EXPECT_DOUBLE_EQ(cost.seconds.value, kExpensiveFlops * 1024 * 1024 / 1e13 + 1e-6);
}

// --- the timeline ---

Estimate estimateOf(const Analysed& analysed, const plan::Plan& plan,
                    const Device& device = plainDevice()) {
  const spmd::SpmdProgram spmd = spmd::partition(analysed.subject(), plan);
  const Topology topology = defaultTopology(device, plan.mesh);
  const Estimate estimate = cost::estimate(analysed.subject(), spmd, device, topology);
  EXPECT_NEAR(estimate.step.value, estimate.compute.value + estimate.exposed.value,
              1e-9 * estimate.step.value);
  return estimate;
}

const CollectiveCost& of(const Estimate& estimate, spmd::Kind kind) {
  return estimate.collectives[collectiveIndex(kind)];
}

// y = tanh(x @ a) @ b, and z = c @ c, which depends on nothing else.
Analysed twoProductsAndAnother() {
  Writer w;
  const ValueId x = w.argument("x", {512, 512});
  const ValueId a = w.argument("a", {512, 512}), b = w.argument("b", {512, 512});
  const ValueId c = w.argument("c", {1024, 1024});
  const ValueId hidden = w.matmul(x, a);
  w.result("y", w.matmul(w.unary("stablehlo.tanh", hidden), b));
  w.result("z", w.matmul(c, c));
  return w.finish();
}

TEST(Timeline, OneDeviceCommunicatesNothing) {
  const Analysed analysed = twoProductsAndAnother();
  const Estimate estimate = estimateOf(analysed, plan::testing::planOf("data=1"));
  for (const CollectiveCost& cost : estimate.collectives) EXPECT_EQ(cost.count, 0);
  EXPECT_EQ(estimate.exposed, Seconds{});
  EXPECT_DOUBLE_EQ(estimate.kernels, 4);
}

TEST(Timeline, T6OtherKernelsRunWhileASumIsReduced) {
  const Analysed analysed = twoProductsAndAnother();
  plan::Plan plan = plan::testing::planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});  // The depth of the first product.
  Device device = plainDevice();
  const Estimate fast = estimateOf(analysed, plan, device);
  ASSERT_EQ(of(fast, spmd::Kind::kAllReduce).count, 1);
  EXPECT_LT(fast.exposed, of(fast, spmd::Kind::kAllReduce).seconds) << "hidden behind c @ c";
}

TEST(Timeline, T5HostsComputeOrCommunicate) {
  const Analysed analysed = twoProductsAndAnother();
  plan::Plan plan = plan::testing::planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});
  Device device = plainDevice();
  device.flavor = Flavor::kCpu;
  const Estimate host = estimateOf(analysed, plan, device);
  EXPECT_DOUBLE_EQ(host.exposed.value, of(host, spmd::Kind::kAllReduce).seconds.value);
  EXPECT_DOUBLE_EQ(host.step.value, (host.compute + host.exposed).value);
}

TEST(Timeline, T7ASumThatIsNeededAtOnceIsExposed) {
  Writer w;
  const ValueId x = w.argument("x", {512, 512});
  const ValueId product = w.matmul(x, w.argument("a", {512, 512}));
  w.result("y", w.unary("stablehlo.tanh", product));
  const Analysed analysed = w.finish();
  plan::Plan plan = plan::testing::planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});
  const Estimate estimate = estimateOf(analysed, plan);
  const CollectiveCost& cost = of(estimate, spmd::Kind::kAllReduce);
  EXPECT_DOUBLE_EQ(cost.exposed.value, cost.seconds.value);
  EXPECT_EQ(cost.bytes, 512 * 512 * 4);
}

// x = tanh(x @ w) @ v, so many times, in a loop.
Analysed loop(int64_t turns) {
  Writer w;
  const ValueId x = w.argument("x", {512, 512});
  const ValueId up = w.argument("w", {512, 256}), down = w.argument("v", {256, 512});
  auto& b = w.builder;
  const program::OpId carry = b.addCarry(0, x);
  const program::OpId op = b.addOp(program::kWhile, program::WhileAttrs{turns, true}, {}, {});
  const auto weightOfRegion = static_cast<double>(turns);
  b.openRegion(op, program::RegionKind::kCondition, weightOfRegion);
  const ValueId going = b.result(
      b.addOp("stablehlo.constant", program::ConstantAttrs{true}, {}, {b.type(DType::kPred, {})}));
  b.closeRegion(std::vector<ValueId>{going});
  b.openRegion(op, program::RegionKind::kBody, weightOfRegion);
  const ValueId hidden = w.unary("stablehlo.tanh", w.matmul(b.result(carry, 1), up));
  const ValueId next = w.matmul(hidden, down);
  b.setOperand(carry, 1, next);
  b.closeRegion(std::vector<ValueId>{next});
  w.result("y", b.result(carry, 2));
  return w.finish();
}

TEST(Timeline, T8ALoopMultiplies) {
  plan::Plan plan = plan::testing::planOf("model=2");
  const Analysed ten = loop(10), twenty = loop(20);
  const auto split = [&](const Analysed& analysed) {
    plan.decisions = {{0, {analysed.color(1, 1)}}};  // The hidden dim: one sum a turn.
    return estimateOf(analysed, plan);
  };
  const Estimate a = split(ten), b = split(twenty);
  EXPECT_EQ(of(a, spmd::Kind::kAllReduce).count, 10);
  EXPECT_EQ(of(b, spmd::Kind::kAllReduce).count, 20);
  EXPECT_NEAR(2 * a.step.value, b.step.value, 1e-12);
  EXPECT_DOUBLE_EQ(2 * a.flops.value, b.flops.value);
  EXPECT_EQ(a.memory.peak, b.memory.peak);
}

TEST(Timeline, T8ALoopThatNeverTurnsTakesNoTime) {
  const Analysed none = loop(0);
  const Estimate estimate = estimateOf(none, plan::testing::planOf("model=1"));
  EXPECT_EQ(estimate.step, Seconds{});
  EXPECT_EQ(estimate.flops, Flops{});
}

TEST(Timeline, MoreBandwidthNeverCostsTime) {
  const Analysed analysed = twoProductsAndAnother();
  plan::Plan plan = plan::testing::planOf("model=4");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});
  Seconds before{1e30};
  for (const double bandwidth : {1e9, 1e10, 1e11, 1e12}) {
    Device device = plainDevice();
    device.links[0].bandwidth = BytesPerSecond{bandwidth};
    const Estimate estimate = estimateOf(analysed, plan, device);
    EXPECT_LE(estimate.step, before) << bandwidth;
    before = estimate.step;
  }
}

TEST(Timeline, EventsDoNotOverlapOnAStream) {
  const Analysed analysed = twoProductsAndAnother();
  plan::Plan plan = plan::testing::planOf("model=4");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});
  const Estimate estimate = estimateOf(analysed, plan);
  Seconds compute, wires;
  for (const Event& event : estimate.events) {
    Seconds& stream = event.axes.empty() ? compute : wires;
    EXPECT_GE(event.start, stream);
    EXPECT_GE(event.end, event.start);
    stream = event.end;
  }
  EXPECT_EQ(estimate.step, std::max(compute, wires));
}

}  // namespace
}  // namespace shardwright::cost
