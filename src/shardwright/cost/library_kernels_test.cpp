// What libraries do: convolutions (K11, T3) and products that add (K12).
#include <gtest/gtest.h>

#include <algorithm>

#include "shardwright/cost/compute.h"
#include "shardwright/cost/fusion.h"
#include "shardwright/cost/testing.h"

namespace shardwright::cost {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

constexpr Flavor kGpu = Flavor::kGpu;

// A 3x3 convolution of [8, 16, 16, 32] images, kernel [3, 3, in, out] or [out, 3, 3, in].
Analysed convolution(bool outFirst, int64_t features) {
  Writer w;
  const ValueId x = w.argument("x", {8, 16, 16, features});
  const ValueId kernel =
      outFirst ? w.argument("k", {64, 3, 3, features}) : w.argument("k", {3, 3, features, 64});
  program::ConvolutionAttrs attrs;
  attrs.inputBatch = attrs.outputBatch = 0;
  attrs.inputFeature = attrs.outputFeature = 3;
  attrs.kernelInputFeature = outFirst ? 3 : 2;
  attrs.kernelOutputFeature = outFirst ? 0 : 3;
  attrs.inputSpatial = attrs.outputSpatial = {1, 2};
  attrs.kernelSpatial = outFirst ? program::IntList{1, 2} : program::IntList{0, 1};
  attrs.padding = {1, 1, 1, 1};
  w.result("y", w.op("stablehlo.convolution", {x, kernel}, {8, 16, 16, 64}, attrs));
  return w.finish();
}

TEST(Fusion, K11AConvolutionsKernelIsCopiedUnlessOutputFeaturesComeFirst) {
  const Analysed wanted = convolution(true, 32), other = convolution(false, 32);
  EXPECT_EQ(OnOneDevice(wanted, kGpu).memory().temporaries, Bytes{0});
  EXPECT_EQ(OnOneDevice(other, kGpu).memory().temporaries, Bytes{3 * 3 * 32 * 64 * 4});
}

// What is copied for a 3x3 convolution of [8, 16, 16, 32] images whose kernel lies as wanted and
// whose result has `size` points a side. `gap` is the distance between points of the images.
int64_t imagesCopied(int64_t low, int64_t high, int64_t size, int64_t gap = 1) {
  Writer w;
  const ValueId x = w.argument("x", {8, 16, 16, 32}), kernel = w.argument("k", {64, 3, 3, 32});
  program::ConvolutionAttrs attrs;
  attrs.inputFeature = attrs.outputFeature = attrs.kernelInputFeature = 3;
  attrs.inputSpatial = attrs.outputSpatial = attrs.kernelSpatial = {1, 2};
  attrs.padding = {low, high, low, high};
  attrs.lhsDilation = {gap, gap};
  w.result("y", w.op("stablehlo.convolution", {x, kernel}, {8, size, size, 64}, attrs));
  return OnOneDevice(w.finish(), kGpu).memory().temporaries.value;
}

TEST(Fusion, K11ImagesArePaddedInACopyUnlessBothSidesAreAlike) {
  EXPECT_EQ(imagesCopied(1, 1, 16), 0);
  EXPECT_EQ(imagesCopied(0, 1, 15), 8 * 17 * 17 * 32 * 4);
  EXPECT_EQ(imagesCopied(3, 0, 17), 8 * 19 * 19 * 32 * 4);
  EXPECT_GT(imagesCopied(-1, -1, 12), 0) << "cropped";
  EXPECT_EQ(imagesCopied(1, 1, 31, 2), 8 * 33 * 33 * 32 * 4) << "with gaps of 2";
}

// The same for the gradient of a 3x3 kernel, whose window is the gradient of 8 x 8 points that were
// made with stride 2 or, of images with gaps, with stride 1.
int64_t copiedForGradient(int64_t low, int64_t high, int64_t images, int64_t gap = 1) {
  Writer w;
  const ValueId x = w.argument("x", {8, images, images, 32}), dy = w.argument("dy", {8, 8, 8, 64});
  program::ConvolutionAttrs attrs;
  attrs.inputBatch = 3;
  attrs.kernelOutputFeature = attrs.outputFeature = 3;
  attrs.outputBatch = 2;
  attrs.inputSpatial = attrs.kernelSpatial = {1, 2};
  attrs.outputSpatial = {0, 1};
  attrs.padding = {low, high, low, high};
  attrs.rhsDilation = gap > 1 ? program::IntList{1, 1} : program::IntList{2, 2};
  attrs.lhsDilation = {gap, gap};
  w.result("dk", w.op("stablehlo.convolution", {x, dy}, {3, 3, 32, 64}, attrs));
  return OnOneDevice(w.finish(), kGpu).memory().temporaries.value;
}

TEST(Fusion, K11TheGradientOfAKernelReadsBothAsTheyLie) {
  EXPECT_EQ(copiedForGradient(1, 0, 16), 0) << "what stride 2 leaves over is not read";
  EXPECT_EQ(copiedForGradient(0, -1, 18), 0);
  EXPECT_EQ(copiedForGradient(0, 1, 16), 8 * 17 * 17 * 32 * 4);
  EXPECT_EQ(copiedForGradient(1, 1, 5, 2), 8 * 8 * 8 * 64 * 4) << "images with gaps are the window";
}

// What is copied of an argument x that is multiplied by y of [8, 64, 16] over dim `depth` of 64,
// the first dims of both being a batch unless that is dim 0.
int64_t copiedOfStack(std::initializer_list<int64_t> shape, int64_t depth,
                      std::initializer_list<int64_t> result) {
  Writer w;
  const ValueId x = w.argument("x", shape);
  program::DotAttrs attrs{{0}, {0}, {depth}, {1}};
  if (depth == 0) attrs = {{}, {}, {0}, {0}};
  const ValueId y = depth == 0 ? w.argument("y", {64, 16}) : w.argument("y", {8, 64, 16});
  w.result("z", w.op("stablehlo.dot_general", {x, y}, result, attrs));
  return OnOneDevice(w.finish(), kGpu).memory().temporaries.value;
}

TEST(Fusion, K8AStackIsCopiedUnlessItsDimsStandTogether) {
  EXPECT_EQ(copiedOfStack({8, 32, 4, 64}, 3, {8, 32, 4, 16}), 0) << "batch, rows, depth";
  EXPECT_EQ(copiedOfStack({8, 64, 32, 4}, 1, {8, 32, 4, 16}), 8 * 64 * 32 * 4 * 4);
  EXPECT_EQ(copiedOfStack({8, 32, 64, 4}, 2, {8, 32, 4, 16}), 8 * 64 * 32 * 4 * 4);
  EXPECT_EQ(copiedOfStack({8, 64, 32, 1}, 1, {8, 32, 1, 16}), 0) << "one dim of rows";
  EXPECT_EQ(copiedOfStack({64, 32, 4}, 0, {32, 4, 16}), 0) << "no batch";
}

// Values [8, 64, 32, 4] that products want in two orders; `loop`: a loop makes them.
int64_t livesBetween(bool loop) {
  Writer w;
  const ValueId x = w.argument("x", {8, 64, 32, 4});
  const ValueId y = loop ? w.unary("stablehlo.tanh", x) : x;
  const ValueId weights = w.argument("w", {8, 32, 4, 16});
  w.result("a", w.op("stablehlo.dot_general", {y, weights}, {8, 64, 16},
                     program::DotAttrs{{0}, {0}, {2, 3}, {1, 2}}));
  w.result("b", w.op("stablehlo.dot_general", {y, w.argument("v", {8, 64, 16})}, {8, 32, 4, 16},
                     program::DotAttrs{{0}, {0}, {1}, {1}}));
  return OnOneDevice(w.finish(), kGpu).memory().temporaries.value;
}

TEST(Memory, M10ALoopWritesBothOrdersAtOnce) {
  EXPECT_EQ(livesBetween(true), 2 * 8 * 64 * 32 * 4 * 4);
  EXPECT_EQ(livesBetween(false), 8 * 64 * 32 * 4 * 4) << "a copy while one product runs";
}

// a @ w + b @ w + c @ w, of which the sum of the first two may have another reader.
Analysed sumOfProducts(bool readTwice) {
  Writer w;
  const ValueId weight = w.argument("w", {64, 64});
  const auto product = [&](const char* name) {
    return w.matmul(w.argument(name, {64, 64}), weight);
  };
  const ValueId a = product("a"), b = product("b"), c = product("c");
  const ValueId two = w.op("stablehlo.add", {a, b}, {64, 64});
  w.result("y", w.unary("stablehlo.tanh", w.op("stablehlo.add", {two, c}, {64, 64})));
  if (readTwice) w.result("z", w.unary("stablehlo.tanh", two));
  return w.finish();
}

TEST(Fusion, K12ProductsAddToOneAnother) {
  const Analysed analysed = sumOfProducts(false), twice = sumOfProducts(true);
  const OnOneDevice one(analysed, kGpu);
  EXPECT_EQ(one.kernels(), (Names{"dot_general", "add", "add", "tanh"}));
  EXPECT_EQ(one.memory().temporaries, Bytes{64 * 64 * 4}) << "all in one place";
  const auto added = one.fusion.inputsOf(one.fusion.kernels[KernelId(1u)]);
  EXPECT_EQ(added.size(), 3u) << "what is there, a or b, and w";
  const Names kernels = OnOneDevice(twice, kGpu).kernels();
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "dot_general"), 2) << "c is not added";
  const Names host = OnOneDevice(analysed, Flavor::kCpu).kernels();
  EXPECT_EQ(std::count(host.begin(), host.end(), "dot_general"), 3);
}

