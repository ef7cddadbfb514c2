// How long kernels take (T1-T4).
#include "shardwright/cost/compute.h"

#include <gtest/gtest.h>

#include <cmath>

#include "shardwright/cost/matmul_rate.h"
#include "shardwright/cost/testing.h"

namespace shardwright::cost {
namespace {

using namespace testing;

std::vector<KernelCost> costsOf(const OnOneDevice& one, const Device& device = plainDevice()) {
  return kernelCosts(one.graph, one.fusion, device);
}

TEST(Compute, T1AProductTakesLongerThanItsArithmeticOrItsTraffic) {
  Writer w;
  const ValueId x = w.argument("x", {4096, 4096});
  w.result("y", w.matmul(x, w.argument("w", {4096, 4096})));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kGpu);
  const KernelCost cost = costsOf(one)[0];
  EXPECT_DOUBLE_EQ(cost.flops.value, 2.0 * 4096 * 4096 * 4096);
  EXPECT_EQ(cost.traffic, Bytes{3 * 4096 * 4096 * 4});
  const double arithmetic = cost.flops.value / (1e14 * 4096.0 / (4096 + 32));
  const double traffic = 3 * 4096 * 4096 * 4 / 1e12;
  EXPECT_DOUBLE_EQ(cost.seconds.value, std::hypot(arithmetic, traffic) + 1e-6);
  const OnOneDevice tpu(analysed, Flavor::kTpu);
  EXPECT_DOUBLE_EQ(costsOf(tpu, plainDevice(Flavor::kTpu))[0].seconds.value,
                   cost.flops.value / 1e14 + 1e-6)
      << "elsewhere the longer of the two";
  Device slow = plainDevice();
  slow.hbmBandwidth = BytesPerSecond{1e9};
  EXPECT_NEAR(costsOf(one, slow)[0].seconds.value, 3 * 4096 * 4096 * 4 / 1e9, 1e-4);
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

// [rows, depth] x [depth, columns] of this type, with the sum along the last dims, or the first.
double shareOf(DType dtype, int64_t rows, int64_t columns, int64_t depth, bool across,
               bool tensorCores = true) {
  Writer w;
  const auto argument = [&](const char* name, int64_t other) {
    const program::IntList shape =
        across ? program::IntList{depth, other} : program::IntList{other, depth};
    return w.builder.addArgument({.path = name}, w.builder.type(dtype, shape));
  };
  const ValueId x = argument("x", rows), y = argument("y", columns);
  const int64_t summed = across ? 0 : 1;
  const program::OpId op =
      w.builder.addOp("stablehlo.dot_general", program::DotAttrs{{}, {}, {summed}, {summed}},
                      {x, y}, {w.builder.type(dtype, {rows, columns})});
  w.result("z", w.builder.result(op));
  const Analysed analysed = w.finish();
  Device device = plainDevice();
  device.hbmBandwidth = BytesPerSecond{1e18};
  device.launchOverhead = {};
  if (!tensorCores) device.vector = {FlopsPerSecond{1.2e14}, 0.3};
  const KernelCost cost = costsOf(OnOneDevice(analysed, Flavor::kGpu), device)[0];
  return cost.flops.value / cost.seconds.value / 1e14;
}

TEST(Compute, T3TensorCoresTake32BitsAlongTheSum) {
  const double along = shareOf(DType::kF32, 1024, 1024, 1024, false);
  EXPECT_NEAR(shareOf(DType::kF32, 1024, 1024, 1024, true), 0.65 * along, 1e-6);
  EXPECT_NEAR(shareOf(DType::kF32, 1024, 128, 1024, true),
              shareOf(DType::kF32, 1024, 128, 1024, false), 1e-6)
      << "not if one side is narrow";
  EXPECT_NEAR(shareOf(DType::kF32, 1024, 1024, 1024, true, false), along, 1e-6)
      << "if there are any";
  EXPECT_NEAR(shareOf(DType::kBF16, 1024, 1024, 1024, true),
              shareOf(DType::kBF16, 1024, 1024, 1024, false), 1e-6);
}

TEST(Compute, T3RowsThatDoNotBeginAt16BytesAreSlow) {
  const auto share = [](DType dtype, int64_t columns, int64_t depth) {
    return shareOf(dtype, 6400, columns, depth, false) /
           matmulShare(6400, static_cast<double>(columns), static_cast<double>(depth),
                       Flavor::kGpu);
  };
  EXPECT_NEAR(share(DType::kF32, 1024, 1024), 1, 1e-6);
  EXPECT_NEAR(share(DType::kF32, 1024, 1001), 0.4, 1e-6) << "both operands";
  EXPECT_NEAR(share(DType::kF32, 1001, 1024), 0.5, 1e-6) << "the result";
  EXPECT_NEAR(share(DType::kBF16, 1001, 1024), 0.85, 1e-6);
  EXPECT_NEAR(share(DType::kBF16, 1024, 1004), 0.4, 1e-6) << "8 bytes";
  EXPECT_NEAR(share(DType::kF32, 1024, 1004), 1, 1e-6) << "16 bytes";
  EXPECT_NEAR(share(DType::kF32, 1024, 3), 1, 1e-6) << "short rows waste enough as it is";
}

TEST(Compute, T3AttentionInOneCallRunsAtAShareOfTheMatmulRate) {
  const auto costOf = [](int64_t width) {
    Writer w;
    const ValueId query = w.argument("q", {4, 512, 8, width});
    const program::OpId op = w.builder.addOp(
        "stablehlo.custom_call:__cudnn$fmhaSoftmax", program::AttentionAttrs{2},
        {query, query, query}, {w.type({4, 8, 512, width}), w.builder.type(DType::kU8, {0})});
    w.result("y", w.builder.result(op));
    const Analysed analysed = w.finish();
    Device device = plainDevice();
    device.hbmBandwidth = BytesPerSecond{1e18};
    return costsOf(OnOneDevice(analysed, Flavor::kGpu), device)[0];
  };
  const KernelCost wide = costOf(128), narrow = costOf(64);
  EXPECT_DOUBLE_EQ(wide.flops.value, 4.0 * 4 * 8 * 512 * 512 * 128);
  EXPECT_NEAR(wide.seconds.value, wide.flops.value / 0.75e14 + 1e-6, 1e-9);
  EXPECT_NEAR(narrow.seconds.value, narrow.flops.value / 0.55e14 + 1e-6, 1e-9);
}

TEST(Compute, T4OpsCountTheirEffort) {
  Writer w;
  w.result("y", w.unary("stablehlo.tanh", w.argument("x", {1024, 1024})));
  const Analysed analysed = w.finish();
  Device fastMemory = plainDevice();
  fastMemory.hbmBandwidth = BytesPerSecond{1e18};
  const KernelCost cost = costsOf(OnOneDevice(analysed, Flavor::kGpu), fastMemory)[0];
  EXPECT_DOUBLE_EQ(cost.flops.value, 1024 * 1024);
  const double effort = rules::workOf("stablehlo.tanh", {}).effort;
  EXPECT_DOUBLE_EQ(cost.seconds.value, effort * 1024 * 1024 / 1e13 + 1e-6);
}

// Rows of a table of this type that are added to, and what that takes.
double secondsOfScatter(DType dtype, program::Combiner combiner, Flavor flavor) {
  Writer w;
  const auto argument = [&](const char* name, DType type, program::IntList shape) {
    return w.builder.addArgument({.path = name}, w.builder.type(type, shape));
  };
  const ValueId table = argument("table", dtype, {1000, 64});
  const ValueId rows = argument("rows", DType::kI32, {8192, 1});
  const ValueId updates = argument("updates", dtype, {8192, 64});
  program::ScatterAttrs attrs{{1}, {0}, {}, {}, {0}, 1, combiner};
  w.result("y", w.builder.result(w.builder.addOp("stablehlo.scatter", attrs, {table, rows, updates},
                                                 {w.builder.type(dtype, {1000, 64})})));
  const Analysed analysed = w.finish();
  Device device = plainDevice(flavor);
  device.hbmBandwidth = BytesPerSecond{1e18};
  device.launchOverhead = {};
  return costsOf(OnOneDevice(analysed, flavor), device)[0].seconds.value;
}

TEST(Compute, T4ScatteringTakesTimeOnGpus) {
  using enum program::Combiner;
  const double effort = rules::workOf("stablehlo.scatter", program::ScatterAttrs{}).effort;
  const double one = effort * 8192 * 64 / 1e13;
  EXPECT_GT(effort, 10);
  EXPECT_DOUBLE_EQ(secondsOfScatter(DType::kF32, kAdd, Flavor::kGpu), one);
  EXPECT_DOUBLE_EQ(secondsOfScatter(DType::kF32, kReplace, Flavor::kGpu), one);
  EXPECT_DOUBLE_EQ(secondsOfScatter(DType::kBF16, kAdd, Flavor::kGpu), 4 * one) << "swapped";
  EXPECT_DOUBLE_EQ(secondsOfScatter(DType::kBF16, kReplace, Flavor::kGpu), one);
  EXPECT_LT(secondsOfScatter(DType::kF32, kAdd, Flavor::kCpu), one / 10);
}

TEST(Compute, T4SortingTakesTimeOnGpus) {
  const auto seconds = [](Flavor flavor) {
    Writer w;
    w.result("y", w.op("stablehlo.sort", {w.argument("x", {64, 1024})}, {64, 1024},
                       program::DimAttrs{1}));
    const Analysed analysed = w.finish();
    Device device = plainDevice(flavor);
    device.hbmBandwidth = BytesPerSecond{1e18};
    device.launchOverhead = {};
    return costsOf(OnOneDevice(analysed, flavor), device)[0].seconds.value;
  };
  const double comparisons = 64 * 1024 * 55;
  EXPECT_DOUBLE_EQ(seconds(Flavor::kGpu), 18 * comparisons / 1e13);
  EXPECT_DOUBLE_EQ(seconds(Flavor::kCpu), comparisons / 1e13);
}

// y = exp(x - max(x)) / sum, along rows of this length.
Bytes trafficOfSoftmax(int64_t columns, Flavor flavor) {
  Writer w;
  const ValueId x = w.argument("x", {256, columns});
  const ValueId low = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true}),
                zero = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true, true});
  const ValueId largest =
      w.op("stablehlo.reduce", {x, low}, {256}, program::ReduceAttrs{{1}, program::Combiner::kMax});
  const ValueId shifted =
      w.op("stablehlo.subtract", {x, w.repeatRows(largest, columns)}, {256, columns});
  const ValueId e = w.unary("stablehlo.exponential", shifted);
  const ValueId sum = w.op("stablehlo.reduce", {e, zero}, {256},
                           program::ReduceAttrs{{1}, program::Combiner::kAdd});
  w.result("y", w.op("stablehlo.divide", {e, w.repeatRows(sum, columns)}, {256, columns}));
  const Analysed analysed = w.finish();
  Bytes traffic;
  for (const KernelCost& cost : costsOf(OnOneDevice(analysed, flavor), plainDevice(flavor))) {
    traffic += cost.traffic;
  }
  return traffic;
}

