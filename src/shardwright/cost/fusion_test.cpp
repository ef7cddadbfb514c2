#include "shardwright/cost/fusion.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "shardwright/cost/compute.h"
#include "shardwright/cost/testing.h"

namespace shardwright::cost {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

constexpr Flavor kGpu = Flavor::kGpu;

size_t costs(const OnOneDevice& one) {
  return kernelCosts(one.graph, one.fusion, plainDevice()).size();
}

TEST(Fusion, K1AReshapeIsItsOperandsBuffer) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64});
  const ValueId flat = w.op("stablehlo.reshape", {x}, {1024});
  const ValueId y = w.unary("stablehlo.tanh", flat);
  w.result("y", y);
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_EQ(one.fusion.buffer[flat.index()], spmd::LocalId(x.index()));
  EXPECT_EQ(one.kernels(), Names{"tanh"});
}

TEST(Graph, OpsThatRepeatOthersAreKnownWithoutAPlan) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.unary("stablehlo.tanh", x), b = w.unary("stablehlo.tanh", x);
  const ValueId c = w.unary("stablehlo.exponential", x);
  const ValueId sum = w.op("stablehlo.add", {a, b}, {64, 64});
  w.result("y", w.op("stablehlo.add", {sum, c}, {64, 64}));
  const Analysed analysed = w.finish();
  const std::vector<char> repeated = repeatedOps(OnOneDevice(analysed, Flavor::kGpu).graph);
  const auto isRepeated = [&](ValueId value) {
    return repeated[analysed.program.value(value).definition.index()] != 0;
  };
  EXPECT_TRUE(isRepeated(a) && isRepeated(b));
  EXPECT_FALSE(isRepeated(x) || isRepeated(c) || isRepeated(sum));
}

// Which constant or comparison it is, the module knows; programs that are built by hand do not say.
// Here a constant is added to `x` twice, and one to `y`.
TEST(Graph, WhatIsMadeOfEqualConstantsIsRepeated) {
  const auto repeatedWith = [](std::initializer_list<uint32_t> variants) {
    Writer w;
    for (const uint32_t variant : variants) w.builder.addVariant(variant);
    const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
    for (uint32_t origin = 0; origin < 3; ++origin) {
      const program::OpId constant =
          w.builder.addOp("stablehlo.constant", program::ConstantAttrs{true, false}, {},
                          {w.type({64, 64})}, program::LocationId(0u), origin);
      const ValueId to = origin < 2 ? x : y;
      w.result("sum", w.op("stablehlo.add", {to, w.builder.result(constant)}, {64, 64}));
    }
    const Analysed analysed = w.finish();
    const std::vector<char> repeated = repeatedOps(OnOneDevice(analysed, Flavor::kGpu).graph);
    return std::ranges::count(repeated, 1);
  };
  EXPECT_EQ(repeatedWith({1, 1, 2}), 4) << "two constants, two sums";
  EXPECT_EQ(repeatedWith({1, 2, 2}), 0) << "of the equal constants nothing is made twice";
  EXPECT_EQ(repeatedWith({}), 0);
}

TEST(Fusion, K1ABroadcastThatRepeatsNothingIsAView) {
  Writer w;
  const ValueId x = w.argument("x", {16});
  const ValueId column = w.repeatRows(x, 1);
  w.result("y", w.unary("stablehlo.tanh", column));
  const Analysed analysed = w.finish();
  EXPECT_EQ(OnOneDevice(analysed, kGpu).fusion.buffer[column.index()], spmd::LocalId(x.index()));
}

TEST(Fusion, K2SplatConstantsAreMadeWhereTheyAreUsed) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64});
  const ValueId ones = w.op("stablehlo.constant", {}, {16, 64}, program::ConstantAttrs{true});
  w.result("y", w.add(x, ones));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_FALSE(one.stored(ones));
  EXPECT_EQ(one.kernels(), Names{"add"});
}

TEST(Fusion, K2AConstantThatAMatmulReadsIsWrittenFirst) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64});
  const ValueId ones = w.op("stablehlo.constant", {}, {64, 32}, program::ConstantAttrs{true});
  w.result("y", w.matmul(x, ones));
  const Analysed analysed = w.finish();
  EXPECT_EQ(OnOneDevice(analysed, kGpu).kernels(), (Names{"constant", "dot_general"}));
}

