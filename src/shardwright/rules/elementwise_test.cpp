// Elementwise ops, broadcasts, transposes, reshapes and sources.
#include "shardwright/rules/testing.h"

namespace shardwright::rules {
namespace {

using program::DimAttrs;
using program::DimsAttrs;
using program::DType;
using program::IntList;

const TypeSpec kScalar{{}};
const TypeSpec kMatrix{{8, 4}};

TEST(Elementwise, TiesEveryDim) {
  expectRules({
      {{"stablehlo.add", {}, {kMatrix, kMatrix}, {kMatrix}},
       "([i, j], [i, j])->([i, j]) {i=8, j=4}"},
      {{"stablehlo.add", {}, {{{0, 1}}, {{0, 1}}}, {{{0, 1}}}},
       "([i, j], [i, j])->([i, j]) {i=0, j=1}"},
      {{"chlo.erf", {}, {kMatrix}, {kMatrix}}, "([i, j])->([i, j]) {i=8, j=4}"},
      {{"stablehlo.create_token", {}, {}, {{{}, DType::kToken}}}, "()->([])"},
      {{"stablehlo.add", {}, {kMatrix, {{4}}}, {kMatrix}},
       "error: stablehlo.add: operand 1 has rank 1, expected 2"},
      {{"stablehlo.add", {}, {kMatrix, {{8, 5}}}, {kMatrix}},
       "error: stablehlo.add: operand 1 dim 1 has size 5, but its factors multiply to 4 (R1)"},
      {{"stablehlo.add", {}, {kScalar, kMatrix}, {kMatrix}},
       "error: stablehlo.add: operand 0 has rank 0, expected 2"},
  });
}

TEST(Elementwise, ScalarsMayStandInForPredicateAndBounds) {
  const TypeSpec predicate{{}, DType::kPred};
  expectRules({
      {{"stablehlo.select", {}, {predicate, kMatrix, kMatrix}, {kMatrix}},
       "([], [i, j], [i, j])->([i, j]) {i=8, j=4}"},
      {{"stablehlo.select", {}, {{{8, 4}, DType::kPred}, kMatrix, kMatrix}, {kMatrix}},
       "([i, j], [i, j], [i, j])->([i, j]) {i=8, j=4}"},
      {{"stablehlo.select", {}, {predicate, kMatrix, kScalar}, {kMatrix}},
       "error: stablehlo.select: operand 2 has rank 0, expected 2"},
      {{"stablehlo.clamp", {}, {kScalar, kMatrix, kScalar}, {kMatrix}},
       "([], [i, j], [])->([i, j]) {i=8, j=4}"},
      {{"stablehlo.clamp", {}, {kMatrix, kScalar, kMatrix}, {kMatrix}},
       "error: stablehlo.clamp: operand 1 has rank 0, expected 2"},
      {{"stablehlo.clamp", {}, {kMatrix}, {kMatrix}},
       "error: stablehlo.clamp: has 1 operands, expected 3"},
  });
}

TEST(Elementwise, BitcastKeepsTheBytesOfAnElementTogether) {
  expectRules({
      {{"stablehlo.bitcast_convert", {}, {{{8}, DType::kI32}}, {{{8, 4}, DType::kI8}}},
       "([i])->([i, j]) {i=8, j=4} need_replication={j}"},
      {{"stablehlo.bitcast_convert", {}, {{{8, 4}, DType::kI8}}, {{{8}, DType::kI32}}},
       "([i, j])->([i]) {i=8, j=4} need_replication={j}"},
      {{"stablehlo.bitcast_convert", {}, {{{8}, DType::kI32}}, {{{8}}}}, "([i])->([i]) {i=8}"},
      {{"stablehlo.bitcast_convert", {}, {{{8}, DType::kI32}}, {{{8, 2, 2}, DType::kI8}}},
       "error: stablehlo.bitcast_convert: ranks 1 and 3 differ by more than one"},
  });
}

TEST(Elementwise, ImplicitBroadcastAlignsMinorDims) {
  const std::string name = "chlo.broadcast_add";
  expectRules({
      {{name, {}, {kMatrix, {{4}}}, {kMatrix}}, "([i, j], [j])->([i, j]) {i=8, j=4}"},
      {{name, {}, {kMatrix, {{8, 1}}}, {kMatrix}}, "([i, j], [i, k])->([i, j]) {i=8, j=4, k=1}"},
      {{name, DimsAttrs{{0}}, {kMatrix, {{8}}}, {kMatrix}}, "([i, j], [i])->([i, j]) {i=8, j=4}"},
      {{name, DimsAttrs{{2}}, {kMatrix, {{8}}}, {kMatrix}},
       "error: chlo.broadcast_add: broadcast_dimensions: 2 is no dim of result 0, which has rank "
       "2"},
      {{name, DimsAttrs{{}}, {kMatrix, {{8}}}, {kMatrix}},
       "error: chlo.broadcast_add: broadcast_dimensions has 0 entries but operand 1 has rank 1"},
      {{name, {}, {{{2, 8, 4}}, kMatrix}, {kMatrix}},
       "error: chlo.broadcast_add: operand 0 has a higher rank than the result"},
  });
}

TEST(Elementwise, CountsOneFlopPerElement) {
  EXPECT_EQ(flopsOf({"stablehlo.tanh", {}, {kMatrix}, {kMatrix}}), 32);
  EXPECT_EQ(flopsOf({"stablehlo.real", {}, {kMatrix}, {kMatrix}}), 0);
}

TEST(Transpose, MovesDims) {
  const std::string name = "stablehlo.transpose";
  expectRules({
      {{name, DimsAttrs{{2, 0, 1}}, {{{8, 1, 16}}}, {{{16, 8, 1}}}},
       "([j, k, i])->([i, j, k]) {i=16, j=8, k=1}"},
      {{name, {}, {kMatrix}, {{{4, 8}}}}, "error: stablehlo.transpose: its attributes are missing"},
      {{name, DimsAttrs{{1, 1}}, {kMatrix}, {{{4, 8}}}},
       "error: stablehlo.transpose: permutation: dim 1 of operand 0 stands there twice"},
      {{name, DimsAttrs{{1, -1}}, {kMatrix}, {{{4, 8}}}},
       "error: stablehlo.transpose: permutation: -1 is no dim of operand 0, which has rank 2"},
      {{name, DimsAttrs{{1}}, {kMatrix}, {{{4, 8}}}},
       "error: stablehlo.transpose: permutation has 1 entries but operand 0 has rank 2"},
      {{name, DimsAttrs{{1, 0}}, {kMatrix}, {kMatrix}},
       "error: stablehlo.transpose: operand 0 dim 0 has size 8, but its factors multiply to 4 "
       "(R1)"},
  });
}

TEST(Broadcast, NewAndExpandedDimsAreTheResultsOwn) {
  const std::string name = "stablehlo.broadcast_in_dim";
  expectRules({
      {{name, DimsAttrs{{0, 1, 3}}, {{{8, 1, 16}}}, {{{8, 7, 5, 16}}}},
       "([i, m, l])->([i, j, k, l]) {i=8, j=7, k=5, l=16, m=1}"},
      {{name, DimsAttrs{{}}, {kScalar}, {kMatrix}}, "([])->([i, j]) {i=8, j=4}"},
      {{name, DimsAttrs{{1}}, {{{1}}}, {{{3, 1}}}}, "([j])->([i, j]) {i=3, j=1}"},
      {{name, DimsAttrs{{1}}, {{{5}}}, {kMatrix}},
       "error: stablehlo.broadcast_in_dim: operand 0 dim 0 has size 5, but its factors multiply to "
       "4 (R1)"},
      {{name, DimsAttrs{{5}}, {{{4}}}, {kMatrix}},
       "error: stablehlo.broadcast_in_dim: broadcast_dimensions: 5 is no dim of result 0, which "
       "has rank 2"},
      {{"stablehlo.dynamic_broadcast_in_dim",
        DimsAttrs{{1}},
        {{{4}}, {{2}, DType::kI32}},
        {kMatrix}},
       "([j], [k])->([i, j]) {i=8, j=4, k=2} need_replication={k}"},
      {{"stablehlo.broadcast", DimsAttrs{{3}}, {kMatrix}, {{{3, 8, 4}}}},
       "([j, k])->([i, j, k]) {i=3, j=8, k=4}"},
      {{"stablehlo.broadcast", {}, {{{3, 8, 4}}}, {kMatrix}},
       "error: stablehlo.broadcast: result 0 has rank 2, expected at least 3"},
  });
}

std::string reshapeText(const IntList& in, const IntList& out) {
  return ruleText({"stablehlo.reshape", {}, {{in}}, {{out}}});
}

TEST(Reshape, CutsAtCommonProducts) {
  EXPECT_EQ(reshapeText({2, 4, 32}, {8, 32}), "([i, j, k])->([ij, k]) {i=2, j=4, k=32}");
  EXPECT_EQ(reshapeText({8, 4}, {2, 16}), "([ij, k])->([i, jk]) {i=2, j=4, k=4}");
  EXPECT_EQ(reshapeText({4, 6, 8}, {12, 16}), "([i, jk, l])->([ij, kl]) {i=4, j=3, k=2, l=8}");
  EXPECT_EQ(reshapeText({192}, {4, 6, 8}), "([ijk])->([i, j, k]) {i=4, j=6, k=8}");
  EXPECT_EQ(reshapeText({6, 35}, {3, 14, 5}), "([ij, kl])->([i, jk, l]) {i=3, j=2, k=7, l=5}");
}

TEST(Reshape, DimsOfSizeOneStandAlone) {
  EXPECT_EQ(reshapeText({8, 4}, {1, 8, 4}),
            "([j, k])->([i, j, k]) {i=1, j=8, k=4} need_replication={i}");
  EXPECT_EQ(reshapeText({}, {1, 1}), "([])->([i, j]) {i=1, j=1} need_replication={i, j}");
}

TEST(Reshape, BlocksWhatTheShapesDoNotShare) {
  EXPECT_EQ(reshapeText({4, 6, 8}, {6, 32}),
            "([il, mk, j])->([in, okj]) {i=2, j=8, k=2, l=2, m=3, n=3, o=2} "
            "need_replication={l, m, n, o}");
  EXPECT_EQ(reshapeText({3, 5}, {5, 3}),
            "([i, j])->([k, l]) {i=3, j=5, k=5, l=3} need_replication={i, j, k, l}");
}

TEST(Reshape, OfNothingIsWhole) {
  EXPECT_EQ(reshapeText({0, 4}, {4, 0}),
            "([i, j])->([k, l]) {i=0, j=4, k=4, l=0} need_replication={i, j, k, l}");
}

TEST(Reshape, SaysWhatIsWrong) {
  EXPECT_EQ(reshapeText({8, 4}, {8, 5}), "error: stablehlo.reshape: cannot make 40 elements of 32");
  EXPECT_EQ(reshapeText({0}, {1}), "error: stablehlo.reshape: cannot make 1 elements of 0");
  EXPECT_EQ(reshapeText({int64_t{1} << 62, 4}, {int64_t{1} << 62, 4}),
            "error: stablehlo.reshape: operand 0 has more elements than 64 bits can count");
  EXPECT_EQ(ruleText({"stablehlo.reshape", {}, {}, {kMatrix}}),
            "error: stablehlo.reshape: has 0 operands, expected 1");
}

TEST(Source, ResultDimsAreFree) {
  expectRules({
      {{"stablehlo.constant", program::ConstantAttrs{true}, {}, {kMatrix}},
       "()->([i, j]) {i=8, j=4}"},
      {{"stablehlo.iota", DimAttrs{1}, {}, {kMatrix}}, "()->([i, j]) {i=8, j=4}"},
      {{"stablehlo.iota", DimAttrs{2}, {}, {kMatrix}},
       "error: stablehlo.iota: iota_dimension: 2 is no dim of result 0, which has rank 2"},
      {{"stablehlo.dynamic_iota", DimAttrs{0}, {{{2}, DType::kI32}}, {kMatrix}},
       "([i])->([j, k]) {i=2, j=8, k=4} need_replication={i}"},
      {{"stablehlo.rng", {}, {kScalar, kScalar, {{2}, DType::kI64}}, {kMatrix}},
       "([], [], [i])->([j, k]) {i=2, j=8, k=4} need_replication={i}"},
      {{"stablehlo.rng_bit_generator",
        {},
        {{{2}, DType::kU64}},
        {{{2}, DType::kU64}, {{8, 4}, DType::kU32}}},
       "([i])->([i], [j, k]) {i=2, j=8, k=4} need_replication={i, j, k}"},
      {{"stablehlo.get_dimension_size", DimAttrs{0}, {kMatrix}, {{{}, DType::kI32}}},
       "([i, j])->([]) {i=8, j=4} need_replication={i}"},
      {{"stablehlo.get_dimension_size", DimAttrs{-1}, {kMatrix}, {{{}, DType::kI32}}},
       "error: stablehlo.get_dimension_size: dimension: -1 is no dim of operand 0, which has rank "
       "2"},
  });
}

TEST(Collective, OperandsOnlyPassByOneAnother) {
  expectRules({
      {{"stablehlo.all_reduce", {}, {{{8}}, {{8}}}, {{{8}}, {{8}}}},
       "([i], [j])->([i], [j]) {i=8, j=8}"},
      {{"stablehlo.all_gather", DimAttrs{1}, {kMatrix}, {{{8, 16}}}},
       "([i, j])->([i, k]) {i=8, j=4, k=16} need_replication={j, k}"},
      {{"stablehlo.all_to_all", DimsAttrs{{0, 1}}, {kMatrix}, {{{4, 8}}}},
       "([i, k])->([j, l]) {i=8, j=4, k=4, l=8} need_replication={i, j, k, l}"},
      {{"stablehlo.all_reduce", {}, {{{8}}}, {{{4}}}},
       "error: stablehlo.all_reduce: result 0 dim 0 has size 4, but its factors multiply to 8 "
       "(R1)"},
      {{"stablehlo.all_gather", DimAttrs{2}, {kMatrix}, {{{8, 16}}}},
       "error: stablehlo.all_gather: dimension: 2 is no dim of operand 0, which has rank 2"},
      {{"stablehlo.all_to_all", DimsAttrs{{0, 7}}, {kMatrix}, {{{4, 8}}}},
       "error: stablehlo.all_to_all: split or concat dimension: 7 is no dim of operand 0, which "
       "has rank 2"},
  });
}

}  // namespace
}  // namespace shardwright::rules