TEST(Fusion, K11HostsWantTheWindowFirst) {
  const Analysed wanted = convolution(false, 32), other = convolution(true, 32);
  EXPECT_EQ(OnOneDevice(wanted, Flavor::kCpu).memory().temporaries, Bytes{0});
  EXPECT_EQ(OnOneDevice(other, Flavor::kCpu).memory().temporaries, Bytes{3 * 3 * 32 * 64 * 4});
}

// A convolution with a kernel [3, 3, in, out] and, as the gradient of an input, one with the same
// kernel reversed.
TEST(Fusion, K11AReversedKernelIsReadFromTheSameCopy) {
  Writer w;
  const ValueId x = w.argument("x", {8, 16, 16, 32}), k = w.argument("k", {3, 3, 32, 64});
  program::ConvolutionAttrs attrs;
  attrs.inputFeature = attrs.outputFeature = 3;
  attrs.kernelInputFeature = 2;
  attrs.kernelOutputFeature = 3;
  attrs.inputSpatial = attrs.outputSpatial = {1, 2};
  attrs.kernelSpatial = {0, 1};
  attrs.padding = {1, 1, 1, 1};
  w.result("y", w.op("stablehlo.convolution", {x, k}, {8, 16, 16, 64}, attrs));
  const ValueId reversed =
      w.op("stablehlo.reverse", {k}, {3, 3, 32, 64}, program::DimsAttrs{{0, 1}});
  std::swap(attrs.kernelInputFeature, attrs.kernelOutputFeature);
  const ValueId dy = w.argument("dy", {8, 16, 16, 64});
  w.result("dx", w.op("stablehlo.convolution", {dy, reversed}, {8, 16, 16, 32}, attrs));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_EQ(one.kernels(), (Names{"convolution", "convolution"}));
  EXPECT_EQ(one.memory().temporaries, Bytes{3 * 3 * 32 * 64 * 4});
}

