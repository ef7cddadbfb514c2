// For tests of rules: the rule of an op given by name, types and attributes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shardwright/program/builder.h"
#include "shardwright/rules/table.h"

namespace shardwright::rules {

struct TypeSpec {
  program::IntList shape;
  program::DType dtype = program::DType::kF32;
};

struct OpSpec {
  std::string name;
  program::Attributes attributes;
  std::vector<TypeSpec> operands, results;
};

struct Built {
  program::Program program;
  program::OpId op;
};

inline Built build(const OpSpec& spec) {
  program::ProgramBuilder builder;
  std::vector<program::ValueId> operands;
  for (const TypeSpec& operand : spec.operands) {
    operands.push_back(builder.addArgument({}, builder.type(operand.dtype, operand.shape)));
  }
  std::vector<program::TypeId> results;
  for (const TypeSpec& result : spec.results) {
    results.push_back(builder.type(result.dtype, result.shape));
  }
  const program::OpId op = builder.addOp(builder.name(spec.name),
                                         builder.attributes(spec.attributes), operands, results);
  return {std::move(builder).finish(), op};
}

inline Result<OpRule> ruleOf(const OpSpec& spec) {
  const Built built = build(spec);
  return makeRule(built.program, built.program.op(built.op).signature);
}

// The printed rule, or "error: " and the message.
inline std::string ruleText(const OpSpec& spec) {
  const Result<OpRule> rule = ruleOf(spec);
  return rule ? rule->rule.str() : "error: " + rule.error().message;
}

// -1 for an op without a right rule.
inline double flopsOf(const OpSpec& spec) {
  const Result<OpRule> rule = ruleOf(spec);
  return rule ? rule->rule.flops() : -1;
}

// One line of a table of tests: what is tried, and what must come out.
struct RuleCase {
  OpSpec op;
  std::string expected;
};

inline void expectRules(const std::vector<RuleCase>& cases) {
  for (const RuleCase& c : cases) EXPECT_EQ(ruleText(c.op), c.expected) << c.op.name;
}

}  // namespace shardwright::rules
