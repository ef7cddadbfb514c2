#include "shardwright/cost/memory.h"

#include <gtest/gtest.h>

#include <numeric>

#include "shardwright/cost/testing.h"

namespace shardwright::cost {
namespace {

using namespace testing;

constexpr int64_t kSquare = 64 * 64 * 4;  // Bytes of f32[64,64].

Memory memoryOf(const Analysed& analysed, Flavor flavor = Flavor::kGpu) {
  const OnOneDevice one(analysed, flavor);
  const Memory memory = one.memory();
  const Memory totals = memoryOf(one.graph, one.steps, one.order, flavor, Detail::kTotals);
  EXPECT_EQ(totals.peak, memory.peak) << "the peak does not depend on the lists";
  EXPECT_TRUE(totals.residents.empty() && totals.curve.empty());
  Bytes sum;
  for (const Resident& resident : memory.residents) sum += resident.bytes;
  EXPECT_EQ(sum, memory.peak) << "residents must add up to the peak";
  return memory;
}

TEST(Memory, M5ArgumentsAndResultsAlwaysCount) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  w.argument("unused", {64, 64});
  w.result("y", w.unary("stablehlo.tanh", x));
  const Memory memory = memoryOf(w.finish());
  EXPECT_EQ(memory.arguments, Bytes{2 * kSquare});
  EXPECT_EQ(memory.results, Bytes{kSquare});
  EXPECT_EQ(memory.temporaries, Bytes{0});
  EXPECT_EQ(memory.peak, Bytes{3 * kSquare});
}

TEST(Memory, M5ADonatedArgumentIsItsResult) {
  Writer w;
  w.result("x", w.unary("stablehlo.tanh", w.donated("x", {64, 64}, 0)));
  const Memory memory = memoryOf(w.finish());
  EXPECT_EQ(memory.aliased, Bytes{kSquare});
  EXPECT_EQ(memory.peak, Bytes{kSquare});
}

TEST(Memory, M6AMatmulHoldsItsInputsAndItsOutput) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.matmul(x, x);
  const ValueId b = w.matmul(a, x);
  w.result("y", w.matmul(b, w.argument("v", {64, 32})));
  // While b is made from a; the result has memory of its own.
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{2 * kSquare});
}

TEST(Memory, M6WhatTheBackwardPassNeedsLivesUntilThen) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  ValueId y = x;
  std::vector<ValueId> saved;
  for (int n = 0; n < 5; ++n) saved.push_back(y = w.matmul(y, x));
  for (int n = 5; n-- > 0;) y = w.matmul(y, saved[static_cast<size_t>(n)]);
  w.result("y", w.sumRows(y));
  // Five saved values and the first of the way back.
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{6 * kSquare});
}

// Three products; the sum of two, one of them times the third.
TEST(Memory, M6KernelsLaunchedTogetherHoldAllTheirInputsAndOutputs) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), y = w.argument("y", {64, 64});
  const ValueId start = w.matmul(x, x);
  const ValueId a = w.matmul(start, x), b = w.matmul(start, y), c = w.matmul(start, start);
  const ValueId sum = w.add(a, b), scaled = w.elementwise("stablehlo.multiply", {a, c});
  w.result("z", w.matmul(sum, scaled));
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{5 * kSquare});
}

TEST(Memory, M7AnElementwiseKernelWritesOverWhatDies) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.unary("stablehlo.tanh", x);
  w.result("y", w.matmul(w.add(a, w.matmul(a, x)), x));
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{2 * kSquare});
}

TEST(Memory, M7ButNotOverAProductOnAGpu) {
  Writer w;
  const ValueId x = w.argument("x", {64, 128}), y = w.argument("y", {128, 128});
  const ValueId z = w.unary("stablehlo.tanh", w.matmul(x, y));
  w.result("z", w.matmul(z, w.argument("v", {128, 64})));
  const Analysed analysed = w.finish();
  EXPECT_EQ(memoryOf(analysed, Flavor::kGpu).temporaries, Bytes{4 * kSquare});
  EXPECT_EQ(memoryOf(analysed, Flavor::kTpu).temporaries, Bytes{2 * kSquare});
}