TEST(Fusion, K3AMatmulReadsAndWritesBuffers) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64}), y = w.argument("y", {64, 32});
  const ValueId before = w.unary("stablehlo.tanh", x);
  const ValueId product = w.matmul(before, y);
  w.result("z", w.unary("stablehlo.tanh", product));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_TRUE(one.stored(before));
  EXPECT_TRUE(one.stored(product));
  EXPECT_EQ(one.kernels(), (Names{"tanh", "dot_general", "tanh"}));
}

TEST(Fusion, K3AProductThatSumsOverNothingIsAMultiplication) {
  Writer w;
  const ValueId x = w.argument("x", {64, 1}), y = w.argument("y", {1, 32});
  const ValueId product = w.matmul(x, y);
  w.result("z", w.sumRows(product));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_FALSE(one.stored(product));
  EXPECT_EQ(one.kernels(), Names{"reduce"});
}

TEST(Fusion, K4AChainIsOneKernelThatReadsEachArgumentOnce) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64}), y = w.argument("y", {16, 64});
  const ValueId sum = w.add(x, y);
  w.result("z", w.unary("stablehlo.tanh", w.multiply(sum, sum)));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  ASSERT_EQ(one.fusion.kernels.size(), 1u);
  const Kernel& kernel = one.fusion.kernels[KernelId(0u)];
  EXPECT_EQ(one.fusion.inputsOf(kernel).size(), 2u);
  EXPECT_EQ(kernel.loopFlops, 3 * 16 * 64);
  EXPECT_EQ(kernel.loopWork, (2 + rules::workOf("stablehlo.tanh", {}).effort) * 16 * 64);
}

// A value that `readers` matmuls need squared.
Analysed manyReaders(int readers, bool twoOperands) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
  const ValueId shared = twoOperands ? w.add(x, y) : w.unary("stablehlo.negate", x);
  for (int n = 0; n < readers; ++n) {
    const ValueId scale = w.argument(("s" + std::to_string(n)).c_str(), {64, 64});
    w.result("z", w.matmul(w.multiply(shared, scale), scale));
  }
  return w.finish();
}
bool sharedIsStored(const Analysed& analysed, Flavor flavor) {
  return OnOneDevice(analysed, flavor).stored(ValueId(2u));
}

TEST(Fusion, K5WhatReadsOneBufferIsAlwaysRepeated) {
  EXPECT_FALSE(sharedIsStored(manyReaders(2, false), kGpu));
  EXPECT_FALSE(sharedIsStored(manyReaders(8, false), kGpu));
}

TEST(Fusion, K5WhatReadsTwoBuffersIsRepeatedForThreeReadersAndStoredForFour) {
  // Three readers: 6 reads against 2 reads, 1 write and 3 reads; four: 8 against 7.
  EXPECT_FALSE(sharedIsStored(manyReaders(3, true), kGpu));
  EXPECT_TRUE(sharedIsStored(manyReaders(4, true), kGpu));
}

// A vector repeated along rows, or the sum of two matrices, that 20 sums read.
bool isStoredForTwentySums(bool repeats) {
  Writer w;
  const ValueId vector = w.argument("v", {64}), x = w.argument("x", {64, 64});
  const ValueId shared = repeats ? w.repeatRows(vector, 64) : w.add(x, w.argument("y", {64, 64}));
  for (int n = 0; n < 20; ++n) {
    const ValueId scale = w.argument(("s" + std::to_string(n)).c_str(), {64, 64});
    w.result("z", w.sumRows(w.multiply(shared, scale)));
  }
  const Analysed analysed = w.finish();
  return OnOneDevice(analysed, kGpu).stored(shared);
}

TEST(Fusion, K5WhatNeedsLittleIsRepeatedForAnyNumberOfReaders) {
  EXPECT_FALSE(isStoredForTwentySums(true));
  EXPECT_TRUE(isStoredForTwentySums(false));
}

