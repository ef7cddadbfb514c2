#include "shardwright/plan/plan_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shardwright/plan/meetings.h"
#include "shardwright/plan/testing.h"

namespace shardwright::plan {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;

// x[16,16] @ w[16,16] + x, where columns of x and w are one colour that meets itself.
Analysed residual(int64_t rows = 16, const char* w = "w", const char* op = "stablehlo.add") {
  program::ProgramBuilder b;
  const auto type = b.type(program::DType::kF32, {rows, 16});
  const auto x = b.addArgument({.path = "x"}, type);
  const auto weight = b.addArgument({.path = w}, b.type(program::DType::kF32, {16, 16}));
  const auto dot =
      b.addOp("stablehlo.dot_general", program::DotAttrs{{}, {}, {1}, {0}}, {x, weight}, {type});
  const auto sum = b.addOp(op, {}, {x, b.result(dot)}, {type});
  b.addResult({.path = "y"}, b.result(sum));
  return Analysed(std::move(b).finish());
}

// A plan with something of everything.
PlanFile fullPlan(const Analysed& m) {
  PlanFile file;
  file.plan = planOf("data=4,model=2");
  file.plan.decisions = {{0, {m.color(0, 0)}}, {0, {m.color(0, 1)}}, {1, {m.color(0, 1)}}};
  file.plan.resolutions = {{1, {analysis::SetId(0u)}}};
  const Meetings meetings(m.subject());
  const auto sets = meetings.between(m.color(0, 1), m.color(0, 0));
  file.plan.turns = {{0, m.color(0, 1), sets[0]->ops}};
  file.plan.pins = {{program::OpId(1u), 0, {{}, {1}}},
                    {m.program.results()[0].returnOp, 0, {{0, 1}, {}}},
                    {program::OpId(2u), 0, {{0}, {}}, {true, false}}};
  file.plan.remakeGap = 7;
  file.tactics = {"dp(data)"};
  file.words = {"dp(data): batch (x.0)"};
  return file;
}

TEST(PlanFile, SavingWhatWasLoadedGivesTheSameText) {
  const Analysed m = residual();
  const std::string text = savePlan(m.subject(), fullPlan(m));
  const Result<PlanFile> loaded = loadPlan(m.subject(), text);
  ASSERT_TRUE(static_cast<bool>(loaded)) << loaded.error().message;
  EXPECT_EQ(savePlan(m.subject(), *loaded), text);
  const PlanFile expected = fullPlan(m);
  EXPECT_EQ(loaded->plan.decisions[1].colors, expected.plan.decisions[1].colors);
  EXPECT_EQ(loaded->plan.turns[0].ops, expected.plan.turns[0].ops);
  for (size_t i = 0; i < expected.plan.pins.size(); ++i)
    EXPECT_TRUE(loaded->plan.pins[i].agrees(expected.plan.pins[i])) << i;
  EXPECT_EQ(loaded->plan.remakeGap, 7u);
  EXPECT_EQ(loaded->tactics, expected.tactics);
}

TEST(PlanFile, TurnsOfOtherOpsThanMeetingSetsAreListed) {
  const Analysed m = residual();
  PlanFile file = fullPlan(m);
  file.plan.turns[0].ops.resize(1);
  const std::string text = savePlan(m.subject(), file);
  EXPECT_EQ(Json::parse(text)["turns"][0]["ops"], Json::parse("[0]"));
  const Result<PlanFile> loaded = loadPlan(m.subject(), text);
  ASSERT_TRUE(static_cast<bool>(loaded)) << loaded.error().message;
  EXPECT_EQ(savePlan(m.subject(), *loaded), text);
}

TEST(PlanFile, SaysWhatNoLongerFits) {
  const Analysed m = residual();
  const std::string text = savePlan(m.subject(), fullPlan(m));
  const auto message = [&](const Analysed& other) {
    return loadPlan(other.subject(), text).error().message;
  };
  const std::string why = "the plan was made for another program: ";
  const std::string remedy = "; plan this one anew, by the same tactics: `dp(data)`";
  EXPECT_EQ(message(residual(16, "w", "stablehlo.multiply")),
            "program.hash: " + why +
                "arguments and number of ops (5) agree, but ops or attributes differ" + remedy);
  const Analysed smaller(matmul(16, 16, 16));
  EXPECT_EQ(message(smaller), "program.ops: " + why + "it had 5 ops, this one has 4" + remedy);
  EXPECT_EQ(message(residual(32, "v")), "arguments: " + why + "argument `w` is missing" + remedy);
  EXPECT_EQ(message(residual(32, "w", "stablehlo.multiply")),
            "arguments: " + why + "argument `x` was f32[16,16] and is f32[32,16]" + remedy);
}

TEST(PlanFile, IsCarriedOverToOtherSizesThatItDivides) {
  const Analysed m = residual();
  PlanFile file = fullPlan(m);
  file.plan.pins.clear();
  const std::string text = savePlan(m.subject(), file);
  const Analysed larger = residual(32);
  const Result<PlanFile> loaded = loadPlan(larger.subject(), text);
  ASSERT_TRUE(static_cast<bool>(loaded)) << loaded.error().message;
  EXPECT_EQ(loaded->plan.decisions[1].colors, file.plan.decisions[1].colors);
  EXPECT_EQ(loaded->notes, std::vector<std::string>{"the plan was made for other sizes: argument "
                                                    "`x` was f32[16,16] and is f32[32,16]"});
  EXPECT_EQ(argumentSpecs(larger.subject(), loaded->plan), argumentSpecs(m.subject(), file.plan));
  EXPECT_EQ(Json::parse(savePlan(larger.subject(), *loaded))["program"]["structure"],
            Json::parse(text)["program"]["structure"]);
}

TEST(PlanFile, IsNotCarriedOverToSizesThatItDoesNotDivide) {
  const Analysed m = residual();
  PlanFile file;
  file.plan = planOf("data=4,model=2");
  file.plan.decisions = {{0, {m.color(0, 0)}}};
  const std::string text = savePlan(m.subject(), file);
  EXPECT_EQ(loadPlan(residual(6).subject(), text).error().message,
            "arguments: the plan was made for another program: argument `x` was f32[16,16] and is "
            "f32[6,16]; `x` lay as [data, -], and with this size the plan leaves it as "
            "replicated; plan this one anew");
  file.plan.decisions.clear();
  file.plan.pins = {{m.program.results()[0].returnOp, 0, {{0}, {}}}};
  const std::string pinned = savePlan(m.subject(), file);
  EXPECT_EQ(loadPlan(residual(6).subject(), pinned).error().message,
            "arguments: the plan was made for another program: argument `x` was f32[16,16] and is "
            "f32[6,16]; result `y`: dim 0 has size 6, which axis `data` of size 4 does not divide; "
            "plan this one anew");
}

TEST(PlanFile, NamesOfArgumentsAreNotPartOfTheProgram) {
  EXPECT_EQ(programHash(residual().program), programHash(residual(16, "v").program));
  EXPECT_NE(programHash(residual().program), programHash(residual(32).program));
}

// The message for the plan with one value replaced.
std::string edited(const std::string& pointer, const Json& value) {
  const Analysed m = residual();
  Json json = Json::parse(savePlan(m.subject(), fullPlan(m)));
  json[Json::json_pointer(pointer)] = value;
  const Result<PlanFile> loaded = loadPlan(m.subject(), json.dump());
  return loaded ? "no error" : loaded.error().message;
}

TEST(PlanFile, ErrorsOfEditedPlansNameTheKey) {
  EXPECT_EQ(edited("/decisions/1/axis", "tensor"),
            "decisions[1].axis: the mesh has no axis `tensor`; it is data=4,model=2");
  EXPECT_EQ(edited("/decisions/0/colors/0/id", 9),
            "decisions[0].colors[0].id: there is no colour 9; the program has 2");
  EXPECT_EQ(edited("/decisions/1/colors/0/id", 0),
            "decisions[1].colors[0]: this colour is on axis `data` already");
  EXPECT_EQ(edited("/decisions/0/colors/0/id", "x"),
            "decisions[0].colors[0].id: should be a whole number");
  EXPECT_EQ(edited("/resolutions/0/sets/0/id", 1),
            "resolutions[0].sets[0].id: there is no compatibility set 1; the program has 1");
  EXPECT_EQ(edited("/turns/0/first_op", 4),
            "turns[0].first_op: winner and loser have no set of meetings that begins there");
  EXPECT_EQ(edited("/pins/0/argument", "v"),
            "pins[0].argument: the program has no argument `v`; did you mean `x`?");
  EXPECT_EQ(edited("/pins/0/spec", "[-, model, -]"), "pins[0].spec: it has 2 dims, the spec 3");
  EXPECT_EQ(edited("/pins/0/spec", "whole"),
            "pins[0].spec: `whole` is neither `replicated` nor a list such as [data, -]");
  EXPECT_EQ(edited("/mesh/0/size", 0), "mesh[0].size: 0 is not between 1 and 9223372036854775807");
  EXPECT_EQ(edited("/mesh/1/axis", "data"), "mesh[1].axis: axis `data` stands twice");
  EXPECT_EQ(edited("/mesh/1/axis", "a b"),
            "mesh: mesh `data=4,a b=2`: `a b` is no axis name; a mesh reads like data=4,model=2");
  EXPECT_EQ(edited("/mesh/1/size", int64_t{1} << 62),
            "mesh: mesh `data=4,model=4611686018427387904`: too many devices; a mesh reads like "
            "data=4,model=2");
  EXPECT_EQ(edited("/device_ids", {0, 0, 1, 2, 3, 4, 5, 6}),
            "device_ids: should name each device from 0 to 7 once; the mesh is data=4,model=2");
  EXPECT_EQ(edited("/version", 2), "version: this program reads version 1");
  EXPECT_EQ(edited("/colour", 2), "colour: there is no such key in a plan");
  EXPECT_EQ(edited("/pins", Json::object()), "pins: should be a list");
  EXPECT_EQ(edited("/remake_gap", -1), "remake_gap: -1 is not between 0 and 4294967295");
}

TEST(PlanFile, PinsMaySpellPathsLikePatterns) {
  const Analysed m = residual(16, "p['w']");
  Json json = Json::parse(savePlan(m.subject(), fullPlan(m)));
  ASSERT_EQ(json["pins"][0]["argument"], "p['w']");
  json["pins"][0]["argument"] = "p/w";
  EXPECT_TRUE(static_cast<bool>(loadPlan(m.subject(), json.dump())));
}

TEST(PlanFile, MissingKeysAndBrokenTextAreErrors) {
  const Analysed m = residual();
  Json json = Json::parse(savePlan(m.subject(), fullPlan(m)));
  json["decisions"][0].erase("axis");
  EXPECT_EQ(loadPlan(m.subject(), json.dump()).error().message, "decisions[0].axis: is missing");
  EXPECT_EQ(loadPlan(m.subject(), "[]").error().message, "the plan: should be an object");
  EXPECT_NE(loadPlan(m.subject(), "{").error().message.find("the plan is not JSON"),
            std::string::npos);
}

}  // namespace
}  // namespace shardwright::plan
