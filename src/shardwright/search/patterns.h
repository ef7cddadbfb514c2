// The law of assignment over patterns of ops instead of ops: what paths are compared by.
//
// A deep network has tens of thousands of ops and a few hundred patterns: ops whose factors have
// the same sizes and belong to the same groups of colours. Whatever whole groups are put on axes,
// ops of one pattern are split alike, so the assignment of a plan is known from one op of each
// pattern. Two plans with equal assignments are the same plan, whatever the order of their
// decisions.
//
// Groups are as coarse as the decisions allow: a class of colours, cut where a given plan has a
// part of it only. Colours of one group never meet in an op (A9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::search {

struct GroupTag;
struct SetGroupTag;
using GroupId = Id<GroupTag>;        // Of colours.
using SetGroupId = Id<SetGroupTag>;  // Of compatibility sets.

// The lists of a plan in groups.
class AxisLists {
 public:
  AxisLists(size_t axes, size_t groups, size_t setGroups);

  // Joins the end of the axis's list, unless the axis has it already.
  void give(uint32_t axis, GroupId group);
  void turnToSecond(uint32_t axis, SetGroupId set) { seconds_[axis][set.index()] = 1; }

  static constexpr uint32_t kNotListed = UINT32_MAX;
  uint32_t rank(uint32_t axis, GroupId group) const { return ranks_[axis][group.index()]; }
  bool second(uint32_t axis, SetGroupId set) const { return seconds_[axis][set.index()] != 0; }

 private:
  std::vector<std::vector<uint32_t>> ranks_;  // Per axis and group.
  std::vector<std::vector<char>> seconds_;    // Per axis and set group.
  std::vector<uint32_t> next_;                // Per axis.
};

class Patterns {
 public:
  // `plans` are those that lists will be made of: groups respect their decisions and resolutions.
  Patterns(const plan::Subject& subject, const mesh::Mesh& mesh,
           std::span<const plan::Plan* const> plans);

  size_t size() const { return patterns_.size(); }
  size_t groupCount() const { return groupColors_.size(); }
  size_t setGroupCount() const { return setGroupCount_; }
  GroupId group(analysis::ColorId color) const { return groupOfColor_[color.index()]; }
  SetGroupId setGroup(analysis::SetId set) const { return groupOfSet_[set.index()]; }

  AxisLists emptyLists() const {
    return AxisLists(mesh_.axes.size(), groupCount(), setGroupCount());
  }
  // Adds the decisions and resolutions of a plan. Each decision must be a union of groups.
  void addTo(AxisLists& lists, const std::vector<plan::Decision>& decisions,
             const std::vector<plan::Resolution>& resolutions) const;

  // Per pattern and axis, the factor that gets the axis (from 1 on) or 0: four bits each, packed.
  std::vector<uint64_t> assign(const AxisLists& lists) const;
  // Whether the two split an op differently that has a factor of one of these groups.
  bool differ(const AxisLists& a, const AxisLists& b, std::span<const GroupId> groups) const;

  // Whether an op has a factor of each that the axis could be given to.
  bool meet(GroupId a, GroupId b, uint32_t axis) const;

 private:
  struct Factor {
    GroupId group;
    int64_t size;
  };
  struct Conflict {
    uint32_t first, second;  // Places in the pattern's factors.
    SetGroupId set;
  };
  // Factors that can be split, in the order of the op's.
  struct Pattern {
    std::vector<Factor> factors;
    std::vector<Conflict> conflicts;
  };

  void findGroups(std::span<const plan::Plan* const> plans);
  void findPatterns();
  Pattern patternOf(program::OpId op, std::span<const analysis::ConflictId> conflicts) const;
  void findMeetings();
  // Writes which factor gets each axis.
  void assignPattern(const Pattern& pattern, const AxisLists& lists,
                     std::span<uint32_t> chosen) const;
  static bool secondWins(const Pattern& pattern, const AxisLists& lists, uint32_t axis, uint32_t a,
                         uint32_t b);

  plan::Subject subject_;
  mesh::Mesh mesh_;
  std::vector<GroupId> groupOfColor_;
  std::vector<SetGroupId> groupOfSet_;
  std::vector<std::vector<analysis::ColorId>> groupColors_;
  size_t setGroupCount_ = 0;
  std::vector<Pattern> patterns_;
  std::vector<std::vector<uint32_t>> patternsOf_;  // Per group: those with a factor of it.
  std::vector<std::vector<char>> meets_;           // Per axis; group x group.
};

}  // namespace shardwright::search
