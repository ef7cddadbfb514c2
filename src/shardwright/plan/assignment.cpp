#include "shardwright/plan/assignment.h"

#include <algorithm>

#include "shardwright/plan/law.h"
#include "shardwright/plan/op_patterns.h"

namespace shardwright::plan {

using analysis::ClassId;
using analysis::ColorId;
using mesh::AxisList;
using mesh::AxisSet;
using program::OpId;
using program::SignatureId;
using rules::FactorId;
using rules::Rule;

Assignment::Assignment(const Subject& subject) {
  const program::Program& program = subject.program;
  for (uint32_t i = 0; i < program.signatureCount(); ++i) {
    scratch_.assign(subject.rules.rule(SignatureId(i)).factorCount(), {});
    intern(SignatureId(i), scratch_);
  }
  splits_.reserve(program.opCount());
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    splits_.push_back(unsplit(program.op(OpId(i)).signature));
  }
}

SplitId Assignment::intern(SignatureId signature, std::span<const AxisList> axes) {
  words_.assign(1, signature.index());
  for (const AxisList list : axes) words_.push_back(list.code());
  const auto [number, isNew] = interner_.intern(words_);
  if (isNew) {
    signatures_.push(signature);
    axes_.insert(axes_.end(), axes.begin(), axes.end());
    axesBegin_.push_back(static_cast<uint32_t>(axes_.size()));
  }
  return SplitId(number);
}

void Assignment::set(OpId op, FactorId factor, AxisList axes) {
  const auto before = this->axes(op);
  scratch_.assign(before.begin(), before.end());
  scratch_[factor.index()] = axes;
  set(op, intern(signature(split(op)), scratch_));
}

AxisSet Assignment::used(OpId op) const {
  AxisSet set;
  for (const AxisList list : axes(op)) set = set | list.set();
  return set;
}

// Splits are numbered as they come, so equal ones may have other numbers.
bool Assignment::operator==(const Assignment& other) const {
  if (splits_.size() != other.splits_.size()) return false;
  for (uint32_t i = 0; i < splits_.size(); ++i) {
    if (!std::ranges::equal(axes(OpId(i)), other.axes(OpId(i)))) return false;
  }
  return true;
}

Law::Law(const Subject& subject, const OpPatterns& patterns, const Plan& plan)
    : subject_(subject), patterns_(patterns), plan_(plan) {
  rankColors();
  turnSets();
  for (const Turn& turn : plan.turns) {
    for (const OpId op : turn.ops) turnsAt_[op.index()].push_back(&turn);
  }
}

// A class is treated as a whole where its colours stand together in the list, all or none of them:
// then each of them is before or behind the colours of another class as all are.
void Law::rankColors() {
  const analysis::Analysis& analysis = subject_.analysis;
  const size_t axes = plan_.mesh.axes.size();
  ranks_.assign(axes, std::vector<uint32_t>(analysis.colors().size(), kNotListed));
  listing_.assign(analysis.colors().size(), {});
  cutClasses_.assign(analysis.classes().size(), 0);
  for (uint32_t axis = 0; axis < axes; ++axis) {
    std::vector<uint32_t> together(analysis.classes().size(), 0);
    ClassId last;
    uint32_t next = 0;
    for (const Decision& decision : plan_.decisions) {
      if (decision.axis != axis) continue;
      for (const ColorId color : decision.colors) {
        uint32_t& rank = ranks_[axis][color.index()];
        if (rank != kNotListed) continue;
        rank = next++;
        if (plan_.mesh.axes[axis].size > 1) listing_[color.index()].add(axis);
        const ClassId here = analysis.colors()[color].classId;
        if (here != last && together[here.index()] > 0) cutClasses_[here.index()] = 1;
        ++together[here.index()];
        last = here;
      }
    }
    for (uint32_t c = 0; c < together.size(); ++c) {
      const size_t all = analysis.classes()[ClassId(c)].colors.size();
      if (together[c] != 0 && together[c] != all) cutClasses_[c] = 1;
    }
  }
}