TEST(Compute, T3AConvolutionOfFewFeaturesWastesTheMatmulUnit) {
  const auto rate = [](int64_t features) {
    const Analysed analysed = convolution(true, features);
    const OnOneDevice one(analysed, kGpu);
    Device device = plainDevice();
    device.hbmBandwidth = BytesPerSecond{1e18};
    const KernelCost cost = kernelCosts(one.graph, one.fusion, device)[0];
    return cost.flops.value / (cost.seconds - device.launchOverhead).value;
  };
  EXPECT_NEAR(rate(4), 1e14 * 4 / 36, 1e10);
  EXPECT_NEAR(rate(96), 1e14 * 96 / 128, 1e10);
}

// A 3x3 convolution of [batch, 32, 32, 64] images, with a stride or its transpose, and the gradient
// of a kernel, whose window is as large as the images.
Analysed resized(int64_t batch, int64_t stride, int64_t dilation) {
  Writer w;
  const int64_t size = 32 * dilation / stride;
  const ValueId x = w.argument("x", {batch, 32, 32, 64});
  const ValueId kernel = w.argument("k", {3, 3, 64, 64});
  program::ConvolutionAttrs attrs;
  attrs.inputFeature = attrs.outputFeature = attrs.kernelOutputFeature = 3;
  attrs.kernelInputFeature = 2;
  attrs.inputSpatial = attrs.outputSpatial = {1, 2};
  attrs.kernelSpatial = {0, 1};
  attrs.strides = {stride, stride};
  attrs.lhsDilation = {dilation, dilation};
  attrs.padding = dilation > 1 ? program::IntList{2, 1, 2, 1} : program::IntList{0, 1, 0, 1};
  w.result("y", w.op("stablehlo.convolution", {x, kernel}, {batch, size, size, 64}, attrs));
  return w.finish();
}

Analysed kernelGradient(int64_t batch) {
  Writer w;
  const ValueId x = w.argument("x", {batch, 32, 32, 64}),
                dy = w.argument("dy", {batch, 32, 32, 64});
  program::ConvolutionAttrs attrs;
  attrs.inputBatch = attrs.kernelOutputFeature = attrs.outputFeature = 3;
  attrs.inputSpatial = attrs.kernelSpatial = {1, 2};
  attrs.outputSpatial = {0, 1};
  attrs.outputBatch = 2;
  attrs.padding = {1, 1, 1, 1};
  w.result("dk", w.op("stablehlo.convolution", {x, dy}, {3, 3, 64, 64}, attrs));
  return w.finish();
}

double secondsOf(const Analysed& analysed, Flavor flavor) {
  const OnOneDevice one(analysed, flavor);
  Device device = plainDevice(flavor);
  device.hbmBandwidth = BytesPerSecond{1e18};
  return (kernelCosts(one.graph, one.fusion, device)[0].seconds - device.launchOverhead).value;
}

