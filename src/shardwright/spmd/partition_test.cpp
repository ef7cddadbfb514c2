#include "shardwright/spmd/partition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "shardwright/plan/testing.h"
#include "shardwright/spmd/checker.h"

namespace shardwright::spmd {
namespace {

using namespace plan::testing;
using program::DotAttrs;
using program::DType;
using program::OpId;
using program::ProgramBuilder;
using program::ValueId;

std::string partitioned(const Analysed& analysed, const plan::Plan& plan) {
  EXPECT_FALSE(plan::checkPlan(analysed.subject(), plan));
  const SpmdProgram spmd = partition(analysed.subject(), plan);
  const Status bad = verify(spmd, analysed.program);
  EXPECT_FALSE(bad) << bad->str();
  return print(spmd, analysed.program);
}

TEST(Partition, RowsOfAMatmulStayWhereTheyAre) {
  const Analysed analysed(matmul(16, 32, 64));
  plan::Plan plan = planOf("data=4");
  plan.decisions.push_back({0, {analysed.color(0, 0)}});
  EXPECT_EQ(partitioned(analysed, plan),
            "%0:f32[4,32] [data, -] = argument\n"
            "%1:f32[32,64] whole = argument\n"
            "%2:f32[4,64] [data, -] = stablehlo.dot_general %0, %1\n"
            "return %2\n");
}

TEST(Partition, ASplitSumIsReduced) {
  const Analysed analysed(matmul(16, 32, 64));
  plan::Plan plan = planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});
  EXPECT_EQ(partitioned(analysed, plan),
            "%0:f32[16,16] [-, model] = argument\n"
            "%1:f32[16,64] [model, -] = argument\n"
            "%2:f32[16,64] [-, -] partial over model = stablehlo.dot_general %0, %1\n"
            "%3:f32[16,64] whole = all_reduce %2 over model (add)\n"
            "return %3\n");
}

TEST(Partition, AResultPinnedOverTheSummedAxisIsScattered) {
  const Analysed analysed(matmul(16, 32, 64));
  plan::Plan plan = planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});
  plan.pins.push_back({analysed.program.results()[0].returnOp, 0, {{0}, {}}});
  EXPECT_NE(partitioned(analysed, plan)
                .find("%3:f32[8,64] [model, -] = reduce_scatter %2 over model dim 0 (add)\n"
                      "return %3\n"),
            std::string::npos);
}

// a @ b + c @ d (+ x): partial sums are added before they are reduced.
Analysed sumOfProducts(bool withBias) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {16, 16});
  std::vector<ValueId> arguments;
  for (const char* name : {"a", "b", "c", "d", "x"}) {
    arguments.push_back(b.addArgument({.path = name}, type));
  }
  const auto dot = [&](ValueId l, ValueId r) {
    return b.result(b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {l, r}, {type}));
  };
  const auto add = [&](ValueId l, ValueId r) {
    return b.result(b.addOp("stablehlo.add", {}, {l, r}, {type}));
  };
  ValueId left = dot(arguments[0], arguments[1]);
  if (withBias) left = add(arguments[4], left);
  b.addResult({.path = "y"}, add(left, dot(arguments[2], arguments[3])));
  return Analysed(std::move(b).finish());
}

TEST(Partition, F2PartialSumsAreAddedAndReducedOnce) {
  const Analysed analysed = sumOfProducts(false);
  plan::Plan plan = planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1), analysed.color(2, 1)}});
  const std::string text = partitioned(analysed, plan);
  EXPECT_NE(text.find("all_reduce"), std::string::npos) << text;
  EXPECT_EQ(text.find("all_reduce"), text.rfind("all_reduce")) << text;
}

TEST(Partition, F1ACompleteTermIsMaskedSoThatOneReductionDoes) {
  const Analysed analysed = sumOfProducts(true);
  plan::Plan plan = planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1), analysed.color(2, 1)}});
  const std::string text = partitioned(analysed, plan);
  EXPECT_NE(text.find("mask"), std::string::npos) << text;
  EXPECT_EQ(text.find("all_reduce"), text.rfind("all_reduce")) << text;
}

