// The law of assignment, one op at a time; see assignment.h for what it says.
#pragma once

#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

class Law {
 public:
  // Both must outlive the law.
  Law(const Subject& subject, const Plan& plan);

  // Writes the axes of each factor of `op` (L1 to L4; pins are not looked at).
  void assignOp(program::OpId op, std::span<mesh::AxisList> axes) const;

 private:
  static constexpr uint32_t kNotListed = std::numeric_limits<uint32_t>::max();

  void findConflicts();
  // The place of a colour in the axis's list at this op.
  uint32_t rank(program::OpId op, uint32_t axis, analysis::ColorId color) const;
  // L2: whether `b` wins against `a`, both of one colour.
  bool secondWins(program::OpId op, uint32_t axis, rules::FactorId a, rules::FactorId b) const;
  bool fits(program::OpId op, rules::FactorId factor, mesh::AxisList taken, uint32_t axis) const;

  const Subject subject_;
  const Plan& plan_;
  std::vector<std::vector<uint32_t>> ranks_;    // Per axis and colour.
  std::vector<std::vector<char>> secondSides_;  // Per axis and set; empty if all are first.
  std::vector<uint32_t> firstConflict_;         // Per op, one past.
  std::unordered_map<uint32_t, std::vector<const Turn*>> turnsAt_;  // By op.
};

}  // namespace shardwright::plan
