// What follows from how an op is split: found once for all ops that are split alike.
#pragma once

#include <vector>

#include "shardwright/plan/assignment.h"
#include "shardwright/spmd/program_tables.h"

namespace shardwright::spmd {

struct SplitFacts {
  mesh::AxisSet used;      // That split any factor.
  mesh::AxisSet reduced;   // That split a reduction factor: results are partial over them.
  mesh::AxisSet optional;  // That an op of this split may give up (U1).
  program::Combiner combiner = program::Combiner::kAdd;  // Of the first split reduction factor.
  uint32_t firstTensor = 0;                              // In Splits' list of all splits' tensors.
};

// Of an assignment that changes only through this class.
class Splits {
 public:
  Splits(const plan::Subject& subject, const ProgramTables& tables, plan::Assignment& assignment)
      : subject_(subject), tables_(tables), assignment_(assignment) {
    findFacts();
  }

  const SplitFacts& of(program::OpId op) const { return facts_[assignment_.split(op)]; }
  // The axes that split the dims of a tensor.
  mesh::AxisSet shown(program::OpId op, size_t tensor) const {
    return shown_[of(op).firstTensor + tensor];
  }
  mesh::AxisSet shown(const SplitFacts& facts, size_t tensor) const {
    return shown_[facts.firstTensor + tensor];
  }
  // Of all splits together.
  size_t tensorCount() const { return shown_.size(); }

  // The op is no longer split over these axes.
  void giveUp(program::OpId op, mesh::AxisSet axes);

 private:
  struct GivenUp {
    mesh::AxisSet axes;
    plan::SplitId left;
  };

  void findFacts();
  SplitFacts factsOf(plan::SplitId id);
  plan::SplitId without(plan::SplitId id, mesh::AxisSet axes);

  const plan::Subject& subject_;
  const ProgramTables& tables_;
  plan::Assignment& assignment_;
  IdVector<plan::SplitId, SplitFacts> facts_;
  IdVector<plan::SplitId, GivenUp> givenUp_;  // What its ops gave up last.
  std::vector<mesh::AxisSet> shown_;          // Per split and tensor.
};

}  // namespace shardwright::spmd
