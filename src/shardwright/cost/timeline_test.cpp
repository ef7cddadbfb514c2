#include "shardwright/cost/timeline.h"

#include <gtest/gtest.h>

#include "shardwright/cost/testing.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::cost {
namespace {

using namespace testing;

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
