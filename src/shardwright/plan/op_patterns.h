// Ops that the law cannot tell apart.
//
// The law looks at an op's rule, at where the colours of its factors stand in the axes' lists, and
// at how its conflicts are resolved. Ops of one pattern have the same signature, colours of the
// same classes and conflicts of the same classes of sets at the same factors: wherever a plan
// treats those classes as a whole, they are split alike, and the law is applied to one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/plan.h"

namespace shardwright::plan {

struct OpPatternTag;
using OpPatternId = Id<OpPatternTag>;

// What the law needs of a program and no plan changes.
class OpPatterns {
 public:
  explicit OpPatterns(const Subject& subject);

  size_t size() const { return firstOps_.size(); }
  OpPatternId of(program::OpId op) const { return ofOp_[op.index()]; }
  program::OpId firstOp(OpPatternId id) const { return firstOps_[id]; }
  // Numbers of the op's conflicts, which stand side by side: half open.
  uint32_t conflictsBegin(program::OpId op) const { return firstConflict_[op.index()]; }
  uint32_t conflictsEnd(program::OpId op) const { return firstConflict_[op.index() + 1]; }
  // The assignment that every other is made from.
  const Assignment& unsplit() const { return unsplit_; }

 private:
  void findConflicts(const Subject& subject);
  // Adds what the law sees of an op beside its signature.
  void describe(const Subject& subject, program::OpId op, std::vector<uint64_t>& words) const;

  Assignment unsplit_;
  std::vector<uint32_t> firstConflict_;  // Per op, one past.
  std::vector<OpPatternId> ofOp_;
  IdVector<OpPatternId, program::OpId> firstOps_;
};

}  // namespace shardwright::plan
