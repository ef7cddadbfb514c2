// Small programs with plans, for the tests of this layer and of those behind it.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "shardwright/plan/plan.h"
#include "shardwright/plan/tactic.h"
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

// Builds programs of ops in float32.
struct Net {
  program::ProgramBuilder b;

  program::ValueId argument(const std::string& path, std::initializer_list<int64_t> shape,
                            std::optional<uint32_t> aliased = {}) {
    program::Argument argument{.path = path};
    argument.aliasedResult = aliased;
    return b.addArgument(std::move(argument), b.type(program::DType::kF32, shape));
  }
  std::span<const int64_t> shape(program::ValueId value) const { return b.program().shape(value); }
  // Contracts dim `i` of `x` with dim `j` of `y`, both matrices.
  program::ValueId dot(program::ValueId x, int64_t i, program::ValueId y, int64_t j) {
    const auto type = b.type(program::DType::kF32, {shape(x)[1 - static_cast<size_t>(i)],
                                                    shape(y)[1 - static_cast<size_t>(j)]});
    return b.result(
        b.addOp("stablehlo.dot_general", program::DotAttrs{{}, {}, {i}, {j}}, {x, y}, {type}));
  }
  program::ValueId same(const char* name, std::initializer_list<program::ValueId> operands) {
    const auto type = b.program().value(*operands.begin()).type;
    return b.result(b.addOp(name, {}, operands, {type}));
  }
  void result(const std::string& path, program::ValueId value) {
    b.addResult({.path = path}, value);
  }
  Analysed build() { return Analysed(std::move(b).finish()); }
};

inline Plan planOf(const char* mesh) {
  Plan plan;
  plan.mesh = *mesh::parseMesh(mesh);
  return plan;
}

// Applies tactics, as written.
inline Result<TacticOutcome> run(const Analysed& m, const char* mesh,
                                 const std::vector<std::string>& texts,
                                 TacticOptions options = {}) {
  std::vector<Tactic> tactics;
  for (const std::string& text : texts) {
    Result<Tactic> tactic = parseTactic(text);
    if (!tactic) return tactic.error();
    tactics.push_back(std::move(*tactic));
  }
  return applyTactics(m.subject(), *mesh::parseMesh(mesh), tactics, options);
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