// The same as where it writes over what dies, but for a kernel that is launched with the first.
TEST(Memory, M7NorOverOneOfSeveralOutputs) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.unary("stablehlo.tanh", x);
  w.result("other", w.unary("stablehlo.sine", x));
  w.result("y", w.matmul(w.add(a, w.matmul(a, x)), w.argument("v", {64, 32})));
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{3 * kSquare});
}

// The same again, but what dies is what an update left in its operand's place.
TEST(Memory, M7NorOverWhatAnUpdateLeft) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), part = w.argument("part", {1, 64});
  const ValueId start = w.builder.addArgument({.path = "i"}, w.builder.type(DType::kI32, {}));
  const ValueId a = w.op("stablehlo.dynamic_update_slice",
                         {w.unary("stablehlo.tanh", x), part, start, start}, {64, 64});
  w.result("y", w.matmul(w.add(a, w.matmul(a, x)), w.argument("v", {64, 32})));
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{3 * kSquare});
}

TEST(Memory, M7ButNotOverWhatLivesOn) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.matmul(x, x);
  w.result("y", w.matmul(w.unary("stablehlo.tanh", a), a));
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{2 * kSquare});
}

TEST(Memory, M7AnUpdateNeedsNoRoomWhenItsArgumentIsFree) {
  Writer w;
  const ValueId p = w.donated("p", {64, 64}, 0), x = w.argument("x", {64, 64});
  w.result("p", w.elementwise("stablehlo.subtract", {p, w.matmul(x, p)}));
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{kSquare});
}

TEST(Memory, M7AndAPlaceOfItsOwnWhileItsArgumentIsRead) {
  Writer w;
  const ValueId p = w.donated("p", {64, 64}, 0), x = w.argument("x", {64, 64});
  const ValueId next = w.matmul(x, p);
  w.result("p", next);
  w.result("y", w.matmul(next, p));
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{kSquare});
}

// Two products, one after the other, before a result of their size.
TEST(Memory, M7AValueLiesInTheMemoryOfAResultThatIsNotThereYet) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.matmul(x, x), b = w.matmul(a, x), c = w.matmul(b, x);
  w.result("y", c);
  // a lies where c will be; b, which c is made from, cannot.
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{kSquare});
}

TEST(Memory, M7AndInThatOfAnArgumentThatItsResultTakesOver) {
  Writer w;
  const ValueId p = w.donated("p", {64, 64}, 0);
  ValueId y = p;
  for (int n = 0; n < 4; ++n) y = w.matmul(y, y);
  w.result("p", y);
  EXPECT_EQ(memoryOf(w.finish()).temporaries, Bytes{kSquare});
}

// Layers that write into one cache, and read it in between or at the end.
int64_t updatedTwice(bool readsLate) {
  Writer w;
  const ValueId cache = w.donated("cache", {64, 64}, 0), row = w.argument("row", {1, 64});
  const ValueId at = w.argument("at", {});
  const auto write = [&](ValueId into, ValueId what) {
    return w.op("stablehlo.dynamic_update_slice", {into, what, at, at}, {64, 64});
  };
  const ValueId once = write(cache, row);
  const ValueId read = w.op("stablehlo.dynamic_slice", {once, at, at}, {1, 64},
                            program::SliceAttrs{{}, {1, 64}, {}});
  const ValueId twice = write(once, readsLate ? row : read);
  w.result("cache", twice);
  w.result("y", readsLate ? w.matmul(once, twice) : w.matmul(twice, twice));
  return memoryOf(w.finish()).temporaries.value;
}

TEST(Memory, M7UpdatesOneAfterTheOtherAreMadeInOnePlace) {
  EXPECT_LT(updatedTwice(false), kSquare);
  EXPECT_GE(updatedTwice(true), kSquare) << "what is still read is not written over";
}