TEST(Compute, T2ASoftmaxAlongShortRowsReadsAndWritesOnceOnGpus) {
  constexpr int64_t kShort = 4096, kLong = 65536;
  constexpr double kRow = 256 * 4;
  EXPECT_LT(trafficOfSoftmax(kShort, Flavor::kGpu).value, 2.01 * kRow * kShort);
  EXPECT_GT(trafficOfSoftmax(kLong, Flavor::kGpu).value, 3.9 * kRow * kLong);
  EXPECT_GT(trafficOfSoftmax(kShort, Flavor::kTpu).value, 3.9 * kRow * kShort);
}

TEST(Compute, T2WhatIsScatteredOverZerosAndAddedWritesThatAlone) {
  Writer w;
  const ValueId x = w.argument("x", {4096, 64}), y = w.argument("y", {4096, 64});
  const ValueId rows = w.builder.addArgument({.path = "i"}, w.builder.type(DType::kI32, {8, 1}));
  const ValueId zeros =
      w.op("stablehlo.broadcast_in_dim",
           {w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true, true})}, {4096, 64},
           program::DimsAttrs{});
  const ValueId hot =
      w.op("stablehlo.scatter", {zeros, rows, w.argument("u", {8, 64})}, {4096, 64},
           program::ScatterAttrs{{1}, {0}, {}, {}, {0}, 1, program::Combiner::kAdd});
  const ValueId product = w.multiply(x, y);
  w.result("z", w.unary("stablehlo.negate", w.add(product, hot)));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kGpu);
  const auto costs = costsOf(one);
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_LT(costs[1].traffic, Bytes{4 * 8 * 64 * 4});
}