TEST(Partition, F4AnAdditionGivesUpItsSplitForPartialTerms) {
  const Analysed analysed = sumOfProducts(false);
  plan::Plan plan = planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1), analysed.color(2, 1)}});
  plan.decisions.push_back({0, {analysed.color(0, 0)}});  // Rows, wherever no sum is split.
  const std::string text = partitioned(analysed, plan);
  EXPECT_EQ(text.find("all_reduce"), std::string::npos) << text;
  EXPECT_NE(text.find("reduce_scatter"), std::string::npos) << text;
  EXPECT_EQ(text.find("reduce_scatter"), text.rfind("reduce_scatter")) << text;
}

// y = start; so many times: y = y + a @ b, or y = y + (a + y) @ b, or y = y + a @ b + a @ b, or
// y = convert(y) + a @ b.
enum class Turn : uint8_t { kAdds, kReadsInside, kAddsTwice, kConverts };

Analysed sumOverTurns(int64_t turns, Turn turn = Turn::kAdds) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {16, 16});
  const ValueId left = b.addArgument({.path = "a"}, type);
  const ValueId right = b.addArgument({.path = "b"}, type);
  const ValueId start = b.addArgument({.path = "start"}, type);
  const ValueId flag = b.addArgument({.path = "flag"}, b.type(DType::kPred, {}));
  const OpId carry = b.addCarry(0, start);
  const OpId loop = b.addOp(program::kWhile, program::WhileAttrs{turns, turns > 1}, {}, {});
  const auto weight = static_cast<double>(turns);
  b.openRegion(loop, program::RegionKind::kCondition, weight);
  b.closeRegion(std::vector<ValueId>{flag});
  b.openRegion(loop, program::RegionKind::kBody, weight);
  ValueId before = b.result(carry, 1);
  if (turn == Turn::kConverts)
    before = b.result(b.addOp("stablehlo.convert", {}, {before}, {type}));
  const auto add = [&](ValueId l, ValueId r) {
    return b.result(b.addOp("stablehlo.add", {}, {l, r}, {type}));
  };
  const ValueId factor = turn == Turn::kReadsInside ? add(left, before) : left;
  const DotAttrs dims{{}, {}, {1}, {0}};
  const auto dot = [&] {
    return b.result(b.addOp("stablehlo.dot_general", dims, {factor, right}, {type}));
  };
  ValueId sum = add(before, dot());
  if (turn == Turn::kAddsTwice) sum = add(sum, dot());
  b.closeRegion(std::vector<ValueId>{sum});
  b.setOperand(carry, 1, sum);
  b.addResult({.path = "y"}, b.result(carry, 2));
  return Analysed(std::move(b).finish());
}

std::string withSplitSum(const Analysed& analysed) {
  plan::Plan plan = planOf("model=2");
  plan.decisions.push_back({0, {analysed.color(0, 1)}});
  return partitioned(analysed, plan);
}

TEST(Partition, F5ASumOverTurnsIsReducedBehindTheLoop) {
  const std::string text = withSplitSum(sumOverTurns(4));
  const size_t masked = text.find("mask"), loop = text.find("while"),
               reduced = text.find("all_reduce");
  EXPECT_LT(masked, loop) << text;
  EXPECT_LT(loop, text.find("stablehlo.add")) << text;
  EXPECT_LT(text.find("stablehlo.add"), reduced) << text;
  EXPECT_EQ(reduced, text.rfind("all_reduce")) << text;
}

// A weight that is used twice in a turn has two gradients.
TEST(Partition, F5SeveralTermsOfATurnAreReducedBehindTheLoop) {
  const std::string text = withSplitSum(sumOverTurns(4, Turn::kAddsTwice));
  const size_t reduced = text.find("all_reduce");
  EXPECT_LT(text.find("mask"), text.find("while")) << text;
  EXPECT_EQ(text.find("mask"), text.rfind("mask")) << text;
  EXPECT_LT(text.rfind("stablehlo.add"), reduced) << text;
  EXPECT_EQ(reduced, text.rfind("all_reduce")) << text;
}

TEST(Partition, F5ASumThatIsConvertedToItsOwnTypeIsReducedBehindTheLoop) {
  const std::string text = withSplitSum(sumOverTurns(4, Turn::kConverts));
  const size_t reduced = text.find("all_reduce");
  EXPECT_LT(text.rfind("stablehlo.add"), reduced) << text;
  EXPECT_EQ(reduced, text.rfind("all_reduce")) << text;
}

