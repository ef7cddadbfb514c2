// Regions, ties and the law; see checker_test.cpp for layouts and moves.
#include <algorithm>

#include "shardwright/spmd/checker_testing.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::spmd {
namespace {

using mesh::AxisList;
using program::OpId;
using program::ValueId;

const AxisList kNone{}, kA{0}, kB{1};

// --- loops: for 3 times, x = tanh(x); x split by rows over a ---

class Loop : public testing::Test {
 protected:
  void SetUp() override {
    x = net.argument("x", {8, 4});
    flag = net.argument("flag", {}, program::DType::kPred);
    const OpId carry = net.builder.addCarry(0, x);
    const OpId loop = net.builder.addOp(program::kWhile, program::WhileAttrs{3, true}, {}, {});
    net.builder.openRegion(loop, program::RegionKind::kCondition, 3);
    const ValueId go = net.unary("stablehlo.not", flag);
    net.builder.closeRegion(std::vector<ValueId>{go});
    net.builder.openRegion(loop, program::RegionKind::kBody, 3);
    const ValueId turned = net.unary("stablehlo.tanh", net.builder.result(carry, 1));
    net.builder.closeRegion(std::vector<ValueId>{turned});
    net.builder.setOperand(carry, 1, turned);
    net.result(net.builder.result(carry, 2));
    net.build();
    plan.mesh = meshOf("a=2");
    plan.decisions = {{0, {net.color(x, 0)}}};
  }
  // Ops: x, flag, carry, while, not, tanh, return.
  void write() {
    const HandLayout rows{{kA, kNone}};
    const std::vector<AxisList> split{kA, kNone};
    const LocalId lx = writer->compute({}, {rows}, split);
    const LocalId lflag = writer->compute({}, {{{}}});
    const LocalId carried = writer->compute({lx, lx}, {rows, rows, rows}, split);
    writer->compute({}, {});
    const LocalId go = writer->compute({lflag}, {{{}}});
    body = carried.plus(1);
    next = writer->compute({body}, {rows}, split);
    spmd().operands[spmd().instructions[InstructionId(2u)].operandsBegin + 1] = next;
    writer->compute({carried.plus(2)}, {}, split);
    spmd().yields[program::RegionId(1u)] = {go};
    spmd().yields[program::RegionId(2u)] = {next};
    spmd().arguments = {lx, lflag};
    spmd().results = {carried.plus(2)};
  }
  SpmdProgram& spmd() { return writer->spmd; }
  Instruction& instruction(uint32_t index) { return spmd().instructions[InstructionId(index)]; }
  LocalId& operandOf(uint32_t index) { return spmd().operands[instruction(index).operandsBegin]; }
  std::string verdict() { return spmd::verdict(net, plan, spmd()); }

  Net net;
  ValueId x, flag;
  plan::Plan plan;
  std::unique_ptr<Writer> writer;
  LocalId body, next;
};

TEST_F(Loop, IsAccepted) {
  writer = std::make_unique<Writer>(net, plan);
  write();
  EXPECT_EQ(verdict(), "");
}

TEST_F(Loop, K2InstructionsStandInTheirRegion) {
  writer = std::make_unique<Writer>(net, plan);
  write();
  instruction(5).region = program::RegionId(1u);
  EXPECT_REJECTED("K2: op 5 (stablehlo.tanh): stands in another region", verdict());
  instruction(5).region = program::RegionId(2u);
  instruction(4).region = program::RegionId(2u);
  EXPECT_REJECTED("K2: op 4 (stablehlo.not)", verdict());
}

TEST_F(Loop, K2ARegionFollowsItsOp) {
  writer = std::make_unique<Writer>(net, plan);
  write();
  std::swap(instruction(3), instruction(4));
  spmd().locals[spmd().yields[program::RegionId(1u)][0]].definition = InstructionId(3u);
  EXPECT_REJECTED("K2: op 4 (stablehlo.not): stands in region 1, which does not lie here",
                  verdict());
}

TEST_F(Loop, K3EachResultOfACarryHasItsPlace) {
  const char* message = "of a carry is used in the wrong place";
  writer = std::make_unique<Writer>(net, plan);
  write();
  // The body's argument, gathered after the loop.
  writer->move(Kind::kAllGather, OpId(6u), body, kA, {{kNone, kNone}});
  EXPECT_REJECTED("K3: op 6 (return): " + std::string("%3 ") + message, verdict());
  // What the loop leaves, used in its body.
  writer = std::make_unique<Writer>(net, plan);
  write();
  operandOf(5) = body.plus(1);
  EXPECT_REJECTED("K3", verdict());
}

TEST_F(Loop, K3WhatABodyMakesIsNotSeenAfterIt) {
  writer = std::make_unique<Writer>(net, plan);
  write();
  writer->move(Kind::kAllGather, OpId(6u), next, kA, {{kNone, kNone}});
  EXPECT_REJECTED("K3: op 6 (return): %6 is made in a region that has ended", verdict());
}

TEST_F(Loop, K8TheCarryTakesWhatTheBodyYields) {
  writer = std::make_unique<Writer>(net, plan);
  write();
  spmd().yields[program::RegionId(2u)] = {};
  EXPECT_REJECTED("K8: op 3 (while): a region yields 0 values, expected 1", verdict());
  spmd().yields[program::RegionId(2u)] = {body};
  EXPECT_REJECTED("K8: op 3 (while): yield 0 (%3) stands for another value", verdict());
}

// --- a sum: 3 times, s = s + x @ w; the product is split over a (F5) ---

class Sum : public testing::Test {
 protected:
  void SetUp() override {
    const ValueId x = net.argument("x", {8, 8}), w = net.argument("w", {8, 8});
    const ValueId start = net.argument("start", {8, 8});
    const ValueId flag = net.argument("flag", {}, program::DType::kPred);
    const OpId carry = net.builder.addCarry(0, start);
    const OpId loop = net.builder.addOp(program::kWhile, program::WhileAttrs{3, true}, {}, {});
    net.builder.openRegion(loop, program::RegionKind::kCondition, 3);
    net.builder.closeRegion(std::vector<ValueId>{flag});
    net.builder.openRegion(loop, program::RegionKind::kBody, 3);
    const ValueId sum = net.binary("stablehlo.add", net.builder.result(carry, 1), net.matmul(x, w));
    net.builder.closeRegion(std::vector<ValueId>{sum});
    net.builder.setOperand(carry, 1, sum);
    net.result(net.builder.result(carry, 2));
    net.build();
    plan.mesh = meshOf("a=2");
    plan.decisions = {{0, {net.color(x, 1)}}};
    spmd = partition(net.subject(), plan);
  }
  Instruction& theCarry() {
    return *std::ranges::find_if(spmd.instructions, [&](const Instruction& instruction) {
      return instruction.kind == Kind::kCompute && instruction.resultCount == 3;
    });
  }