// The even and the odd half of a value, put together again, and a product of two vectors: both read
// no more than they make, though each of their operands is as large.
TEST(Fusion, K5WhatIsReadIsFollowedBackToBuffers) {
  Writer w;
  const ValueId even = w.argument("even", {64, 32}), odd = w.argument("odd", {64, 32});
  const ValueId zero = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true, true});
  const auto spread = [&](ValueId half, int64_t first) {
    return w.op("stablehlo.pad", {half, zero}, {64, 64},
                program::PadAttrs{{0, first}, {0, 1 - first}, {0, 1}});
  };
  const ValueId whole = w.add(spread(even, 0), spread(odd, 1));
  const ValueId rows = w.repeatRows(w.argument("v", {64}), 64);
  const ValueId outer = w.multiply(w.unary("stablehlo.negate", rows), rows);
  for (int n = 0; n < 8; ++n) {
    const ValueId scale = w.argument(("s" + std::to_string(n)).c_str(), {64, 64});
    w.result("y", w.sumRows(w.multiply(whole, scale)));
    w.result("z", w.sumRows(w.multiply(w.unary("stablehlo.exponential", outer), scale)));
  }
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_FALSE(one.stored(whole));
  EXPECT_FALSE(one.stored(outer));
}

TEST(Fusion, K5HostsMakeAgainWhatEveryReaderCanTakeIn) {
  EXPECT_FALSE(sharedIsStored(manyReaders(2, false), Flavor::kCpu));
  EXPECT_FALSE(sharedIsStored(manyReaders(8, true), Flavor::kCpu)) << "GPUs store it";
}

// Whether `name` of x, and of y too if it takes two operands, is stored if two loops read it and,
// if so wished, a product does.
bool isStoredOnHosts(const char* name, bool binary, bool product) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
  const ValueId shared = binary ? w.elementwise(name, {x, y}) : w.unary(name, x);
  const ValueId square = w.multiply(shared, y);
  w.result("a", w.add(shared, x));
  w.result("b", product ? w.matmul(square, y) : square);
  if (product) w.result("c", w.add(shared, w.matmul(square, x)));
  const Analysed analysed = w.finish();
  return OnOneDevice(analysed, Flavor::kCpu).stored(shared);
}

TEST(Fusion, K5HostsMakeNothingAgainThatIsDearOrNeededInTwoWays) {
  EXPECT_FALSE(isStoredOnHosts("stablehlo.negate", false, false));
  EXPECT_TRUE(isStoredOnHosts("stablehlo.tanh", false, false));
  EXPECT_FALSE(isStoredOnHosts("stablehlo.multiply", true, false));
  EXPECT_TRUE(isStoredOnHosts("stablehlo.multiply", true, true))
      << "it is added to what a product made from it";
  EXPECT_FALSE(isStoredOnHosts("stablehlo.negate", false, true)) << "it has one operand";
}

TEST(Fusion, K5HostsMakeAgainWhatIsReadAfterAStackOfProducts) {
  Writer w;
  const ValueId x = w.argument("x", {4, 8, 8}), y = w.argument("y", {4, 8, 8});
  const ValueId shared = w.unary("stablehlo.negate", x);
  const ValueId products =
      w.op("stablehlo.dot_general", {x, y}, {4, 8, 8}, program::DotAttrs{{0}, {0}, {2}, {1}});
  w.result("a", w.multiply(products, shared));
  w.result("b", w.add(shared, y));
  const Analysed analysed = w.finish();
  EXPECT_FALSE(OnOneDevice(analysed, Flavor::kCpu).stored(shared));
}

// Half of x, and a value that follows a stack of products from which a softmax begins.
TEST(Fusion, K5HostsStoreSlicesAndWhatASoftmaxSharesWithOthers) {
  Writer w;
  const ValueId x = w.argument("x", {4, 8, 8}), y = w.argument("y", {4, 8, 8});
  const ValueId half =
      w.op("stablehlo.slice", {x}, {4, 4, 8}, program::SliceAttrs{{0, 0, 0}, {4, 4, 8}, {1, 1, 1}});
  w.result("a", w.unary("stablehlo.negate", half));
  w.result("b", w.multiply(half, half));
  const ValueId shared = w.unary("stablehlo.negate", x);
  const ValueId products =
      w.op("stablehlo.dot_general", {x, y}, {4, 8, 8}, program::DotAttrs{{0}, {0}, {2}, {1}});
  const ValueId scores = w.multiply(products, shared);
  const ValueId zero = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true});
  w.result("c", w.op("stablehlo.reduce", {w.unary("stablehlo.tanh", scores), zero}, {4, 8},
                     program::ReduceAttrs{{2}, program::Combiner::kAdd}));
  w.result("d", scores);
  w.result("e", w.add(shared, y));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kCpu);
  EXPECT_TRUE(one.stored(half));
  EXPECT_TRUE(one.stored(shared));
}

