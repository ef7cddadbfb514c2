#include "shardwright/mlir/import/counted_indices.h"

#include <gtest/gtest.h>

#include "shardwright/mlir/import/load.h"

namespace shardwright {
namespace {

// The rule of the first gather or scatter of @main.
std::string ruleOf(const std::string& body) {
  const Result<LoadedModule> loaded = loadModule(
      "func.func @main(%x: tensor<64x40xf32>, %i: tensor<64x1xi32>, %u: tensor<64xf32>) "
      "-> (tensor<64xf32> {jax.result_info = \"result\"}) {\n" +
          body + "}",
      "test.mlir", {});
  if (!loaded) return loaded.error().str();
  const program::Program& program = loaded->imported.program;
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const program::OpId op(i);
    const std::string_view name = program.name(op);
    if (name == "stablehlo.gather" || name == "stablehlo.scatter")
      return loaded->rules.rule(program.op(op).signature).str();
  }
  return "neither a gather nor a scatter";
}

// x[rows, i], with rows as they are given: %rows of type tensor<64x1xi32>.
std::string gathered(const std::string& rows, const std::string& order = "%rows, %i") {
  const std::string map = order.starts_with("%rows") ? "[0, 1]" : "[1, 0]";
  return rows + "%both = stablehlo.concatenate " + order +
         ", dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>\n"
         "%0 = \"stablehlo.gather\"(%x, %both) <{dimension_numbers = #stablehlo.gather<"
         "collapsed_slice_dims = [0, 1], start_index_map = " +
         map +
         ", index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : "
         "(tensor<64x40xf32>, tensor<64x2xi32>) -> tensor<64xf32>\n"
         "return %0 : tensor<64xf32>\n";
}

const std::string kBatched =
    "([i, j], [i, k])->([i]) {i=64, j=40, k=1} reduction={j} "
    "need_replication={k}";
const std::string kLookedUp =
    "([j, k], [i, l])->([i]) {i=64, j=64, k=40, l=2} reduction={j, k} need_replication={l}";

TEST(CountedIndices, ACountAlongTheRowsBatches) {
  EXPECT_EQ(ruleOf(gathered("%rows = stablehlo.iota dim = 0 : tensor<64x1xi32>\n")), kBatched);
  EXPECT_EQ(ruleOf(gathered("%rows = stablehlo.iota dim = 0 : tensor<64x1xi32>\n", "%i, %rows")),
            kBatched);
}

TEST(CountedIndices, ACountIsFoundBehindWhatJaxPutsInBetween) {
  EXPECT_EQ(ruleOf(gathered(R"(
%count = stablehlo.iota dim = 0 : tensor<64xi32>
%zero = stablehlo.constant dense<0> : tensor<i32>
%zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<64xi32>
%size = stablehlo.constant dense<64> : tensor<64xi32>
%below = stablehlo.compare LT, %count, %zeros, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
%moved = stablehlo.add %count, %size : tensor<64xi32>
%from = stablehlo.select %below, %moved, %count : tensor<64xi1>, tensor<64xi32>
%wide = stablehlo.convert %from : (tensor<64xi32>) -> tensor<64xi64>
%shaped = stablehlo.reshape %wide : (tensor<64xi64>) -> tensor<1x64xi64>
%narrow = stablehlo.convert %shaped : (tensor<1x64xi64>) -> tensor<1x64xi32>
%rows = stablehlo.broadcast_in_dim %narrow, dims = [1, 0] : (tensor<1x64xi32>) -> tensor<64x1xi32>
)")),
            kBatched);
}

TEST(CountedIndices, NumbersThatCountWillDo) {
  std::string numbers;
  for (int i = 0; i < 64; ++i) numbers += (i == 0 ? "" : ", ") + std::to_string(i);
  const auto rows = [](const std::string& constant) {
    return "%numbers = stablehlo.constant dense<[" + constant + R"(]> : tensor<64xi32>
%false = stablehlo.constant dense<false> : tensor<64xi1>
%moved = stablehlo.add %numbers, %numbers : tensor<64xi32>
%count = stablehlo.select %false, %moved, %numbers : tensor<64xi1>, tensor<64xi32>
%rows = stablehlo.broadcast_in_dim %count, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
)";
  };
  EXPECT_EQ(ruleOf(gathered(rows(numbers))), kBatched);
  numbers.replace(numbers.find("63"), 2, "62");
  EXPECT_EQ(ruleOf(gathered(rows(numbers))), kLookedUp);
}

// How jnp.arange comes into a scan that uses it.
TEST(CountedIndices, ACountMayPassThroughALoop) {
  const auto loop = [](const std::string& passedOn) {
    return ruleOf(R"(
%count = stablehlo.iota dim = 0 : tensor<64x1xi32>
%r:2 = stablehlo.while(%rows = %count, %v = %u) : tensor<64x1xi32>, tensor<64xf32>
cond {
  %go = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.return %go : tensor<i1>
} do {
  %both = stablehlo.concatenate %rows, %i, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
  %0 = "stablehlo.gather"(%x, %both) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x40xf32>, tensor<64x2xi32>) -> tensor<64xf32>
  stablehlo.return )" +
                  passedOn + R"(, %0 : tensor<64x1xi32>, tensor<64xf32>
}
return %r#1 : tensor<64xf32>
)");
  };
  EXPECT_EQ(loop("%rows"), kBatched);
  EXPECT_EQ(loop("%i"), kLookedUp);
}

TEST(CountedIndices, WhatDoesNotCountToTheEndIsLookedUp) {
  EXPECT_EQ(ruleOf(gathered("%rows = stablehlo.iota dim = 1 : tensor<64x1xi32>\n")), kLookedUp);
  EXPECT_EQ(ruleOf(gathered("%rows = stablehlo.add %i, %i : tensor<64x1xi32>\n")), kLookedUp);
  EXPECT_EQ(ruleOf(gathered("%wrapped = stablehlo.iota dim = 0 : tensor<64x1xi4>\n"
                            "%rows = stablehlo.convert %wrapped : (tensor<64x1xi4>) -> "
                            "tensor<64x1xi32>\n")),
            kLookedUp);
}

// Of x[count, count] one component stays: an index vector has one at least.
TEST(CountedIndices, OneComponentStays) {
  EXPECT_EQ(ruleOf(R"(
%square = stablehlo.constant dense<1.0> : tensor<64x64xf32>
%count = stablehlo.iota dim = 0 : tensor<64x1xi32>
%both = stablehlo.concatenate %count, %count, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
%0 = "stablehlo.gather"(%square, %both) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x64xf32>, tensor<64x2xi32>) -> tensor<64xf32>
return %0 : tensor<64xf32>
)"),
            "([j, i], [i, k])->([i]) {i=64, j=64, k=1} reduction={j} need_replication={k}");
}

TEST(CountedIndices, ScattersBatchToo) {
  EXPECT_EQ(ruleOf(R"(
%rows = stablehlo.iota dim = 0 : tensor<64x1xi32>
%both = stablehlo.concatenate %rows, %i, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
%0 = "stablehlo.scatter"(%x, %both, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %b : tensor<f32>
}) : (tensor<64x40xf32>, tensor<64x2xi32>, tensor<64xf32>) -> tensor<64x40xf32>
%c = stablehlo.constant dense<0.0> : tensor<f32>
%1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<64x40xf32>, tensor<f32>) -> tensor<64xf32>
return %1 : tensor<64xf32>
)"),
            "([i, j], [i, k], [i])->([i, j]) {i=64, j=40, k=1} need_replication={k}");
}

}  // namespace
}  // namespace shardwright
