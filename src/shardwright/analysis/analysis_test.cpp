#include "shardwright/analysis/analysis.h"

#include <gtest/gtest.h>

#include "shardwright/analysis/union_find.h"
#include "shardwright/program/builder.h"

namespace shardwright::analysis {
namespace {

using program::DType;
using program::OpId;
using program::Program;
using program::ProgramBuilder;
using program::ValueId;
using rules::FactorId;

// A few ops in float32, so that tests read like the programs they build.
class Net {
 public:
  ValueId argument(const std::string& path, std::initializer_list<int64_t> shape) {
    program::Argument argument;
    argument.path = path;
    return builder_.addArgument(std::move(argument), builder_.type(DType::kF32, shape));
  }
  ValueId matmul(ValueId a, ValueId b) {
    const auto& program = builder_.program();
    const auto type = builder_.type(DType::kF32, {program.shape(a)[0], program.shape(b)[1]});
    return one("stablehlo.dot_general", program::DotAttrs{{}, {}, {1}, {0}}, {a, b}, type);
  }
  ValueId transpose(ValueId a) {
    const auto& program = builder_.program();
    const auto type = builder_.type(DType::kF32, {program.shape(a)[1], program.shape(a)[0]});
    return one("stablehlo.transpose", program::DimsAttrs{{1, 0}}, {a}, type);
  }
  ValueId reshape(ValueId a, std::initializer_list<int64_t> shape) {
    return one("stablehlo.reshape", {}, {a}, builder_.type(DType::kF32, shape));
  }
  ValueId unary(const char* name, ValueId a) { return one(name, {}, {a}, typeOf(a)); }
  ValueId add(ValueId a, ValueId b) { return one("stablehlo.add", {}, {a, b}, typeOf(a)); }
  // Once built.
  OpId definition(ValueId value) const { return program_->value(value).definition; }

  void result(ValueId value) { builder_.addResult({}, value); }
  void build() {
    program_ = std::make_unique<Program>(std::move(builder_).finish());
    auto made = rules::RuleTable::make(*program_);
    ASSERT_TRUE(static_cast<bool>(made)) << made.error().str();
    rules_ = std::make_unique<rules::RuleTable>(std::move(*made));
    analysis_ = std::make_unique<Analysis>(Analysis::make(*program_, *rules_));
  }
  const Analysis& analysis() const { return *analysis_; }
  // The colour of a dim of an argument.
  ColorId color(ValueId argument, size_t dim) const {
    const OpId op = program_->value(argument).definition;
    return analysis_->color({op, rules_->rule(program_->op(op).signature).dim(0, dim)[0]});
  }
  size_t conflicts() const {
    size_t count = 0;
    for (uint32_t i = 0; i < analysis_->conflicts().size(); ++i)
      count += analysis_->isTie(ConflictId(i)) ? 0 : 1;
    return count;
  }

 private:
  program::TypeId typeOf(ValueId value) const { return builder_.program().value(value).type; }
  ValueId one(const char* name, const program::Attributes& attributes,
              std::initializer_list<ValueId> operands, program::TypeId type) {
    return builder_.result(builder_.addOp(name, attributes, operands, {type}));
  }