// x = tanh(x) or x = x @ w, ten times. The weight is carried, and passed on as it is.
Analysed loop(bool updatesInPlace) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64}), weight = w.argument("w", {64, 64});
  const ValueId start = w.matmul(x, weight);
  auto& b = w.builder;
  const program::OpId carry = b.addCarry(0, start);
  const program::OpId fixed = b.addCarry(1, weight);
  w.openLoop();
  const ValueId inside = b.result(carry, 1), same = b.result(fixed, 1);
  const ValueId next = updatesInPlace ? w.unary("stablehlo.tanh", inside) : w.matmul(inside, same);
  b.setOperand(carry, 1, next);
  b.setOperand(fixed, 1, same);
  b.closeRegion(std::vector<ValueId>{next, same});
  w.result("y", w.matmul(b.result(carry, 2), weight));
  return w.finish();
}

TEST(Memory, M8ALoopTakesItsInitialValuesBuffer) {
  constexpr int64_t kFlag = 256;  // The condition's answer.
  EXPECT_EQ(memoryOf(loop(true)).temporaries, Bytes{kSquare + kFlag});
}

TEST(Memory, M8ABodyThatCannotWriteInPlaceNeedsASecondBuffer) {
  const Memory memory = memoryOf(loop(false));
  EXPECT_EQ(memory.temporaries, Bytes{2 * kSquare});
}

TEST(Memory, M9BuffersAreRoundedUp) {
  program::TypeTable types;
  const auto bytes = [&](std::vector<int64_t> shape, DType dtype, Flavor flavor) {
    return bufferBytes(types, types.intern(dtype, shape), flavor).value;
  };
  EXPECT_EQ(bytes({3}, DType::kF32, Flavor::kGpu), 256);
  EXPECT_EQ(bytes({3}, DType::kF32, Flavor::kCpu), 64);
  // The dims that waste least are tiled: 3 x 16 x 128, not 10 x 8 x 128.
  EXPECT_EQ(bytes({10, 3, 100}, DType::kF32, Flavor::kTpu), 3 * 16 * 128 * 4);
  EXPECT_EQ(bytes({10, 3, 100}, DType::kBF16, Flavor::kTpu), 3 * 16 * 128 * 2);
  EXPECT_EQ(bytes({4096, 1}, DType::kF32, Flavor::kTpu), 8 * 4096 * 4);
  EXPECT_EQ(bytes({64, 128}, DType::kF32, Flavor::kTpu), 64 * 128 * 4);
}

// x is read as it lies by a tanh and with its leading dims summed by a product.
TEST(Memory, M10AHostCopiesWhatAProductNeedsInAnotherOrder) {
  Writer w;
  const ValueId x = w.argument("x", {8, 8, 64});
  const ValueId y = w.unary("stablehlo.tanh", x);
  const ValueId sums =
      w.op("stablehlo.dot_general", {y, y}, {64, 64}, program::DotAttrs{{}, {}, {0, 1}, {0, 1}});
  w.result("sums", w.matmul(sums, w.argument("v", {64, 32})));
  const ValueId half = w.op("stablehlo.slice", {y}, {8, 8, 32},
                            program::SliceAttrs{{0, 0, 0}, {8, 8, 32}, {1, 1, 1}});
  w.result("z", w.unary("stablehlo.sine", half));
  const Analysed analysed = w.finish();
  EXPECT_EQ(memoryOf(analysed, Flavor::kGpu).temporaries, Bytes{2 * kSquare});
  EXPECT_EQ(memoryOf(analysed, Flavor::kCpu).temporaries, Bytes{3 * kSquare});
}

