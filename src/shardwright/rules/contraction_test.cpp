// Dots, reductions, convolutions and windows.
#include "shardwright/rules/testing.h"
#include "shardwright/rules/window.h"

namespace shardwright::rules {
namespace {

using program::AttentionAttrs;
using program::Combiner;
using program::ConvolutionAttrs;
using program::DimAttrs;
using program::DotAttrs;
using program::DType;
using program::IntList;
using program::ReduceAttrs;
using program::WindowAttrs;

const TypeSpec kScalar{{}};
const TypeSpec kMatrix{{8, 4}};

OpSpec dot(DotAttrs attrs, IntList lhs, IntList rhs, IntList out) {
  return {"stablehlo.dot_general", std::move(attrs), {{lhs}, {rhs}}, {{out}}};
}

TEST(Dot, BatchFreeAndContractingDims) {
  expectRules({
      {dot({{}, {}, {1}, {0}}, {16, 32}, {32, 64}, {16, 64}),
       "([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}"},
      {dot({{0}, {0}, {2}, {1}}, {8, 4, 16}, {8, 16, 32}, {8, 4, 32}),
       "([i, j, l], [i, l, k])->([i, j, k]) {i=8, j=4, k=32, l=16} reduction={l}"},
      {dot({{}, {}, {0}, {0}}, {16}, {16}, {}), "([i], [i])->([]) {i=16} reduction={i}"},
  });
}

TEST(Dot, SaysWhatIsWrong) {
  const std::string op = "error: stablehlo.dot_general: ";
  expectRules({
      {dot({{}, {}, {1}, {0}}, {16, 32}, {31, 64}, {16, 64}),
       op + "operand 1 dim 0 has size 31, but its factors multiply to 32 (R1)"},
      {dot({{}, {}, {1}, {0}}, {16, 32}, {32, 64}, {16}), op + "result 0 has rank 1, expected 2"},
      {dot({{0}, {}, {1}, {0}}, {16, 32}, {32, 64}, {16, 64}),
       op + "lhs_batch has 1 entries but rhs_batch has 0"},
      {dot({{0}, {0}, {0}, {1}}, {16, 32}, {16, 16}, {16, 32}),
       op + "lhs dims: dim 0 of operand 0 stands there twice"},
      {dot({{}, {}, {2}, {0}}, {16, 32}, {32, 64}, {16, 64}),
       op + "lhs dims: 2 is no dim of operand 0, which has rank 2"},
      {{"stablehlo.dot_general", {}, {kMatrix, kMatrix}, {kMatrix}},
       op + "its attributes are missing"},
  });
}

TEST(Dot, CountsMultiplyAndAdd) {
  EXPECT_EQ(flopsOf(dot({{}, {}, {1}, {0}}, {16, 32}, {32, 64}, {16, 64})), 2.0 * 16 * 32 * 64);
}

OpSpec ragged(DotAttrs attrs, IntList lhs, IntList rhs, IntList groups, IntList out) {
  return {"chlo.ragged_dot", std::move(attrs), {{lhs}, {rhs}, {groups, DType::kI32}}, {{out}}};
}

TEST(RaggedDot, RowsAreSplitGroupsAreWhole) {
  expectRules({
      {ragged({{}, {}, {1}, {1}, {0}, {0}}, {64, 32}, {4, 32, 16}, {4}, {64, 16}),
       "([i, k], [l, k, j], [m])->([i, j]) {i=64, j=16, k=32, l=4, m=4} reduction={k} "
       "need_replication={l, m}"},
      // Ragged contracting dim: one product per group.
      {ragged({{}, {}, {1}, {0}, {1}, {}}, {64, 32}, {32, 16}, {4}, {4, 64, 16}),
       "([j, l], [l, k], [m])->([i, j, k]) {i=4, j=64, k=16, l=32, m=4} reduction={l} "
       "need_replication={i, m}"},
      // Ragged batch dim.
      {ragged({{0}, {0}, {2}, {1}, {0}, {}}, {8, 64, 32}, {8, 32, 16}, {4}, {8, 64, 16}),
       "([i, j, l], [i, l, k], [m])->([i, j, k]) {i=8, j=64, k=16, l=32, m=4} reduction={l} "
       "need_replication={i, m}"},
      // Groups that differ from batch to batch.
      {ragged({{0}, {1}, {2}, {2}, {1}, {0}}, {2, 64, 32}, {4, 2, 32, 16}, {2, 4}, {2, 64, 16}),
       "([i, j, l], [m, i, l, k], [n, o])->([i, j, k]) {i=2, j=64, k=16, l=32, m=4, n=2, o=4} "
       "need_replication={i, j, l, m, n, o}"},
      {ragged({{}, {}, {1}, {1}, {}, {0}}, {64, 32}, {4, 32, 16}, {4}, {64, 16}),
       "error: chlo.ragged_dot: expected one ragged dim"},
      {ragged({{}, {}, {1}, {1}, {0}, {1}}, {64, 32}, {4, 32, 16}, {4}, {64, 16}),
       "error: chlo.ragged_dot: rhs dims: dim 1 of operand 1 stands there twice"},
  });
  EXPECT_EQ(flopsOf(ragged({{}, {}, {1}, {1}, {0}, {0}}, {64, 32}, {4, 32, 16}, {4}, {64, 16})),
            2.0 * 64 * 32 * 16);
}

TEST(Reduce, KeptDimsAreTiedReducedOnesCombined) {
  const TypeSpec cube{{8, 4, 16}};
  expectRules({
      {{"stablehlo.reduce", ReduceAttrs{{0, 2}, Combiner::kAdd}, {cube, kScalar}, {{{4}}}},
       "([i, j, k], [])->([j]) {i=8, j=4, k=16} reduction={i, k}"},
      {{"stablehlo.reduce", ReduceAttrs{{1}, Combiner::kOther}, {cube, kScalar}, {{{8, 16}}}},
       "([i, j, k], [])->([i, k]) {i=8, j=4, k=16} need_replication={j}"},
      {{"stablehlo.reduce",
        ReduceAttrs{{1}, Combiner::kArgMax},
        {kMatrix, kMatrix, kScalar, kScalar},
        {{{8}}, {{8}}}},
       "([i, j], [i, j], [], [])->([i], [i]) {i=8, j=4} need_replication={j}"},
      {{"stablehlo.reduce",
        ReduceAttrs{{1}, Combiner::kAdd},
        {kMatrix, kMatrix, kScalar, kScalar},
        {{{8}}, {{8}}}},
       "([i, j], [i, j], [], [])->([i], [i]) {i=8, j=4} reduction={j}"},
      {{"stablehlo.reduce", ReduceAttrs{{3}, Combiner::kAdd}, {cube, kScalar}, {{{8, 4}}}},
       "error: stablehlo.reduce: dims: 3 is no dim of operand 0, which has rank 3"},
      {{"stablehlo.reduce", ReduceAttrs{{1}, Combiner::kAdd}, {cube, kScalar}, {{{8}}}},
       "error: stablehlo.reduce: result 0 has rank 1, expected 2"},
      {{"stablehlo.reduce", ReduceAttrs{{1}, Combiner::kAdd}, {cube}, {{{8, 16}}}},
       "error: stablehlo.reduce: has 1 operands, expected 2"},
  });
  EXPECT_EQ(
      flopsOf({"stablehlo.reduce", ReduceAttrs{{1}, Combiner::kAdd}, {kMatrix, kScalar}, {{{8}}}}),
      32);
}

TEST(Reduce, KnowsWhichCombinersDevicesCanUse) {
  const auto kind = [](Combiner combiner) {
    const auto rule =
        ruleOf({"stablehlo.reduce", ReduceAttrs{{1}, combiner}, {kMatrix, kScalar}, {{{8}}}});
    return rule->rule.factors()[1];
  };
  using enum Combiner;
  for (const Combiner c : {kAdd, kMul, kMin, kMax}) {
    EXPECT_EQ(kind(c), (Factor{4, FactorKind::kReduction, c}));
  }
  // XLA has all-reduces with `and` and `or` for booleans alone.
  for (const Combiner c : {kAnd, kOr, kXor, kReplace, kArgMin, kArgMax, kOther}) {
    EXPECT_EQ(kind(c).kind, FactorKind::kBlocked);
  }
}

TEST(Reduce, BooleansAreCombinedWithAndAndOr) {
  const TypeSpec matrix{{8, 4}, program::DType::kPred}, scalar{{}, program::DType::kPred};
  for (const Combiner c : {Combiner::kAnd, Combiner::kOr}) {
    const auto rule = ruleOf({"stablehlo.reduce",
                              ReduceAttrs{{1}, c},
                              {matrix, scalar},
                              {{{8}, program::DType::kPred}}});
    EXPECT_EQ(rule->rule.factors()[1], (Factor{4, FactorKind::kReduction, c}));
  }
}

// The linear groups of an op's operands.
std::vector<int> groupsOf(const OpSpec& spec) {
  const auto rule = ruleOf(spec);
  std::vector<int> groups;
  for (size_t i = 0; i < spec.operands.size(); ++i) groups.push_back(rule->rule.linearGroup(i));
  return groups;
}

TEST(Linear, OperandsTogetherOrOneAtATime) {
  using Groups = std::vector<int>;
  const TypeSpec whole{{8, 4}, program::DType::kI32}, narrow{{8, 4}, program::DType::kBF16};
  EXPECT_EQ(groupsOf({"stablehlo.add", {}, {kMatrix, kMatrix}, {kMatrix}}), (Groups{1, 1}));
  EXPECT_EQ(groupsOf({"stablehlo.multiply", {}, {kMatrix, kMatrix}, {kMatrix}}), (Groups{1, 2}));
  EXPECT_EQ(groupsOf({"stablehlo.divide", {}, {kMatrix, kMatrix}, {kMatrix}}), (Groups{1, 0}));
  EXPECT_EQ(groupsOf({"stablehlo.divide", {}, {whole, whole}, {whole}}), (Groups{0, 0}));
  EXPECT_EQ(groupsOf({"stablehlo.tanh", {}, {kMatrix}, {kMatrix}}), (Groups{0}));
  EXPECT_EQ(groupsOf({"stablehlo.convert", {}, {narrow}, {kMatrix}}), (Groups{1}));
  EXPECT_EQ(groupsOf({"stablehlo.convert", {}, {kMatrix}, {narrow}}), (Groups{0}));
  const TypeSpec count{{}, program::DType::kI32};
  EXPECT_EQ(groupsOf({"stablehlo.convert", {}, {count}, {count}}), (Groups{1}));
  EXPECT_EQ(groupsOf({"stablehlo.convert", {}, {count}, {kScalar}}), (Groups{0}));
  EXPECT_EQ(
      groupsOf({"stablehlo.reduce", ReduceAttrs{{1}, Combiner::kAdd}, {kMatrix, kScalar}, {{{8}}}}),
      (Groups{1, 1}));
  EXPECT_EQ(
      groupsOf({"stablehlo.reduce", ReduceAttrs{{1}, Combiner::kMax}, {kMatrix, kScalar}, {{{8}}}}),
      (Groups{0, 0}));
}

TEST(Reduce, TheInitialValueCountsOnceUnlessThatDoesNotMatter) {
  const auto once = [](Combiner combiner) {
    return ruleOf({"stablehlo.reduce", ReduceAttrs{{1}, combiner}, {kMatrix, kScalar}, {{{8}}}})
        ->rule.countsOnce(1);
  };
  EXPECT_TRUE(once(Combiner::kAdd));
  EXPECT_TRUE(once(Combiner::kMul));
  EXPECT_FALSE(once(Combiner::kMax));
}

TEST(Window, ShapesOfOneDim) {
  EXPECT_EQ(windowShape({.in = 32, .out = 16, .size = 2, .stride = 2}), WindowShape::kTiles);
  EXPECT_EQ(windowShape({.in = 32, .out = 32}), WindowShape::kTiles);
  EXPECT_EQ(windowShape({.in = 32, .out = 1, .size = 32}), WindowShape::kTiles);
  EXPECT_EQ(windowShape({.in = 32, .out = 16, .size = 1, .stride = 2}), WindowShape::kSparse);
  EXPECT_EQ(windowShape({.in = 32, .out = 32, .size = 3, .low = 1}), WindowShape::kOverlapping);
  EXPECT_EQ(windowShape({.in = 33, .out = 16, .size = 2, .stride = 2}), WindowShape::kOverlapping);
  EXPECT_EQ(windowShape({.in = 32, .out = 63, .baseDilation = 2}), WindowShape::kOverlapping);
  EXPECT_EQ(windowShape({.in = 32, .out = 16, .size = 2, .stride = 2, .windowDilation = 2}),
            WindowShape::kOverlapping);
  EXPECT_EQ(windowShape({.in = 32, .out = 2, .size = 16, .windowDilation = 2}),
            WindowShape::kInterleaved);
  EXPECT_EQ(windowShape({.in = 32, .out = 1, .size = 16, .windowDilation = 2}),
            WindowShape::kInterleaved);
  EXPECT_EQ(windowShape({.in = 32, .out = 3, .size = 16, .windowDilation = 2}),
            WindowShape::kOverlapping);
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(windowShape({.in = huge, .out = 1, .size = huge, .windowDilation = huge}),
            WindowShape::kOverlapping);
}

WindowAttrs window(IntList sizes, IntList strides, IntList padding = {}) {
  return {sizes, strides, {}, {}, padding, Combiner::kMax};
}

TEST(ReduceWindow, TilesAreParallelOverlapsAreHalos) {
  const std::string name = "stablehlo.reduce_window";
  expectRules({
      {{name, window({2, 1}, {2, 1}), {kMatrix, kScalar}, {{{4, 4}}}},
       "([ij, k], [])->([i, k]) {i=4, j=2, k=4} reduction={j}"},
      {{name, window({3, 1}, {1, 1}, {1, 1, 0, 0}), {kMatrix, kScalar}, {kMatrix}},
       "([i, j], [])->([i, j]) {i=8, j=4} permutation={i}"},
      {{name, window({3, 1}, {2, 1}), {kMatrix, kScalar}, {{{3, 4}}}},
       "([i, k], [])->([j, k]) {i=8, j=3, k=4} permutation={i, j}"},
      {{name, window({1, 1}, {2, 1}), {kMatrix, kScalar}, {{{4, 4}}}},
       "([ij, k], [])->([i, k]) {i=4, j=2, k=4} need_replication={j}"},
      {{name,
        WindowAttrs{{4, 1}, {}, {}, {2, 1}, {}, Combiner::kMax},
        {kMatrix, kScalar},
        {{{2, 4}}}},
       "([ij, k], [])->([j, k]) {i=4, j=2, k=4} reduction={i}"},
      {{name, window({8, 4}, {}), {kMatrix, kScalar}, {{{1, 1}}}},
       "([j, l], [])->([i, k]) {i=1, j=8, k=1, l=4} reduction={j, l}"},
      {{name, window({2}, {2}), {kMatrix, kScalar}, {{{4, 4}}}},
       "error: stablehlo.reduce_window: window_dimensions has 1 entries but operand 0 has rank 2"},
      {{name, window({2, 1}, {2}), {kMatrix, kScalar}, {{{4, 4}}}},
       "error: stablehlo.reduce_window: window_strides has 1 entries, expected 2"},
      {{name, window({2, 1}, {2, 1}, {0}), {kMatrix, kScalar}, {{{4, 4}}}},
       "error: stablehlo.reduce_window: padding has 1 entries, expected 4"},
  });
  EXPECT_EQ(flopsOf({name, window({3, 1}, {2, 1}), {kMatrix, kScalar}, {{{3, 4}}}}), 3 * 4 * 3);
  const OpSpec cumulative{name, window({8, 1}, {}, {7, 0, 0, 0}), {kMatrix, kScalar}, {kMatrix}};
  EXPECT_EQ(flopsOf(cumulative), 2 * 8 * 4) << "a tree, not 8 for each";
  EXPECT_EQ(ruleOf(cumulative)->rule.passes(), 3);
}

// Attention in cuDNN: 8 heads of queries on 2 of keys, and others.
TEST(FusedAttention, TheBatchAndTheHeadsOfKeysAreParallel) {
  const std::string name = "stablehlo.custom_call:__cudnn$fmhaSoftmax";
  const TypeSpec query{{4, 16, 8, 32}}, key{{4, 64, 2, 32}}, out{{4, 8, 16, 32}};
  const TypeSpec statistics{{4, 8, 16}}, nothing{{0}}, lengths{{4}}, dq = out, dk{{4, 2, 64, 32}};
  const std::string sizes =
      " {i=4, j=2, k=16, l=64, m=32, n=32, o=4, p=0} need_replication={k, l, m, n, o, p}";
  expectRules({
      {{name, AttentionAttrs{2}, {query, key, key}, {out, nothing}},
       "([i, k, jo, m], [i, l, j, m], [i, l, j, n])->([i, jo, k, n], [p])" + sizes},
      {{name, AttentionAttrs{2}, {query, key, key, lengths, lengths}, {out, statistics, nothing}},
       "([i, k, jo, m], [i, l, j, m], [i, l, j, n], [i], [i])->([i, jo, k, n], [i, jo, k], [p])" +
           sizes},
      {{name, AttentionAttrs{1}, {out, dk, dk}, {out, nothing}},
       "([i, jo, k, m], [i, j, l, m], [i, j, l, n])->([i, jo, k, n], [p])" + sizes},
      {{name + "Backward",
        AttentionAttrs{2},
        {query, key, key, statistics, query, query},
        {dq, dk, dk, nothing}},
       "([i, k, jo, m], [i, l, j, m], [i, l, j, n], [i, jo, k], [i, k, jo, n], [i, k, jo, n])->"
       "([i, jo, k, m], [i, j, l, m], [i, j, l, n], [p])" +
           sizes},
      {{"stablehlo.custom_call:__cudnn$fmhaScaleBiasSoftmax",
        AttentionAttrs{2},
        {query, key, key, {{1, 8, 16, 64}}},
        {out, nothing}},
       "([i, k, jo, m], [i, l, j, m], [i, l, j, n], [, jo, k, l])->([i, jo, k, n], [p])" + sizes},
      {{name, AttentionAttrs{2}, {query, query, query}, {out, nothing}},
       "([i, k, j, m], [i, l, j, m], [i, l, j, n])->([i, j, k, n], [o]) {i=4, j=8, k=16, l=16, "
       "m=32, n=32, o=0} need_replication={k, l, m, n, o}"},
      {{name, AttentionAttrs{2}, {query, {{4, 64, 1, 32}}, {{4, 64, 1, 32}}}, {out, nothing}},
       "([i, k, o, m], [i, l, j, m], [i, l, j, n])->([i, o, k, n], [p]) {i=4, j=1, k=16, l=64, "
       "m=32, n=32, o=8, p=0} need_replication={k, l, m, n, p}"},
      {{name + "Backward",
        AttentionAttrs{2},
        {query, {{4, 64, 1, 32}}, {{4, 64, 1, 32}}, statistics, query, query},
        {dq, {{4, 1, 64, 32}}, {{4, 1, 64, 32}}, nothing}},
       "([i, k, o, m], [i, l, j, m], [i, l, j, n], [i, o, k], [i, k, o, n], [i, k, o, n])->"
       "([i, o, k, m], [i, j, l, m], [i, j, l, n], [p]) {i=4, j=1, k=16, l=64, m=32, n=32, o=8, "
       "p=0} need_replication={k, l, m, n, o, p}"},
  });
  EXPECT_EQ(flopsOf({name, AttentionAttrs{2}, {query, key, key}, {out, nothing}}),
            4.0 * 4 * 8 * 16 * 64 * 32);
  EXPECT_EQ(flopsOf({name, AttentionAttrs{2, true}, {query, key, key}, {out, nothing}}),
            2.0 * 4 * 8 * 16 * 64 * 32)
      << "half of the scores are masked";
}

TEST(FusedAttention, OtherKindsAreWhole) {
  const std::string name = "stablehlo.custom_call:__cudnn$fmhaSoftmax";
  const TypeSpec query{{4, 16, 8, 32}}, key{{4, 64, 2, 32}}, out{{4, 8, 16, 32}}, nothing{{0}};
  const TypeSpec page{{9, 64, 2, 32}}, statistics{{4, 8, 16}}, dk{{4, 2, 64, 32}};
  const TypeSpec bias{{1, 8, 16, 64}};
  for (const OpSpec& spec : {
           OpSpec{name, {}, {query, key, key}, {out, nothing}},
           OpSpec{name, AttentionAttrs{2}, {query, page, page}, {out, nothing}},
           OpSpec{name, AttentionAttrs{2}, {query, key, key}, {out, {{8, 8, 16}}, nothing}},
           OpSpec{name + "Dropout", AttentionAttrs{2}, {query, key, key}, {out, nothing}},
           OpSpec{name + "F8", AttentionAttrs{2}, {query, key, key}, {out, nothing}},
           OpSpec{name,
                  AttentionAttrs{2},
                  {query, {{4, 64, 3, 32}}, {{4, 64, 3, 32}}},
                  {out, nothing}},
           OpSpec{name, AttentionAttrs{2}, {query, key}, {out}},
           OpSpec{name, AttentionAttrs{2}, {kScalar, kScalar, kScalar}, {kScalar, kScalar}},
           OpSpec{"stablehlo.custom_call:__cudnn$fmhaScaleBiasSoftmaxBackward",
                  AttentionAttrs{2},
                  {query, key, key, statistics, query, bias, query},
                  {out, dk, dk, bias, nothing}},
       }) {
    const Result<OpRule> rule = ruleOf(spec);
    ASSERT_TRUE(rule) << rule.error().message;
    EXPECT_EQ(rule->source, RuleSource::kWhole) << spec.name;
  }
}

TEST(SelectAndScatter, TilesAreParallelOverlapsAreHalos) {
  const std::string name = "stablehlo.select_and_scatter";
  expectRules({
      {{name, window({2, 1}, {2, 1}), {kMatrix, {{4, 4}}, kScalar}, {kMatrix}},
       "([ij, k], [i, k], [])->([ij, k]) {i=4, j=2, k=4} need_replication={j}"},
      {{name, window({3, 1}, {2, 1}), {kMatrix, {{3, 4}}, kScalar}, {kMatrix}},
       "([i, k], [j, k], [])->([i, k]) {i=8, j=3, k=4} need_replication={j} permutation={i}"},
      {{name, window({3, 1}, {2, 1}), {kMatrix, {{3, 4}}, kScalar}, {{{9, 4}}}},
       "error: stablehlo.select_and_scatter: result 0 dim 0 has size 9, but its factors multiply "
       "to 8 (R1)"},
  });
}

// [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f], one spatial dim fewer than JAX's images.
ConvolutionAttrs convolution(IntList strides, IntList padding, int64_t groups = 1) {
  ConvolutionAttrs attrs;
  attrs.inputBatch = attrs.outputBatch = 0;
  attrs.inputFeature = attrs.outputFeature = 2;
  attrs.inputSpatial = attrs.outputSpatial = {1};
  attrs.kernelSpatial = {0};
  attrs.kernelInputFeature = 1;
  attrs.kernelOutputFeature = 2;
  attrs.strides = std::move(strides);
  attrs.padding = std::move(padding);
  attrs.featureGroupCount = groups;
  return attrs;
}

OpSpec conv(const ConvolutionAttrs& attrs, IntList in, IntList kernel, IntList out) {
  return {"stablehlo.convolution", attrs, {{in}, {kernel}}, {{out}}};
}

TEST(Convolution, SpatialDimsAreHalosUnlessTheyAreTiles) {
  expectRules({
      {conv(convolution({1}, {1, 1}), {8, 32, 16}, {3, 16, 64}, {8, 32, 64}),
       "([i, l, j], [m, j, k])->([i, l, k]) {i=8, j=16, k=64, l=32, m=3} reduction={j} "
       "need_replication={m} permutation={l}"},
      {conv(convolution({2}, {1, 1}), {8, 32, 16}, {3, 16, 64}, {8, 16, 64}),
       "([i, l, j], [n, j, k])->([i, m, k]) {i=8, j=16, k=64, l=32, m=16, n=3} reduction={j} "
       "need_replication={n} permutation={l, m}"},
      {conv(convolution({2}, {0, 0}), {8, 32, 16}, {2, 16, 64}, {8, 16, 64}),
       "([i, lm, j], [m, j, k])->([i, l, k]) {i=8, j=16, k=64, l=16, m=2} reduction={j, m}"},
      {conv(convolution({2}, {0, 0}), {8, 32, 16}, {1, 16, 64}, {8, 16, 64}),
       "([i, ln, j], [m, j, k])->([i, l, k]) {i=8, j=16, k=64, l=16, m=1, n=2} reduction={j} "
       "need_replication={m, n}"},
      {conv(convolution({1}, {0, 0}), {8, 32, 16}, {32, 16, 64}, {8, 1, 64}),
       "([i, m, j], [m, j, k])->([i, l, k]) {i=8, j=16, k=64, l=1, m=32} reduction={j, m}"},
  });
}

TEST(Convolution, TheGradientOfAPatchEmbeddingSumsOverPatches) {
  ConvolutionAttrs attrs = convolution({1}, {0, 0});
  attrs.rhsDilation = {8};
  expectRules({
      {conv(attrs, {16, 32, 3}, {4, 3, 64}, {16, 8, 64}),
       "([i, lm, j], [l, j, k])->([i, m, k]) {i=16, j=3, k=64, l=4, m=8} reduction={j, l}"},
      {conv(attrs, {16, 32, 3}, {4, 3, 64}, {16, 1, 64}),
       "([i, ln, j], [l, j, k])->([i, m, k]) {i=16, j=3, k=64, l=4, m=1, n=8} reduction={j, l} "
       "need_replication={m, n}"},
  });
}

TEST(Convolution, AReversedKernelIsWhole) {
  ConvolutionAttrs attrs = convolution({2}, {0, 0});
  attrs.windowReversed = true;
  EXPECT_EQ(ruleText(conv(attrs, {8, 32, 16}, {2, 16, 64}, {8, 16, 64})),
            "([i, ln, j], [m, j, k])->([i, l, k]) {i=8, j=16, k=64, l=16, m=2, n=2} reduction={j} "
            "need_replication={m, n}");
}

TEST(Convolution, GroupsAreAFactorOfTheirOwn) {
  ConvolutionAttrs batchGroups = convolution({1}, {0, 0});
  batchGroups.batchGroupCount = 4;
  expectRules({
      {conv(convolution({1}, {0, 0}, 4), {8, 32, 16}, {1, 4, 64}, {8, 32, 64}),
       "([j, m, ik], [n, k, il])->([j, m, il]) {i=4, j=8, k=4, l=16, m=32, n=1} reduction={k, n}"},
      {conv(convolution({1}, {0, 0}, 16), {8, 32, 16}, {1, 1, 16}, {8, 32, 16}),
       "([j, l, i], [m, k, i])->([j, l, i]) {i=16, j=8, k=1, l=32, m=1} reduction={k, m}"},
      {conv(batchGroups, {16, 32, 8}, {1, 8, 64}, {4, 32, 64}),
       "([ij, m, k], [n, k, il])->([j, m, il]) {i=4, j=4, k=8, l=16, m=32, n=1} reduction={k, n}"},
  });
}

TEST(Convolution, CountsEveryMultiplyAndAdd) {
  EXPECT_EQ(flopsOf(conv(convolution({2}, {1, 1}), {8, 32, 16}, {3, 16, 64}, {8, 16, 64})),
            2.0 * 8 * 16 * 64 * 3 * 16);
  EXPECT_EQ(flopsOf(conv(convolution({2}, {0, 0}), {8, 32, 16}, {1, 16, 64}, {8, 16, 64})),
            2.0 * 8 * 16 * 64 * 16);
  EXPECT_EQ(flopsOf(conv(convolution({1}, {0, 0}, 4), {8, 32, 16}, {1, 4, 64}, {8, 32, 64})),
            2.0 * 8 * 32 * 64 * 4);
}

TEST(Convolution, SaysWhatIsWrong) {
  const std::string op = "error: stablehlo.convolution: ";
  ConvolutionAttrs twice = convolution({1}, {0, 0});
  twice.inputFeature = 0;
  ConvolutionAttrs outside = convolution({1}, {0, 0});
  outside.kernelSpatial = {9};
  ConvolutionAttrs both = convolution({1}, {0, 0}, 2);
  both.batchGroupCount = 2;
  const IntList in{8, 32, 16}, kernel{1, 16, 64}, out{8, 32, 64};
  expectRules({
      {conv(twice, in, kernel, out), op + "input dims: dim 0 of operand 0 stands there twice"},
      {conv(outside, in, kernel, out),
       op + "kernel dims: 9 is no dim of operand 1, which has rank 3"},
      {conv(both, in, kernel, out), op + "has both feature groups and batch groups"},
      {conv(convolution({1}, {0, 0}, 0), in, kernel, out), op + "group counts must be at least 1"},
      {conv(convolution({1}, {0}), in, kernel, out), op + "padding has 1 entries, expected 2"},
      {conv(convolution({1}, {0, 0}), in, {1, 15, 64}, out),
       op + "operand 0 dim 2 has size 16, but its factors multiply to 15 (R1)"},
      {conv(convolution({1}, {0, 0}, 3), {8, 32, 48}, kernel, out),
       op + "operand 1 dim 2 has size 64, but its factors multiply to 63 (R1)"},
  });
}

}  // namespace
}  // namespace shardwright::rules