void Law::turnSets() {
  const analysis::Analysis& analysis = subject_.analysis;
  secondSides_.resize(plan_.mesh.axes.size());
  cutSetClasses_.assign(analysis.setClasses().size(), 0);
  for (const Resolution& resolution : plan_.resolutions) {
    auto& second = secondSides_[resolution.axis];
    second.resize(analysis.sets().size(), 0);
    for (const analysis::SetId set : resolution.sets) second[set.index()] = 1;
  }
  for (const auto& second : secondSides_) {
    if (second.empty()) continue;
    for (uint32_t c = 0; c < cutSetClasses_.size(); ++c) {
      const auto& sets = analysis.setClasses()[analysis::SetClassId(c)].sets;
      const auto turned = std::ranges::count_if(
          sets, [&](analysis::SetId set) { return second[set.index()] != 0; });
      const auto all = static_cast<std::ptrdiff_t>(sets.size());
      if (turned != 0 && turned != all) cutSetClasses_[c] = 1;
    }
  }
}

bool Law::isUniform(OpPatternId pattern) const {
  const analysis::Analysis& analysis = subject_.analysis;
  const OpId op = patterns_.firstOp(pattern);
  for (uint32_t f = 0; f < subject_.rule(op).factorCount(); ++f) {
    const ColorId color = analysis.color({op, FactorId(f)});
    if (color.valid() && cutClasses_[analysis.colors()[color].classId.index()]) return false;
  }
  for (uint32_t c = patterns_.conflictsBegin(op); c < patterns_.conflictsEnd(op); ++c) {
    const analysis::SetId set = analysis.conflicts()[analysis::ConflictId(c)].set;
    if (cutSetClasses_[analysis.sets()[set].classId.index()]) return false;
  }
  return true;
}

uint32_t Law::rank(const Turns* turns, uint32_t axis, ColorId color) const {
  const uint32_t listed = ranks_[axis][color.index()];
  if (turns == nullptr || listed == kNotListed) return listed;
  const bool first = std::ranges::any_of(
      *turns, [&](const Turn* turn) { return turn->axis == axis && turn->winner == color; });
  return first ? 0 : listed + 1;
}

bool Law::secondWins(OpId op, uint32_t axis, FactorId a, FactorId b) const {
  const auto& seconds = secondSides_[axis];
  for (uint32_t i = patterns_.conflictsBegin(op); i < patterns_.conflictsEnd(op); ++i) {
    const analysis::Conflict& c = subject_.analysis.conflicts()[analysis::ConflictId(i)];
    const bool second = !seconds.empty() && seconds[c.set.index()] != 0;
    if (c.first == a && c.second == b) return second;
    if (c.first == b && c.second == a) return !second;
  }
  return false;
}

bool Law::fits(const Rule& rule, FactorId factor, AxisList taken, uint32_t axis) const {
  if (!rule.canSplit(factor)) return false;
  const int64_t parts = mesh::deviceCount(plan_.mesh, taken) * plan_.mesh.axes[axis].size;
  return rule.factor(factor).size % parts == 0;
}

AxisSet Law::listing(OpId op, size_t factors) const {
  AxisSet axes;
  for (uint32_t f = 0; f < factors; ++f) {
    const ColorId color = subject_.analysis.color({op, FactorId(f)});
    if (color.valid()) axes = axes | listing_[color.index()];
  }
  return axes;
}

void Law::assignOp(OpId op, std::span<AxisList> axes) const {
  const auto turns = turnsAt_.find(op.index());
  assignOp(op, turns == turnsAt_.end() ? nullptr : &turns->second, axes);
}

void Law::assignPattern(OpPatternId pattern, std::span<AxisList> axes) const {
  assignOp(patterns_.firstOp(pattern), nullptr, axes);
}

