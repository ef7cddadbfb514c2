// The steps of the analysis, in order. Internal to this folder.
#pragma once

#include "shardwright/analysis/analysis.h"
#include "shardwright/analysis/edges.h"

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

}  // namespace shardwright::analysis