  ProgramBuilder builder_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<rules::RuleTable> rules_;
  std::unique_ptr<Analysis> analysis_;
};

TEST(SidedUnionFind, FindsContradictions) {
  SidedUnionFind sets(6);
  EXPECT_TRUE(sets.join(0, 1, true));
  EXPECT_TRUE(sets.join(2, 3, true));
  EXPECT_TRUE(sets.join(1, 2, false));
  EXPECT_TRUE(sets.join(0, 3, false)) << "0 and 3 are two flips apart";
  EXPECT_FALSE(sets.join(0, 2, false));
  EXPECT_TRUE(sets.join(4, 3, true));
  EXPECT_EQ(sets.find(4), std::make_pair(0u, true));
  EXPECT_EQ(sets.find(5), std::make_pair(5u, false));
}

TEST(Colors, MlpHasFourAndNoConflict) {
  Net net;
  const ValueId x = net.argument("x", {256, 32}), w1 = net.argument("w1", {32, 64}),
                w2 = net.argument("w2", {64, 16});
  net.result(net.matmul(net.unary("stablehlo.tanh", net.matmul(x, w1)), w2));
  net.build();
  EXPECT_EQ(net.analysis().colors().size(), 4u);
  EXPECT_EQ(net.analysis().conflicts().size(), 0u);
  EXPECT_EQ(net.color(x, 1), net.color(w1, 0));
  EXPECT_EQ(net.color(w1, 1), net.color(w2, 0));
  EXPECT_NE(net.color(x, 0), net.color(x, 1));
}

TEST(Conflicts, A5ResidualWithASquareWeightHasOne) {
  Net net;
  const ValueId x = net.argument("x", {256, 32}), w = net.argument("w", {32, 32});
  net.result(net.add(x, net.matmul(x, w)));
  net.build();
  EXPECT_EQ(net.analysis().colors().size(), 2u);
  EXPECT_EQ(net.conflicts(), 1u);
  EXPECT_EQ(net.analysis().conflicts().size(), 2u) << "the weight itself is tied to it";
  EXPECT_EQ(net.analysis().sets().size(), 1u);
}

TEST(Conflicts, A6AttentionIsOneSet) {
  Net net;
  const ValueId x = net.argument("x", {128, 32});
  const ValueId q = net.matmul(x, net.argument("wq", {32, 8})),
                k = net.matmul(x, net.argument("wk", {32, 8}));
  const ValueId v = net.matmul(x, net.argument("wv", {32, 16}));
  const ValueId scores = net.unary("stablehlo.exponential", net.matmul(q, net.transpose(k)));
  net.result(net.matmul(scores, v));
  net.build();
  EXPECT_EQ(net.analysis().colors().size(), 4u);
  EXPECT_EQ(net.conflicts(), 3u) << "scores, exp, scores times values";
  EXPECT_EQ(net.analysis().sets().size(), 1u);
  for (const Conflict& conflict : net.analysis().conflicts())
    EXPECT_EQ(conflict.color, net.color(x, 0));
}

TEST(Conflicts, A6TransposedUseSwapsTheSides) {
  Net net;
  const ValueId x = net.argument("x", {64, 8});
  const ValueId s = net.matmul(x, net.transpose(x));
  const ValueId t = net.transpose(s);
  net.result(net.unary("stablehlo.tanh", t));
  net.build();
  ASSERT_EQ(net.analysis().sets().size(), 1u);
  EXPECT_EQ(net.analysis().oddCycles(), 0u);
  // Rows of s are the columns of its transpose.
  const Conflict *dot = nullptr, *tanh = nullptr;
  for (const Conflict& conflict : net.analysis().conflicts()) {
    if (conflict.op == net.definition(s)) dot = &conflict;
    if (conflict.op.index() == net.definition(t).index() + 1) tanh = &conflict;
  }
  ASSERT_NE(dot, nullptr);
  ASSERT_NE(tanh, nullptr);
  EXPECT_EQ(dot->first < dot->second, tanh->second < tanh->first);
}

TEST(Conflicts, A6OddCycleIsCounted) {
  Net net;
  const ValueId x = net.argument("x", {64, 8});
  const ValueId s = net.matmul(x, net.transpose(x));
  net.result(net.add(s, net.transpose(s)));
  net.build();
  EXPECT_EQ(net.analysis().oddCycles(), 1u);
}

TEST(Colors, A1A2ReshapesThatAreUndoneChangeNothing) {
  Net net;
  const ValueId x = net.argument("x", {4, 8, 16});
  net.result(net.reshape(net.reshape(x, {32, 16}), {4, 8, 16}));
  net.build();
  EXPECT_EQ(net.analysis().colors().size(), 3u);
}

TEST(Colors, A4AliasedArgumentsAndResultsAreTied) {
  ProgramBuilder builder;
  const auto type = builder.type(DType::kF32, {8});
  program::Argument argument;
  argument.path = "state";
  argument.aliasedResult = 0;
  builder.addArgument(argument, type);
  const ValueId fresh =
      builder.result(builder.addOp("stablehlo.iota", program::DimAttrs{0}, {}, {type}));
  builder.addResult({}, fresh);
  const Program program = std::move(builder).finish();
  const auto rules = rules::RuleTable::make(program);
  ASSERT_TRUE(static_cast<bool>(rules));
  EXPECT_EQ(Analysis::make(program, *rules).colors().size(), 1u);
}

// x -> W1 -> W2 -> … all square, with no residual: each layer has a feature colour of its own.
Net chain(int layers) {
  Net net;
  ValueId x = net.argument("x", {256, 64});
  for (int i = 0; i < layers; ++i) {
    x = net.unary("stablehlo.tanh",
                  net.matmul(x, net.argument("layers[" + std::to_string(i) + "]", {64, 64})));
  }
  net.result(x);
  return net;
}

TEST(Classes, A9CopiesThatMeetAlternate) {
  for (const int layers : {4, 5, 20}) {
    Net net = chain(layers);
    net.build();
    EXPECT_EQ(net.analysis().colors().size(), static_cast<size_t>(layers + 2));
    for (const Conflict& conflict : net.analysis().conflicts())
      ADD_FAILURE() << conflict.op.index();
    EXPECT_LE(net.analysis().classes().size(), 5u)
        << layers << " layers: batch, input, output, two alternating";
  }
}

TEST(Analysis, OddProgramsAreFine) {
  Net scalars;
  const ValueId a = scalars.argument("a", {});
  scalars.result(scalars.add(a, a));
  scalars.build();
  EXPECT_EQ(scalars.analysis().colors().size(), 0u);

  Net ones;
  const ValueId b = ones.argument("b", {1, 1});
  ones.result(ones.matmul(b, b));
  ones.build();
  EXPECT_EQ(ones.analysis().colors().size(), 0u);

  Net empty;
  empty.build();
  EXPECT_EQ(empty.analysis().classes().size(), 0u);

  Net everything;  // One colour covers all.
  const ValueId c = everything.argument("c", {8, 8});
  everything.result(everything.add(everything.matmul(c, c), everything.transpose(c)));
  everything.build();
  EXPECT_EQ(everything.analysis().colors().size(), 1u);
}

TEST(PathPattern, KeepsNamesAndForgetsNumbers) {
  EXPECT_EQ(pathPattern("state['params']['layers'][3]['wq']"), "state/params/layers/*/wq");
  EXPECT_EQ(pathPattern("state.params.block_12.kernel"), "state/params/block_*/kernel");
  EXPECT_EQ(pathPattern("arg0"), "arg*");
  EXPECT_EQ(pathPattern("batch"), "batch");
}

}  // namespace
}  // namespace shardwright::analysis
