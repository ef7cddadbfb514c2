#include "shardwright/plan/tactic.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/testing.h"

namespace shardwright::plan {
namespace {

using mesh::AxisList;
using namespace testing;
using program::DType;
using program::OpId;
using program::ProgramBuilder;
using program::ValueId;

// tanh(x @ w1) @ w2.
Analysed mlp(const char* x = "x", const char* w1 = "w1", const char* w2 = "w2") {
  Net net;
  const ValueId input = net.argument(x, {12, 32});
  const ValueId first = net.argument(w1, {32, 64}), second = net.argument(w2, {64, 8});
  const ValueId hidden = net.same("stablehlo.tanh", {net.dot(input, 1, first, 0)});
  net.result("y", net.dot(hidden, 1, second, 0));
  return net.build();
}

// A step of two weights whose gradients stand for all gradients: w -= x^T (...). What is subtracted
// may be the gradient g times g^T g, as optimizers that orthogonalize have it.
Analysed training(bool named, bool aliased, bool orthogonal = false, int64_t batch = 8) {
  Net net;
  const auto alias = [&](uint32_t i) { return aliased ? std::optional(i) : std::nullopt; };
  const ValueId w1 = net.argument(named ? "state['w1']" : "arg0", {32, 64}, alias(0));
  const ValueId w2 = net.argument(named ? "state['w2']" : "arg1", {64, 16}, alias(1));
  const ValueId x = net.argument(named ? "x" : "arg2", {batch, 32});
  const ValueId hidden = net.same("stablehlo.tanh", {net.dot(x, 1, w1, 0)});
  const ValueId y = net.dot(hidden, 1, w2, 0);
  const ValueId g2 = net.dot(hidden, 0, y, 0);
  const ValueId back = net.same("stablehlo.multiply", {hidden, net.dot(y, 1, w2, 1)});
  ValueId g1 = net.dot(x, 0, back, 0);
  if (orthogonal) g1 = net.dot(net.dot(g1, 1, g1, 1), 1, g1, 0);
  net.result(named ? "result['w1']" : "result0", net.same("stablehlo.subtract", {w1, g1}));
  net.result(named ? "result['w2']" : "result1", net.same("stablehlo.subtract", {w2, g2}));
  return net.build();
}

std::string failure(const Analysed& m, const char* mesh, const std::vector<std::string>& texts) {
  const Result<TacticOutcome> outcome = run(m, mesh, texts);
  return outcome ? "no error" : outcome.error().message;
}

std::vector<analysis::ColorId> listOf(const Plan& plan, uint32_t axis) {
  std::vector<analysis::ColorId> colors;
  for (const Decision& decision : plan.decisions) {
    if (decision.axis == axis)
      colors.insert(colors.end(), decision.colors.begin(), decision.colors.end());
  }
  return colors;
}

using Colors = std::vector<analysis::ColorId>;

TEST(ParseTactic, ReadsEveryForm) {
  EXPECT_EQ(parseTactic("shard(batch*:0, data)")->dims, (std::vector<DimPattern>{{"batch*", 0}}));
  EXPECT_EQ(parseTactic("shard(state['a,b'][0]:1, m)")->dims[0].path, "state['a,b'][0]");
  EXPECT_EQ(parseTactic("shard(*w:-1, data)")->dims, (std::vector<DimPattern>{{"*w", -1}}));
  EXPECT_EQ(parseTactic("shard(x:0, data + model)")->axes,
            (std::vector<std::string>{"data", "model"}));
  EXPECT_EQ(parseTactic(" dp( data , tokens*:0 ) ")->dims[0].path, "tokens*");
  EXPECT_EQ(parseTactic("sequence(model, key)")->side, Side::kKey);
  EXPECT_FALSE(parseTactic("sequence(model, x:1)")->side);
  EXPECT_TRUE(parseTactic("pin(params*, replicated)")->spec.replicated);
  const std::vector<std::vector<std::string>> dims = {{"data"}, {}, {"model", "tensor"}};
  EXPECT_EQ(parseTactic("pin(params*, [data, -, model+tensor])")->spec.dims, dims);
  const PinSpec open = parseTactic("pin(params*, [data+?, ?, model+tensor])")->spec;
  EXPECT_EQ(open.dims, dims);
  EXPECT_EQ(open.open, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(parseTactic("auto(data, model)")->axes, (std::vector<std::string>{"data", "model"}));
  EXPECT_EQ(parseTactic("remake(200)")->gap, 200u);
  for (const char* name : {"dp", "megatron", "sequence", "zero2", "zero3", "vocab", "expert"})
    EXPECT_TRUE(static_cast<bool>(parseTactic(std::string(name) + "(data)"))) << name;
}

TEST(ParseTactic, SaysWhatIsWrong) {
  const auto message = [](const char* text) {
    const Result<Tactic> tactic = parseTactic(text);
    return tactic ? "no error" : tactic.error().message;
  };
  EXPECT_EQ(message("shard(batch*:0)"),
            "tactic `shard(batch*:0)`: shard takes PATTERN:DIM, AXIS[+AXIS…]");
  EXPECT_EQ(message("dp"), "tactic `dp`: expected NAME(…), as in dp(data)");
  EXPECT_NE(message("fsdp(data)").find("there is no tactic `fsdp`; there are shard, pin, dp"),
            std::string::npos);
  EXPECT_NE(message("pin(x, [data, da ta])").find("`da ta` in `[data, da ta]`"), std::string::npos);
  EXPECT_NE(message("pin(x, whole)").find("`whole` is neither `replicated`"), std::string::npos);
  for (const char* text :
       {"shard(x:y, data)", "shard(x:0, data+)", "shard(x:0, -)", "turn(x:0, y:0, data+model)",
        "shard(:0, data)", "dp()", "dp(data, key)", "remake(-1)", "remake()", "auto()",
        "turn(x:0, data)", "pin(x)", "sequence(m, key, key)", ""})
    EXPECT_NE(message(text), "no error") << text;
}

TEST(Spec, ThereAndBack) {
  const mesh::Mesh mesh = *mesh::parseMesh("data=2,model=4,tensor=2");
  for (const char* text : {"[data, -, model+tensor]", "[tensor+model, data, -]"})
    EXPECT_EQ(specText(mesh, *resolveSpec(mesh, *parseSpec(text), 3)), text);
  EXPECT_EQ(specText(mesh, *resolveSpec(mesh, *parseSpec("replicated"), 2)), "replicated");
  EXPECT_EQ(resolveSpec(mesh, *parseSpec("[data, data]"), 2).error().message,
            "the spec names axis `data` twice");
  EXPECT_EQ(specText(mesh, *resolveSpec(mesh, *parseSpec("[data]"), 2)), "[data, -]");
  EXPECT_EQ(resolveSpec(mesh, *parseSpec("[data, -, -]"), 2).error().message,
            "it has 2 dims, the spec 3");
}

TEST(Shard, TakesTheWholeColour) {
  const Analysed m = mlp();
  const Result<TacticOutcome> outcome =
      run(m, "data=4,model=2", {"shard(x:0, data)", "shard(w1:1, model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 0)}));
  EXPECT_EQ(listOf(outcome->plan, 1), (Colors{m.color(2, 0)}));
  EXPECT_EQ(outcome->words[1], "shard(w1:1, model): w1.1, w2.0");
}

TEST(Shard, TakesEveryColourThatThePatternShows) {
  const Analysed m = mlp();
  const Result<TacticOutcome> outcome = run(m, "model=2", {"shard(w*:1, model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(1, 1), m.color(2, 1)}));
}

TEST(Shard, NegativeDimsCountFromTheLast) {
  const Analysed m = mlp();
  const Result<TacticOutcome> outcome = run(m, "model=2", {"shard(w1:-1, model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(1, 1)}));
  EXPECT_EQ(
      failure(m, "data=4", {"shard(x:-3, data)"}),
      "tactic `shard(x:-3, data)`: argument `x` f32[12,32] has 2 dims, so there is no dim -3");
}

TEST(Shard, SeveralAxesSplitOneDimInTheOrderOfTheMesh) {
  const Analysed m = mlp();
  const Result<TacticOutcome> outcome = run(m, "data=2,model=4", {"shard(w1:1, data+model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  ASSERT_EQ(outcome->plan.decisions.size(), 2u);
  EXPECT_EQ(outcome->plan.decisions[0].axis, 0u);
  EXPECT_EQ(outcome->plan.decisions[1].axis, 1u);
  EXPECT_EQ(outcome->words, (std::vector<std::string>{"shard(w1:1, data+model): w1.1, w2.0"}));
  EXPECT_EQ(failure(m, "data=2,model=4", {"shard(w1:1, model+data)"}),
            "tactic `shard(w1:1, model+data)`: axes split a dim in the order of the mesh, "
            "data=2,model=4: write data+model, or pin(PATTERN, SPEC) for another order");
  EXPECT_EQ(failure(m, "data=4,model=2", {"shard(x:0, data+model)"}),
            "tactic `shard(x:0, data+model)`: argument `x` f32[12,32]: dim 0 has size 12, which "
            "axis `model` of size 2 together with those that split it already (8 parts) does not "
            "divide");
  EXPECT_EQ(failure(m, "data=2", {"shard(x:0, data+data)"}),
            "tactic `shard(x:0, data+data)`: axis `data` stands there twice");
}

TEST(BadRequests, NameArgumentDimAxisAndSizes) {
  const Analysed m = mlp();
  EXPECT_EQ(failure(m, "data=4,model=2", {"shard(x:0, tensor)"}),
            "tactic `shard(x:0, tensor)`: the mesh has no axis `tensor`; it is data=4,model=2");
  EXPECT_EQ(failure(m, "data=4", {"shard(w3:0, data)"}),
            "tactic `shard(w3:0, data)`: `w3` matches no argument; did you mean `w*` or `x`?");
  EXPECT_EQ(failure(m, "data=4", {"shard(x:2, data)"}),
            "tactic `shard(x:2, data)`: argument `x` f32[12,32] has 2 dims, so there is no dim 2");
  EXPECT_EQ(
      failure(m, "data=8", {"shard(x:0, data)"}),
      "tactic `shard(x:0, data)`: argument `x` f32[12,32]: dim 0 has size 12, which axis `data` of "
      "size 8 does not divide");
  EXPECT_EQ(
      failure(m, "data=8", {"dp(data)"}),
      "tactic `dp(data)`: argument `x` f32[12,32]: dim 0 has size 12, which axis `data` of size "
      "8 does not divide; if another dim is meant, name it, as in PATTERN:1");
  EXPECT_EQ(failure(m, "data=4,model=2", {"shard(x:0, data)", "dp(model, x:0)"}),
            "tactic `dp(model, x:0)`: argument `x` f32[12,32]: dim 0 has size 12, which axis "
            "`model` of size "
            "2 together with those that split it already (8 parts) does not divide");
  EXPECT_EQ(failure(m, "data=8", {"pin(x, [data, -])"}),
            "argument `x`: dim 0 has size 12, which axis `data` of size 8 does not divide");
}

TEST(BadRequests, ContradictionsNameBothTactics) {
  const Analysed m = mlp();
  EXPECT_EQ(failure(m, "data=4", {"dp(data)", "shard(x:0, data)"}),
            "tactic `shard(x:0, data)`: `x` dim 0 is on axis `data` already, by `dp(data)`");
  EXPECT_EQ(
      failure(m, "data=4", {"pin(w1, replicated)", "pin(w1, [data, -])"}),
      "tactic `pin(w1, [data, -])`: argument `w1` f32[32,64] is pinned to replicated by `pin(w1, "
      "replicated)` and to [data, -] here");
  EXPECT_EQ(
      failure(m, "data=4", {"shard(w1:1, data)", "pin(w1, replicated)"}),
      "tactics `shard(w1:1, data)` and `pin(w1, replicated)` contradict each other: argument `w1` "
      "f32[32,64] dim 1 is given to axis `data` by the first and pinned to replicated by the "
      "second");
  EXPECT_EQ(failure(m, "data=4", {"pin(w1, [-, data])", "shard(w1:1, data)"}), "no error");
}

TEST(Auto, NeedsASearch) {
  const Analysed m = mlp();
  EXPECT_EQ(failure(m, "data=4", {"auto(data)"}),
            "tactic `auto(data)`: needs a search; name the dims, or use a command that searches");
  EXPECT_EQ(failure(m, "data=4", {"auto(data, data)"}),
            "tactic `auto(data, data)`: axis `data` stands there twice");
  TacticOptions options;
  options.search = [&](const Subject&, Plan& plan, const std::vector<uint32_t>& axes) {
    plan.decisions.push_back({axes[0], {m.color(0, 0)}});
    return Result<std::string>("rows");
  };
  const Result<TacticOutcome> outcome = run(m, "data=4", {"auto(data)"}, options);
  ASSERT_TRUE(static_cast<bool>(outcome));
  EXPECT_EQ(outcome->words[0], "auto(data): rows");
  EXPECT_FALSE(static_cast<bool>(run(m, "data=4", {"auto(data)", "dp(data, x:0)"}, options)));
}

TEST(Strategies, WorkWithoutNames) {
  for (const Analysed& m : {mlp(), mlp("arg0", "arg1", "arg2")}) {
    const Result<TacticOutcome> outcome = run(m, "data=4,model=2", {"dp(data)", "megatron(model)"});
    ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
    EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 0)}));
    EXPECT_EQ(listOf(outcome->plan, 1), (Colors{m.color(1, 1)}));
  }
}

TEST(Strategies, StateIsFoundByNameByAliasAndByPosition) {
  for (const auto& [named, aliased] : {std::pair(true, false), {false, true}, {false, false}}) {
    const Analysed m = training(named, aliased);
    const Result<TacticOutcome> outcome = run(m, "data=4", {"zero3(data)"});
    ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
    // Batch, then the hidden dim, which both weights show.
    EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(2, 0), m.color(0, 1)}));
    EXPECT_TRUE(outcome->plan.pins.empty());
  }
}

TEST(Zero2, PinsParametersAndTheirNextValuesWholeAlongTheAxis) {
  const Analysed m = training(true, false);
  const Result<TacticOutcome> outcome =
      run(m, "data=4,model=2", {"zero2(data)", "megatron(model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  ASSERT_EQ(outcome->plan.pins.size(), 4u);
  // What a later tactic gives to another axis stays.
  EXPECT_EQ(outcome->plan.pins[0].dims, (std::vector<AxisList>{{}, {1}}));
  EXPECT_EQ(outcome->plan.pins[1].op, m.program.results()[0].returnOp);
  EXPECT_EQ(outcome->plan.pins[1].dims, outcome->plan.pins[0].dims);
  EXPECT_EQ(outcome->plan.pins[2].dims, (std::vector<AxisList>{{1}, {}}));
}

TEST(Zero2, LeavesGradientsSplit) {
  Net net;
  const ValueId w1 = net.argument("p['w1']", {32, 64}), w2 = net.argument("p['w2']", {64, 16});
  const ValueId x = net.argument("x", {8, 32});
  const ValueId hidden = net.same("stablehlo.tanh", {net.dot(x, 1, w1, 0)});
  const ValueId y = net.dot(hidden, 1, w2, 0);
  const ValueId back = net.same("stablehlo.multiply", {hidden, net.dot(y, 1, w2, 1)});
  net.result("result['w1']", net.dot(x, 0, back, 0));
  net.result("result['w2']", net.dot(hidden, 0, y, 0));
  const Analysed m = net.build();
  const Result<TacticOutcome> outcome = run(m, "data=4", {"zero2(data)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(2, 0), m.color(0, 1)}));
  ASSERT_EQ(outcome->plan.pins.size(), 2u) << "of the parameters alone";
  EXPECT_EQ(failure(m, "model=4", {"megatron(model)"}), "no error");
}

TEST(Zero3, NamedDimsOfInputsAreTheBatchAndTheStateIsFound) {
  const Analysed m = training(true, false);
  const Result<TacticOutcome> outcome = run(m, "data=4", {"zero3(data, x:0)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(2, 0), m.color(0, 1)}));
  EXPECT_EQ(
      outcome->words,
      (std::vector<std::string>{"zero3(data, x:0): batch (x.0), state (state/w1.1, state/w2.0)"}));
  const Result<TacticOutcome> two = run(m, "data=4", {"zero2(data, x:0)"});
  ASSERT_TRUE(static_cast<bool>(two)) << two.error().message;
  EXPECT_EQ(listOf(two->plan, 0), listOf(outcome->plan, 0));
  EXPECT_EQ(two->plan.pins.size(), 4u);
}

TEST(Zero3, NamedDimsOfStateAreAllThatIsSplit) {
  const Analysed m = training(true, false);
  const Result<TacticOutcome> outcome = run(m, "data=4", {"zero3(data, *w1:0)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 0)}));
  EXPECT_TRUE(outcome->notes.empty());
}

TEST(Zero3, SaysThatNamedDimsLeaveNoStateToSplit) {
  Net net;
  const ValueId x = net.argument("x", {8, 32});
  net.result("y", net.same("stablehlo.tanh", {x}));
  const Result<TacticOutcome> outcome = run(net.build(), "data=4", {"zero3(data, x:0)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(outcome->notes,
            (std::vector<std::string>{"zero3(data, x:0): there are no parameters left to split"}));
}

TEST(Zero3, SplitsTheStateAloneWhereThereIsNoBatch) {
  const Analysed m = training(true, false, false, 1);
  const Result<TacticOutcome> outcome = run(m, "data=4", {"zero3(data)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 1)}));
  EXPECT_EQ(outcome->notes,
            (std::vector<std::string>{
                "zero3(data): no input has a leading dim that could be the batch, so the state "
                "alone is split; to split the data too, name a dim, as in x:1, or put sequence on "
                "the axis first"}));
  EXPECT_EQ(failure(m, "data=4", {"dp(data)"}),
            "tactic `dp(data)`: no input has a leading dim that could be the batch; name a dim, as "
            "in x:1");
}

// Images and texts that meet in a product alone, as contrastive losses have it.
TEST(Strategies, LeadingDimsOfOneSizeAreTheBatchTogether) {
  Net net;
  const ValueId a = net.argument("a", {16, 8}), b = net.argument("b", {16, 4});
  const ValueId v = net.argument("v", {8, 2}), w = net.argument("w", {4, 2});
  const ValueId left = net.dot(a, 1, v, 0), right = net.dot(b, 1, w, 0);
  net.result("y", net.dot(left, 1, right, 1));
  net.result("z", net.dot(right, 1, left, 1));
  const Analysed m = net.build();
  const Result<TacticOutcome> outcome = run(m, "data=4", {"dp(data)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 0), m.color(1, 0)}));
}

TEST(Strategies, AskForAPatternInDoubt) {
  Net net;
  const ValueId a = net.argument("a", {16, 8}), b = net.argument("b", {32, 8});
  const ValueId w = net.argument("w", {8, 8});
  net.result("y", net.dot(a, 1, w, 0));
  net.result("z", net.dot(b, 1, w, 0));
  const std::string message = failure(net.build(), "data=4", {"dp(data)"});
  EXPECT_NE(message.find("which dim is the batch is in doubt: `a.0`"), std::string::npos)
      << message;
}

TEST(Strategies, SayHowManyCandidatesTheyLeaveOut) {
  Net net;
  const ValueId w = net.argument("w", {8, 8});
  for (const auto& [path, size] :
       {std::pair("a", int64_t{16}), {"b", 24}, {"c", 32}, {"d", 40}, {"e", 48}})
    net.result("y", net.dot(net.argument(path, {size, 8}), 1, w, 0));
  const std::string message = failure(net.build(), "data=4", {"dp(data)"});
  EXPECT_NE(message.find("in doubt: `a.0`, `b.0`, `c.0` or 2 more;"), std::string::npos) << message;
}

TEST(Strategies, ADimBehindAnotherInputsFirstIsNoBatch) {
  Net net;
  const ValueId positions = net.argument("positions", {16, 8}), x = net.argument("x", {4, 16});
  // Both first dims are returned first, and the positions touch more.
  net.result("y", net.dot(x, 1, positions, 0));
  net.result("z", net.same("stablehlo.tanh", {positions}));
  const Analysed m = net.build();
  const Result<TacticOutcome> outcome = run(m, "data=4", {"dp(data)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(1, 0)}));
}

// The step of an adapter a, b of a model that is frozen: logits over the rows of `table`. Columns
// of the second weight are scaled, as those of quantized ones are.
Analysed adapter() {
  Net net;
  const ValueId a = net.argument("state['a']", {32, 4}), b = net.argument("state['b']", {4, 64});
  const ValueId w1 = net.argument("w1", {32, 64}), w2 = net.argument("w2", {64, 16});
  const ValueId table = net.argument("table", {48, 16}), x = net.argument("x", {8, 32});
  const auto type = net.b.type(DType::kF32, {64, 16});
  const ValueId scales =
      net.b.result(net.b.addOp("stablehlo.broadcast_in_dim", program::DimsAttrs{{1}},
                               {net.argument("scales", {16})}, {type}));
  const ValueId low = net.dot(x, 1, a, 0), scaled = net.same("stablehlo.multiply", {w2, scales});
  const ValueId hidden = net.same("stablehlo.add", {net.dot(x, 1, w1, 0), net.dot(low, 1, b, 0)});
  const ValueId logits = net.dot(net.dot(hidden, 1, scaled, 0), 1, table, 1);
  const ValueId back = net.dot(net.dot(logits, 1, table, 0), 1, scaled, 1);
  const ValueId ga = net.dot(x, 0, net.dot(back, 1, b, 1), 0), gb = net.dot(low, 0, back, 0);
  net.result("result['a']", net.same("stablehlo.subtract", {a, ga}));
  net.result("result['b']", net.same("stablehlo.subtract", {b, gb}));
  return net.build();
}

TEST(Strategies, WhatIsFrozenIsAWeightAndNoBatch) {
  const Analysed m = adapter();
  const Result<TacticOutcome> outcome = run(m, "data=4,model=2", {"dp(data)", "megatron(model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(5, 0)}));
  EXPECT_EQ(listOf(outcome->plan, 1), (Colors{m.color(2, 1)}));
}

TEST(Zero2, KeepsWhatIsFrozenWhole) {
  const Analysed m = adapter();
  const Result<TacticOutcome> outcome = run(m, "data=4", {"zero2(data)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(outcome->plan.pins.size(), 2u * 2 + 4)
      << "a, b and their next values, and w1 to scales";
  for (const Pin& pin : outcome->plan.pins)
    EXPECT_TRUE(std::ranges::all_of(pin.dims, [](AxisList axes) { return axes.empty(); }));
}

TEST(Strategies, SmallWholeNumbersInAMatrixAreQuantizedWeights) {
  for (const auto& [dtype, expected] :
       {std::pair(DType::kI8, "no error"), {DType::kI32, "no weights stand in column-then-row"}}) {
    Net net;
    ValueId h = net.argument("x", {12, 32});
    for (const auto& shape : {std::pair(32, 64), {64, 8}}) {
      const ValueId w =
          net.b.addArgument({.path = "w"}, net.b.type(dtype, {shape.first, shape.second}));
      const auto type = net.b.type(DType::kF32, {shape.first, shape.second});
      h = net.dot(h, 1, net.b.result(net.b.addOp("stablehlo.convert", {}, {w}, {type})), 0);
    }
    net.result("y", h);
    const std::string message = failure(net.build(), "model=4", {"megatron(model)"});
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

// h = x @ w0 and then h @ w1, h @ w2, h @ w3, each `columns` wide.
std::string megatronOf(int64_t columns) {
  Net net;
  const ValueId x = net.argument("x", {64, 16});
  const ValueId h = net.dot(x, 1, net.argument("w0", {16, 32}), 0);
  for (const char* name : {"w1", "w2", "w3"})
    net.result(name, net.dot(h, 1, net.argument(name, {32, columns}), 0));
  return failure(net.build(), "model=4", {"megatron(model)"});
}

TEST(Megatron, LeavesADimWhoseRowsCostMoreThanItsColumnsSave) {
  EXPECT_EQ(megatronOf(16), "no error");
  EXPECT_NE(megatronOf(64).find("no weights stand in column-then-row pairs"), std::string::npos);
}

TEST(Megatron, WhatTheUpdateCombinesDoesNotCount) {
  for (const bool orthogonal : {false, true}) {
    const Analysed m = training(true, false, orthogonal);
    const Result<TacticOutcome> outcome = run(m, "model=4", {"megatron(model)"});
    ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
    EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 1)}));
  }
}

TEST(Megatron, TakesEveryOtherDimOfAChain) {
  Net net;
  ValueId h = net.argument("x", {64, 16});
  for (const char* name : {"w0", "w1", "w2", "w3", "w4"})
    h = net.same("stablehlo.tanh", {net.dot(h, 1, net.argument(name, {16, 16}), 0)});
  net.result("y", h);
  const Analysed m = net.build();
  const Result<TacticOutcome> outcome = run(m, "model=4", {"megatron(model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  Colors colors = listOf(outcome->plan, 0);
  for (uint32_t weight = 1; weight <= 5; ++weight) {
    const auto count = std::ranges::count(colors, m.color(weight, 0)) +
                       std::ranges::count(colors, m.color(weight, 1));
    EXPECT_LE(count, 1) << "w" << weight - 1;
  }
  EXPECT_EQ(colors.size(), 2u);
}

TEST(Megatron, TakesNoDimOfASingleWeight) {
  Net net;
  const ValueId x = net.argument("x", {64, 32}), w = net.argument("w", {32, 32});
  net.result("y", net.same("stablehlo.add", {x, net.dot(x, 1, w, 0)}));
  EXPECT_NE(failure(net.build(), "model=4", {"megatron(model)"})
                .find("no weights stand in column-then-row"),
            std::string::npos);
}

// Columns [from, to) of a matrix.
ValueId columns(Net& net, ValueId x, int64_t from, int64_t to) {
  const int64_t rows = net.shape(x)[0];
  return net.b.result(net.b.addOp("stablehlo.slice",
                                  program::SliceAttrs{{0, from}, {rows, to}, {1, 1}}, {x},
                                  {net.b.type(DType::kF32, {rows, to - from})}));
}

// gate and up = x @ w1, and then (gate * up) @ w2.
TEST(Megatron, TakesWhatIsCutOutOfAColumn) {
  Net net;
  const ValueId x = net.argument("x", {64, 16}), w1 = net.argument("w1", {16, 64});
  const ValueId both = net.dot(x, 1, w1, 0);
  const ValueId hidden =
      net.same("stablehlo.multiply", {columns(net, both, 0, 32), columns(net, both, 32, 64)});
  net.result("y", net.dot(hidden, 1, net.argument("w2", {32, 16}), 0));
  const Analysed m = net.build();
  const Result<TacticOutcome> outcome = run(m, "model=4", {"megatron(model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(2, 0)}));
  EXPECT_EQ(outcome->cut, (Colors{m.color(1, 1)}));
  ASSERT_EQ(outcome->notes.size(), 1u);
  EXPECT_NE(outcome->notes[0].find("w1.1 stays whole along the axis"), std::string::npos)
      << outcome->notes[0];
}

// A column that is put together with other data makes a larger dim and is no cut.
TEST(Megatron, WhatIsPutTogetherIsNoCut) {
  Net net;
  const ValueId x = net.argument("x", {64, 16});
  const ValueId h = net.dot(x, 1, net.argument("w1", {16, 32}), 0);
  const ValueId joined = net.b.result(net.b.addOp("stablehlo.concatenate", program::DimAttrs{1},
                                                  {h, x}, {net.b.type(DType::kF32, {64, 48})}));
  net.result("y", net.dot(joined, 1, net.argument("w2", {48, 16}), 0));
  EXPECT_NE(failure(net.build(), "model=4", {"megatron(model)"})
                .find("no weights stand in column-then-row"),
            std::string::npos);
}

// Heads that are cut out of keys meet those of learned queries, which are a weight but no row.
TEST(Megatron, LearnedQueriesAreNoRows) {
  Net net;
  const ValueId x = net.argument("x", {64, 16});
  const ValueId keys = net.dot(x, 1, net.argument("wk", {16, 32}), 0);
  const ValueId queries = net.argument("queries", {4, 32});
  net.result("y", net.dot(columns(net, keys, 0, 8), 1, columns(net, queries, 0, 8), 1));
  EXPECT_NE(failure(net.build(), "model=4", {"megatron(model)"})
                .find("no weights stand in column-then-row"),
            std::string::npos);
}

TEST(Tactics, SaysWhereANamedDimStaysWhole) {
  Net net;
  const ValueId x = net.argument("x", {64, 16}), w = net.argument("w", {16, 32});
  net.result("y", net.dot(x, 1, w, 0));
  const Analysed m = net.build();
  const auto notes = [&](const std::vector<std::string>& tactics) {
    return run(m, "data=4", tactics)->notes;
  };
  EXPECT_EQ(notes({"shard(x:1, data)", "shard(x:0, data)"}),
            (std::vector<std::string>{"`shard(x:0, data)`: argument `x` f32[64,16] dim 0 stays "
                                      "whole along `data`: dim 1 has it"}));
  EXPECT_TRUE(notes({"shard(x:1, data)", "shard(w:1, data)"}).size() == 1);
  EXPECT_TRUE(notes({"shard(x:0, data)", "shard(w:1, data)"}).empty());
}

std::string nameOf(const Analysed& m, const std::vector<analysis::ColorId>& colors) {
  return AnalysisNames(m.program, m.rules, m.analysis).ofColors(colors, 4);
}

TEST(Names, StarsStandForArgumentsThatHaveTheDimAllOfThem) {
  Net net;
  const ValueId x = net.argument("x", {16, 8});
  std::vector<ValueId> weights;
  // A star for the number would also name `p/c`.
  for (const char* path : {"p['c']", "p['c2']", "p['l'][0]['w1']", "p['l'][0]['w2']",
                           "p['l'][1]['w1']", "p['l'][1]['w2']"}) {
    net.result(path, net.dot(x, 1, net.argument(path, {8, 32}), 0));
  }
  const Analysed m = net.build();
  const auto names = [&](std::initializer_list<uint32_t> arguments) {
    Colors colors;
    for (const uint32_t argument : arguments) colors.push_back(m.color(argument, 1));
    return nameOf(m, colors);
  };
  EXPECT_EQ(names({2}), "p/c2.1");
  EXPECT_EQ(names({1, 2}), "p/c.1, p/c*.1");
  EXPECT_EQ(names({3, 4, 5, 6}), "p/l/*/w*.1");
  EXPECT_EQ(names({3, 5}), "p/l/*/w1.1");
  EXPECT_EQ(names({4}), "p/l/0/w2.1");
  EXPECT_EQ(nameOf(m, {m.color(0, 1)}), "x.1, p/c.0, p/c*.0, p/l/*/w*.0");
}

// As flax names them: the number of a layer is part of a key, and so is that of a part of it.
TEST(Names, LayersAreNamedTogetherThoughTheirPartsHaveNumbersToo) {
  Net net;
  const ValueId x = net.argument("x", {16, 8});
  for (const char* path :
       {"p['Block_0']['Dense_0']['kernel']", "p['Block_0']['Dense_1']['kernel']",
        "p['Block_1']['Dense_0']['kernel']", "p['Block_1']['Dense_1']['kernel']"}) {
    net.result(path, net.dot(x, 1, net.argument(path, {8, 32}), 0));
  }
  const Analysed m = net.build();
  EXPECT_EQ(nameOf(m, {m.color(1, 1), m.color(3, 1)}), "p/Block_*/Dense_0/kernel.1");
  EXPECT_EQ(nameOf(m, {m.color(1, 1), m.color(2, 1)}),
            "p/Block_0/Dense_0/kernel.1, p/Block_0/Dense_1/kernel.1");
}

// A loop that carries both weights of tanh(x @ w1) @ w2, many steps in one program. If it trains,
// each turn takes gradients from them, else it writes over them what the data make.
Analysed trainingInALoop(bool trains) {
  Net net;
  const ValueId w1 = net.argument("state['w1']", {32, 64});
  const ValueId w2 = net.argument("state['w2']", {64, 16}), x = net.argument("x", {8, 32});
  const ValueId flag = net.b.addArgument({.path = "flag"}, net.b.type(DType::kPred, {}));
  const OpId first = net.b.addCarry(0, w1), second = net.b.addCarry(1, w2);
  const OpId loop = net.b.addOp(program::kWhile, program::WhileAttrs{3, true}, {}, {});
  net.b.openRegion(loop, program::RegionKind::kCondition, 3);
  net.b.closeRegion(std::vector<ValueId>{flag});
  net.b.openRegion(loop, program::RegionKind::kBody, 3);
  const ValueId v1 = net.b.result(first, 1), v2 = net.b.result(second, 1);
  const ValueId hidden = net.same("stablehlo.tanh", {net.dot(x, 1, v1, 0)});
  const ValueId y = net.dot(hidden, 1, v2, 0);
  const ValueId back = net.same("stablehlo.multiply", {hidden, net.dot(y, 1, v2, 1)});
  ValueId next1 = net.dot(x, 0, back, 0), next2 = net.dot(hidden, 0, y, 0);
  if (trains) next1 = net.same("stablehlo.subtract", {v1, next1});
  if (trains) next2 = net.same("stablehlo.subtract", {v2, next2});
  net.b.closeRegion(std::vector<ValueId>{next1, next2});
  net.b.setOperand(first, 1, next1);
  net.b.setOperand(second, 1, next2);
  net.result("result['w1']", net.same("stablehlo.add", {w1, net.b.result(first, 2)}));
  net.result("result['w2']", net.same("stablehlo.add", {w2, net.b.result(second, 2)}));
  return net.build();
}

TEST(Megatron, TakesWeightsThatALoopTrains) {
  const Analysed m = trainingInALoop(true);
  const Result<TacticOutcome> outcome = run(m, "model=4", {"megatron(model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 1)}));
  EXPECT_NE(failure(trainingInALoop(false), "model=4", {"megatron(model)"}), "no error")
      << "what a loop makes anew is no weight";
}

TEST(Megatron, SaysThatAnotherTacticHasSplitTheDim) {
  const Analysed m = training(true, false);
  EXPECT_EQ(failure(m, "data=32,model=4", {"zero3(data)", "megatron(model)"}),
            "tactic `megatron(model)`: the axis together with what `zero3(data)` splits it by does "
            "not divide state/w1.1, … (size 64); put it before `zero3(data)`");
  EXPECT_EQ(failure(m, "data=32,model=4", {"megatron(model)", "zero3(data)"}), "no error");
  // By itself it would not divide the dim either.
  EXPECT_EQ(failure(m, "data=32,model=3", {"zero3(data)", "megatron(model)"}),
            "tactic `megatron(model)`: the axis does not divide state/w1.1, … (size 64)");
}

// A dim that two axes do not split together is left to the second one, if the state has another.
TEST(Zero3, LeavesRoomForMegatron) {
  const Analysed m = training(true, false);
  for (const int model : {2, 16}) {
    const std::string mesh = "data=8,model=" + std::to_string(model);
    const Result<TacticOutcome> outcome = run(m, mesh.c_str(), {"zero3(data)", "megatron(model)"});
    ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
    const Colors state = model == 2 ? Colors{m.color(0, 1)} : Colors{m.color(0, 0), m.color(1, 1)};
    Colors all = {m.color(2, 0)};
    all.insert(all.end(), state.begin(), state.end());
    EXPECT_EQ(listOf(outcome->plan, 0), all);
    EXPECT_EQ(listOf(outcome->plan, 1), (Colors{m.color(0, 1)}));
  }
}

// Two inputs whose second dims never meet: positions of tokens, and of labels in chunks.
TEST(Sequence, TakesDimsOfOneSizeAndAsksOtherwise) {
  for (const int64_t labels : {16, 24}) {
    Net net;
    for (const auto& [path, size] : {std::pair("t", int64_t{16}), {"y", labels}}) {
      const auto whole = net.b.type(DType::kI32, std::vector<int64_t>{8, size});
      const auto real = net.b.type(DType::kF32, std::vector<int64_t>{8, size});
      const ValueId input = net.b.addArgument({.path = path}, whole);
      net.result(path, net.b.result(net.b.addOp("stablehlo.convert", {}, {input}, {real})));
    }
    const Analysed m = net.build();
    const std::string text = failure(m, "model=4", {"sequence(model)"});
    EXPECT_EQ(text == "no error", labels == 16) << text;
    if (labels != 16) {
      EXPECT_NE(text.find("in doubt: `t.1` or `y.1`"), std::string::npos) << text;
    }
  }
}

// Positions of a block meet those of the same block; x is taken apart into blocks first.
TEST(Sequence, TakesTheWholeInPlaceOfItsBlocks) {
  Net net;
  const ValueId x = net.argument("x", {6, 32, 4});
  const ValueId blocks = net.b.result(
      net.b.addOp("stablehlo.reshape", {}, {x}, {net.b.type(DType::kF32, {6, 4, 8, 4})}));
  const program::DotAttrs scores{{0, 1}, {0, 1}, {3}, {3}};
  net.result("y", net.b.result(net.b.addOp("stablehlo.dot_general", scores, {blocks, blocks},
                                           {net.b.type(DType::kF32, {6, 4, 8, 8})})));
  const Analysed m = net.build();
  const Result<TacticOutcome> outcome = run(m, "model=4", {"sequence(model)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  EXPECT_EQ(listOf(outcome->plan, 0), (Colors{m.color(0, 1)}));
}

TEST(Turn, LetsTheSecondColourWinWhereTheyMeet) {
  const Analysed m = mlp();
  const Result<TacticOutcome> outcome =
      run(m, "data=4", {"dp(data)", "shard(w1:1, data)", "turn(w1:1, x:0, data)"});
  ASSERT_TRUE(static_cast<bool>(outcome)) << outcome.error().message;
  const Assignment assignment = assign(m.subject(), outcome->plan);
  const OpId dot(3u);
  EXPECT_EQ(assignment.axes(dot, rules::FactorId(1u)), (AxisList{0}));
  EXPECT_TRUE(assignment.axes(dot, rules::FactorId(0u)).empty());
  EXPECT_NE(
      failure(m, "data=4", {"dp(data)", "turn(w1:1, x:0, data)"}).find("is on axis `data` yet"),
      std::string::npos);
}

}  // namespace
}  // namespace shardwright::plan
