// The laws, each with a rule that breaks it; and how rules print.
#include "shardwright/rules/rule.h"

#include "shardwright/rules/testing.h"

namespace shardwright::rules {
namespace {

using program::Combiner;

// A matrix product f32[16,32] x f32[32,64] to write rules for.
class Laws : public ::testing::Test {
 protected:
  Built built_ = build({"op", {}, {{{16, 32}}, {{32, 64}}}, {{{16, 64}}}});
  OpView view_{built_.program, built_.program.op(built_.op).signature};
  RuleBuilder builder_{view_};

  std::string finish() {
    const Result<Rule> rule = std::move(builder_).finish();
    return rule ? rule->str() : rule.error().message;
  }
};

TEST_F(Laws, AMatrixProductKeepsThem) {
  const FactorId i = builder_.parallel(16), j = builder_.parallel(64);
  const FactorId k = builder_.reduction(32, Combiner::kAdd);
  builder_.map(0, 0, i);
  builder_.map(0, 1, k);
  builder_.map(1, 0, k);
  builder_.map(1, 1, j);
  builder_.mapResult(0, 0, i);
  builder_.mapResult(0, 1, j);
  builder_.flopsPerPoint(2);
  const Result<Rule> rule = std::move(builder_).finish();
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->str(), "([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}");
  EXPECT_EQ(rule->flops(), 2.0 * 16 * 64 * 32);
  EXPECT_FALSE(check(*rule, view_));
}

TEST_F(Laws, R1AFactorFitsEveryDimItStandsIn) {
  const FactorId i = builder_.parallel(16), k = builder_.parallel(32);
  builder_.map(0, 0, i);
  builder_.map(0, 1, k);
  builder_.map(1, 0, i);
  EXPECT_EQ(finish(), "op: operand 1 dim 0 has size 32, but its factors multiply to 16 (R1)");
}

TEST_F(Laws, R1SizesMultiplyToTheDim) {
  builder_.map(0, 0, builder_.parallel(4));
  EXPECT_EQ(finish(), "op: operand 0 dim 0 has size 16, but its factors multiply to 4 (R1)");
}

TEST_F(Laws, R1ADimOfSizeAboveOneListsFactors) {
  EXPECT_EQ(finish(), "op: operand 0 dim 0 has size 16, but its factors multiply to 1 (R1)");
}

TEST_F(Laws, R1HoldsWhereProductsOverflow) {
  const FactorId huge = builder_.parallel(int64_t{1} << 62);
  builder_.map(0, 0, huge);
  builder_.map(0, 0, builder_.parallel(8));
  EXPECT_EQ(finish(),
            "op: operand 0 dim 0 has size 16, but its factors multiply to more than 64 bits hold "
            "(R1)");
}

TEST_F(Laws, R2AFactorStandsSomewhere) {
  builder_.parallel(3);
  EXPECT_EQ(finish(), "op: factor i stands in no dim (R2)");
}

TEST_F(Laws, R3AFactorStandsOnceInATensor) {
  const FactorId i = builder_.parallel(16);
  builder_.map(0, 0, i);
  builder_.map(0, 1, i);
  EXPECT_EQ(finish(), "op: factor i stands twice in operand 0 (R3)");
}

TEST_F(Laws, R4AReductionStandsInNoResult) {
  const FactorId i = builder_.reduction(16, Combiner::kAdd);
  builder_.map(0, 0, i);
  builder_.mapResult(0, 0, i);
  EXPECT_EQ(finish(), "op: reduction factor i stands in a result (R4)");
}

TEST_F(Laws, R5SizesAreNotNegative) {
  builder_.map(0, 0, builder_.parallel(-1));
  EXPECT_EQ(finish(), "op: factor i has size -1 (R5)");
}

TEST(Rule, NamesFactorsAsShardyDoes) {
  const Result<OpRule> rule =
      ruleOf({"stablehlo.abs", {}, {{program::IntList(20, 2)}}, {{program::IntList(20, 2)}}});
  ASSERT_TRUE(rule);
  const std::string text = rule->rule.str();
  EXPECT_NE(text.find("x, y, z, z_1, z_2])->(["), std::string::npos) << text;
  EXPECT_NE(text.find("z=2, z_1=2, z_2=2}"), std::string::npos) << text;
}

TEST(Rule, PrintsARuleWithoutFactors) {
  EXPECT_EQ(ruleText({"stablehlo.add", {}, {{{}}, {{}}}, {{{}}}}), "([], [])->([])");
}

TEST(Rule, SplittableMeansParallelOrReductionAboveOne) {
  EXPECT_TRUE((Factor{8, FactorKind::kParallel}.splittable()));
  EXPECT_TRUE((Factor{8, FactorKind::kReduction}.splittable()));
  EXPECT_FALSE((Factor{8, FactorKind::kBlocked}.splittable()));
  EXPECT_FALSE((Factor{8, FactorKind::kHalo}.splittable()));
  EXPECT_FALSE((Factor{1, FactorKind::kParallel}.splittable()));
}

TEST(Rule, FlopsOfNothingAreNone) {
  EXPECT_EQ(flopsOf({"stablehlo.add", {}, {{{0, 4}}, {{0, 4}}}, {{{0, 4}}}}), 0);
}

}  // namespace
}  // namespace shardwright::rules