// y[b, k, i] @ y[b, k, j], and another reader of y, so that a copy would be another buffer.
TEST(Memory, M10ButNotAStackOfMatricesWithTheBatchFirst) {
  const auto temporaries = [](int64_t batch) {
    Writer w;
    const ValueId y = w.unary("stablehlo.tanh", w.argument("x", {16, 16, 16}));
    const int64_t depth = 1 - batch;
    w.result("sums", w.op("stablehlo.dot_general", {y, y}, {16, 16, 16},
                          program::DotAttrs{{batch}, {batch}, {depth}, {depth}}));
    const ValueId half = w.op("stablehlo.slice", {y}, {16, 16, 8},
                              program::SliceAttrs{{0, 0, 0}, {16, 16, 8}, {1, 1, 1}});
    w.result("z", w.unary("stablehlo.sine", half));
    return memoryOf(w.finish(), Flavor::kCpu).temporaries;
  };
  EXPECT_EQ(temporaries(0), Bytes{kSquare});
  EXPECT_EQ(temporaries(1), Bytes{2 * kSquare});
}

// Sums of squares of y, once in each turn of a loop and once after it.
Analysed productsInsideAndOutside() {
  Writer w;
  const auto squares = [&](ValueId y) {
    return w.op("stablehlo.dot_general", {y, y}, {64, 64},
                program::DotAttrs{{}, {}, {0, 1}, {0, 1}});
  };
  const ValueId y = w.unary("stablehlo.tanh", w.argument("x", {8, 8, 64}));
  auto& b = w.builder;
  const program::OpId carry = b.addCarry(0, w.argument("start", {64, 64}));
  w.openLoop();
  const ValueId next = w.add(b.result(carry, 1), squares(y));
  b.setOperand(carry, 1, next);
  b.closeRegion(std::vector<ValueId>{next});
  w.result("sums", w.sumRows(w.matmul(b.result(carry, 2), squares(y))));
  const ValueId half = w.op("stablehlo.slice", {y}, {8, 8, 32},
                            program::SliceAttrs{{0, 0, 0}, {8, 8, 32}, {1, 1, 1}});
  w.result("z", w.unary("stablehlo.sine", half));
  return w.finish();
}

TEST(Memory, M10ALoopsBodyHasACopyOfItsOwn) {
  const Memory memory = memoryOf(productsInsideAndOutside(), Flavor::kCpu);
  // At the loop: y, its copy for the product after the loop, what is carried; in the body a copy
  // and the product.
  EXPECT_EQ(memory.temporaries, Bytes{5 * kSquare});
}

TEST(Memory, M11ALargeProductOnAGpuHasAWorkspace) {
  const auto temporaries = [](int64_t size, Flavor flavor) {
    Writer w;
    const ValueId x = w.argument("x", {size, size});
    w.result("y", w.matmul(x, x));
    return memoryOf(w.finish(), flavor).temporaries;
  };
  EXPECT_EQ(temporaries(4096, Flavor::kGpu), Bytes{32 << 20});
  EXPECT_EQ(temporaries(1024, Flavor::kGpu), Bytes{0});
  EXPECT_EQ(temporaries(4096, Flavor::kTpu), Bytes{0});
}

// The gradient of the maxima over windows of 2 x 2.
TEST(Memory, M15TheGradientOfAMaximumOverWindowsLooksForItAgain) {
  Writer w;
  const ValueId x = w.argument("x", {8, 64, 64}), gradient = w.argument("g", {8, 32, 32});
  const ValueId zero = w.argument("zero", {});
  program::WindowAttrs attrs;
  attrs.sizes = attrs.strides = {1, 2, 2};
  w.result("y", w.op("stablehlo.select_and_scatter", {x, gradient, zero}, {8, 64, 64}, attrs));
  const Analysed analysed = w.finish();
  const int64_t maxima = 8 * 32 * 32 * 4, points = 8 * 64 * 64 * 4;
  EXPECT_EQ(memoryOf(analysed, Flavor::kGpu).temporaries, Bytes{4 * maxima});
  EXPECT_EQ(memoryOf(analysed, Flavor::kCpu).temporaries, Bytes{4 * maxima + 3 * points});
}

