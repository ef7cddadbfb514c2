#include "shardwright/plan/op_patterns.h"

#include <gtest/gtest.h>

#include "shardwright/plan/law.h"
#include "shardwright/plan/testing.h"

namespace shardwright::plan {
namespace {

using analysis::ColorId;
using mesh::AxisList;
using program::OpId;
using program::ValueId;
using namespace testing;

// x[16,32] through so many layers `x = x @ w`, each with its own w[32,32].
Analysed layers(int count) {
  using namespace program;
  ProgramBuilder b;
  ValueId x = b.addArgument({.path = "x"}, b.type(DType::kF32, {16, 32}));
  for (int i = 0; i < count; ++i) {
    const ValueId w =
        b.addArgument({.path = "w[" + std::to_string(i) + "]"}, b.type(DType::kF32, {32, 32}));
    x = b.result(b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {x, w},
                         {b.type(DType::kF32, {16, 32})}));
  }
  b.addResult({.path = "y"}, x);
  return Analysed(std::move(b).finish());
}

// The law, asked about each op by itself.
void expectTheLawOfEachOp(const Analysed& m, const OpPatterns& patterns, const Plan& plan) {
  const Law law(m.subject(), patterns, plan);
  const Assignment assignment = assign(m.subject(), patterns, plan);
  for (uint32_t i = 0; i < m.program.opCount(); ++i) {
    std::vector<AxisList> axes(m.subject().rule(OpId(i)).factorCount());
    law.assignOp(OpId(i), axes);
    const auto found = assignment.axes(OpId(i));
    EXPECT_EQ(axes, std::vector<AxisList>(found.begin(), found.end())) << "op " << i;
  }
}

TEST(OpPatterns, LayersShareTheirPatterns) {
  EXPECT_EQ(OpPatterns(layers(8).subject()).size(), OpPatterns(layers(7).subject()).size());
}

TEST(OpPatterns, WhatIsGivenToSomeCopiesOfAColourIsNotGivenToAll) {
  const Analysed m = layers(6);
  const OpPatterns patterns(m.subject());
  const auto count = static_cast<uint32_t>(m.analysis.colors().size());
  for (uint32_t a = 0; a < count; ++a) {
    for (uint32_t b = 0; b < count; ++b) {
      for (const uint32_t axis : {0u, 1u}) {
        Plan plan = planOf("data=2,model=4");
        plan.decisions = {{0, {ColorId(a)}}, {axis, {ColorId(b)}}};
        expectTheLawOfEachOp(m, patterns, plan);
      }
    }
  }
}

TEST(OpPatterns, WholeClassesInEitherOrder) {
  const Analysed m = layers(6);
  const OpPatterns patterns(m.subject());
  for (const analysis::ColorClass& a : m.analysis.classes()) {
    for (const analysis::ColorClass& b : m.analysis.classes()) {
      Plan plan = planOf("data=2,model=4");
      plan.decisions = {{0, a.colors}, {0, b.colors}, {1, b.colors}};
      expectTheLawOfEachOp(m, patterns, plan);
    }
  }
}

TEST(OpPatterns, ATurnReachesItsOpsOnly) {
  const Analysed m = layers(6);
  const OpPatterns patterns(m.subject());
  Plan plan = planOf("data=2");
  for (const analysis::ColorClass& c : m.analysis.classes())
    plan.decisions.push_back({0, c.colors});
  for (uint32_t i = 0; i < m.program.opCount(); ++i) {
    for (uint32_t color = 0; color < m.analysis.colors().size(); ++color) {
      plan.turns = {{0, ColorId(color), {OpId(i)}}};
      expectTheLawOfEachOp(m, patterns, plan);
    }
  }
}

}  // namespace
}  // namespace shardwright::plan
