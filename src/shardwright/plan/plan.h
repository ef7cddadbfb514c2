// A plan: what has been decided about a program on a mesh. What it means for each op is the law of
// assignment (assignment.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shardwright/analysis/analysis.h"
#include "shardwright/mesh/layout.h"
#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::plan {

// What plans are about. The three belong together and outlive whatever holds a Subject.
struct Subject {
  const program::Program& program;
  const rules::RuleTable& rules;
  const analysis::Analysis& analysis;

  const rules::Rule& rule(program::OpId op) const { return rules.rule(program.op(op).signature); }
};

// These colours (mostly all of one class) join the end of the axis's list.
struct Decision {
  uint32_t axis = 0;  // In Mesh::axes.
  std::vector<analysis::ColorId> colors;
};

// Where a colour meets itself, the axis goes to the second factor of each conflict of these sets.
// Sets without a resolution give it to the first.
struct Resolution {
  uint32_t axis = 0;
  std::vector<analysis::SetId> sets;
};

// Where two colours of the axis's list meet, the earlier one wins; at these ops `winner` comes
// before all others. `ops` is a union of meeting sets (meetings.h).
struct Turn {
  uint32_t axis = 0;
  analysis::ColorId winner;
  std::vector<program::OpId> ops;
};

// An explicit layout of a value. For an argument, a returned value, a carried or a merged one it
// replaces what the law says of that op; any other value is brought into it where it is made.
struct Pin {
  program::OpId op;     // The op that the value belongs to: its definition, or a `return`.
  uint32_t result = 0;  // Which of its results; 0 for a `return`.
  std::vector<mesh::AxisList> dims;
  // Per dim, and empty where none is: behind the axes above the dim has those that the law gives
  // it.
  std::vector<bool> open = {};

  bool isOpen(size_t dim) const { return dim < open.size() && open[dim]; }
  // Whether two pins of a value say the same of it.
  bool agrees(const Pin& other) const;
};

struct Plan {
  mesh::Mesh mesh;
  std::vector<Decision> decisions;  // In order; an axis's list is the decisions that name it.
  std::vector<Resolution> resolutions;
  std::vector<Turn> turns;
  std::vector<Pin> pins;
  // A gathered copy is kept for later uses; if this is set and more than so many ops lie between
  // two uses, it is made again instead. Keeping saves time, making again saves memory.
  std::optional<uint32_t> remakeGap;
};

}  // namespace shardwright::plan