TEST(Partition, F5ASumThatIsReadInsideIsReducedInEachTurn) {
  const std::string text = withSplitSum(sumOverTurns(4, Turn::kReadsInside));
  EXPECT_LT(text.find("reduce_scatter"), text.rfind("stablehlo.add")) << text;
}

// One turn is all that is known: nothing is saved.
TEST(Partition, F5ALoopOfUnknownTurnsReducesInside) {
  const std::string text = withSplitSum(sumOverTurns(1));
  EXPECT_LT(text.find("all_reduce"), text.find("stablehlo.add")) << text;
}

// g = a @ b; which ? tanh(g) : tanh(x), or which ? tanh(g) : tanh(g).
Analysed branchesOfASum(bool bothRead) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {16, 16});
  const ValueId left = b.addArgument({.path = "a"}, type);
  const ValueId right = b.addArgument({.path = "b"}, type);
  const ValueId which = b.addArgument({.path = "which"}, b.type(DType::kI32, {}));
  const DotAttrs dims{{}, {}, {1}, {0}};
  const ValueId sum = b.result(b.addOp("stablehlo.dot_general", dims, {left, right}, {type}));
  const OpId choice = b.addOp(program::kCase, {}, {which}, {});
  std::vector<ValueId> yielded;
  for (const ValueId read : {sum, bothRead ? sum : left}) {
    b.openRegion(choice, program::RegionKind::kBranch, 0.5);
    yielded.push_back(b.result(b.addOp("stablehlo.tanh", {}, {read}, {type})));
    b.closeRegion(std::vector<ValueId>{yielded.back()});
  }
  b.addResult({.path = "y"}, b.result(b.addMerge(0, yielded)));
  return Analysed(std::move(b).finish());
}

TEST(Partition, ASumThatAllBranchesReadIsReducedOnceBeforeThem) {
  const std::string text = withSplitSum(branchesOfASum(true));
  EXPECT_LT(text.find("all_reduce"), text.find("case")) << text;
  EXPECT_EQ(text.find("all_reduce"), text.rfind("all_reduce")) << text;
}

TEST(Partition, ASumThatOneBranchReadsIsReducedThere) {
  const std::string text = withSplitSum(branchesOfASum(false));
  EXPECT_LT(text.find("case"), text.find("reduce")) << text;
  EXPECT_NE(text.find("reduce"), std::string::npos) << text;
}

// Two uses far apart of one gathered argument.
TEST(Partition, GathersAreSharedOrMadeAgain) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {8, 8});
  const ValueId x = b.addArgument({.path = "x"}, type);
  const ValueId w = b.addArgument({.path = "w"}, type);
  const auto dot = [&](ValueId l, ValueId r) {
    return b.result(b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {l, r}, {type}));
  };
  ValueId y = dot(x, w);
  for (int i = 0; i < 10; ++i) y = b.result(b.addOp("stablehlo.tanh", {}, {y}, {type}));
  b.addResult({.path = "y"}, dot(y, w));
  const Analysed analysed(std::move(b).finish());
  plan::Plan plan = planOf("data=2");
  plan.decisions.push_back({0, {analysed.color(0, 0)}});
  plan.pins.push_back({OpId(1u), 0, {{}, {0}}});  // w, by columns.
  const auto gathers = [&] {
    const SpmdProgram spmd = partition(analysed.subject(), plan);
    return std::count_if(spmd.instructions.begin(), spmd.instructions.end(),
                         [](const Instruction& i) { return i.kind == Kind::kAllGather; });
  };
  EXPECT_EQ(gathers(), 1);
  plan.remakeGap = 4;
  EXPECT_EQ(gathers(), 2);
}