TEST(Memory, M18AGpuWritesOutTheRowsOfAllGroups) {
  Writer w;
  const ValueId rows = w.argument("rows", {64, 32}), weights = w.argument("weights", {4, 32, 16});
  const ValueId sizes = w.argument("sizes", {4});
  const program::DotAttrs attrs{{}, {}, {1}, {1}, {0}, {0}};
  w.result("y", w.op("chlo.ragged_dot", {rows, weights, sizes}, {64, 16}, attrs));
  const Analysed analysed = w.finish();
  EXPECT_EQ(memoryOf(analysed, Flavor::kGpu).temporaries, Bytes{4 * 64 * 32 * 4});
  EXPECT_EQ(memoryOf(analysed, Flavor::kTpu).temporaries, Bytes{0});
  const auto flops = [&](Flavor flavor) {
    const OnOneDevice one(analysed, flavor);
    return kernelCosts(one.graph, one.fusion, plainDevice(flavor))[0].flops.value;
  };
  EXPECT_EQ(flops(Flavor::kGpu), 4 * flops(Flavor::kTpu));
}

TEST(Memory, M7OnHostsASmallerValueLiesInAResultsMemoryToo) {
  Writer w;
  const ValueId a = w.argument("a", {32, 32});
  const ValueId wide = w.matmul(w.argument("p", {64, 32}), w.matmul(a, a));
  w.result("z", w.matmul(wide, w.argument("q", {32, 64})));
  const Analysed analysed = w.finish();
  EXPECT_EQ(memoryOf(analysed, Flavor::kGpu).temporaries, Bytes{32 * 32 * 4 + 64 * 32 * 4});
  // The product that the last one reads cannot lie where that writes.
  EXPECT_EQ(memoryOf(analysed, Flavor::kCpu).temporaries, Bytes{64 * 32 * 4});
}

// Weights times their sums along rows, in the place of the weights; they are also read by a product
// that is a result, if so wished.
Bytes updateOfWeights(bool product, Flavor flavor) {
  Writer w;
  const ValueId weights = w.donated("w", {64, 64}, 0);
  const ValueId x = w.argument("x", {32, 64});
  const ValueId y = product ? w.matmul(x, weights) : x;
  w.result("w", w.multiply(weights, w.repeatRows(w.sumRows(weights), 64)));
  if (product) w.result("y", y);
  return memoryOf(w.finish(), flavor).temporaries;
}

TEST(Memory, M17HostsCopyADonatedArgumentThatItsResultDoesNotWaitFor) {
  EXPECT_EQ(updateOfWeights(false, Flavor::kCpu), Bytes{64 * 4}) << "the update needs the sums";
  EXPECT_EQ(updateOfWeights(true, Flavor::kCpu), Bytes{64 * 4 + kSquare});
  EXPECT_EQ(updateOfWeights(true, Flavor::kGpu), Bytes{64 * 4});
}

TEST(Memory, M17AndAGradientLiesWhereTheArgumentWas) {
  Writer w;
  const ValueId weights = w.donated("w", {64, 64}, 0);
  const ValueId x = w.argument("x", {64, 64});
  w.result("w", w.elementwise("stablehlo.subtract", {weights, w.matmul(x, x)}));
  w.result("y", w.sumRows(w.multiply(x, weights)));
  EXPECT_EQ(memoryOf(w.finish(), Flavor::kCpu).temporaries, Bytes{kSquare});
}

TEST(Memory, ThePeakNamesWhatRunsThenAndTheLargestFirst) {
  Writer w;
  const ValueId x = w.argument("x", {64, 64});
  const ValueId a = w.matmul(x, x);
  const ValueId wide = w.matmul(a, w.argument("w", {64, 256}));
  w.result("y", w.sumRows(w.matmul(wide, w.argument("v", {256, 8}))));
  const Analysed analysed = w.finish();
  const OnOneDevice one(analysed, Flavor::kGpu);
  const Memory memory = one.memory();
  EXPECT_EQ(one.graph.instruction(memory.peakAt).op, analysed.program.value(wide).definition);
  for (size_t n = 1; n < memory.residents.size(); ++n) {
    EXPECT_GE(memory.residents[n - 1].bytes, memory.residents[n].bytes);
  }
}

}  // namespace
}  // namespace shardwright::cost
