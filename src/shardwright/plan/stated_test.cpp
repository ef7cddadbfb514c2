// Shardings that modules state.
#include <gtest/gtest.h>

#include <algorithm>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/plan/testing.h"

namespace shardwright::plan {
namespace {

using mesh::AxisList;
using namespace testing;
using program::DType;
using program::OpId;
using program::ProgramBuilder;
using program::ValueId;

// y = x + x with the given sharding of x over mesh data=4,model=2.
Analysed doubled(mesh::Sharding sharding) {
  ProgramBuilder b;
  b.addMesh({"mesh", {{"data", 4}, {"model", 2}}, {}});
  program::Argument argument{.path = "x"};
  argument.sharding = std::move(sharding);
  const auto type = b.type(DType::kF32, {16, 8});
  const ValueId x = b.addArgument(std::move(argument), type);
  b.addResult({.path = "y"}, b.result(b.addOp("stablehlo.add", {}, {x, x}, {type})));
  return Analysed(std::move(b).finish());
}

Result<TacticOutcome> stated(mesh::Sharding sharding, const std::vector<std::string>& tactics = {},
                             const char* mesh = "data=4,model=2") {
  return run(doubled(std::move(sharding)), mesh, tactics);
}

mesh::DimSharding dim(std::vector<std::string> axes, bool closed = true) {
  mesh::DimSharding dim;
  for (std::string& axis : axes) dim.axes.push_back({std::move(axis), {}});
  dim.closed = closed;
  return dim;
}

TEST(Stated, ShardingsOfTheModuleBecomePins) {
  const Result<TacticOutcome> closed = stated({0, {dim({"data"}), dim({})}, {}, {}});
  ASSERT_TRUE(static_cast<bool>(closed)) << closed.error().message;
  ASSERT_EQ(closed->plan.pins.size(), 1u);
  EXPECT_EQ(closed->plan.pins[0].dims, (std::vector<AxisList>{{0}, {}}));
  EXPECT_EQ(stated({0, {dim({"data"}, false), dim({}, false)}, {}, {}})->plan.pins.size(), 1u);
  EXPECT_TRUE(stated({0, {dim({}, false), dim({}, false)}, {}, {}})->plan.pins.empty());
}

// Nobody wrote what is stated of a mesh without axes.
TEST(Stated, WhatIsKeptIsNamed) {
  const Result<TacticOutcome> one = stated({0, {dim({"data"}), dim({})}, {}, {}});
  EXPECT_EQ(one->notes,
            (std::vector<std::string>{"1 sharding that the module states is kept: argument `x`"}));
  ProgramBuilder b;
  b.addMesh({"empty_mesh", {}, {}});
  program::Argument key{.path = "key"};
  key.sharding = mesh::Sharding{0, {dim({})}, {}, {}};
  b.addResult({.path = "y"}, b.addArgument(std::move(key), b.type(DType::kF32, {2})));
  const Result<TacticOutcome> none = run(Analysed(std::move(b).finish()), "data=2", {});
  ASSERT_TRUE(static_cast<bool>(none)) << none.error().message;
  EXPECT_EQ(none->plan.pins.size(), 1u);
  EXPECT_TRUE(none->notes.empty());
}

// As functions come that were jitted with shardings of their arguments and results.
TEST(Stated, WhatStandsJustInsideHoldsOfTheEndsToo) {
  ProgramBuilder b;
  b.addMesh({"mesh", {{"data", 4}, {"model", 2}}, {}});
  const auto type = b.type(DType::kF32, {16, 8});
  const auto constrained = [&](ValueId value) {
    const ValueId same = b.result(b.addOp("sdy.sharding_constraint", {}, {value}, {type}));
    b.stateSharding(same, {0, {dim({"data"}), dim({})}, {}, {}});
    return same;
  };
  const ValueId x = b.addArgument({.path = "x"}, type), y = b.addArgument({.path = "y"}, type);
  const ValueId sum =
      b.result(b.addOp("stablehlo.add", {}, {constrained(x), constrained(y)}, {type}));
  b.addResult({.path = "twice"}, b.result(b.addOp("stablehlo.add", {}, {sum, y}, {type})));
  b.addResult({.path = "sum"}, constrained(sum));
  const Analysed analysed(std::move(b).finish());
  const Result<TacticOutcome> outcome = run(analysed, "data=4,model=2", {});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  const auto isPinned = [&](OpId op) {
    return std::ranges::any_of(outcome->plan.pins, [&](const Pin& pin) { return pin.op == op; });
  };
  EXPECT_TRUE(isPinned(analysed.program.value(x).definition));
  EXPECT_FALSE(isPinned(analysed.program.value(y).definition)) << "it has another use";
  EXPECT_FALSE(isPinned(analysed.program.results()[0].returnOp));
  EXPECT_TRUE(isPinned(analysed.program.results()[1].returnOp));
}

// y = -x, with a constraint to [-, data] between.
Analysed constrainedInside(std::optional<mesh::Sharding> own = {}) {
  ProgramBuilder b;
  b.addMesh({"mesh", {{"data", 4}, {"model", 2}}, {}});
  const auto type = b.type(DType::kF32, {16, 8});
  const ValueId x = b.addArgument({.path = "x", .sharding = std::move(own)}, type);
  const ValueId inside = b.result(b.addOp("sdy.sharding_constraint", {}, {x}, {type}));
  b.stateSharding(inside, {0, {dim({}), dim({"data"})}, {}, {}});
  b.addResult({.path = "y"}, b.result(b.addOp("stablehlo.negate", {}, {inside}, {type})));
  return Analysed(std::move(b).finish());
}

TEST(Stated, AConstraintBehindAnArgumentYieldsToAShardOfIt) {
  const Analysed analysed = constrainedInside();
  const auto pins = [&](const std::vector<std::string>& tactics) {
    const Result<TacticOutcome> outcome = run(analysed, "data=4,model=2", tactics);
    return outcome ? outcome->plan.pins : std::vector<Pin>();
  };
  ASSERT_EQ(pins({"shard(x:0, data)"}).size(), 1u) << "that of the constraint";
  EXPECT_EQ(analysed.program.name(pins({"shard(x:0, data)"})[0].op), "sdy.sharding_constraint");
  EXPECT_EQ(pins({"shard(x:1, data)"}).size(), 2u) << "that of the argument agrees";
  EXPECT_EQ(pins({}).size(), 2u);
}

TEST(Stated, WhatIsStatedOfTheArgumentItselfDoesNotYield) {
  const Analysed analysed = constrainedInside(mesh::Sharding{0, {dim({}), dim({"data"})}, {}, {}});
  const Result<TacticOutcome> outcome = run(analysed, "data=4,model=2", {"shard(x:0, data)"});
  ASSERT_FALSE(static_cast<bool>(outcome));
  EXPECT_NE(outcome.error().message.find("contradict"), std::string::npos);
}

// A sharding on the result of an op that does something says nothing of its operand.
TEST(Stated, WhatAnOpMakesOfAnArgumentDoesNotPinIt) {
  ProgramBuilder b;
  b.addMesh({"mesh", {{"data", 4}, {"model", 2}}, {}});
  const ValueId x = b.addArgument({.path = "x"}, b.type(DType::kF32, {16, 8}));
  const ValueId flat =
      b.result(b.addOp("stablehlo.reshape", {}, {x}, {b.type(DType::kF32, {4, 4, 8})}));
  b.stateSharding(flat, {0, {dim({"data"}), dim({}), dim({"model"})}, {}, {}});
  b.addResult({.path = "y"},
              b.result(b.addOp("stablehlo.negate", {}, {flat}, {b.type(DType::kF32, {4, 4, 8})})));
  const Result<TacticOutcome> outcome = run(Analysed(std::move(b).finish()), "data=4,model=2", {});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  ASSERT_EQ(outcome->plan.pins.size(), 1u);
  EXPECT_EQ(outcome->plan.pins[0].dims.size(), 3u);
}

TEST(Stated, APinOfTheUserTakesItsPlaceAndAShardMustAgree) {
  const mesh::Sharding sharding{0, {dim({"data"}), dim({})}, {}, {}};
  const Result<TacticOutcome> pinned = stated(sharding, {"pin(x, [-, model])"});
  ASSERT_TRUE(static_cast<bool>(pinned)) << pinned.error().message;
  EXPECT_EQ(pinned->plan.pins.size(), 1u);
  EXPECT_EQ(pinned->plan.pins[0].dims, (std::vector<AxisList>{{}, {1}}));
  EXPECT_TRUE(static_cast<bool>(stated(sharding, {"shard(x:0, data)"})));
  EXPECT_NE(stated(sharding, {"shard(x:1, model)"}).error().message.find("contradict"),
            std::string::npos);
}

TEST(Stated, RefusesWhatAPlanCannotSay) {
  mesh::Sharding unreduced{0, {dim({"data"}), dim({})}, {}, {{"model", {}}}};
  EXPECT_NE(stated(unreduced).error().message.find("unreduced"), std::string::npos);
  mesh::Sharding part{0, {dim({"data"}), dim({})}, {}, {}};
  part.dims[0].axes[0].subAxis = mesh::AxisRef::SubAxis{1, 2};
  EXPECT_NE(stated(part).error().message.find("a part of axis `data`"), std::string::npos);
  const mesh::Sharding sharding{0, {dim({"data"}), dim({})}, {}, {}};
  EXPECT_NE(stated(sharding, {}, "data=2")
                .error()
                .message.find("axis `data` of size 4; the mesh is data=2"),
            std::string::npos);
}

// The layout of x, argument 0, under the tactics.
std::string specOfX(const mesh::Sharding& sharding, const std::vector<std::string>& tactics) {
  const Analysed m = doubled(sharding);
  const Result<TacticOutcome> outcome = run(m, "data=4,model=2", tactics);
  if (!outcome) return outcome.error().message;
  const Assignment assignment = assign(m.subject(), outcome->plan);
  std::vector<AxisList> dims;
  for (size_t d = 0; d < 2; ++d)
    dims.push_back(dimAxes(m.subject().rule(OpId(0u)), assignment.axes(OpId(0u)), 0, d));
  return specText(outcome->plan.mesh, dims);
}

TEST(Stated, AnOpenDimHasWhatTheLawGivesIt) {
  const mesh::Sharding rows{0, {dim({}, false), dim({})}, {}, {}};
  EXPECT_EQ(specOfX(rows, {}), "replicated");
  EXPECT_EQ(specOfX(rows, {"shard(x:0, data)"}), "[data, -]");
  EXPECT_NE(specOfX(rows, {"shard(x:1, model)"}).find("pinned to [?, -] by the second"),
            std::string::npos);
}

TEST(Stated, AnOpenDimHasTheAxesOfTheLawBehindItsOwn) {
  const mesh::Sharding both{0, {dim({"model"}, false), dim({}, false)}, {}, {}};
  EXPECT_EQ(specOfX(both, {"shard(x:0, data)"}), "[model+data, -]");
  EXPECT_EQ(specOfX(both, {"shard(x:1, data)"}), "[model, data]");
  EXPECT_NE(specOfX(both, {"shard(x:1, model)"}).find("contradict"), std::string::npos)
      << "an axis that another dim has";
}

}  // namespace
}  // namespace shardwright::plan
