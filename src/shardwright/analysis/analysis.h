// Dimension analysis: from tens of thousands of dims to a handful of decisions.
//
// NAMES AND EDGES. A name is (op, factor). Inside an op, dims that show the same factor are one
// name already. Between the op that defines a value and an op that uses it, the names that index
// the same dim are joined:
//   A1  the leading factors of the dim are joined (factors of size 1 are passed over);
//   A2  if the dim is compound on both sides with equal factor sizes, it is joined factor by
//   factor; A3  factors of size 1, blocked and halo factors join nothing; A4  an argument that is
//   aliased to a result is joined with it, dim by dim.
//
// COLOURS are the connected components: names that want to be sharded alike.
//
// CONFLICTS. Two factors of one op with one colour that both could be split (A5). An axis given to
// the colour can go to only one of them there. The classic: attention scores [S, S].
//
// COMPATIBILITY SETS. Two conflicts are joined when one tensor carries both pairs of dims from op
// to op (A6): settling them alike then needs no resharding between them. A transposed use swaps the
// sides; joins that contradict earlier ones (an odd cycle, as in s + transpose(s)) are left out and
// counted: whatever the resolution, a reshard happens there.
//
// CLASSES are colours (or sets) that are copies of one another, like the heads of each layer:
//   A7  copies have the same multiset of (op signature, factor);
//   A8  near-copies share most of it and their argument dims have the same path patterns (the first
//       and last layer differ a little from the middle ones);
//   A9  copies that meet in one op are put into different classes: one axis cannot go to both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardwright/base/ids.h"
#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::analysis {

struct ColorTag;
struct ConflictTag;
struct SetTag;
struct ClassTag;
struct SetClassTag;
using ColorId = Id<ColorTag>;
using ConflictId = Id<ConflictTag>;
using SetId = Id<SetTag>;
using ClassId = Id<ClassTag>;
using SetClassId = Id<SetClassTag>;

// A name: one factor of one op.
struct Name {
  program::OpId op;
  rules::FactorId factor;
  auto operator<=>(const Name&) const = default;
};

struct ArgumentDim {
  uint32_t argument = 0;  // Index into Program::arguments.
  uint32_t dim = 0;
  auto operator<=>(const ArgumentDim&) const = default;
};

struct Color {
  std::span<const Name> names;
  std::vector<ArgumentDim> argumentDims;
  ClassId classId;
  int64_t largest = 0;  // Size of its largest factor that can be split.
  int64_t divisor = 0;  // Greatest common divisor of those sizes: axes that divide it divide all.
  double bytes = 0;     // Of the values that have a dim of this colour, by how often they are made.
  double flops = 0;     // Of the ops that have a factor of it.
  uint32_t dims = 0;    // How many dims of values show it.
};

// In each op, `first` and `second` of conflicts of one set correspond to each other.
struct Conflict {
  program::OpId op;
  rules::FactorId first, second;
  ColorId color;
  SetId set;
};

struct CompatibilitySet {
  std::vector<ConflictId> conflicts;
  ColorId color;
  SetClassId classId;
};

struct ColorClass {
  std::vector<ColorId> colors;
  double bytes = 0, flops = 0;
  uint32_t dims = 0;
};

struct SetClass {
  std::vector<SetId> sets;
};

// Whether an axis may be given to the factor at this op: it is splittable and leads every dim that
// shows it. Sizes are checked when an axis is known.
inline bool canSplit(const rules::Rule& rule, rules::FactorId factor) {
  return rule.canSplit(factor);
}

class Analysis {
 public:
  // Colours point into the tables, so an analysis can move but not be copied.
  Analysis(Analysis&&) = default;
  Analysis& operator=(Analysis&&) = default;

  static Analysis make(const program::Program& program, const rules::RuleTable& rules);

  // Invalid for factors that want nothing (A3).
  ColorId color(Name name) const {
    return colorOfName_[firstName_[name.op.index()] + name.factor.index()];
  }

  // In order of first appearance in the program; equal programs have equal ids.
  const IdVector<ColorId, Color>& colors() const { return colors_; }
  // Those of ops that compute come in program order; see `ties` for the others.
  const IdVector<ConflictId, Conflict>& conflicts() const { return conflicts_; }
  const IdVector<SetId, CompatibilitySet>& sets() const { return sets_; }
  // Largest bytes first.
  const IdVector<ClassId, ColorClass>& classes() const { return classes_; }
  const IdVector<SetClassId, SetClass>& setClasses() const { return setClasses_; }

  // Whether a conflict sits at an argument, return, carry, merge: it is settled with its set, and
  // no op of the module.
  bool isTie(ConflictId id) const { return ties_[id.index()]; }
  // Pairs of conflicts that no resolution can bring together.
  uint32_t oddCycles() const { return oddCycles_; }
  double totalBytes() const { return totalBytes_; }
  size_t capacityBytes() const;

 private:
  friend class AnalysisBuilder;
  Analysis() = default;

  std::vector<uint32_t> firstName_;  // Per op, into colorOfName_; one past.
  std::vector<ColorId> colorOfName_;
  std::vector<Name> names_;  // By colour; Color::names looks in here.
  IdVector<ColorId, Color> colors_;
  IdVector<ConflictId, Conflict> conflicts_;
  std::vector<char> ties_;
  IdVector<SetId, CompatibilitySet> sets_;
  IdVector<ClassId, ColorClass> classes_;
  IdVector<SetClassId, SetClass> setClasses_;
  uint32_t oddCycles_ = 0;
  double totalBytes_ = 0;
};

// `state['layers'][3]['wq']` -> `state/layers/*/wq`: what copies of an argument have in common.
std::string pathPattern(std::string_view path);

}  // namespace shardwright::analysis