// y * repeated row, and sums over rows of z times that row: whether the repeated row is stored.
bool isRepeatedRowStored(int64_t rows) {
  Writer w;
  const ValueId y = w.argument("y", {rows, 64}), z = w.argument("z", {rows, 64});
  const ValueId scale = w.argument("scale", {64});
  const ValueId repeated =
      w.op("stablehlo.broadcast_in_dim", {scale}, {rows, 64}, program::DimsAttrs{{1}});
  w.result("a", w.multiply(y, repeated));
  const ValueId scaled = w.multiply(z, repeated);
  w.result("b", w.sumRows(scaled));
  w.result("c", scaled);
  const Analysed analysed = w.finish();
  return OnOneDevice(analysed, Flavor::kCpu).stored(repeated);
}

TEST(Fusion, K5HostsStoreWhatLargeReductionsNeedAgainAlongRows) {
  EXPECT_TRUE(isRepeatedRowStored(8192));
  EXPECT_FALSE(isRepeatedRowStored(64));
}

TEST(Fusion, K7OnHostsAScatterNeedsBuffersForAllItReads) {
  Writer w;
  const ValueId rows = w.builder.addArgument({.path = "i"}, w.builder.type(DType::kI32, {8, 1}));
  const ValueId updates = w.unary("stablehlo.negate", w.argument("u", {8, 64}));
  program::ScatterAttrs adding{{1}, {0}, {}, {}, {0}, 1, program::Combiner::kAdd};
  w.result("y", w.op("stablehlo.scatter", {w.argument("table", {100, 64}), rows, updates},
                     {100, 64}, adding));
  const Analysed analysed = w.finish();
  EXPECT_TRUE(OnOneDevice(analysed, Flavor::kCpu).stored(updates));
  EXPECT_FALSE(OnOneDevice(analysed, kGpu).stored(updates));
}

TEST(Fusion, K6AReductionTakesTheLoopsThatFeedIt) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64});
  const ValueId square = w.multiply(x, x);
  const ValueId sum = w.sumRows(square);
  w.result("y", sum);
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_FALSE(one.stored(square));
  EXPECT_EQ(one.kernels(), Names{"reduce"});
}

TEST(Fusion, K6ASoftmaxKeepsItsScoresAndNothingElseOfTheirSize) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
  const ValueId scores = w.matmul(x, y);
  const ValueId weights = w.unary("stablehlo.exponential", scores);
  const ValueId total = w.repeatRows(w.sumRows(weights), 64);
  const ValueId softmax = w.elementwise("stablehlo.divide", {weights, total});
  w.result("z", w.matmul(softmax, y));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_TRUE(one.stored(scores));
  EXPECT_FALSE(one.stored(weights));
  EXPECT_FALSE(one.stored(total));
  EXPECT_TRUE(one.stored(softmax));
}

TEST(Fusion, K7AnUpdateWritesIntoItsOperand) {
  Writer w;
  const ValueId base = w.donated("cache", {64, 64}, 0), part = w.argument("part", {1, 64});
  const ValueId start = w.builder.addArgument({.path = "i"}, w.builder.type(DType::kI32, {}));
  const ValueId scaled = w.unary("stablehlo.tanh", part);
  const ValueId updated =
      w.op("stablehlo.dynamic_update_slice", {base, scaled, start, start}, {64, 64});
  w.result("cache", updated);
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_FALSE(one.stored(scaled));
  const auto inputs = one.fusion.inputsOf(one.fusion.kernels[KernelId(0u)]);
  EXPECT_EQ(inputs[0].buffer, spmd::LocalId(base.index()));
  EXPECT_TRUE(inputs[0].pointwise);
  EXPECT_EQ(inputs[0].read, 0);
  EXPECT_EQ(inputs[1].read, 256);
}

