// What XLA makes of products on TPUs: K13, and where the rules of GPUs do not hold there.
#include <gtest/gtest.h>

#include "shardwright/cost/compute.h"
#include "shardwright/cost/testing.h"

namespace shardwright::cost {
namespace {

using program::ValueId;
using testing::Analysed;
using testing::OnOneDevice;
using testing::plainDevice;
using testing::Writer;
using Names = std::vector<std::string>;

constexpr Flavor kTpu = Flavor::kTpu;
constexpr int64_t kSide = 1024;
constexpr Bytes kSquare{kSide * kSide * 4};

ValueId square(Writer& w, const char* path) { return w.argument(path, {kSide, kSide}); }

TEST(Fusion, K13WhatAloneReadsAProductIsMadeInItsKernel) {
  Writer w;
  const ValueId product = w.matmul(square(w, "x"), square(w, "y"));
  const ValueId last = w.unary("stablehlo.tanh", w.add(product, square(w, "b")));
  w.result("z", w.matmul(last, square(w, "v")));
  const Analysed analysed = w.finish();
  const OnOneDevice tpu(analysed, kTpu);
  EXPECT_EQ(tpu.kernels(), (Names{"tanh", "dot_general"}));
  EXPECT_FALSE(tpu.stored(product));
  EXPECT_EQ(tpu.memory().temporaries, kSquare) << "the tangent's buffer and no other";
  // Its kernel multiplies at the rate of products.
  const std::vector<KernelCost> costs = kernelCosts(tpu.graph, tpu.fusion, plainDevice(kTpu));
  EXPECT_GT(costs[0].flops.value, 2.0 * kSide * kSide * kSide);
  EXPECT_LT(costs[0].seconds.value, 1.2 * costs[1].seconds.value);
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).kernels(),
            (Names{"dot_general", "tanh", "dot_general"}));
}

TEST(Fusion, K13WhatSeveralReadIsStoredAsItComesOut) {
  Writer w;
  const ValueId product = w.matmul(square(w, "x"), square(w, "y"));
  w.result("a", w.unary("stablehlo.tanh", product));
  w.result("b", w.sumRows(product));
  const Analysed analysed = w.finish();
  EXPECT_TRUE(OnOneDevice(analysed, kTpu).stored(product));
}

TEST(Fusion, K13ASumTakesTheProductThatItAloneReads) {
  Writer w;
  const ValueId product = w.matmul(square(w, "x"), square(w, "y"));
  const ValueId squares = w.unary("stablehlo.tanh", product);
  w.result("sum", w.sumRows(squares));
  const Analysed analysed = w.finish();
  const OnOneDevice tpu(analysed, kTpu);
  EXPECT_EQ(tpu.kernels(), Names{"reduce"});
  EXPECT_EQ(tpu.memory().temporaries, Bytes{});
}

TEST(Fusion, K13AKernelHasOneProduct) {
  Writer w;
  const ValueId a = w.matmul(square(w, "x"), square(w, "y"));
  const ValueId b = w.matmul(square(w, "u"), square(w, "v"));
  w.result("sum", w.add(a, b));
  const Analysed analysed = w.finish();
  const OnOneDevice tpu(analysed, kTpu);
  EXPECT_EQ(tpu.kernels(), (Names{"dot_general", "add"}));
  EXPECT_FALSE(tpu.stored(a));
  EXPECT_TRUE(tpu.stored(b));
}

// The gradient of an activation, which two products read: it is made again in both.
TEST(Fusion, K13LoopsThatFeedProductsArePartOfThem) {
  Writer w;
  const ValueId x = square(w, "x"), dy = square(w, "dy");
  const ValueId gradient = w.multiply(dy, x);
  w.result("dw", w.transposedMatmul(square(w, "h"), gradient));
  w.result("dx", w.matmul(gradient, square(w, "w")));
  const Analysed analysed = w.finish();
  const OnOneDevice tpu(analysed, kTpu);
  EXPECT_FALSE(tpu.stored(gradient));
  EXPECT_EQ(tpu.memory().temporaries, Bytes{});
  EXPECT_TRUE(OnOneDevice(analysed, Flavor::kGpu).stored(gradient));
}

// The gradient of picked logits, added to that of their sum: [rows, vocabulary].
Analysed pickedLogits(bool onePerRow) {
  Writer w;
  const ValueId zero = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true, true});
  const ValueId zeros =
      w.op("stablehlo.broadcast_in_dim", {zero}, {kSide, kSide}, program::DimsAttrs{{}});
  program::ScatterAttrs attrs;
  attrs.combiner = program::Combiner::kAdd;
  ValueId where, picked;
  if (onePerRow) {
    where =
        w.builder.addArgument({.path = "i"}, w.builder.type(program::DType::kI32, {kSide, 1, 1}));
    picked = w.argument("picked", {kSide, 1});
    attrs.insertedWindowDims = attrs.scatterDimsToOperandDims = {1};
    attrs.inputBatchingDims = attrs.scatterIndicesBatchingDims = {0};
    attrs.indexVectorDim = 2;
  } else {
    where =
        w.builder.addArgument({.path = "i"}, w.builder.type(program::DType::kI32, {2 * kSide, 1}));
    picked = w.argument("picked", {2 * kSide, kSide});
    attrs.updateWindowDims = {1};
    attrs.insertedWindowDims = attrs.scatterDimsToOperandDims = {0};
    attrs.indexVectorDim = 1;
  }
  const ValueId scattered =
      w.op("stablehlo.scatter", {zeros, where, picked}, {kSide, kSide}, attrs);
  const ValueId gradient = w.add(w.multiply(square(w, "p"), square(w, "q")), scattered);
  w.result("dx", w.matmul(gradient, square(w, "w")));
  return w.finish();
}

