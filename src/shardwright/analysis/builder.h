// The steps of the analysis, in order. Internal to this folder.
#pragma once

#include "shardwright/analysis/analysis.h"

namespace shardwright::analysis {

class AnalysisBuilder {
 public:
  AnalysisBuilder(const program::Program& program, const rules::RuleTable& rules)
      : program_(program), rules_(rules) {}

  // colors.cpp: names, joins (A1-A4), colours and what they touch.
  void findColors();
  // conflicts.cpp: conflicts (A5) and their sets (A6).
  void findConflicts();
  // classes.cpp: copies of colours and of sets (A7-A9).
  void findClasses();

  Analysis finish() && { return std::move(analysis_); }

 private:
  using OpId = program::OpId;

  const rules::Rule& rule(OpId op) const { return rules_.rule(program_.op(op).signature); }
  uint32_t nameIndex(OpId op, rules::FactorId factor) const {
    return analysis_.firstName_[op.index()] + factor.index();
  }

  void collectNames();
  void measureColors();
  void measureOp(OpId op);
  void measureValues(OpId op);
  void collectArgumentDims();

  void addConflicts(OpId op);
  void joinConflicts(class SidedUnionFind& sets);
  void joinAcross(OpId from, size_t fromTensor, OpId to, size_t toTensor,
                  class SidedUnionFind& sets);
  void collectSets(class SidedUnionFind& sets);

  void classifyColors();
  void separateCopiesThatMeet(std::vector<uint32_t>& groupOfColor);
  void collectClasses(const std::vector<uint32_t>& groupOfColor);
  void classifySets();

  const program::Program& program_;
  const rules::RuleTable& rules_;
  Analysis analysis_;
  std::vector<uint32_t> firstConflict_;  // Per op, one past: its conflicts are consecutive.
};

// Calls visit(definition, tensor, user, tensor) for every use of every value, in program order;
// tensors are numbered as in the rules of the two ops. An aliased pair counts as a use of the
// argument by the return (A4).
template <typename Visit>
void forEachEdge(const program::Program& program, Visit&& visit) {
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const program::OpId user(i);
    const auto operands = program.operands(user);
    for (size_t operand = 0; operand < operands.size(); ++operand) {
      const program::OpId definition = program.value(operands[operand]).definition;
      visit(definition,
            program.operands(definition).size() + program.resultIndex(operands[operand]), user,
            operand);
    }
  }
  for (const program::Argument& argument : program.arguments()) {
    if (!argument.aliasedResult) continue;
    visit(program.value(argument.value).definition, size_t{0},
          program.results()[*argument.aliasedResult].returnOp, size_t{0});
  }
}

// Calls visit(factor, factor) for the factors of one dim that an edge joins (A1-A3).
template <typename Visit>
void forEachJoin(const rules::Rule& from, std::span<const rules::FactorId> a, const rules::Rule& to,
                 std::span<const rules::FactorId> b, Visit&& visit) {
  const auto dropOnes = [](const rules::Rule& rule, std::span<const rules::FactorId> factors) {
    while (!factors.empty() && rule.factor(factors.front()).size == 1) factors = factors.subspan(1);
    return factors;
  };
  a = dropOnes(from, a);
  b = dropOnes(to, b);
  if (a.empty() || b.empty()) return;
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i)
    equal = from.factor(a[i]).size == to.factor(b[i]).size;
  const size_t joined = equal ? a.size() : 1;
  for (size_t i = 0; i < joined; ++i) {
    if (from.factor(a[i]).splittable() && to.factor(b[i]).splittable()) visit(a[i], b[i]);
  }
}

}  // namespace shardwright::analysis
