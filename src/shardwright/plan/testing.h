// Small programs with plans, for the tests of this layer and of those behind it.
#pragma once

#include "shardwright/plan/plan.h"
#include "shardwright/program/builder.h"
#include "shardwright/rules/table.h"

namespace shardwright::plan::testing {

// A program with everything that plans are about.
struct Analysed {
  program::Program program;
  rules::RuleTable rules;
  analysis::Analysis analysis;

  explicit Analysed(program::Program p)
      : program(std::move(p)),
        rules(*rules::RuleTable::make(program)),
        analysis(analysis::Analysis::make(program, rules)) {}
  Subject subject() const { return {program, rules, analysis}; }

  // The colour of a dim of an argument.
  analysis::ColorId color(uint32_t argument, size_t dim) const {
    const program::OpId op = program.value(program.arguments()[argument].value).definition;
    return analysis.color({op, subject().rule(op).dim(0, dim).front()});
  }
};

inline Plan planOf(const char* mesh) {
  Plan plan;
  plan.mesh = *mesh::parseMesh(mesh);
  return plan;
}

// x[rows, k] @ w[k, columns].
inline program::Program matmul(int64_t rows, int64_t k, int64_t columns) {
  using namespace program;
  ProgramBuilder b;
  const ValueId x = b.addArgument({.path = "x"}, b.type(DType::kF32, {rows, k}));
  const ValueId w = b.addArgument({.path = "w"}, b.type(DType::kF32, {k, columns}));
  const OpId dot = b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {x, w},
                           {b.type(DType::kF32, {rows, columns})});
  b.addResult({.path = "y"}, b.result(dot));
  return std::move(b).finish();
}

}  // namespace shardwright::plan::testing