void Law::assignOp(OpId op, const Turns* turns, std::span<AxisList> axes) const {
  const Rule& rule = subject_.rule(op);
  std::ranges::fill(axes, AxisList());
  const AxisSet listing = this->listing(op, axes.size());
  for (uint32_t axis = 0; !listing.empty() && axis < plan_.mesh.axes.size(); ++axis) {
    if (!listing.contains(axis)) continue;
    uint32_t best = kNotListed;
    FactorId chosen;
    for (uint32_t f = 0; f < axes.size(); ++f) {
      const ColorId color = subject_.analysis.color({op, FactorId(f)});
      if (!color.valid()) continue;
      const uint32_t here = rank(turns, axis, color);
      if (here == kNotListed || here > best || !fits(rule, FactorId(f), axes[f], axis)) continue;
      if (here == best && !secondWins(op, axis, chosen, FactorId(f))) continue;
      best = here;
      chosen = FactorId(f);
    }
    if (chosen.valid()) axes[chosen.index()].append(axis);
  }
}

namespace {

// A pinned value of an op whose factors are its dims, one each.
void pinTie(const Subject& subject, const mesh::Mesh& mesh, const Pin& pin,
            Assignment& assignment) {
  const Rule& rule = subject.rule(pin.op);
  std::vector<AxisList> axes(rule.factorCount()), lawful;
  std::vector<int64_t> shape;
  for (size_t d = 0; d < pin.dims.size(); ++d) {
    lawful.push_back(dimAxes(rule, assignment.axes(pin.op), 0, d));
    shape.push_back(rule.dim(0, d).empty() ? 1 : rule.factor(rule.dim(0, d).front()).size);
  }
  const std::vector<AxisList> pinned = pinnedAxes(mesh, pin, shape, lawful);
  for (size_t d = 0; d < pinned.size(); ++d) {
    if (!pinned[d].empty()) axes[rule.dim(0, d).front().index()] = pinned[d];
  }
  assignment.set(pin.op, assignment.intern(subject.program.op(pin.op).signature, axes));
}

// L5 where it speaks of results that take over an argument's buffer.
void followArguments(const Subject& subject, Assignment& assignment) {
  for (const program::Argument& argument : subject.program.arguments()) {
    if (!argument.aliasedResult) continue;
    const OpId from = subject.program.value(argument.value).definition;
    const OpId to = subject.program.results()[*argument.aliasedResult].returnOp;
    const auto axes = assignment.axes(from);
    SW_CHECK(axes.size() == assignment.axes(to).size());
    const std::vector<AxisList> copied(axes.begin(), axes.end());
    assignment.set(to, assignment.intern(subject.program.op(to).signature, copied));
  }
}

// L1 to L4.
class Assigner {
 public:
  Assigner(const Subject& subject, const OpPatterns& patterns, const Plan& plan)
      : subject_(subject), patterns_(patterns), plan_(plan), law_(subject, patterns, plan) {}

  Assignment make() && {
    assignment_ = patterns_.unsplit();
    std::vector<SplitId> splits(patterns_.size());  // Invalid if its ops may differ.
    for (uint32_t i = 0; i < splits.size(); ++i) {
      const OpPatternId id(i);
      if (law_.isUniform(id)) splits[i] = splitOf(id);
    }
    for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
      const SplitId split = splits[patterns_.of(OpId(i)).index()];
      assignment_.set(OpId(i), split.valid() ? split : splitOf(OpId(i)));
    }
    for (const Turn& turn : plan_.turns) {
      for (const OpId op : turn.ops) assignment_.set(op, splitOf(op));
    }
    return std::move(assignment_);
  }

 private:
  SplitId splitOf(OpPatternId id) {
    const OpId op = patterns_.firstOp(id);
    axes_.resize(subject_.rule(op).factorCount());
    law_.assignPattern(id, axes_);
    return intern(op);
  }
  SplitId splitOf(OpId op) {
    axes_.resize(subject_.rule(op).factorCount());
    law_.assignOp(op, axes_);
    return intern(op);
  }
  SplitId intern(OpId op) {
    const SignatureId signature = subject_.program.op(op).signature;
    const bool isSplit = std::ranges::any_of(axes_, [](AxisList list) { return !list.empty(); });
    return isSplit ? assignment_.intern(signature, axes_) : Assignment::unsplit(signature);
  }

