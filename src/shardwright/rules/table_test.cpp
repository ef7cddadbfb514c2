// Which rule an op gets, and what happens to ops that have none.
#include "shardwright/rules/table.h"

#include "shardwright/rules/testing.h"

namespace shardwright::rules {
namespace {

using program::DType;
using program::ExplicitRuleAttrs;
using program::IntList;

RuleSource sourceOf(const OpSpec& spec) { return ruleOf(spec)->source; }

TEST(Table, FindsWhatItLists) {
  for (const std::string_view name : opsWithRules()) EXPECT_NE(findRule(name), nullptr) << name;
  EXPECT_EQ(findRule("stablehlo.nothing"), nullptr);
  EXPECT_EQ(findRule(""), nullptr);
}

TEST(Table, AnUnknownOpIsWhole) {
  const OpSpec spec{"stablehlo.custom_call:mine", {}, {{{8, 4}}}, {{{8}}, {{}}}};
  EXPECT_EQ(ruleText(spec), "([i, j])->([k], []) {i=8, j=4, k=8} need_replication={i, j, k}");
  EXPECT_EQ(sourceOf(spec), RuleSource::kWhole);
}

TEST(Table, AKnownCustomCallHasItsRule) {
  const OpSpec spec{"stablehlo.custom_call:Sharding", {}, {{{8, 4}}}, {{{8, 4}}}};
  EXPECT_EQ(ruleText(spec), "([i, j])->([i, j]) {i=8, j=4}");
  EXPECT_EQ(sourceOf(spec), RuleSource::kFamily);
}

TEST(Table, EveryRuleSurvivesAnOpWithoutAnything) {
  for (const std::string_view name : opsWithRules()) ruleText({std::string(name), {}, {}, {}});
}

TEST(Table, EveryRuleSurvivesAttributesOfAnother) {
  for (const std::string_view name : opsWithRules()) {
    ruleText({std::string(name), program::WhileAttrs{}, {{{8, 4}}}, {{{8, 4}}}});
    ruleText({std::string(name), {}, {{{8, 4}}, {{2}}, {{}}}, {{{8, 4}}}});
  }
}

TEST(Table, TheDiagnosticPointsAtTheFirstOp) {
  program::ProgramBuilder builder;
  const auto bad = builder.type(DType::kF32, {3}), good = builder.type(DType::kF32, {2});
  const auto x = builder.addArgument({}, good);
  const auto file = builder.name("m.mlir");
  const auto at = [&](uint32_t line) {
    return builder.addLocation({.file = file, .name = {}, .line = line, .column = 1});
  };
  builder.addOp("stablehlo.negate", {}, {x}, {good}, at(1));
  builder.addOp("stablehlo.negate", {}, {x}, {bad}, at(2));
  builder.addOp("stablehlo.negate", {}, {x}, {bad}, at(3));
  const program::Program program = std::move(builder).finish();
  const Result<RuleTable> table = RuleTable::make(program);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().str(),
            "m.mlir:2:1: error: stablehlo.negate: operand 0 dim 0 has size 2, but its factors "
            "multiply to 3 (R1)");
}

TEST(Table, OneRulePerSignature) {
  program::ProgramBuilder builder;
  const auto type = builder.type(DType::kF32, {4});
  const auto x = builder.addArgument({}, type);
  const auto y = builder.result(builder.addOp("stablehlo.negate", {}, {x}, {type}));
  builder.addOp("stablehlo.negate", {}, {y}, {type});
  const program::Program program = std::move(builder).finish();
  const Result<RuleTable> table = RuleTable::make(program);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), program.signatureCount());
  EXPECT_EQ(table->size(), 2u);
}

// --- structure ---

TEST(Structure, LittleOpsTieTheirValues) {
  expectRules({
      {{"argument", {}, {}, {{{8, 4}}}}, "()->([i, j]) {i=8, j=4}"},
      {{"return", {}, {{{8, 4}}}, {}}, "([i, j])->() {i=8, j=4}"},
      {{"carry", {}, {{{8}}, {{8}}}, {{{8}}, {{8}}, {{8}}}}, "([i], [i])->([i], [i], [i]) {i=8}"},
      {{"merge", {}, {{{8}}, {{8}}, {{8}}}, {{{8}}}}, "([i], [i], [i])->([i]) {i=8}"},
      {{"barrier", {}, {{{8}}}, {{{8}}}}, "([i])->([i]) {i=8}"},
      {{"while", program::WhileAttrs{}, {}, {}}, "()->()"},
      {{"case", {}, {{{}, DType::kI32}}, {}}, "([])->()"},
      {{"case", {}, {{{2}, DType::kI32}}, {}}, "([i])->() {i=2} need_replication={i}"},
      {{"carry", {}, {{{8}}, {{4}}}, {{{8}}, {{8}}, {{8}}}},
       "error: carry: operand 1 dim 0 has size 4, but its factors multiply to 8 (R1)"},
  });
}

// --- explicit rules ---