// w is whole between steps; its transpose is used whole. The law would split the transpose.
TEST(Partition, U1AChainThatNeedsNoSplitGivesItUp) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {8, 8});
  const ValueId x = b.addArgument({.path = "x"}, type);
  const ValueId w = b.addArgument({.path = "w"}, type);
  const OpId turned = b.addOp("stablehlo.transpose", program::DimsAttrs{{1, 0}}, {w}, {type});
  const OpId scaled = b.addOp("stablehlo.add", {}, {b.result(turned), b.result(turned)}, {type});
  const OpId dot =
      b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {x, b.result(scaled)}, {type});
  b.addResult({.path = "y"}, b.result(dot));
  const Analysed analysed(std::move(b).finish());
  plan::Plan plan = planOf("data=2");
  plan.decisions = {{0, {analysed.color(0, 0)}}, {0, {analysed.color(1, 0)}}};
  plan.pins.push_back({OpId(1u), 0, {{}, {}}});
  const std::string text = partitioned(analysed, plan);
  EXPECT_EQ(text.find("slice"), std::string::npos) << text;
  EXPECT_EQ(text.find("all_gather"), std::string::npos) << text;
  plan.pins.clear();  // Now w comes split, and the chain keeps its split to the end.
  const std::string split = partitioned(analysed, plan);
  EXPECT_NE(split.find("[-, data] = stablehlo.add"), std::string::npos) << split;
}

// w is split between steps; one product takes it whole, another one its transpose.
// How often w is gathered, with gathered copies made again or not.
ptrdiff_t gathersOfBoth(const char* between, const program::Attributes& attributes, bool remakes) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {8, 8});
  const ValueId x = b.addArgument({.path = "x"}, type);
  const ValueId w = b.addArgument({.path = "w"}, type);
  const auto times = [&](ValueId weight) {
    return b.result(
        b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {x, weight}, {type}));
  };
  const ValueId straight = times(w);
  const OpId turned = b.addOp(between, attributes, {w}, {type});
  b.addResult({.path = "y"}, straight);
  b.addResult({.path = "z"}, times(b.result(turned)));
  const Analysed analysed(std::move(b).finish());
  plan::Plan plan = planOf("data=2");
  plan.decisions = {{0, {analysed.color(0, 0)}}, {0, {analysed.color(1, 0), analysed.color(1, 1)}}};
  if (remakes) plan.remakeGap = 0;
  const SpmdProgram spmd = partition(analysed.subject(), plan);
  EXPECT_FALSE(check(analysed.subject(), plan, spmd)) << print(spmd, analysed.program);
  return std::count_if(spmd.instructions.begin(), spmd.instructions.end(),
                       [](const Instruction& i) { return i.kind == Kind::kAllGather; });
}

TEST(Partition, U3WhatMovesAValueTakesTheCopyThatIsGatheredAnyway) {
  const program::DimsAttrs turn{{1, 0}};
  EXPECT_EQ(gathersOfBoth("stablehlo.transpose", turn, false), 1);
  EXPECT_EQ(gathersOfBoth("stablehlo.transpose", turn, true), 2) << "each copy where it is used";
  EXPECT_EQ(gathersOfBoth("barrier", {}, false), 2) << "as jax.checkpoint wants it";
}

ptrdiff_t gathers(const Analysed& analysed, const plan::Plan& plan) {
  const SpmdProgram spmd = partition(analysed.subject(), plan);
  EXPECT_FALSE(check(analysed.subject(), plan, spmd)) << print(spmd, analysed.program);
  return std::count_if(spmd.instructions.begin(), spmd.instructions.end(),
                       [](const Instruction& i) { return i.kind == Kind::kAllGather; });
}

// The axis stands in one dim of the mask, and attention gives it to the examples: nobody wants the
// mask split.
TEST(Partition, U1AMaskThatAttentionWantsWholeIsMadeWhole) {
  ProgramBuilder b;
  const auto type = [&](std::initializer_list<int64_t> shape) {
    return b.type(DType::kF32, shape);
  };
  const auto laid = [&](ValueId value, std::vector<int64_t> dims, program::TypeId result) {
    const program::DimsAttrs attributes{std::move(dims)};
    return b.result(b.addOp("stablehlo.broadcast_in_dim", attributes, {value}, {result}));
  };
  const ValueId x = b.addArgument({.path = "x"}, type({4, 8, 8}));
  const OpId positions = b.addOp("stablehlo.iota", program::DimAttrs{0}, {}, {type({8})});
  const ValueId rows = laid(b.result(positions), {0}, type({8, 8}));
  const ValueId columns = laid(b.result(positions), {1}, type({8, 8}));
  const OpId mask = b.addOp("stablehlo.subtract", {}, {rows, columns}, {type({8, 8})});
  const ValueId masks = laid(b.result(mask), {1, 2}, type({4, 8, 8}));
  const OpId sum = b.addOp("stablehlo.add", {}, {x, masks}, {type({4, 8, 8})});
  b.addResult({.path = "y"}, b.result(sum));
  const Analysed analysed(std::move(b).finish());
  plan::Plan plan = planOf("data=2");
  plan.decisions = {{0, {analysed.color(0, 0)}}, {0, {analysed.color(0, 1)}}};
  EXPECT_EQ(gathers(analysed, plan), 0);
}