  const Subject& subject_;
  const OpPatterns& patterns_;
  const Plan& plan_;
  Law law_;
  Assignment assignment_;
  std::vector<AxisList> axes_;
};

}  // namespace

bool Pin::agrees(const Pin& other) const {
  if (dims != other.dims) return false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (isOpen(d) != other.isOpen(d)) return false;
  }
  return true;
}

std::vector<AxisList> pinnedAxes(const mesh::Mesh& mesh, const Pin& pin,
                                 std::span<const int64_t> shape, std::span<const AxisList> lawful) {
  std::vector<AxisList> axes;
  mesh::AxisSet stated;
  for (const AxisList& dim : pin.dims) {
    axes.push_back(mesh::withoutTrivial(mesh, dim));
    for (uint32_t i = 0; i < dim.size(); ++i) stated.add(dim[i]);
  }
  for (size_t d = 0; d < axes.size(); ++d) {
    for (uint32_t i = 0; pin.isOpen(d) && i < lawful[d].size(); ++i) {
      const uint32_t axis = lawful[d][i];
      const int64_t left = shape[d] / mesh::deviceCount(mesh, axes[d]);
      if (!stated.contains(axis) && left % mesh.axes[axis].size == 0) axes[d].append(axis);
    }
  }
  return axes;
}

Assignment assign(const Subject& subject, const OpPatterns& patterns, const Plan& plan) {
  Assignment assignment = Assigner(subject, patterns, plan).make();
  for (const Pin& pin : plan.pins) {
    if (program::standsForAValue(subject.program.name(pin.op))) {
      pinTie(subject, plan.mesh, pin, assignment);
    }
  }
  followArguments(subject, assignment);
  return assignment;
}

Assignment assign(const Subject& subject, const Plan& plan) {
  return assign(subject, OpPatterns(subject), plan);
}

namespace {

Unsplit::Reason whyNot(const Subject& subject, const analysis::Name& name, const mesh::Mesh& mesh,
                       const Assignment& assignment, uint32_t axis) {
  const Rule& rule = subject.rule(name.op);
  if (!analysis::canSplit(rule, name.factor)) return Unsplit::Reason::kBlocked;
  const int64_t left = rule.factor(name.factor).size /
                       mesh::deviceCount(mesh, assignment.axes(name.op, name.factor));
  return left % mesh.axes[axis].size != 0 ? Unsplit::Reason::kIndivisible : Unsplit::Reason::kTaken;
}

void collectUnsplit(const Subject& subject, const Plan& plan, const Assignment& assignment,
                    uint32_t axis, ColorId color, std::vector<Unsplit>& found) {
  Unsplit byReason[3];
  for (const analysis::Name& name : subject.analysis.colors()[color].names) {
    if (assignment.axes(name.op, name.factor).contains(axis)) continue;
    const auto reason = whyNot(subject, name, plan.mesh, assignment, axis);
    Unsplit& entry = byReason[static_cast<size_t>(reason)];
    const int64_t size = subject.rule(name.op).factor(name.factor).size;
    if (entry.ops++ == 0) entry = {axis, color, reason, 1, name.op, size};
  }
  for (const Unsplit& entry : byReason) {
    if (entry.ops > 0) found.push_back(entry);
  }
}

}  // namespace

std::vector<Unsplit> unsplit(const Subject& subject, const Plan& plan,
                             const Assignment& assignment) {
  std::vector<Unsplit> found;
  for (const Decision& decision : plan.decisions) {
    if (plan.mesh.axes[decision.axis].size == 1) continue;
    for (const ColorId color : decision.colors) {
      collectUnsplit(subject, plan, assignment, decision.axis, color, found);
    }
  }
  return found;
}

}  // namespace shardwright::plan