OpSpec custom(ExplicitRuleAttrs rule) {
  return {"stablehlo.custom_call:mine", std::move(rule), {{{16, 32}}, {{32, 64}}}, {{{16, 64}}}};
}

ExplicitRuleAttrs matmul() {
  return {.factorSizes = {16, 64, 32},
          .operandDims = {{{0}, {2}}, {{2}, {1}}},
          .resultDims = {{{0}, {1}}},
          .reduction = {2},
          .needReplication = {},
          .permutation = {}};
}

TEST(Explicit, IsTakenAsItIs) {
  EXPECT_EQ(ruleText(custom(matmul())),
            "([i, j], [j, k])->([i, k]) {i=16, j=32, k=64} reduction={j}");
  EXPECT_EQ(sourceOf(custom(matmul())), RuleSource::kExplicit);
}

TEST(Explicit, WinsOverTheFamily) {
  const OpSpec spec{
      "stablehlo.abs", ExplicitRuleAttrs{{8}, {{{0}}}, {{{0}}}, {}, {0}, {}}, {{{8}}}, {{{8}}}};
  EXPECT_EQ(ruleText(spec), "([i])->([i]) {i=8} need_replication={i}");
}

TEST(Explicit, AWholeFactorMayTieDimsOfDifferentSizes) {
  const OpSpec spec{"stablehlo.custom_call:part",
                    ExplicitRuleAttrs{{8, 4}, {{{0}, {1}}}, {{{0}, {1}}}, {}, {}, {1}},
                    {{{8, 4}}},
                    {{{8, 3}}}};
  EXPECT_EQ(ruleText(spec),
            "([i, j])->([i, k]) {i=8, j=4, k=3} need_replication={k} permutation={j}");
}

TEST(Explicit, AFactorThatAResultLacksIsWhole) {
  // A stack of decompositions as JAX writes it: only the stack's dim is in every tensor.
  const OpSpec spec{
      "stablehlo.custom_call:lapack_spotrf_ffi",
      ExplicitRuleAttrs{{8, 4, 4, 4, 4}, {{{0}, {1}, {2}}}, {{{0}, {3}, {4}}, {{0}}}, {}, {}, {}},
      {{{8, 4, 4}}},
      {{{8, 4, 4}}, {{8}}}};
  EXPECT_EQ(
      ruleText(spec),
      "([i, j, k])->([i, l, m], [i]) {i=8, j=4, k=4, l=4, m=4} need_replication={j, k, l, m}");
  EXPECT_DOUBLE_EQ(flopsOf(spec), 8 * 4.0 * 4 * 4 / 3);
}

TEST(Explicit, SaysWhatIsWrong) {
  const auto with = [](auto change) {
    ExplicitRuleAttrs rule = matmul();
    change(rule);
    return custom(rule);
  };
  const std::string op = "error: stablehlo.custom_call:mine: ";
  expectRules({
      {with([](auto& r) { r.operandDims.pop_back(); }),
       op + "its sharding rule is for 1 operands and 1 results, but it has 2 and 1"},
      {with([](auto& r) { r.operandDims[0].pop_back(); }), op + "operand 0 has rank 2, expected 1"},
      {with([](auto& r) { r.operandDims[0][0] = {7}; }),
       op + "its sharding rule names factor 7 of 3"},
      {with([](auto& r) { r.operandDims[0][0] = {-1}; }),
       op + "its sharding rule names factor -1 of 3"},
      {with([](auto& r) { r.reduction = {3}; }), op + "its sharding rule names factor 3 of 3"},
      {with([](auto& r) { r.needReplication = {2}; }),
       op + "its sharding rule gives factor 2 two kinds"},
      {with([](auto& r) { r.reduction = {2, 2}; }),
       op + "its sharding rule gives factor 2 two kinds"},
      {with([](auto& r) { r.factorSizes.push_back(5); }),
       op + "its sharding rule puts factor 3 in no dim (R2)"},
      {with([](auto& r) { r.reduction = {0}; }), op + "reduction factor i stands in a result (R4)"},
      {with([](auto& r) { r.factorSizes[2] = 31; }),
       op + "operand 0 dim 1 has size 32, but its factors multiply to 31 (R1)"},
      {with([](auto& r) { r.factorSizes[2] = -32; }), op + "factor j has size -32 (R5)"},
      {with([](auto& r) { r.operandDims[0][1] = {0}; }),
       op + "factor i stands twice in operand 0 (R3)"},
  });
}

// --- size ---

TEST(Limits, RankOfAThousandIsLinear) {
  const IntList shape(1000, 1), big(1000, 2);
  EXPECT_NE(ruleText({"stablehlo.add", {}, {{big}, {big}}, {{big}}}).size(), 0u);
  EXPECT_NE(ruleText({"stablehlo.reshape", {}, {{shape}}, {{shape}}}).size(), 0u);
  IntList order;
  for (int64_t d = 999; d >= 0; --d) order.push_back(d);
  EXPECT_NE(ruleText({"stablehlo.transpose", program::DimsAttrs{order}, {{big}}, {{big}}}).size(),
            0u);
}

}  // namespace
}  // namespace shardwright::rules
