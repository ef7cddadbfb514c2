#include "shardwright/search/patterns.h"

#include <algorithm>
#include <map>

namespace shardwright::search {

using analysis::ColorId;
using analysis::ConflictId;
using analysis::SetId;
using program::OpId;
using rules::FactorId;

namespace {

// Factors of a pattern that can be told apart in four bits. Ops with more splittable factors do not
// exist; a pattern that has them would be told apart by the first ones alone.
constexpr uint32_t kMostFactors = 15;

// Numbers for what differs in any of its marks, in order of first appearance.
class Numbering {
 public:
  uint32_t of(const std::vector<uint64_t>& marks) {
    return numbers_.try_emplace(marks, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  size_t size() const { return numbers_.size(); }

 private:
  std::map<std::vector<uint64_t>, uint32_t> numbers_;
};

}  // namespace

AxisLists::AxisLists(size_t axes, size_t groups, size_t setGroups)
    : ranks_(axes, std::vector<uint32_t>(groups, kNotListed)),
      seconds_(axes, std::vector<char>(setGroups, 0)),
      next_(axes, 0) {}

void AxisLists::give(uint32_t axis, GroupId group) {
  uint32_t& rank = ranks_[axis][group.index()];
  if (rank == kNotListed) rank = next_[axis]++;
}

Patterns::Patterns(const plan::Subject& subject, const mesh::Mesh& mesh,
                   std::span<const plan::Plan* const> plans)
    : subject_(subject), mesh_(mesh) {
  findGroups(plans);
  findPatterns();
  findMeetings();
}

// Colours are marked with their class and with every decision that has them.
void Patterns::findGroups(std::span<const plan::Plan* const> plans) {
  const analysis::Analysis& analysis = subject_.analysis;
  std::vector<std::vector<uint64_t>> colorMarks(analysis.colors().size());
  std::vector<std::vector<uint64_t>> setMarks(analysis.sets().size());
  for (uint32_t i = 0; i < colorMarks.size(); ++i)
    colorMarks[i].push_back(analysis.colors()[ColorId(i)].classId.index());
  for (uint32_t i = 0; i < setMarks.size(); ++i)
    setMarks[i].push_back(analysis.sets()[SetId(i)].classId.index());
  uint64_t mark = 0;
  for (const plan::Plan* plan : plans) {
    for (const plan::Decision& decision : plan->decisions) {
      ++mark;
      for (const ColorId color : decision.colors) colorMarks[color.index()].push_back(mark);
    }
    for (const plan::Resolution& resolution : plan->resolutions) {
      ++mark;
      for (const SetId set : resolution.sets) setMarks[set.index()].push_back(mark);
    }
  }
  Numbering colors, sets;
  for (const auto& marks : colorMarks) groupOfColor_.push_back(GroupId(colors.of(marks)));
  for (const auto& marks : setMarks) groupOfSet_.push_back(SetGroupId(sets.of(marks)));
  groupColors_.resize(colors.size());
  for (uint32_t i = 0; i < groupOfColor_.size(); ++i)
    groupColors_[groupOfColor_[i].index()].push_back(ColorId(i));
  setGroupCount_ = sets.size();
}

Patterns::Pattern Patterns::patternOf(OpId op, std::span<const ConflictId> conflicts) const {
  const rules::Rule& rule = subject_.rule(op);
  Pattern pattern;
  std::vector<uint32_t> place(rule.factorCount(), UINT32_MAX);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const ColorId color = subject_.analysis.color({op, FactorId(f)});
    if (!color.valid() || !analysis::canSplit(rule, FactorId(f))) continue;
    place[f] = static_cast<uint32_t>(pattern.factors.size());
    pattern.factors.push_back({group(color), rule.factor(FactorId(f)).size});
  }
  for (const ConflictId id : conflicts) {
    const analysis::Conflict& conflict = subject_.analysis.conflicts()[id];
    const uint32_t first = place[conflict.first.index()], second = place[conflict.second.index()];
    if (first == UINT32_MAX || second == UINT32_MAX) continue;
    pattern.conflicts.push_back({first, second, setGroup(conflict.set)});
  }
  return pattern;
}

void Patterns::findPatterns() {
  std::vector<std::vector<ConflictId>> conflictsOf(subject_.program.opCount());
  for (uint32_t i = 0; i < subject_.analysis.conflicts().size(); ++i)
    conflictsOf[subject_.analysis.conflicts()[ConflictId(i)].op.index()].push_back(ConflictId(i));
  WordInterner interner;
  std::vector<uint64_t> words;
  for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
    Pattern pattern = patternOf(OpId(i), conflictsOf[i]);
    if (pattern.factors.empty()) continue;
    words.assign({pattern.factors.size()});
    for (const Factor& factor : pattern.factors)
      words.insert(words.end(), {factor.group.index(), static_cast<uint64_t>(factor.size)});
    for (const Conflict& conflict : pattern.conflicts)
      words.insert(words.end(), {conflict.first, conflict.second, conflict.set.index()});
    if (interner.intern(words).second) patterns_.push_back(std::move(pattern));
  }
  patternsOf_.resize(groupCount());
  for (uint32_t i = 0; i < patterns_.size(); ++i) {
    for (const Factor& factor : patterns_[i].factors) {
      std::vector<uint32_t>& list = patternsOf_[factor.group.index()];
      if (list.empty() || list.back() != i) list.push_back(i);
    }
  }
}

void Patterns::findMeetings() {
  meets_.assign(mesh_.axes.size(), std::vector<char>(groupCount() * groupCount(), 0));
  for (uint32_t axis = 0; axis < mesh_.axes.size(); ++axis) {
    for (const Pattern& pattern : patterns_) {
      for (const Factor& a : pattern.factors) {
        for (const Factor& b : pattern.factors) {
          if (a.size % mesh_.axes[axis].size != 0 || b.size % mesh_.axes[axis].size != 0) continue;
          meets_[axis][a.group.index() * groupCount() + b.group.index()] = 1;
        }
      }
    }
  }
}

bool Patterns::meet(GroupId a, GroupId b, uint32_t axis) const {
  return meets_[axis][a.index() * groupCount() + b.index()] != 0;
}

void Patterns::addTo(AxisLists& lists, const std::vector<plan::Decision>& decisions,
                     const std::vector<plan::Resolution>& resolutions) const {
  for (const plan::Decision& decision : decisions) {
    for (const ColorId color : decision.colors) lists.give(decision.axis, group(color));
  }
  for (const plan::Resolution& resolution : resolutions) {
    for (const SetId set : resolution.sets) lists.turnToSecond(resolution.axis, setGroup(set));
  }
}

// L2, as plan::Law has it.
bool Patterns::secondWins(const Pattern& pattern, const AxisLists& lists, uint32_t axis, uint32_t a,
                          uint32_t b) {
  for (const Conflict& conflict : pattern.conflicts) {
    const bool second = lists.second(axis, conflict.set);
    if (conflict.first == a && conflict.second == b) return second;
    if (conflict.first == b && conflict.second == a) return !second;
  }
  return false;
}

// L1, as plan::Law has it.
void Patterns::assignPattern(const Pattern& pattern, const AxisLists& lists,
                             std::span<uint32_t> chosen) const {
  const auto partsOf = [&](uint32_t f, uint32_t axis) {
    int64_t parts = mesh_.axes[axis].size;
    for (uint32_t earlier = 0; earlier < axis; ++earlier)
      parts *= chosen[earlier] == f + 1 ? mesh_.axes[earlier].size : 1;
    return parts;
  };
  for (uint32_t axis = 0; axis < mesh_.axes.size(); ++axis) {
    chosen[axis] = 0;
    if (mesh_.axes[axis].size == 1) continue;
    uint32_t best = AxisLists::kNotListed;
    for (uint32_t f = 0; f < pattern.factors.size(); ++f) {
      const uint32_t here = lists.rank(axis, pattern.factors[f].group);
      if (here == AxisLists::kNotListed || here > best) continue;
      if (pattern.factors[f].size % partsOf(f, axis) != 0) continue;
      if (here == best && !secondWins(pattern, lists, axis, chosen[axis] - 1, f)) continue;
      best = here;
      chosen[axis] = std::min(f + 1, kMostFactors);
    }
  }
}

std::vector<uint64_t> Patterns::assign(const AxisLists& lists) const {
  const size_t axes = mesh_.axes.size();
  constexpr size_t kPerWord = 16;
  std::vector<uint64_t> words((patterns_.size() * axes + kPerWord - 1) / kPerWord, 0);
  std::vector<uint32_t> chosen(axes);
  size_t place = 0;
  for (const Pattern& pattern : patterns_) {
    assignPattern(pattern, lists, chosen);
    for (size_t axis = 0; axis < axes; ++axis, ++place)
      words[place / kPerWord] |= static_cast<uint64_t>(chosen[axis]) << 4 * (place % kPerWord);
  }
  return words;
}

bool Patterns::differ(const AxisLists& a, const AxisLists& b,
                      std::span<const GroupId> groups) const {
  std::vector<uint32_t> before(mesh_.axes.size()), after(mesh_.axes.size());
  for (const GroupId group : groups) {
    for (const uint32_t number : patternsOf_[group.index()]) {
      assignPattern(patterns_[number], a, before);
      assignPattern(patterns_[number], b, after);
      if (before != after) return true;
    }
  }
  return false;
}

}  // namespace shardwright::search
