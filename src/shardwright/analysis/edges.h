// How values carry dims from op to op.
#pragma once

#include <cstdint>
#include <span>

#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::analysis {

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