TEST(Compute, T2OpsThatPassOverTheirDataSeveralTimesTakeAsMuchLonger) {
  const auto seconds = [](Flavor flavor) {
    Writer w;
    const ValueId x = w.argument("x", {64, 4096}),
                  low = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true});
    program::WindowAttrs window{{1, 4096}, {}, {}, {}, {0, 0, 4095, 0}, program::Combiner::kMax};
    w.result("y", w.op("stablehlo.reduce_window", {x, low}, {64, 4096}, window));
    const Analysed analysed = w.finish();
    Device device = plainDevice(flavor);
    device.launchOverhead = {};
    return costsOf(OnOneDevice(analysed, flavor), device).back().seconds.value;
  };
  const double once = 2.0 * 64 * 4096 * 4 / 1e12;
  EXPECT_NEAR(seconds(Flavor::kGpu), 3 * once, 0.01 * once);
  EXPECT_NEAR(seconds(Flavor::kTpu), once, 0.01 * once);
}

TEST(Fusion, K1AConversionToTheSameTypeIsAView) {
  Writer w;
  const ValueId product = w.matmul(w.argument("x", {64, 64}), w.argument("w", {64, 64}));
  const ValueId same = w.op("stablehlo.convert", {product}, {64, 64});
  w.result("y", w.matmul(same, same));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kGpu);
  EXPECT_FALSE(one.stored(same));
  EXPECT_EQ(one.fusion.kernels.size(), 2u);
}

}  // namespace
}  // namespace shardwright::cost