// A product to which rows scattered over zeros are added; `alone` if nothing else reads them.
Analysed addsScattered(bool alone) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), rows = w.argument("rows", {8, 64});
  const ValueId where = w.builder.addArgument({.path = "i"}, w.builder.type(DType::kI32, {8, 1}));
  const ValueId zero = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true, true});
  const ValueId zeros =
      w.op("stablehlo.broadcast_in_dim", {zero}, {64, 64}, program::DimsAttrs{{}});
  program::ScatterAttrs attrs;
  attrs.updateWindowDims = {1};
  attrs.insertedWindowDims = attrs.scatterDimsToOperandDims = {0};
  attrs.indexVectorDim = 1;
  attrs.combiner = program::Combiner::kAdd;
  const ValueId scattered = w.op("stablehlo.scatter", {zeros, where, rows}, {64, 64}, attrs);
  const ValueId sum = w.add(scattered, w.matmul(x, x));
  w.result("y", w.matmul(sum, x));
  if (!alone) w.result("z", w.matmul(scattered, x));
  return w.finish();
}

TEST(Fusion, K7WhatIsAddedToZerosAndThenToAValueIsAddedToTheValue) {
  const Analysed alone = addsScattered(true), shared = addsScattered(false);
  const OnOneDevice one(alone, kGpu);
  EXPECT_EQ(one.kernels(), (Names{"dot_general", "add", "dot_general"}));
  EXPECT_EQ(one.memory().temporaries, Bytes{64 * 64 * 4}) << "the product's buffer and no other";
  const Names kernels = OnOneDevice(shared, kGpu).kernels();
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "scatter"), 1);
}

TEST(Fusion, K8ATransposeBesideAMatmulIsFree) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64}), y = w.argument("y", {32, 64});
  const ValueId turned = w.op("stablehlo.transpose", {y}, {64, 32}, program::DimsAttrs{{1, 0}});
  const ValueId product = w.matmul(x, turned);
  const ValueId back = w.op("stablehlo.transpose", {product}, {32, 16}, program::DimsAttrs{{1, 0}});
  w.result("z", w.unary("stablehlo.tanh", back));
  const Analysed analysed = w.finish();
  EXPECT_EQ(OnOneDevice(analysed, kGpu).kernels(), (Names{"dot_general", "tanh"}));
}

TEST(Fusion, K8ATransposeThatIsReturnedIsNot) {
  Writer w;
  const ValueId x = w.argument("x", {16, 64});
  w.result("y", w.op("stablehlo.transpose", {x}, {64, 16}, program::DimsAttrs{{1, 0}}));
  const Analysed analysed = w.finish();
  EXPECT_EQ(OnOneDevice(analysed, kGpu).kernels(), Names{"transpose"});
}

// m' = m + g, p' = p - m'.
// transpose(x @ y), of stacks of matrices or of one, and then something that reads it.
bool isFreeAfter(bool stacked) {
  Writer w;
  const auto make = [&](const char* path) {
    return stacked ? w.argument(path, {4, 64, 32}) : w.argument(path, {64, 32});
  };
  const ValueId x = make("x"), y = make("y");
  const ValueId product = stacked ? w.op("stablehlo.dot_general", {x, y}, {4, 32, 32},
                                         program::DotAttrs{{0}, {0}, {1}, {1}})
                                  : w.transposedMatmul(x, y);
  const ValueId turned =
      stacked ? w.op("stablehlo.transpose", {product}, {4, 32, 32}, program::DimsAttrs{{0, 2, 1}})
              : w.op("stablehlo.transpose", {product}, {32, 32}, program::DimsAttrs{{1, 0}});
  w.result("z", w.unary("stablehlo.tanh", turned));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  return one.fusion.buffer[turned.index()] == spmd::LocalId(product.index());
}

TEST(Fusion, K8AProductIsWrittenTransposedUnlessItIsAStackOfProducts) {
  EXPECT_TRUE(isFreeAfter(false));
  EXPECT_FALSE(isFreeAfter(true));
}