// A scale that is split between steps is laid along the rows of two arrays that are split by rows.
TEST(Partition, U3OpsThatMoveOneValueShareItsCopy) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {8, 8});
  const ValueId x = b.addArgument({.path = "x"}, type);
  const ValueId scale = b.addArgument({.path = "scale"}, b.type(DType::kF32, {8}));
  const auto scaled = [&](ValueId array) {
    const OpId row = b.addOp("stablehlo.broadcast_in_dim", program::DimsAttrs{{1}}, {scale},
                             {b.type(DType::kF32, {1, 8})});
    const program::DimsAttrs both{{0, 1}};
    const OpId rows = b.addOp("stablehlo.broadcast_in_dim", both, {b.result(row)}, {type});
    return b.result(b.addOp("stablehlo.multiply", {}, {array, b.result(rows)}, {type}));
  };
  b.addResult({.path = "y"}, scaled(scaled(x)));
  const Analysed analysed(std::move(b).finish());
  plan::Plan plan = planOf("data=2");
  plan.decisions = {{0, {analysed.color(0, 0)}}, {0, {analysed.color(1, 0)}}};
  EXPECT_EQ(gathers(analysed, plan), 1);
  plan.remakeGap = 0;
  EXPECT_EQ(gathers(analysed, plan), 2);
}

// for each turn: y = y + a @ (w transposed and back), where w is split between steps. The gathers
// in the body and before it.
TEST(Partition, U3WhatMovesAValueIntoALoopIsGatheredBeforeIt) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {16, 16});
  const ValueId left = b.addArgument({.path = "a"}, type);
  const ValueId weight = b.addArgument({.path = "w"}, type);
  const ValueId start = b.addArgument({.path = "start"}, type);
  const ValueId flag = b.addArgument({.path = "flag"}, b.type(DType::kPred, {}));
  const OpId carry = b.addCarry(0, start);
  const OpId loop = b.addOp(program::kWhile, program::WhileAttrs{4, true}, {}, {});
  b.openRegion(loop, program::RegionKind::kCondition, 4);
  b.closeRegion(std::vector<ValueId>{flag});
  b.openRegion(loop, program::RegionKind::kBody, 4);
  const auto turned = [&](ValueId value) {
    return b.result(b.addOp("stablehlo.transpose", program::DimsAttrs{{1, 0}}, {value}, {type}));
  };
  const DotAttrs dims{{}, {}, {1}, {0}};
  const OpId dot = b.addOp("stablehlo.dot_general", dims, {left, turned(turned(weight))}, {type});
  const OpId sum = b.addOp("stablehlo.add", {}, {b.result(carry, 1), b.result(dot)}, {type});
  b.closeRegion(std::vector<ValueId>{b.result(sum)});
  b.setOperand(carry, 1, b.result(sum));
  b.addResult({.path = "y"}, b.result(carry, 2));
  const Analysed analysed(std::move(b).finish());
  plan::Plan plan = planOf("data=2");
  plan.decisions = {{0, {analysed.color(0, 0)}}, {0, {analysed.color(1, 1)}}};
  const auto before = [&] {
    const std::string text = partitioned(analysed, plan);
    return text.find("all_gather") < text.find("while");
  };
  EXPECT_EQ(gathers(analysed, plan), 1);
  EXPECT_TRUE(before());
  plan.remakeGap = 0;
  EXPECT_EQ(gathers(analysed, plan), 1);
  EXPECT_FALSE(before()) << "in each turn, which saves memory";
}

}  // namespace
}  // namespace shardwright::spmd