TEST(Fusion, K7OnTpusOneNumberInEachRowIsSelected) {
  const Analysed analysed = pickedLogits(true);
  EXPECT_EQ(OnOneDevice(analysed, kTpu).memory().temporaries, Bytes{});
  EXPECT_EQ(OnOneDevice(analysed, Flavor::kGpu).memory().temporaries, kSquare);
}

TEST(Fusion, K7RowsOfATableAreScatteredOnTpusToo) {
  const Analysed analysed = pickedLogits(false);
  EXPECT_EQ(OnOneDevice(analysed, kTpu).memory().temporaries, kSquare);
}

TEST(Fusion, K3PadsThatPutRoomBetweenPointsAreKernelsOnTpus) {
  Writer w;
  const ValueId half = w.unary("stablehlo.negate", w.argument("x", {kSide, kSide}));
  const ValueId zero = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true, true});
  const program::PadAttrs attrs{{0, 0}, {1, 0}, {1, 0}};
  const ValueId spread = w.op("stablehlo.pad", {half, zero}, {2 * kSide, kSide}, attrs);
  w.result("y", w.unary("stablehlo.tanh", spread));
  const Analysed analysed = w.finish();
  EXPECT_TRUE(OnOneDevice(analysed, kTpu).stored(spread));
  EXPECT_FALSE(OnOneDevice(analysed, Flavor::kGpu).stored(spread));
}

// Logits, of which the greatest of each row is wanted at once.
TEST(Compute, K9ASumOfWhatAProductMakesIsLaunchedWithItOnTpus) {
  Writer w;
  const ValueId product = w.matmul(square(w, "x"), square(w, "y"));
  w.result("logits", product);
  w.result("sum", w.sumRows(product));
  const Analysed analysed = w.finish();
  const auto sum = [&](Flavor flavor) {
    const OnOneDevice one(analysed, flavor);
    return kernelCosts(one.graph, one.fusion, plainDevice(flavor))[1];
  };
  EXPECT_EQ(sum(kTpu).traffic, Bytes{kSide * 4}) << "the sums, and the logits are not read again";
  EXPECT_LT(sum(kTpu).seconds, plainDevice().launchOverhead);
  EXPECT_EQ(sum(Flavor::kGpu).traffic, kSquare + Bytes{kSide * 4});
}

TEST(Compute, T1UnitsOfTpusWorkAtTheSameTime) {
  Writer w;
  ValueId x = w.matmul(square(w, "x"), square(w, "y"));
  for (int n = 0; n < 50; ++n) x = w.unary("stablehlo.tanh", x);
  w.result("z", x);
  const Analysed analysed = w.finish();
  const OnOneDevice tpu(analysed, kTpu);
  Device device = plainDevice(kTpu);
  const KernelCost slow = kernelCosts(tpu.graph, tpu.fusion, device)[0];
  for (ComputeRate& rate : device.matmul) rate.peak = FlopsPerSecond{1e16};
  EXPECT_EQ(kernelCosts(tpu.graph, tpu.fusion, device)[0].seconds, slow.seconds);
}

// Cuts images into patches of 16 x 16 points with three features.
TEST(Compute, T3PatchesAreOneProductOnTpus) {
  Writer w;
  program::ConvolutionAttrs attrs;
  attrs.inputFeature = attrs.outputFeature = attrs.kernelOutputFeature = 3;
  attrs.kernelInputFeature = 2;
  attrs.inputSpatial = attrs.outputSpatial = {1, 2};
  attrs.kernelSpatial = {0, 1};
  attrs.strides = {16, 16};
  attrs.padding = {0, 0, 0, 0};
  w.result("y", w.op("stablehlo.convolution",
                     {w.argument("x", {32, 224, 224, 3}), w.argument("k", {16, 16, 3, 1024})},
                     {32, 14, 14, 1024}, attrs));
  const Analysed analysed = w.finish();
  const OnOneDevice tpu(analysed, kTpu);
  Device device = plainDevice(kTpu);
  device.hbmBandwidth = BytesPerSecond{1e18};
  const KernelCost cost = kernelCosts(tpu.graph, tpu.fusion, device)[0];
  EXPECT_NEAR(cost.flops.value / (cost.seconds - device.launchOverhead).value, 1e14, 1e12);
}

}  // namespace
}  // namespace shardwright::cost