  Net net;
  plan::Plan plan;
  SpmdProgram spmd;
};

TEST_F(Sum, K6MayStayPartialOverAllTurns) {
  const LocalId yielded = spmd.operandsOf(theCarry())[1];
  EXPECT_FALSE(spmd.layouts.partial(spmd.locals[yielded].layout).empty());
  EXPECT_EQ(verdict(net, plan, spmd), "");
}

TEST_F(Sum, K6BeginsOnOneDevice) {
  spmd.operands[theCarry().operandsBegin] = spmd.arguments[2];  // And not what the mask leaves.
  EXPECT_REJECTED("is partial over none, which does not go with the other operands",
                  verdict(net, plan, spmd));
}

// --- a case: p ? tanh(x) : x, where the second branch only passes x on ---

class Branches : public testing::Test {
 protected:
  void SetUp() override {
    const ValueId x = net.argument("x", {8, 4});
    const ValueId which = net.argument("which", {}, program::DType::kI32);
    const OpId choice = net.builder.addOp(program::kCase, {}, {which}, {});
    net.builder.openRegion(choice, program::RegionKind::kBranch, 1);
    const ValueId first = net.unary("stablehlo.tanh", x);
    net.builder.closeRegion(std::vector<ValueId>{first});
    net.builder.openRegion(choice, program::RegionKind::kBranch, 1);
    net.builder.closeRegion(std::vector<ValueId>{x});
    const OpId merge = net.builder.addMerge(0, std::vector<ValueId>{first, x});
    net.result(net.builder.result(merge));
    net.build();
    plan.mesh = meshOf("a=2");
    plan.decisions = {{0, {net.color(x, 0)}}};
    writer = std::make_unique<Writer>(net, plan);
    const HandLayout rows{{kA, kNone}};
    const std::vector<AxisList> split{kA, kNone};
    lx = writer->compute({}, {rows}, split);
    const LocalId selector = writer->compute({}, {{{}}});
    writer->compute({selector}, {});
    inside = writer->compute({lx}, {rows}, split);
    gathered = writer->move(Kind::kAllGather, OpId(3u), inside, kA, {{kNone, kNone}});
    merged = writer->compute({inside, lx}, {rows}, split);
    writer->compute({merged}, {}, split);
    spmd().yields[program::RegionId(1u)] = {inside};
    spmd().yields[program::RegionId(2u)] = {lx};
    spmd().arguments = {lx, selector};
    spmd().results = {merged};
  }
  SpmdProgram& spmd() { return writer->spmd; }
  std::string verdict() { return spmd::verdict(net, plan, spmd()); }

