// Slices, gathers, scatters, sorts, linear algebra and normalization.
#include "shardwright/rules/testing.h"

namespace shardwright::rules {
namespace {

using program::Combiner;
using program::DimAttrs;
using program::DimsAttrs;
using program::DType;
using program::GatherAttrs;
using program::IntList;
using program::PadAttrs;
using program::ScatterAttrs;
using program::SliceAttrs;

const TypeSpec kScalar{{}};
const TypeSpec kIndex{{}, DType::kI32};
const TypeSpec kMatrix{{8, 4}};

TEST(Slice, TouchedDimsAreBlocked) {
  const std::string name = "stablehlo.slice", op = "error: stablehlo.slice: ";
  expectRules({
      {{name, SliceAttrs{{0, 1}, {8, 3}, {1, 1}}, {kMatrix}, {{{8, 2}}}},
       "([i, j])->([i, k]) {i=8, j=4, k=2} need_replication={j, k}"},
      {{name, SliceAttrs{{0, 0}, {8, 4}, {3, 1}}, {kMatrix}, {{{3, 4}}}},
       "([i, k])->([j, k]) {i=8, j=3, k=4} need_replication={i, j}"},
      {{name, SliceAttrs{{0, 1}, {8, 3}, {1, 1}}, {kMatrix}, {{{8, 3}}}},
       op + "result 0 dim 1 has size 3, expected 2"},
      {{name, SliceAttrs{{0, 1}, {8, 9}, {1, 1}}, {kMatrix}, {{{8, 8}}}},
       op + "bounds 1:9:1 do not fit dim 1 of size 4"},
      {{name, SliceAttrs{{0, 1}, {8, 3}, {1, 0}}, {kMatrix}, {{{8, 2}}}},
       op + "bounds 1:3:0 do not fit dim 1 of size 4"},
      {{name, SliceAttrs{{0}, {8, 3}, {1, 1}}, {kMatrix}, {{{8, 2}}}},
       op + "start_indices has 1 entries but operand 0 has rank 2"},
      {{name, DimsAttrs{}, {kMatrix}, {kMatrix}}, op + "its attributes are missing"},
  });
}

TEST(DynamicSlice, TouchedDimsAreBlocked) {
  const std::string name = "stablehlo.dynamic_slice";
  expectRules({
      {{name, SliceAttrs{{}, {2, 4}, {}}, {kMatrix, kIndex, kIndex}, {{{2, 4}}}},
       "([i, k], [], [])->([j, k]) {i=8, j=2, k=4} need_replication={i, j}"},
      {{name, SliceAttrs{{}, {2, 4}, {}}, {kMatrix, kIndex}, {{{2, 4}}}},
       "error: stablehlo.dynamic_slice: has 2 operands, expected 3"},
      {{name, SliceAttrs{{}, {9, 4}, {}}, {kMatrix, kIndex, kIndex}, {{{9, 4}}}},
       "error: stablehlo.dynamic_slice: result 0 dim 0 has size 9, more than the 8 of operand 0"},
      {{"stablehlo.real_dynamic_slice", {}, {kMatrix, {{2}}, {{2}}, {{2}}}, {{{8, 2}}}},
       "([i, j], [l], [m], [n])->([i, k]) {i=8, j=4, k=2, l=2, m=2, n=2} need_replication={j, k, "
       "l, m, n}"},
  });
}

TEST(DynamicUpdateSlice, TouchedDimsAreBlocked) {
  const std::string name = "stablehlo.dynamic_update_slice", op = "error: " + name + ": ";
  expectRules({
      {{name, {}, {kMatrix, {{2, 4}}, kIndex, kIndex}, {kMatrix}},
       "([i, k], [j, k], [], [])->([i, k]) {i=8, j=2, k=4} need_replication={i, j}"},
      {{name, {}, {kMatrix, {{9, 4}}, kIndex, kIndex}, {kMatrix}},
       op + "operand 1 dim 0 has size 9, more than the 8 of operand 0"},
      {{name, {}, {kMatrix, {{2, 4}}, kIndex}, {kMatrix}}, op + "operand 0 has rank 2, expected 1"},
      {{name, {}, {kMatrix}, {kMatrix}}, op + "has fewer than 2 operands"},
  });
}

TEST(Concatenate, TheJoinedDimIsBlocked) {
  const std::string name = "stablehlo.concatenate";
  expectRules({
      {{name, DimAttrs{0}, {kMatrix, {{2, 4}}}, {{{10, 4}}}},
       "([j, l], [k, l])->([i, l]) {i=10, j=8, k=2, l=4} need_replication={i, j, k}"},
      {{name, DimAttrs{0}, {kMatrix}, {kMatrix}},
       "([i, j])->([i, j]) {i=8, j=4} need_replication={i}"},
      {{name, DimAttrs{0}, {kMatrix, {{2, 5}}}, {{{10, 4}}}},
       "error: stablehlo.concatenate: operand 1 dim 1 has size 5, but its factors multiply to 4 "
       "(R1)"},
      {{name, DimAttrs{2}, {kMatrix, {{2, 4}}}, {{{10, 4}}}},
       "error: stablehlo.concatenate: dimension: 2 is no dim of result 0, which has rank 2"},
      {{name, DimAttrs{0}, {}, {{{10, 4}}}}, "error: stablehlo.concatenate: has no operands"},
  });
}

TEST(Pad, PaddedDimsAreBlocked) {
  const std::string name = "stablehlo.pad", op = "error: stablehlo.pad: ";
  const int64_t huge = int64_t{1} << 62;
  expectRules({
      {{name, PadAttrs{{0, 1}, {0, 2}, {0, 0}}, {kMatrix, kScalar}, {{{8, 7}}}},
       "([i, j], [])->([i, k]) {i=8, j=4, k=7} need_replication={j, k}"},
      {{name, PadAttrs{{0, -1}, {0, 1}, {0, 0}}, {kMatrix, kScalar}, {kMatrix}},
       "([i, j], [])->([i, j]) {i=8, j=4} need_replication={j}"},
      {{name, PadAttrs{{0, 0}, {0, 0}, {1, 0}}, {kMatrix, kScalar}, {{{15, 4}}}},
       "([i, k], [])->([j, k]) {i=8, j=15, k=4} need_replication={i, j}"},
      {{name, PadAttrs{{0, 1}, {0, 2}, {0, 0}}, {kMatrix, kScalar}, {kMatrix}},
       op + "result 0 dim 1 has size 4, expected 7"},
      {{name, PadAttrs{{0, huge}, {0, huge}, {0, 0}}, {kMatrix, kScalar}, {kMatrix}},
       op + "padding of dim 1 is out of range"},
      {{name, PadAttrs{{0}, {0, 2}, {0, 0}}, {kMatrix, kScalar}, {kMatrix}},
       op + "edge_padding_low has 1 entries but operand 0 has rank 2"},
  });
}

TEST(Reverse, ReversedDimsAreBlocked) {
  expectRules({
      {{"stablehlo.reverse", DimsAttrs{{1}}, {kMatrix}, {kMatrix}},
       "([i, j])->([i, j]) {i=8, j=4} need_replication={j}"},
      {{"stablehlo.reverse", DimsAttrs{{1, 1}}, {kMatrix}, {kMatrix}},
       "error: stablehlo.reverse: dimensions: dim 1 of operand 0 stands there twice"},
  });
}

const TypeSpec kTable{{1000, 64}};

OpSpec gather(GatherAttrs attrs, TypeSpec operand, IntList indices, IntList out) {
  return {
      "stablehlo.gather", std::move(attrs), {std::move(operand), {indices, DType::kI32}}, {{out}}};
}

GatherAttrs lookup() { return {{1}, {0}, {}, {}, {0}, {1, 64}, 1}; }

TEST(Gather, AnEmbeddingIsSummedOverTheVocabulary) {
  EXPECT_EQ(
      ruleText(gather(lookup(), kTable, {8, 1}, {8, 64})),
      "([k, j], [i, l])->([i, j]) {i=8, j=64, k=1000, l=1} reduction={k} need_replication={l}");
  const auto rule = ruleOf(gather(lookup(), kTable, {8, 1}, {8, 64}));
  EXPECT_EQ(rule->rule.factors()[2], (Factor{1000, FactorKind::kReduction, Combiner::kAdd}));
  EXPECT_EQ(rule->rule.flops(), 0);
}

TEST(Gather, EveryKindOfDim) {
  const TypeSpec cube{{8, 4, 16}};
  expectRules({
      // The index vector left out.
      {gather({{2}, {0}, {}, {}, {0}, {1, 64}, 2}, kTable, {8, 128}, {8, 128, 64}),
       "([l, k], [i, j])->([i, j, k]) {i=8, j=128, k=64, l=1000} reduction={l}"},
      // Batching.
      {gather({{2}, {1}, {0}, {0}, {1}, {1, 1, 16}, 2}, cube, {8, 5, 1}, {8, 5, 16}),
       "([i, l, k], [i, j, m])->([i, j, k]) {i=8, j=5, k=16, l=4, m=1} reduction={l} "
       "need_replication={m}"},
      // Slices: one of size 2, one of size 1 that is kept, one whole.
      {gather({{1, 2, 3}, {}, {}, {}, {0, 1}, {2, 1, 16}, 1}, cube, {5, 2}, {5, 2, 1, 16}),
       "([k, m, n], [i, o])->([i, j, l, n]) {i=5, j=2, k=8, l=1, m=4, n=16, o=2} reduction={m} "
       "need_replication={j, k, l, o}"},
      // A table of one row has nothing to split.
      {gather(lookup(), {{1, 64}}, {8, 1}, {8, 64}),
       "([k, j], [i, l])->([i, j]) {i=8, j=64, k=1, l=1} need_replication={k, l}"},
      // dynamic_gather has its slice sizes as an operand.
      {{"stablehlo.dynamic_gather",
        GatherAttrs{{1}, {0}, {}, {}, {0}, {}, 1},
        {kTable, {{8, 1}, DType::kI32}, {{2}, DType::kI32}},
        {{{8, 64}}}},
       "([k, j], [i, l], [m])->([i, j]) {i=8, j=64, k=1000, l=1, m=2} reduction={k} "
       "need_replication={l, m}"},
  });
}

TEST(Gather, SaysWhatIsWrong) {
  const auto with = [](auto change) {
    GatherAttrs attrs = lookup();
    change(attrs);
    return gather(attrs, kTable, {8, 1}, {8, 64});
  };
  const std::string op = "error: stablehlo.gather: ";
  expectRules({
      {with([](auto& a) { a.indexVectorDim = 3; }),
       op + "index_vector_dim: 3 is no dim of operand 1, which has rank 2"},
      {with([](auto& a) { a.indexVectorDim = -1; }),
       op + "index_vector_dim: -1 is no dim of operand 1, which has rank 2"},
      {with([](auto& a) { a.offsetDims = {5}; }),
       op + "offset_dims: 5 is no dim of result 0, which has rank 2"},
      {with([](auto& a) { a.offsetDims = {1, 0}; }),
       op + "offset_dims: dims must be in ascending order"},
      {with([](auto& a) { a.operandBatchingDims = {0}; }),
       op +
           "collapsed_slice_dims and operand_batching_dims: dim 0 of operand 0 stands there twice"},
      {with([](auto& a) { a.operandBatchingDims = {1}; }),
       op + "start_indices_batching_dims has 0 entries but operand_batching_dims has 1"},
      {with([](auto& a) {
         a.operandBatchingDims = {1};
         a.startIndicesBatchingDims = {1};
       }),
       op + "start_indices_batching_dims names the index vector's dim"},
      {with([](auto& a) { a.collapsedSliceDims = {}; }), op + "operand 0 has rank 2, expected 1"},
      {with([](auto& a) { a.sliceSizes = {1}; }),
       op + "slice_sizes has 1 entries but operand 0 has rank 2"},
      {with([](auto& a) { a.sliceSizes = {2, 64}; }), op + "slice_sizes: dim 0 has 2, expected 1"},
      {with([](auto& a) { a.startIndexMap = {0, 0}; }),
       op + "start_index_map: dim 0 of operand 0 stands there twice"},
  });
}

OpSpec scatter(ScatterAttrs attrs, IntList operand, IntList indices, IntList updates) {
  return {"stablehlo.scatter",
          std::move(attrs),
          {{operand}, {indices, DType::kI32}, {updates}},
          {{operand}}};
}

ScatterAttrs scatterRows(Combiner combiner) { return {{1}, {0}, {}, {}, {0}, 1, combiner}; }

TEST(Scatter, UpdatesAreCombined) {
  const std::string shared = "([k, j], [i, l], [i, j])->([k, j]) {i=8, j=64, k=1000, l=1}";
  for (const Combiner c : {Combiner::kAdd, Combiner::kMul, Combiner::kMin, Combiner::kMax}) {
    EXPECT_EQ(ruleText(scatter(scatterRows(c), {1000, 64}, {8, 1}, {8, 64})),
              shared + " reduction={i} need_replication={l}");
  }
  for (const Combiner c : {Combiner::kReplace, Combiner::kOther, Combiner::kAnd}) {
    EXPECT_EQ(ruleText(scatter(scatterRows(c), {1000, 64}, {8, 1}, {8, 64})),
              shared + " need_replication={i, l}");
  }
  EXPECT_EQ(flopsOf(scatter(scatterRows(Combiner::kAdd), {1000, 64}, {8, 1}, {8, 64})), 8 * 64);
}

TEST(Scatter, EveryKindOfDim) {
  const OpSpec two{"stablehlo.scatter",
                   scatterRows(Combiner::kAdd),
                   {kTable, kTable, {{8, 1}, DType::kI32}, {{8, 64}}, {{8, 64}}},
                   {kTable, kTable}};
  expectRules({
      {scatter({{2}, {1}, {0}, {0}, {1}, 2, Combiner::kAdd}, {8, 4, 16}, {8, 5, 1}, {8, 5, 16}),
       "([i, l, k], [i, j, m], [i, j, k])->([i, l, k]) {i=8, j=5, k=16, l=4, m=1} reduction={j} "
       "need_replication={m}"},
      {scatter({{1, 2}, {}, {}, {}, {0}, 1, Combiner::kAdd}, {8, 4}, {5, 1}, {5, 2, 4}),
       "([j, l], [i, m], [i, k, l])->([j, l]) {i=5, j=8, k=2, l=4, m=1} reduction={i} "
       "need_replication={j, k, m}"},
      {two,
       "([k, j], [k, j], [i, l], [i, j], [i, j])->([k, j], [k, j]) {i=8, j=64, k=1000, l=1} "
       "reduction={i} need_replication={l}"},
  });
}

TEST(Scatter, SaysWhatIsWrong) {
  const auto with = [](auto change) {
    ScatterAttrs attrs = scatterRows(Combiner::kAdd);
    change(attrs);
    return scatter(attrs, {1000, 64}, {8, 1}, {8, 64});
  };
  const std::string op = "error: stablehlo.scatter: ";
  expectRules({
      {with([](auto& a) { a.updateWindowDims = {2}; }),
       op + "update_window_dims: 2 is no dim of operand 2, which has rank 2"},
      {with([](auto& a) { a.insertedWindowDims = {}; }), op + "operand 0 has rank 2, expected 1"},
      {with([](auto& a) { a.indexVectorDim = 9; }),
       op + "index_vector_dim: 9 is no dim of operand 1, which has rank 2"},
      {with([](auto& a) { a.indexVectorDim = 2; }), op + "operand 2 has rank 2, expected 3"},
      {{"stablehlo.scatter", scatterRows(Combiner::kAdd), {kTable, {{8, 1}}}, {kTable}},
       op + "has 2 operands, expected 3"},
      {scatter(scatterRows(Combiner::kAdd), {1000, 64}, {8, 1}, {7, 64}),
       op + "operand 2 dim 0 has size 7, but its factors multiply to 8 (R1)"},
  });
}

TEST(Sort, TheSortedDimIsBlocked) {
  const std::string name = "stablehlo.sort";
  expectRules({
      {{name, DimAttrs{1}, {kMatrix, kMatrix}, {kMatrix, kMatrix}},
       "([i, j], [i, j])->([i, j], [i, j]) {i=8, j=4} need_replication={j}"},
      {{name, DimAttrs{-1}, {kMatrix}, {kMatrix}},
       "([i, j])->([i, j]) {i=8, j=4} need_replication={j}"},
      {{name, DimAttrs{2}, {kMatrix}, {kMatrix}},
       "error: stablehlo.sort: dimension: 2 is no dim of operand 0, which has rank 2"},
      {{name, DimAttrs{1}, {kMatrix}, {kMatrix, kMatrix}},
       "error: stablehlo.sort: has 1 operands, expected 2"},
  });
  EXPECT_EQ(flopsOf({name, DimAttrs{1}, {kMatrix}, {kMatrix}}), 32 * 3) << "a network of 3 rounds";
  EXPECT_EQ(flopsOf({name, DimAttrs{1}, {{{8, 65536}}}, {{{8, 65536}}}}), 8 * 65536 * 136);
  EXPECT_EQ(flopsOf({name, DimAttrs{0}, {{{65536}}}, {{{65536}}}}), 65536 * 46) << "by digits";
  EXPECT_EQ(flopsOf({"chlo.top_k", {}, {{{8, 65536}}}, {{{8, 2}}, {{8, 2}}}}), 8 * 65536 * 20);
}

TEST(Scan, DimsBesideTheOneItGoesAlongAreParallel) {
  const std::string name = "chlo.scan";
  const TypeSpec cube{{2, 8, 4}}, slice{{2, 4}};
  expectRules({
      {{name, DimAttrs{1}, {cube, slice}, {cube, slice}},
       "([i, j, k], [i, k])->([i, j, k], [i, k]) {i=2, j=8, k=4} need_replication={j}"},
      {{name, DimAttrs{0}, {cube, cube, {{8, 4}}}, {cube, {{8, 4}}}},
       "([i, j, k], [i, j, k], [j, k])->([i, j, k], [j, k]) {i=2, j=8, k=4} need_replication={i}"},
      {{name, {}, {cube, slice}, {cube, slice}},
       "([i, j, k], [l, m])->([n, o, p], [q, r]) {i=2, j=8, k=4, l=2, m=4, n=2, o=8, p=4, q=2, "
       "r=4} "
       "need_replication={i, j, k, l, m, n, o, p, q, r}"},
      {{name, DimAttrs{3}, {cube, slice}, {cube, slice}},
       "error: chlo.scan: dimension: 3 is no dim of operand 0, which has rank 3"},
      {{name, DimAttrs{1}, {cube, kScalar}, {cube, kScalar}},
       "error: chlo.scan: operand 1 has rank 0, expected 3 or one less"},
  });
  EXPECT_EQ(flopsOf({name, DimAttrs{1}, {cube, slice}, {cube, slice}}), 64);
}

// How often the op passes over its data.
int passesOf(const OpSpec& spec) { return ruleOf(spec)->rule.passes(); }

TEST(TopK, TheSearchedDimIsBlocked) {
  const TypeSpec two{{8, 2}};
  const std::string approx = "stablehlo.custom_call:ApproxTopK";
  expectRules({
      {{"chlo.top_k", {}, {kMatrix}, {two, two}},
       "([i, j])->([i, k], [i, k]) {i=8, j=4, k=2} need_replication={j, k}"},
      {{"chlo.top_k", {}, {kScalar}, {kScalar}},
       "error: chlo.top_k: operand 0 has rank 0, expected at least 1"},
      {{approx, DimAttrs{0}, {kMatrix, kMatrix, kScalar, kScalar}, {{{2, 4}}, {{2, 4}}}},
       "([i, k], [i, k], [], [])->([j, k], [j, k]) {i=8, j=2, k=4} need_replication={i, j}"},
      {{approx, {}, {kMatrix, kMatrix, kScalar, kScalar}, {two, two}},
       "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=8, j=4, k=2} need_replication={j, k}"},
      {{approx, {}, {kMatrix}, {kMatrix}}, "([i, j])->([i, j]) {i=8, j=4} need_replication={i, j}"},
      {{approx, DimAttrs{4}, {kMatrix}, {kMatrix}},
       "error: stablehlo.custom_call:ApproxTopK: dimension: 4 is no dim of operand 0, which has "
       "rank 2"},
  });
}

TEST(LinearAlgebra, BatchesAreParallelMatricesAreWhole) {
  const TypeSpec square{{8, 16, 16}}, sides{{8, 16, 32}};
  expectRules({
      {{"stablehlo.cholesky", {}, {square}, {square}},
       "([i, j, k])->([i, j, k]) {i=8, j=16, k=16} need_replication={j, k}"},
      {{"stablehlo.cholesky", {}, {{{16}}}, {{{16}}}},
       "error: stablehlo.cholesky: operand 0 has rank 1, expected at least 2"},
      {{"stablehlo.triangular_solve", {}, {square, square}, {square}},
       "([i, j, l], [i, k, m])->([i, k, m]) {i=8, j=16, k=16, l=16, m=16} need_replication={j, k, "
       "l, m}"},
      {{"stablehlo.custom_call:Qr", {}, {square}, {square, {{8, 16}}}},
       "([i, j, k])->([i, l, m], [i, n]) {i=8, j=16, k=16, l=16, m=16, n=16} need_replication={j, "
       "k, l, m, n}"},
      {{"stablehlo.custom_call:Qr", {}, {square}, {kScalar}},
       "error: stablehlo.custom_call:Qr: result 0 has rank 0, expected at least 1"},
  });
  EXPECT_DOUBLE_EQ(flopsOf({"stablehlo.cholesky", {}, {square}, {square}}), 8 * 16.0 * 16 * 16 / 3);
  EXPECT_EQ(flopsOf({"stablehlo.triangular_solve", {}, {square, sides}, {sides}}),
            8.0 * 16 * 16 * 32);
}

TEST(LinearAlgebra, RightHandSidesAreParallel) {
  const TypeSpec matrix{{8, 16, 16}}, columns{{8, 16, 32}}, rows{{8, 32, 16}}, wrong{{8, 32, 4}};
  const std::string op = "stablehlo.triangular_solve";
  expectRules({
      {{op, {}, {matrix, columns}, {columns}},
       "([i, j, l], [i, k, m])->([i, k, m]) {i=8, j=16, k=16, l=16, m=32} need_replication={j, k, "
       "l}"},
      {{op, {}, {matrix, rows}, {rows}},
       "([i, j, l], [i, k, m])->([i, k, m]) {i=8, j=16, k=32, l=16, m=16} need_replication={j, l, "
       "m}"},
      {{op, {}, {matrix, wrong}, {wrong}},
       "([i, j, l], [i, k, m])->([i, k, m]) {i=8, j=16, k=32, l=16, m=4} need_replication={j, k, "
       "l, m}"},
  });
  EXPECT_EQ(flopsOf({op, {}, {matrix, rows}, {rows}}), 8.0 * 16 * 16 * 32);
}

TEST(LinearAlgebra, DecompositionsHaveTheirArithmetic) {
  using program::DType;
  const TypeSpec square{{8, 6, 6}}, tall{{8, 12, 6}}, diagonal{{8, 6}}, sides{{8, 6, 3}};
  const double n3 = 6.0 * 6 * 6, batch = 8;
  const auto flops = [](const char* name, const TypeSpec& a, std::vector<TypeSpec> results) {
    return flopsOf({std::string("stablehlo.custom_call:") + name, {}, {a}, std::move(results)});
  };
  EXPECT_DOUBLE_EQ(flops("Cholesky", square, {square}), batch * n3 / 3);
  EXPECT_DOUBLE_EQ(flops("LuDecomposition", square, {square, diagonal}), batch * n3 * 2 / 3);
  EXPECT_DOUBLE_EQ(flops("Qr", square, {square, diagonal}), batch * n3 * 4 / 3);
  EXPECT_DOUBLE_EQ(flops("Qr", tall, {tall, diagonal}), batch * (4 * n3 - 2 * n3 / 3));
  EXPECT_DOUBLE_EQ(flops("Eigh", square, {square, diagonal}), batch * 100 * n3);
  EXPECT_DOUBLE_EQ(flopsOf({"stablehlo.custom_call:ProductOfElementaryHouseholderReflectors",
                            {},
                            {tall, diagonal},
                            {tall}}),
                   batch * (4 * n3 - 2 * n3 / 3));
  // Calls of libraries come with rules of their own, or have none; their arithmetic is known by
  // their names.
  EXPECT_DOUBLE_EQ(flops("lapack_spotrf_ffi", square, {square, diagonal}), batch * n3 / 3);
  EXPECT_DOUBLE_EQ(flops("cusolver_potrf_ffi", square, {square, diagonal}), batch * n3 / 3);
  EXPECT_DOUBLE_EQ(flops("hipsolver_potrf_ffi", square, {square, diagonal}), batch * n3 / 3);
  EXPECT_DOUBLE_EQ(flops("lapack_dsyevd_ffi", square, {square, diagonal}), batch * 9 * n3);
  EXPECT_DOUBLE_EQ(flops("cusolver_syevd_ffi", square, {square, diagonal}), batch * 30 * n3);
  EXPECT_DOUBLE_EQ(flops("lapack_sgesdd_ffi", tall, {tall, diagonal}), batch * 2 * 20 * n3);
  EXPECT_DOUBLE_EQ(flops("cusolver_gesvdj_ffi", tall, {tall, diagonal}), batch * 2 * 800 * n3);
  const TypeSpec complex{{8, 6, 6}, DType::kC64};
  EXPECT_DOUBLE_EQ(flops("lapack_cpotrf_ffi", complex, {complex}), 4 * batch * n3 / 3);
  EXPECT_DOUBLE_EQ(flopsOf({"stablehlo.cholesky", {}, {complex}, {complex}}), 4 * batch * n3 / 3);
  EXPECT_DOUBLE_EQ(
      flopsOf({"stablehlo.custom_call:lapack_strsm_ffi", {}, {square, sides}, {sides}}),
      batch * 6 * 6 * 3);
}

TEST(LinearAlgebra, ArithmeticNeedsShapesThatFit) {
  for (const char* name : {"lapack_spotrf_ffi", "lapack_strsm_ffi", "cusolver_orgqr_ffi"}) {
    const std::string op = std::string("stablehlo.custom_call:") + name;
    EXPECT_EQ(flopsOf({op, {}, {{{6}}}, {{{6}}}}), 0) << name;
    EXPECT_EQ(flopsOf({op, {}, {}, {{{6}}}}), 0) << name;
  }
  EXPECT_EQ(flopsOf({"stablehlo.custom_call:lapack_", {}, {{{6, 6}}}, {{{6, 6}}}}), 0);
  EXPECT_EQ(flopsOf({"stablehlo.custom_call:other", {}, {{{6, 6}}}, {{{6, 6}}}}), 0);
}

TEST(Fft, TransformedDimsAreWhole) {
  const TypeSpec complex{{8, 4, 16}, DType::kC64}, real{{8, 4, 16}}, half{{8, 4, 9}, DType::kC64};
  expectRules({
      {{"stablehlo.fft", DimsAttrs{{4, 16}}, {complex}, {complex}},
       "([i, j, k])->([i, j, k]) {i=8, j=4, k=16} need_replication={j, k}"},
      {{"stablehlo.fft", DimsAttrs{{16}}, {real}, {half}},
       "([i, j, k])->([i, j, l]) {i=8, j=4, k=16, l=9} need_replication={k, l}"},
      {{"stablehlo.fft", DimsAttrs{{1, 8, 4, 16}}, {complex}, {complex}},
       "error: stablehlo.fft: operand 0 has rank 3, expected at least 4"},
  });
  EXPECT_DOUBLE_EQ(flopsOf({"stablehlo.fft", DimsAttrs{{16}}, {complex}, {complex}}),
                   5.0 * 32 * 16 * 4);
  EXPECT_DOUBLE_EQ(flopsOf({"stablehlo.fft", DimsAttrs{{16}}, {real}, {half}}), 2.5 * 32 * 16 * 4);
  EXPECT_EQ(passesOf({"stablehlo.fft", DimsAttrs{{16}}, {real}, {half}}), 1);
  EXPECT_EQ(passesOf({"stablehlo.fft", DimsAttrs{{16}}, {half}, {real}}), 3) << "copied and scaled";
  EXPECT_EQ(passesOf({"stablehlo.fft", DimsAttrs{{4, 16}}, {complex}, {complex}}), 2);
  const TypeSpec longRow{{1 << 20}, DType::kC64};
  EXPECT_EQ(passesOf({"stablehlo.fft", DimsAttrs{{1 << 20}}, {longRow}, {longRow}}), 3);
}

TEST(BatchNorm, OnlyInferenceIsElementwise) {
  const TypeSpec image{{8, 4, 16}}, perFeature{{16}};
  expectRules({
      {{"stablehlo.batch_norm_inference",
        DimAttrs{2},
        {image, perFeature, perFeature, perFeature, perFeature},
        {image}},
       "([i, j, k], [k], [k], [k], [k])->([i, j, k]) {i=8, j=4, k=16}"},
      {{"stablehlo.batch_norm_training",
        DimAttrs{2},
        {image, perFeature, perFeature},
        {image, perFeature, perFeature}},
       "([i, j, k], [k], [k])->([i, j, k], [k], [k]) {i=8, j=4, k=16} need_replication={i, j}"},
      {{"stablehlo.batch_norm_training",
        DimAttrs{3},
        {image, perFeature, perFeature},
        {image, perFeature, perFeature}},
       "error: stablehlo.batch_norm_training: feature_index: 3 is no dim of operand 0, which has "
       "rank 3"},
      {{"stablehlo.batch_norm_inference", DimAttrs{1}, {image, perFeature}, {image}},
       "error: stablehlo.batch_norm_inference: operand 1 dim 0 has size 16, but its factors "
       "multiply to 4 (R1)"},
  });
}

}  // namespace
}  // namespace shardwright::rules
