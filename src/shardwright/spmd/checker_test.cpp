#include "shardwright/spmd/checker.h"

#include "shardwright/spmd/checker_testing.h"

namespace shardwright::spmd {
namespace {

using mesh::AxisList;
using mesh::AxisSet;
using program::Combiner;
using program::OpId;
using program::ValueId;

const AxisList kNone{}, kA{0}, kB{1};
const AxisSet kPartialA{0};

// y = x @ w with the contracted dim on axis a: a partial product, reduced.
class Matmul : public testing::Test {
 protected:
  void SetUp() override {
    x = net.argument("x", {8, 16});
    w = net.argument("w", {16, 4});
    y = net.matmul(x, w);
    net.result(y);
    net.build();
    plan.mesh = meshOf("a=2,b=2");
    plan.decisions = {{0, {net.color(x, 1)}}};
    writer = std::make_unique<Writer>(net, plan);
    const LocalId lx = writer->compute({}, {{{kNone, kA}}}, {kNone, kA});
    const LocalId lw = writer->compute({}, {{{kA, kNone}}}, {kA, kNone});
    lxw = writer->compute({lx, lw}, {{{kNone, kNone}, kPartialA}}, splitContracting());
    ly = writer->move(Kind::kAllReduce, OpId(2u), lxw, kA, {{kNone, kNone}});
    writer->compute({ly}, {});
    spmd().arguments = {lx, lw};
    spmd().results = {ly};
  }
  // The rule of dot_general says which of its factors is the reduction.
  std::vector<AxisList> splitContracting() const {
    std::vector<AxisList> axes;
    for (const rules::Factor& factor : net.subject().rule(net.definition(y)).factors()) {
      axes.push_back(factor.kind == rules::FactorKind::kReduction ? kA : kNone);
    }
    return axes;
  }
  SpmdProgram& spmd() { return writer->spmd; }
  Instruction& instruction(uint32_t index) { return spmd().instructions[InstructionId(index)]; }
  std::string verdict() { return spmd::verdict(net, plan, spmd()); }