  Net net;
  plan::Plan plan;
  std::unique_ptr<Writer> writer;
  LocalId lx, inside, gathered, merged;
};

TEST_F(Branches, IsAccepted) { EXPECT_EQ(verdict(), ""); }

TEST_F(Branches, K8TheMergeTakesWhatItsBranchesYield) {
  spmd().yields[program::RegionId(2u)] = {inside};
  EXPECT_REJECTED("K8: op 2 (case): yield 0 (%2) stands for another value", verdict());
  spmd().yields[program::RegionId(2u)] = {lx};
  spmd().yields[program::RegionId(1u)] = {gathered};
  EXPECT_REJECTED("K8: op 4 (merge): operand 0 is %2, but its region yields %3", verdict());
}

TEST_F(Branches, K3OneBranchDoesNotSeeTheOther) {
  // The second branch gathers what the first has made.
  spmd().instructions[InstructionId(4u)].region = program::RegionId(2u);
  EXPECT_REJECTED("K3: op 3 (stablehlo.tanh): %2 is made in a region that has ended", verdict());
}

// --- the law ---

// s = x @ transpose(x), [S, S]: an axis on S goes to the rows, or to the columns if its set says
// so.
TEST(Law, L2AResolutionGivesTheAxisToTheSecondFactor) {
  Net net;
  const ValueId x = net.argument("x", {8, 4});
  const ValueId s = net.matmul(x, net.transpose(x));
  net.result(s);
  net.build();
  ASSERT_EQ(net.analysis->sets().size(), 1u);
  plan::Plan plan;
  plan.mesh = meshOf("a=2");
  plan.decisions = {{0, {net.color(x, 0)}}};
  std::vector<std::string> verdicts;
  for (const bool second : {false, true}) {
    plan.resolutions.clear();
    if (second) plan.resolutions = {{0, {analysis::SetId(0u)}}};
    // Rows on a: x is taken as it is, its transpose is gathered.
    Writer writer(net, plan);
    const LocalId lx = writer.compute({}, {{{kA, kNone}}}, {kA, kNone});
    const OpId transpose(1u), product(2u);
    const auto columns = net.subject().rule(transpose).dim(0, 0)[0];
    std::vector<AxisList> split(2);
    split[columns.index()] = kA;
    const LocalId turned = writer.compute({lx}, {{{kNone, kA}}}, split);
    const LocalId all = writer.move(Kind::kAllGather, product, turned, kA, {{kNone, kNone}}, 1);
    std::vector<AxisList> rows(net.subject().rule(product).factorCount());
    rows[net.subject().rule(product).dim(0, 0)[0].index()] = kA;
    const LocalId out = writer.compute({lx, all}, {{{kA, kNone}}}, rows);
    writer.compute({out}, {}, {kA, kNone});
    writer.spmd.arguments = {lx};
    writer.spmd.results = {out};
    verdicts.push_back(verdict(net, plan, writer.spmd));
  }
  EXPECT_EQ(verdicts[0], "");
  EXPECT_REJECTED("K4: op 2 (stablehlo.dot_general)", verdicts[1]);
}

TEST(Law, L4ATurnPutsItsWinnerFirst) {
  Net net;
  const ValueId x = net.argument("x", {8, 4});
  net.result(net.unary("stablehlo.tanh", x));
  net.build();
  plan::Plan plan;
  plan.mesh = meshOf("a=2");
  plan.decisions = {{0, {net.color(x, 0)}}, {0, {net.color(x, 1)}}};
  Writer writer(net, plan);
  const LocalId lx = writer.compute({}, {{{kA, kNone}}}, {kA, kNone});
  const LocalId out = writer.compute({lx}, {{{kA, kNone}}}, {kA, kNone});
  writer.compute({out}, {}, {kA, kNone});
  writer.spmd.arguments = {lx};
  writer.spmd.results = {out};
  EXPECT_EQ(verdict(net, plan, writer.spmd), "");
  plan.turns = {{0, net.color(x, 1), {OpId(1u)}}};
  EXPECT_REJECTED(
      "K4: op 1 (stablehlo.tanh): factor 0 of size 8 is split over a (2), expected none",
      verdict(net, plan, writer.spmd));
}

// 6 rows over a=2,b=2: b does not divide what a leaves, and goes to the next in its list.
TEST(Law, L1AnAxisThatDoesNotDivideGoesToTheNext) {
  Net net;
  const ValueId x = net.argument("x", {6, 4});
  net.result(x);
  net.build();
  plan::Plan plan;
  plan.mesh = meshOf("a=2,b=2");
  plan.decisions = {{0, {net.color(x, 0)}}, {1, {net.color(x, 0), net.color(x, 1)}}};
  Writer writer(net, plan);
  const LocalId lx = writer.compute({}, {{{kA, kB}}}, {kA, kB});
  writer.compute({lx}, {}, {kA, kB});
  writer.spmd.arguments = {lx};
  writer.spmd.results = {lx};
  EXPECT_EQ(verdict(net, plan, writer.spmd), "");
}

}  // namespace
}  // namespace shardwright::spmd