TEST(Fusion, K9AnOptimizersUpdatesAreOneLaunch) {
  Writer w;
  const ValueId m = w.donated("m", {64, 64}, 0), p = w.donated("p", {64, 64}, 1);
  const ValueId g = w.matmul(w.argument("x", {64, 64}), w.argument("y", {64, 64}));
  const ValueId newM = w.add(m, g);
  w.result("m", newM);
  w.result("p", w.elementwise("stablehlo.subtract", {p, newM}));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  ASSERT_EQ(one.kernels(), (Names{"dot_general", "add", "subtract"}));
  EXPECT_EQ(one.fusion.kernels[KernelId(2u)].leader, KernelId(1u));
  EXPECT_EQ(one.fusion.kernels[KernelId(1u)].leader, KernelId(1u));
}

TEST(Fusion, K9WhatNeedsAMatmulInBetweenIsNot) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.unary("stablehlo.tanh", x);
  const ValueId b = w.matmul(a, x);
  w.result("a", a);
  w.result("c", w.add(a, b));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_EQ(one.fusion.kernels[KernelId(2u)].leader, KernelId(2u));
}

// (x - mean) * f(sum of squares), read by two kernels; `centred` leaves out the mean.
bool isNormStored(Flavor flavor, bool centred) {
  Writer w;
  const ValueId x = w.matmul(w.argument("x", {64, 128}), w.argument("w", {128, 256}));
  const auto spread = [&](ValueId sum) { return w.repeatRows(sum, 256); };
  const ValueId body = centred ? w.elementwise("stablehlo.subtract", {x, spread(w.sumRows(x))}) : x;
  const ValueId scale = w.unary("stablehlo.rsqrt", w.sumRows(w.multiply(body, body)));
  const ValueId normed = w.multiply(body, spread(scale));
  w.result("y", w.unary("stablehlo.negate", normed));
  w.result("z", w.sumRows(normed));
  const Analysed analysed = w.finish();
  return OnOneDevice(analysed, flavor).stored(normed);
}

TEST(Fusion, K10ANormalizationIsOneKernelAndItsResultABuffer) {
  EXPECT_TRUE(isNormStored(kGpu, true));
  EXPECT_FALSE(isNormStored(kGpu, false)) << "without a mean it is made again";
}

// exp(x - max(x)) along rows, which a softmax divides by its sum and `others` kernels read besides:
// the gradient of a softmax is two. `narrow`: x is a product of 16 bits, widened.
struct Softmax {
  int64_t rows = 64, columns = 1024;
  int others = 2;
  bool narrow = false;

  ValueId scores(Writer& w) const;
  std::pair<Analysed, ValueId> make() const;
  bool isStored() const {
    const auto [analysed, weights] = make();
    return OnOneDevice(analysed, kGpu).stored(weights);
  }
};

ValueId Softmax::scores(Writer& w) const {
  const program::TypeId type = w.builder.type(narrow ? DType::kBF16 : DType::kF32, {rows, columns});
  const ValueId product = w.builder.result(
      w.builder.addOp("stablehlo.dot_general", program::DotAttrs{{}, {}, {1}, {0}},
                      {w.argument("x", {rows, 128}), w.argument("w", {128, columns})}, {type}));
  return narrow ? w.op("stablehlo.convert", {product}, {rows, columns}) : product;
}

std::pair<Analysed, ValueId> Softmax::make() const {
  Writer w;
  const ValueId x = scores(w);
  const auto spread = [&](ValueId row) { return w.repeatRows(row, columns); };
  const ValueId low = w.op("stablehlo.constant", {}, {}, program::ConstantAttrs{true});
  const ValueId largest = w.op("stablehlo.reduce", {x, low}, {rows},
                               program::ReduceAttrs{{1}, program::Combiner::kMax});
  const ValueId lows = w.op("stablehlo.broadcast_in_dim", {low}, {rows}, program::DimsAttrs{{}});
  const ValueId shift = spread(w.elementwise("stablehlo.maximum", {lows, largest}));
  const ValueId weights =
      w.unary("stablehlo.exponential", w.elementwise("stablehlo.subtract", {x, shift}));
  const ValueId total = spread(w.sumRows(weights));
  w.result("y", w.elementwise("stablehlo.divide", {weights, total}));
  for (int n = 0; n < others; ++n) {
    const std::string name = "z" + std::to_string(n);
    const ValueId factor = w.argument(name.c_str(), {rows, columns});
    w.result(name.c_str(), w.sumRows(w.multiply(weights, factor)));
  }
  return {w.finish(), weights};
}