  Net net;
  ValueId x, w, y;
  plan::Plan plan;
  std::unique_ptr<Writer> writer;
  LocalId lxw, ly;
};

TEST_F(Matmul, IsAccepted) { EXPECT_EQ(verdict(), ""); }

TEST_F(Matmul, K1AnotherMesh) {
  plan.mesh = meshOf("a=2,b=4");
  EXPECT_REJECTED("K1: the mesh is a=2,b=2, the plan's is a=2,b=4", verdict());
}

TEST_F(Matmul, K1ATypeThatIsNotThePart) {
  spmd().locals[ly].type = spmd().types.intern(program::DType::kF32, std::vector<int64_t>{8, 2});
  EXPECT_REJECTED("K1: op 2 (stablehlo.dot_general): %3: dim 1 has local size 2", verdict());
}

TEST_F(Matmul, K1AnAxisTwiceInALayout) {
  spmd().layouts.intern(std::vector<AxisList>{kA, kA});
  EXPECT_REJECTED("stands twice", verdict());
}

TEST_F(Matmul, K2AMissingOp) {
  spmd().instructions[InstructionId(4u)].kind = Kind::kAllGather;
  EXPECT_REJECTED("K2: op 3 (return): is missing", verdict());
}

TEST_F(Matmul, K2OpsOutOfOrder) {
  std::swap(instruction(0).op, instruction(1).op);
  EXPECT_REJECTED("K2: op 1 (argument): stands where op 0 was expected", verdict());
}

TEST_F(Matmul, K3AnotherValue) {
  std::swap(spmd().operands[0], spmd().operands[1]);
  EXPECT_REJECTED("K3: op 2 (stablehlo.dot_general): operand 0 is %1", verdict());
}

TEST_F(Matmul, K3AMoveKeepsTheValue) {
  spmd().locals[ly].value = x;
  EXPECT_NE(verdict(), "");
}

TEST_F(Matmul, K4TheLawsSplit) {
  plan.decisions[0].axis = 1;
  EXPECT_REJECTED("K4: op 0 (argument): factor 1 of size 16 is split over a (2), expected b (2)",
                  verdict());
}

TEST_F(Matmul, K5ALayoutThatTheRuleDoesNotGive) {
  spmd().assignment.set(OpId(0u), rules::FactorId(1u), kA);
  const std::vector<AxisList> whole{kNone, kNone};
  Local& local = spmd().locals[LocalId(0u)];
  local.layout = spmd().layouts.intern(whole);
  local.type = spmd().types.intern(program::DType::kF32, std::vector<int64_t>{8, 16});
  EXPECT_REJECTED(
      "K5: op 0 (argument): result 0 (%0): dim 1 of size 16 is split over none, expected a (2)",
      verdict());
}

TEST_F(Matmul, K6AProductThatForgetsToBePartial) {
  const std::vector<AxisList> whole{kNone, kNone};
  spmd().locals[lxw].layout = spmd().layouts.intern(whole);
  EXPECT_REJECTED("K6: op 2 (stablehlo.dot_general): result 0 is partial over none, expected a (2)",
                  verdict());
}

TEST_F(Matmul, K6APartialResultIsReturned) {
  spmd().operands.back() = lxw;
  spmd().results = {lxw};
  EXPECT_REJECTED("K6: op 3 (return): operand 0 is partial (add) over a (2)", verdict());
}

TEST_F(Matmul, K7TheWrongAxis) {
  instruction(3).axes = kB;
  EXPECT_REJECTED("K7: op 2 (stablehlo.dot_general): all_reduce %2 over b (2): is partial over a",
                  verdict());
}

TEST_F(Matmul, K7TheWrongCombiner) {
  instruction(3).combiner = Combiner::kMax;
  EXPECT_REJECTED("combines with max, its terms with add", verdict());
}

TEST_F(Matmul, K7AnotherKindOfMove) {
  for (const Kind kind : {Kind::kSlice, Kind::kMask, Kind::kReduceScatter, Kind::kAllGather,
                          Kind::kAllToAll, Kind::kCollectivePermute}) {
    instruction(3).kind = kind;
    EXPECT_REJECTED("K7", verdict());
  }
}

TEST_F(Matmul, K8ArgumentsAndResultsAreTheProgramsOwn) {
  spmd().results = {lxw};
  EXPECT_REJECTED("K8: op 3 (return): result 0 is another local", verdict());
  spmd().results = {ly};
  spmd().arguments = {LocalId(1u), LocalId(0u)};
  EXPECT_REJECTED("K8: op 0 (argument): argument 0 is another local", verdict());
}

TEST_F(Matmul, K9APinnedValueIsBroughtIntoItsLayoutFirst) {
  plan.pins = {{net.definition(y), 0, {kNone, kB}}};
  EXPECT_REJECTED("K9: op 3 (return): %3 is used before its pinned layout is reached", verdict());
  plan.pins[0].dims = {kNone, kNone};
  EXPECT_EQ(verdict(), "");
}

TEST_F(Matmul, L5APinOfAnArgumentReplacesTheLaw) {
  plan.pins = {{net.definition(x), 0, {kB, kNone}}};
  EXPECT_REJECTED("K4: op 0 (argument): factor 0 of size 8 is split over none, expected b (2)",
                  verdict());
}

// --- moves, one at a time: x is handed on in another layout ---

struct Step {
  Kind kind;
  HandLayout from, to;
  AxisList axes;
  uint8_t dim = 0, toDim = 0;
};

// The argument is pinned to `from`, the result to `to`; a mask's result cannot be returned.
std::string verdictOnStep(const Step& step) {
  Net net;
  const ValueId x = net.argument("x", {8, 8});
  net.result(x);
  net.build();
  plan::Plan plan;
  plan.mesh = meshOf("a=2,b=2");
  plan.pins = {{net.definition(x), 0, step.from.dims}, {OpId(1u), 0, step.to.dims}};
  Writer writer(net, plan);
  const LocalId in = writer.compute({}, {step.from}, step.from.dims);
  const LocalId out =
      writer.move(step.kind, OpId(1u), in, step.axes, step.to, step.dim, step.toDim);
  writer.compute({out}, {}, step.to.dims);
  writer.spmd.arguments = {in};
  writer.spmd.results = {out};
  return verdict(net, plan, writer.spmd);
}

TEST(Moves, K7SliceCutsAtTheMinorEnd) {
  const AxisList ab{0, 1}, ba{1, 0};
  EXPECT_EQ(verdictOnStep({Kind::kSlice, {{kA, kNone}}, {{ab, kNone}}, kB, 0}), "");
  EXPECT_EQ(verdictOnStep({Kind::kSlice, {{kNone, kNone}}, {{kNone, ba}}, ba, 1}), "");
  EXPECT_REJECTED("leaves [b+a, -]",
                  verdictOnStep({Kind::kSlice, {{kA, kNone}}, {{ba, kNone}}, kB, 0}));
  EXPECT_REJECTED("leaves [-, b]",
                  verdictOnStep({Kind::kSlice, {{kNone, kNone}}, {{kNone, kB}}, kB, 0}));
  EXPECT_REJECTED("split over them already",
                  verdictOnStep({Kind::kSlice, {{kA, kNone}}, {{kA, kNone}}, kA, 1}));
  EXPECT_REJECTED("no dim 2", verdictOnStep({Kind::kSlice, {{kA, kNone}}, {{ab, kNone}}, kB, 2}));
}

TEST(Moves, K7AllGatherTakesFromTheMinorEnd) {
  const AxisList ab{0, 1};
  EXPECT_EQ(verdictOnStep({Kind::kAllGather, {{ab, kNone}}, {{kA, kNone}}, kB, 0}), "");
  EXPECT_EQ(verdictOnStep({Kind::kAllGather, {{ab, kNone}}, {{kNone, kNone}}, ab, 0}), "");
  EXPECT_REJECTED("dim 0 is split over a+b (2x2), which does not end so",
                  verdictOnStep({Kind::kAllGather, {{ab, kNone}}, {{kB, kNone}}, kA, 0}));
  EXPECT_REJECTED("does not end so",
                  verdictOnStep({Kind::kAllGather, {{kA, kB}}, {{kA, kNone}}, kB, 0}));
}

TEST(Moves, K7AllToAllMovesAxesBetweenDims) {
  const AxisList ab{0, 1};
  EXPECT_EQ(verdictOnStep({Kind::kAllToAll, {{kA, kNone}}, {{kNone, kA}}, kA, 0, 1}), "");
  EXPECT_EQ(verdictOnStep({Kind::kAllToAll, {{ab, kNone}}, {{kA, kB}}, kB, 0, 1}), "");
  EXPECT_REJECTED("does not end so",
                  verdictOnStep({Kind::kAllToAll, {{ab, kNone}}, {{kB, kA}}, kA, 0, 1}));
  EXPECT_REJECTED("moves inside one dim",
                  verdictOnStep({Kind::kAllToAll, {{kA, kNone}}, {{kA, kNone}}, kA, 0, 0}));
}

TEST(Moves, K7PermuteKeepsTheLocalShape) {
  const AxisList ab{0, 1}, ba{1, 0};
  EXPECT_EQ(verdictOnStep({Kind::kCollectivePermute, {{kA, kNone}}, {{kB, kNone}}, ab}), "");
  EXPECT_EQ(verdictOnStep({Kind::kCollectivePermute, {{ab, kNone}}, {{ba, kNone}}, ab}), "");
  EXPECT_REJECTED("changes the local type",
                  verdictOnStep({Kind::kCollectivePermute, {{kA, kNone}}, {{kNone, kA}}, ab}));
}

TEST(Moves, K7ReductionsNeedAPartialValue) {
  EXPECT_REJECTED("is partial over none only",
                  verdictOnStep({Kind::kAllReduce, {{kNone, kNone}}, {{kNone, kNone}}, kA}));
  EXPECT_REJECTED("is partial over none only",
                  verdictOnStep({Kind::kReduceScatter, {{kNone, kNone}}, {{kA, kNone}}, kA}));
}

// --- partial values that flow: y = f(x @ v) with the contracted dim on a ---

// x @ v is made partial over a; `op` then takes it together with z, and its result is reduced.
class Flowing : public testing::Test {
 protected:
  void start(const char* op) {
    x = net.argument("x", {8, 16});
    v = net.argument("v", {16, 4});
    z = net.argument("z", {8, 4});
    const ValueId product = net.matmul(x, v);
    y = net.binary(op, product, z);
    net.result(y);
    net.build();
    plan.mesh = meshOf("a=2,b=2");
    plan.decisions = {{0, {net.color(x, 1)}}};
    writer = std::make_unique<Writer>(net, plan);
    const LocalId lx = writer->compute({}, {{{kNone, kA}}}, {kNone, kA});
    const LocalId lv = writer->compute({}, {{{kA, kNone}}}, {kA, kNone});
    lz = writer->compute({}, {whole});
    std::vector<AxisList> split;
    for (const rules::Factor& factor : net.subject().rule(net.definition(product)).factors()) {
      split.push_back(factor.kind == rules::FactorKind::kReduction ? kA : kNone);
    }
    lxv = writer->compute({lx, lv}, {partial}, split);
    writer->spmd.arguments = {lx, lv, lz};
  }
  std::string finish(LocalId out) {
    writer->compute({out}, {});
    writer->spmd.results = {out};
    return verdict(net, plan, writer->spmd);
  }
  LocalId reduce(LocalId local) {
    return writer->move(Kind::kAllReduce, net.definition(y), local, kA, whole);
  }
  LocalId mask(LocalId local) {
    return writer->move(Kind::kMask, net.definition(y), local, kA, partial);
  }

