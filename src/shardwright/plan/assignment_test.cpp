#include "shardwright/plan/assignment.h"

#include <gtest/gtest.h>

#include "shardwright/plan/meetings.h"
#include "shardwright/plan/testing.h"

namespace shardwright::plan {
namespace {

using mesh::AxisList;
using program::DotAttrs;
using namespace testing;
using program::DType;
using program::OpId;
using program::ProgramBuilder;
using program::ValueId;
using rules::FactorId;

// y = x @ w: argument x, argument w, dot (factors i, j, k), return.
Analysed product(int64_t rows, int64_t k, int64_t columns, bool aliased = false) {
  ProgramBuilder b;
  program::Argument first{.path = "x"};
  if (aliased) first.aliasedResult = 0;
  const ValueId x = b.addArgument(first, b.type(DType::kF32, {rows, k}));
  const ValueId w = b.addArgument({.path = "w"}, b.type(DType::kF32, {k, columns}));
  const OpId dot = b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {x, w},
                           {b.type(DType::kF32, {rows, columns})});
  b.addResult({.path = "y"}, b.result(dot));
  return Analysed(std::move(b).finish());
}

constexpr OpId kX(0u), kW(1u), kDot(2u), kReturn(3u);
constexpr FactorId kI(0u), kJ(1u), kK(2u);

TEST(Law, L1EachAxisGoesToTheFirstColourOfItsList) {
  const Analysed m = product(16, 32, 64);
  Plan plan = planOf("data=4,model=2");
  plan.decisions = {{0, {m.color(0, 0)}}, {1, {m.color(1, 1)}}, {1, {m.color(0, 1)}}};
  const Assignment a = assign(m.subject(), plan);
  EXPECT_EQ(a.axes(kDot, kI), (AxisList{0}));
  EXPECT_EQ(a.axes(kDot, kJ), (AxisList{1}));
  EXPECT_TRUE(a.axes(kDot, kK).empty());
  // Where the first colour is not, the second takes the axis.
  EXPECT_EQ(dimAxes(m.subject().rule(kX), a.axes(kX), 0, 1), (AxisList{1}));
}

TEST(Law, L1AnAxisThatDoesNotDivideGoesToTheNextColour) {
  const Analysed m = product(6, 32, 64);
  Plan plan = planOf("data=4");
  plan.decisions = {{0, {m.color(0, 0)}}, {0, {m.color(0, 1)}}};
  const Assignment a = assign(m.subject(), plan);
  EXPECT_TRUE(a.axes(kDot, kI).empty());
  EXPECT_EQ(a.axes(kDot, kK), (AxisList{0}));
  const auto report = unsplit(m.subject(), plan, a);
  ASSERT_EQ(report.size(), 1u);
  EXPECT_EQ(report[0].reason, Unsplit::Reason::kIndivisible);
  EXPECT_EQ(report[0].size, 6);
}

TEST(Law, L1AxesOfSizeOneGoNowhere) {
  const Analysed m = product(16, 32, 64);
  Plan plan = planOf("data=1");
  plan.decisions = {{0, {m.color(0, 0)}}};
  EXPECT_TRUE(assign(m.subject(), plan).used(kDot).empty());
}

TEST(Law, L3AxesOfOneFactorStandInMeshOrder) {
  const Analysed m = product(16, 32, 64);
  Plan plan = planOf("data=4,model=2");
  plan.decisions = {{1, {m.color(0, 0)}}, {0, {m.color(0, 0)}}};
  EXPECT_EQ(assign(m.subject(), plan).axes(kDot, kI), (AxisList{0, 1}));
}

TEST(Law, L4ATurnLetsTheLaterColourWin) {
  const Analysed m = product(16, 32, 64);
  Plan plan = planOf("data=4");
  plan.decisions = {{0, {m.color(0, 0)}}, {0, {m.color(0, 1)}}};
  const Meetings meetings(m.subject());
  const auto sets = meetings.between(m.color(0, 0), m.color(0, 1));
  ASSERT_EQ(sets.size(), 1u);  // Argument x and the matmul, which x ties together.
  EXPECT_EQ(sets[0]->ops, (std::vector<OpId>{kX, kDot}));
  plan.turns = {{0, m.color(0, 1), sets[0]->ops}};
  const Assignment a = assign(m.subject(), plan);
  EXPECT_EQ(a.axes(kDot, kK), (AxisList{0}));
  EXPECT_TRUE(a.axes(kDot, kI).empty());
  EXPECT_EQ(a.axes(kReturn, kI), (AxisList{0}));
}

TEST(Law, L5APinReplacesAndTheAliasedReturnFollows) {
  const Analysed m = product(16, 16, 16, /*aliased=*/true);
  Plan plan = planOf("data=4");
  plan.pins = {{kX, 0, {{}, {0}}}};
  const Assignment a = assign(m.subject(), plan);
  EXPECT_EQ(a.axes(kX, kJ), (AxisList{0}));
  EXPECT_EQ(a.axes(kReturn, kJ), (AxisList{0}));
  EXPECT_TRUE(a.used(kW).empty());
}

// x + x @ w: the matmul's columns and its summed dim have one colour.
TEST(Law, L2TheResolutionChoosesTheFactor) {
  ProgramBuilder b;
  const auto type = b.type(DType::kF32, {8, 16});
  const ValueId x = b.addArgument({.path = "x"}, type);
  const ValueId w = b.addArgument({.path = "w"}, b.type(DType::kF32, {16, 16}));
  const OpId dot = b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {x, w}, {type});
  b.addResult({.path = "y"}, b.result(b.addOp("stablehlo.add", {}, {x, b.result(dot)}, {type})));
  const Analysed m(std::move(b).finish());
  Plan plan = planOf("model=4");
  plan.decisions = {{0, {m.color(0, 1)}}};
  const AxisList first = assign(m.subject(), plan).axes(kDot, kJ);
  plan.resolutions = {{0, {m.analysis.conflicts()[analysis::ConflictId(0u)].set}}};
  const Assignment turned = assign(m.subject(), plan);
  EXPECT_NE(turned.axes(kDot, kJ), first);
  EXPECT_EQ(turned.axes(kDot, kJ).empty(), !turned.axes(kDot, kK).empty());
}

TEST(CheckPlan, NamesArgumentDimAxisAndSizes) {
  const Analysed m = product(6, 32, 64);
  Plan plan = planOf("data=4");
  plan.pins = {{kX, 0, {{0}, {}}}};
  const Status bad = checkPlan(m.subject(), plan);
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->message,
            "argument `x`: dim 0 has size 6, which axis `data` of size 4 does not divide");
  plan.pins = {{kX, 0, {{}, {0}}}, {kX, 0, {{}, {}}}};
  EXPECT_EQ(checkPlan(m.subject(), plan)->message, "argument `x` is pinned in two ways");
  plan.pins = {{kX, 0, {{}}}};
  EXPECT_EQ(checkPlan(m.subject(), plan)->message, "argument `x` has 2 dims, its pin 1");
  plan.pins = {};
  plan.decisions = {{3, {m.color(0, 0)}}};
  EXPECT_EQ(checkPlan(m.subject(), plan)->message,
            "the plan names mesh axis number 3; the mesh is data=4");
}

}  // namespace
}  // namespace shardwright::plan