// So others may be written over what it makes.
TEST(Fusion, K10WhatASoftmaxBeginsWithIsLaunchedAlone) {
  const auto [analysed, weights] = Softmax{.narrow = true}.make();
  const OnOneDevice one(analysed, kGpu);
  const spmd::InstructionId maker = one.spmd.locals[spmd::LocalId(weights.index())].definition;
  EXPECT_TRUE(one.fusion.kernels[one.fusion.kernelOf[maker.index()]].alone);
}

TEST(Fusion, K10AnExponentialIsKeptIfItIsWiderThanItsScoresAndTheRowsAreFew) {
  EXPECT_TRUE((Softmax{.rows = 65536, .narrow = true}.isStored()));
  EXPECT_FALSE((Softmax{.rows = 65537, .narrow = true}.isStored()));
  EXPECT_FALSE((Softmax{.rows = 65536}.isStored())) << "the scores are as wide: they are kept";
  EXPECT_FALSE((Softmax{.others = 0, .narrow = true}.isStored())) << "the softmax is one kernel";
  EXPECT_FALSE((Softmax{.others = 1, .narrow = true}.isStored())) << "no gradient";
}

TEST(Fusion, K10OrIfItsRowsLackMuchOfAPowerOfTwo) {
  EXPECT_TRUE((Softmax{.rows = 65537, .columns = 896, .narrow = true}.isStored()));
  EXPECT_FALSE((Softmax{.rows = 65537, .columns = 960, .narrow = true}.isStored()));
  EXPECT_TRUE((Softmax{.columns = 768}.isStored()));
  EXPECT_FALSE((Softmax{.columns = 896}.isStored()));
  EXPECT_TRUE((Softmax{.rows = 65537, .columns = 640}.isStored()));
  EXPECT_FALSE((Softmax{.rows = 65537, .columns = 768}.isStored()));
}

TEST(Fusion, K10AlongRowsThatOneKernelCanHold) {
  EXPECT_TRUE((Softmax{.columns = 16384, .narrow = true}.isStored()));
  EXPECT_FALSE((Softmax{.columns = 16385, .narrow = true}.isStored()));
}

TEST(Fusion, WhatIsWrittenTwiceInTheProgramIsMadeOnce) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
  const ValueId first = w.add(x, y), second = w.add(x, y);
  w.result("a", w.matmul(first, x));
  w.result("b", w.matmul(second, y));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  EXPECT_EQ(one.kernels(), (Names{"add", "dot_general", "dot_general"}));
}

TEST(Fusion, SoIsAMatrixProduct) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
  w.result("a", w.unary("stablehlo.tanh", w.matmul(x, y)));
  w.result("b", w.unary("stablehlo.sine", w.matmul(x, y)));
  const Analysed analysed = w.finish();
  const auto names = OnOneDevice(analysed, kGpu).kernels();
  EXPECT_EQ(std::count(names.begin(), names.end(), "dot_general"), 1);
}

TEST(Fusion, OpsWithoutResultsMakeNoBuffers) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId y = w.unary("stablehlo.tanh", x);
  w.builder.addOp("sdy.sharding_group", {}, {y}, {});
  w.builder.addOp("somebody.sees", {}, {y}, {});
  w.result("y", w.unary("stablehlo.negate", y));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, kGpu);
  // The unknown op reads a buffer; the group says something and does nothing.
  EXPECT_TRUE(one.stored(y));
  EXPECT_EQ(one.kernels(), (Names{"tanh", "sees", "negate"}));
  EXPECT_EQ(costs(one), 3u);
}

TEST(Fusion, AComparesDirectionIsNotKnownSoTwoOfThemAreTwo) {
  Writer w;
  const ValueId x = w.argument("x", {64}), y = w.argument("y", {64});
  const auto type = w.builder.type(DType::kPred, {64});
  for (const char* path : {"less", "greater"}) {
    w.result(path, w.builder.result(w.builder.addOp("stablehlo.compare", {}, {x, y}, {type})));
  }
  const Analysed analysed = w.finish();
  EXPECT_EQ(OnOneDevice(analysed, kGpu).kernels().size(), 2u);
}

}  // namespace
}  // namespace shardwright::cost