  const HandLayout whole{{kNone, kNone}}, partial{{kNone, kNone}, kPartialA};
  Net net;
  ValueId x, v, z, y;
  plan::Plan plan;
  std::unique_ptr<Writer> writer;
  LocalId lxv, lz;
};

TEST_F(Flowing, K6ReducedBeforeTheOp) {
  start("stablehlo.add");
  const LocalId sum = reduce(lxv);
  EXPECT_EQ(finish(writer->compute({sum, lz}, {whole})), "");
}

TEST_F(Flowing, K6ThroughASumWithTheOtherSideMasked) {
  start("stablehlo.add");
  const LocalId masked = mask(lz);
  EXPECT_EQ(finish(reduce(writer->compute({lxv, masked}, {partial}))), "");
}

TEST_F(Flowing, K6ThroughASumTheOtherSideMustBeMasked) {
  start("stablehlo.add");
  EXPECT_REJECTED("K6: op 4 (stablehlo.add): operand 1 is partial over none, which does not go",
                  finish(reduce(writer->compute({lxv, lz}, {partial}))));
}

TEST_F(Flowing, K6ThroughAProductTheOtherSideMustBeComplete) {
  start("stablehlo.multiply");
  EXPECT_EQ(finish(reduce(writer->compute({lxv, lz}, {partial}))), "");
}

TEST_F(Flowing, K6ThroughAProductOnlyOneSideAtATime) {
  start("stablehlo.multiply");
  const LocalId masked = mask(lz);
  EXPECT_REJECTED("operand 1 is partial over a (2), which does not go with the other operands",
                  finish(reduce(writer->compute({lxv, masked}, {partial}))));
}

TEST_F(Flowing, K6NotThroughAMaximum) {
  start("stablehlo.maximum");
  const LocalId masked = mask(lz);
  EXPECT_REJECTED("operand 0 is partial (add) over a (2), and must be complete",
                  finish(reduce(writer->compute({lxv, masked}, {partial}))));
}

TEST_F(Flowing, K6ANonLinearOperandOfALinearOp) {
  start("stablehlo.divide");
  EXPECT_EQ(finish(reduce(writer->compute({lxv, lz}, {partial}))), "");
}

TEST_F(Flowing, K7AMaskOfAnotherCombinerDoesNotMix) {
  start("stablehlo.add");
  const LocalId masked = mask(lz);
  writer->spmd.instructions[writer->last()].combiner = Combiner::kMax;
  EXPECT_REJECTED("operand 1 is partial (max)",
                  finish(reduce(writer->compute({lxv, masked}, {partial}))));
}

// --- splits given up: rows of y on a by the law; the partial sum flows instead ---

TEST(GivenUp, K4OnlyForAxesThatFlow) {
  for (const bool flows : {true, false}) {
    Net net;
    const ValueId x = net.argument("x", {8, 16}), v = net.argument("v", {16, 4});
    const ValueId product = net.matmul(x, v);
    const ValueId y = net.unary("stablehlo.negate", product);
    net.result(y);
    net.build();
    plan::Plan plan;
    plan.mesh = meshOf("a=2");
    plan.decisions = {{0, {net.color(x, 1), net.color(x, 0)}}};
    Writer writer(net, plan);
    const LocalId lx = writer.compute({}, {{{kNone, kA}}}, {kNone, kA});
    const LocalId lv = writer.compute({}, {{{kA, kNone}}}, {kA, kNone});
    std::vector<AxisList> split;
    for (const rules::Factor& factor : net.subject().rule(net.definition(product)).factors()) {
      split.push_back(factor.kind == rules::FactorKind::kReduction ? kA : kNone);
    }
    const HandLayout whole{{kNone, kNone}}, partial{{kNone, kNone}, kPartialA};
    LocalId local = writer.compute({lx, lv}, {partial}, split);
    // The law splits the rows of the negation.
    if (!flows) local = writer.move(Kind::kAllReduce, net.definition(y), local, kA, whole);
    local = writer.compute({local}, {flows ? partial : whole});
    local = flows ? writer.move(Kind::kReduceScatter, net.definition(y), local, kA, {{kA, kNone}})
                  : writer.move(Kind::kSlice, net.definition(y), local, kA, {{kA, kNone}});
    writer.compute({local}, {}, {kA, kNone});
    writer.spmd.arguments = {lx, lv};
    writer.spmd.results = {local};
    const std::string text = verdict(net, plan, writer.spmd);
    EXPECT_EQ(text.substr(0, 48), flows ? "" : "K4: op 3 (stablehlo.negate): factor 0 of size 8 ");
  }
}

TEST(Aliases, L5AReturnFollowsTheArgumentWhoseBufferItTakes) {
  Net net;
  const ValueId x = net.aliased("x", {8, 4}, 0);
  net.result(net.unary("stablehlo.negate", x));
  net.build();
  plan::Plan plan;
  plan.mesh = meshOf("a=2");
  plan.pins = {{OpId(0u), 0, {kA, kNone}}, {OpId(2u), 0, {kNone, kNone}}};
  for (const bool follows : {true, false}) {
    Writer writer(net, plan);
    const LocalId lx = writer.compute({}, {{{kA, kNone}}}, {kA, kNone});
    LocalId local = writer.move(Kind::kAllGather, OpId(1u), lx, kA, {{kNone, kNone}});
    local = writer.compute({local}, {{{kNone, kNone}}});
    if (follows) local = writer.move(Kind::kSlice, OpId(2u), local, kA, {{kA, kNone}});
    writer.compute({local}, {},
                   follows ? std::vector<AxisList>{kA, kNone} : std::vector<AxisList>{});
    writer.spmd.arguments = {lx};
    writer.spmd.results = {local};
    const std::string text = verdict(net, plan, writer.spmd);
    EXPECT_EQ(text.substr(0, 38), follows ? "" : "K4: op 2 (return): factor 0 of size 8 ");
  }
}

// --- what an op needs once: x scattered into y by rows, the rows of the updates on a ---

class Scattered : public testing::Test {
 protected:
  void SetUp() override {
    const ValueId y = net.argument("y", {16, 4});
    const ValueId rows = net.argument("rows", {8, 1}, program::DType::kI32);
    const ValueId updates = net.argument("updates", {8, 4});
    program::ScatterAttrs attributes;
    attributes.updateWindowDims = {1};
    attributes.insertedWindowDims = {0};
    attributes.scatterDimsToOperandDims = {0};
    attributes.indexVectorDim = 1;
    attributes.combiner = Combiner::kAdd;
    const ValueId sum = net.one("stablehlo.scatter", attributes, {y, rows, updates}, net.typeOf(y));
    net.result(sum);
    net.build();
    plan.mesh = meshOf("a=2");
    plan.decisions = {{0, {net.color(updates, 0)}}};
    for (const rules::Factor& factor : net.subject().rule(OpId(3u)).factors()) {
      split.push_back(factor.kind == rules::FactorKind::kReduction ? kA : kNone);
    }
  }
  std::string verdictWith(bool masked) {
    Writer writer(net, plan);
    const LocalId y = writer.compute({}, {{{kNone, kNone}}});
    const LocalId rows = writer.compute({}, {{{kA, kNone}}}, {kA});
    const LocalId updates = writer.compute({}, {{{kA, kNone}}}, {kA});
    const HandLayout partial{{kNone, kNone}, kPartialA};
    LocalId into = y;
    if (masked) into = writer.move(Kind::kMask, OpId(3u), y, kA, partial);
    const LocalId sum = writer.compute({into, rows, updates}, {partial}, split);
    const LocalId out = writer.move(Kind::kAllReduce, OpId(4u), sum, kA, {{kNone, kNone}});
    writer.compute({out}, {});
    writer.spmd.arguments = {y, rows, updates};
    writer.spmd.results = {out};
    return verdict(net, plan, writer.spmd);
  }

  Net net;
  plan::Plan plan;
  std::vector<AxisList> split;
};

TEST_F(Scattered, K6WhatCountsOnceIsMasked) {
  EXPECT_EQ(verdictWith(true), "");
  EXPECT_REJECTED(
      "K6: op 3 (stablehlo.scatter): operand 0 counts once and must enter on one device of a (2)",
      verdictWith(false));
}

}  // namespace
}  // namespace shardwright::spmd
