// The law of assignment, one op at a time; see assignment.h for what it says.
#pragma once

#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "shardwright/plan/op_patterns.h"
#include "shardwright/plan/plan.h"

namespace shardwright::plan {

class Law {
 public:
  // All must outlive the law.
  Law(const Subject& subject, const OpPatterns& patterns, const Plan& plan);

  // Writes the axes of each factor of `op` (L1 to L4; pins are not looked at).
  void assignOp(program::OpId op, std::span<mesh::AxisList> axes) const;
  // The same without L4: what goes for all ops of a pattern.
  void assignPattern(OpPatternId pattern, std::span<mesh::AxisList> axes) const;
  // Whether the law says the same of all ops of the pattern that have no turn: their colours' and
  // sets' classes are treated as a whole.
  bool isUniform(OpPatternId pattern) const;

 private:
  static constexpr uint32_t kNotListed = std::numeric_limits<uint32_t>::max();
  using Turns = std::vector<const Turn*>;

  void rankColors();
  // The axes that list a colour of the op.
  mesh::AxisSet listing(program::OpId op, size_t factors) const;
  void turnSets();
  void assignOp(program::OpId op, const Turns* turns, std::span<mesh::AxisList> axes) const;
  // The place of a colour in the axis's list, at an op with these turns.
  uint32_t rank(const Turns* turns, uint32_t axis, analysis::ColorId color) const;
  // L2: whether `b` wins against `a`, both of one colour.
  bool secondWins(program::OpId op, uint32_t axis, rules::FactorId a, rules::FactorId b) const;
  bool fits(const rules::Rule& rule, rules::FactorId factor, mesh::AxisList taken,
            uint32_t axis) const;

  const Subject subject_;
  const OpPatterns& patterns_;
  const Plan& plan_;
  std::vector<std::vector<uint32_t>> ranks_;     // Per axis and colour.
  std::vector<mesh::AxisSet> listing_;           // Per colour: the axes that list it.
  std::vector<char> cutClasses_;                 // Per class of colours: not treated as a whole.
  std::vector<std::vector<char>> secondSides_;   // Per axis and set; empty if all are first.
  std::vector<char> cutSetClasses_;              // Per class of sets: the same.
  std::unordered_map<uint32_t, Turns> turnsAt_;  // By op.
};

}  // namespace shardwright::plan