TEST(Compute, T3EightImagesTakeEightTimesAsLongAsOne) {
  for (const Flavor flavor : {kGpu, Flavor::kTpu, Flavor::kCpu}) {
    EXPECT_NEAR(secondsOf(resized(8, 2, 1), flavor), 8 * secondsOf(resized(1, 2, 1), flavor), 1e-9);
    EXPECT_NEAR(secondsOf(resized(8, 1, 2), flavor), 8 * secondsOf(resized(1, 1, 2), flavor), 1e-9);
  }
  const double one = secondsOf(kernelGradient(1), kGpu), eight = secondsOf(kernelGradient(8), kGpu);
  EXPECT_NEAR(eight / one, 8, 0.3);
}

// Patches of 16 x 16 points, one beside the other, of images of size x size; or the gradient of
// their kernel.
Analysed patches(int64_t size, bool gradient) {
  Writer w;
  const int64_t count = size / 16;
  const ValueId x = w.argument("x", {8, size, size, 8});
  program::ConvolutionAttrs attrs;
  attrs.inputSpatial = {1, 2};
  if (gradient) {
    const ValueId dy = w.argument("dy", {8, count, count, 64});
    attrs.inputBatch = attrs.kernelOutputFeature = attrs.outputFeature = 3;
    attrs.kernelSpatial = {1, 2};
    attrs.outputSpatial = {0, 1};
    attrs.outputBatch = 2;
    attrs.rhsDilation = {16, 16};
    w.result("dk", w.op("stablehlo.convolution", {x, dy}, {16, 16, 8, 64}, attrs));
  } else {
    const ValueId kernel = w.argument("k", {16, 16, 8, 64});
    attrs.inputFeature = attrs.outputFeature = attrs.kernelOutputFeature = 3;
    attrs.kernelInputFeature = 2;
    attrs.kernelSpatial = {0, 1};
    attrs.outputSpatial = {1, 2};
    attrs.strides = {16, 16};
    w.result("y", w.op("stablehlo.convolution", {x, kernel}, {8, count, count, 64}, attrs));
  }
  return w.finish();
}

// Below 256 points a kernel of patches is larger than what it makes; above, its gradient has a
// window that is larger than the kernel.
TEST(Compute, T3PatchesAreKnownBySizesOfNeitherKind) {
  const auto ratio = [](bool gradient) {
    return secondsOf(patches(512, gradient), kGpu) / secondsOf(patches(128, gradient), kGpu);
  };
  EXPECT_NEAR(ratio(false), 16, 0.1);
  EXPECT_NEAR(ratio(true), 16, 1);
}

// Each of 64 features by itself, along one dim or two.
Analysed depthwise(bool twoDims) {
  Writer w;
  program::ConvolutionAttrs attrs;
  attrs.featureGroupCount = 64;
  ValueId x, kernel;
  if (twoDims) {
    x = w.argument("x", {8, 16, 16, 64});
    kernel = w.argument("k", {3, 3, 1, 64});
    attrs.inputSpatial = attrs.outputSpatial = {1, 2};
    attrs.kernelSpatial = {0, 1};
    attrs.padding = {1, 1, 1, 1};
  } else {
    x = w.argument("x", {8, 256, 64});
    kernel = w.argument("k", {3, 1, 64});
    attrs.inputSpatial = attrs.outputSpatial = {1};
    attrs.kernelSpatial = {0};
    attrs.padding = {1, 1};
  }
  attrs.inputFeature = attrs.outputFeature = twoDims ? 3 : 2;
  attrs.kernelInputFeature = twoDims ? 2 : 1;
  attrs.kernelOutputFeature = twoDims ? 3 : 2;
  const auto shape = w.builder.program().value(x).type;
  w.result("y",
           w.builder.result(w.builder.addOp("stablehlo.convolution", attrs, {x, kernel}, {shape})));
  return w.finish();
}

TEST(Compute, T3GroupsOfAConvolutionDoNotReachTheMatmulUnit) {
  const auto rate = [](bool twoDims, Flavor flavor) {
    const Analysed analysed = depthwise(twoDims);
    const OnOneDevice one(analysed, flavor);
    Device device = plainDevice(flavor);
    device.hbmBandwidth = BytesPerSecond{1e18};
    const KernelCost cost = kernelCosts(one.graph, one.fusion, device)[0];
    return cost.flops.value / (cost.seconds - device.launchOverhead).value;
  };
  EXPECT_NEAR(rate(true, kGpu), 1e13 * 0.2, 1e10);
  EXPECT_NEAR(rate(false, kGpu), 1e13 * 0.015, 1e10);
  EXPECT_NEAR(rate(true, Flavor::kTpu), 1e14, 1e11);
}

}  // namespace
}  // namespace shardwright::cost
