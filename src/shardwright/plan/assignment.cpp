#include "shardwright/plan/assignment.h"

#include <algorithm>

#include "shardwright/plan/law.h"

namespace shardwright::plan {

using analysis::ColorId;
using mesh::AxisList;
using mesh::AxisSet;
using program::OpId;
using rules::FactorId;
using rules::Rule;

Assignment::Assignment(const Subject& subject) {
  firstName_.reserve(subject.program.opCount() + 1);
  firstName_.push_back(0);
  for (uint32_t i = 0; i < subject.program.opCount(); ++i) {
    firstName_.push_back(firstName_.back() +
                         static_cast<uint32_t>(subject.rule(OpId(i)).factorCount()));
  }
  axes_.resize(firstName_.back());
}

AxisSet Assignment::used(OpId op) const {
  AxisSet set;
  for (const AxisList list : axes(op)) set = set | list.set();
  return set;
}

Law::Law(const Subject& subject, const Plan& plan) : subject_(subject), plan_(plan) {
  ranks_.resize(plan.mesh.axes.size());
  secondSides_.resize(plan.mesh.axes.size());
  for (auto& ranks : ranks_) ranks.assign(subject.analysis.colors().size(), kNotListed);
  std::vector<uint32_t> next(plan.mesh.axes.size(), 0);
  for (const Decision& decision : plan.decisions) {
    for (const ColorId color : decision.colors) {
      uint32_t& rank = ranks_[decision.axis][color.index()];
      if (rank == kNotListed) rank = next[decision.axis]++;
    }
  }
  for (const Resolution& resolution : plan.resolutions) {
    auto& second = secondSides_[resolution.axis];
    second.resize(subject.analysis.sets().size(), 0);
    for (const analysis::SetId set : resolution.sets) second[set.index()] = 1;
  }
  findConflicts();
  for (const Turn& turn : plan.turns) {
    for (const OpId op : turn.ops) turnsAt_[op.index()].push_back(&turn);
  }
}

// Conflicts stand in program order, so those of one op are consecutive.
void Law::findConflicts() {
  const auto& conflicts = subject_.analysis.conflicts();
  firstConflict_.assign(subject_.program.opCount() + 1, 0);
  for (const analysis::Conflict& conflict : conflicts) ++firstConflict_[conflict.op.index() + 1];
  for (size_t i = 1; i < firstConflict_.size(); ++i) firstConflict_[i] += firstConflict_[i - 1];
}

uint32_t Law::rank(OpId op, uint32_t axis, ColorId color) const {
  const uint32_t listed = ranks_[axis][color.index()];
  if (turnsAt_.empty() || listed == kNotListed) return listed;
  const auto turns = turnsAt_.find(op.index());
  if (turns == turnsAt_.end()) return listed;
  const bool first = std::ranges::any_of(
      turns->second, [&](const Turn* turn) { return turn->axis == axis && turn->winner == color; });
  return first ? 0 : listed + 1;
}

bool Law::secondWins(OpId op, uint32_t axis, FactorId a, FactorId b) const {
  if (secondSides_[axis].empty()) {
    for (uint32_t i = firstConflict_[op.index()]; i < firstConflict_[op.index() + 1]; ++i) {
      const analysis::Conflict& c = subject_.analysis.conflicts()[analysis::ConflictId(i)];
      if (c.first == b && c.second == a) return true;
    }
    return false;
  }
  for (uint32_t i = firstConflict_[op.index()]; i < firstConflict_[op.index() + 1]; ++i) {
    const analysis::Conflict& c = subject_.analysis.conflicts()[analysis::ConflictId(i)];
    const bool second = secondSides_[axis][c.set.index()] != 0;
    if (c.first == a && c.second == b) return second;
    if (c.first == b && c.second == a) return !second;
  }
  return false;
}

bool Law::fits(OpId op, FactorId factor, AxisList taken, uint32_t axis) const {
  const Rule& rule = subject_.rule(op);
  if (!rule.canSplit(factor)) return false;
  const int64_t parts = mesh::deviceCount(plan_.mesh, taken) * plan_.mesh.axes[axis].size;
  return rule.factor(factor).size % parts == 0;
}

void Law::assignOp(OpId op, std::span<AxisList> axes) const {
  std::ranges::fill(axes, AxisList());
  for (uint32_t axis = 0; axis < plan_.mesh.axes.size(); ++axis) {
    if (plan_.mesh.axes[axis].size == 1) continue;
    uint32_t best = kNotListed;
    FactorId chosen;
    for (uint32_t f = 0; f < axes.size(); ++f) {
      const ColorId color = subject_.analysis.color({op, FactorId(f)});
      if (!color.valid()) continue;
      const uint32_t here = rank(op, axis, color);
      if (here == kNotListed || here > best || !fits(op, FactorId(f), axes[f], axis)) continue;
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
  for (uint32_t f = 0; f < rule.factorCount(); ++f) assignment.set(pin.op, FactorId(f), {});
  for (size_t d = 0; d < pin.dims.size(); ++d) {
    const AxisList axes = mesh::withoutTrivial(mesh, pin.dims[d]);
    if (!axes.empty()) assignment.set(pin.op, rule.dim(0, d).front(), axes);
  }
}

}  // namespace

Assignment assign(const Subject& subject, const Plan& plan) {
  const Law law(subject, plan);
  Assignment assignment(subject);
  std::vector<AxisList> axes;
  for (uint32_t i = 0; i < subject.program.opCount(); ++i) {
    axes.resize(subject.rule(OpId(i)).factorCount());
    law.assignOp(OpId(i), axes);
    for (uint32_t f = 0; f < axes.size(); ++f) assignment.set(OpId(i), FactorId(f), axes[f]);
  }
  for (const Pin& pin : plan.pins) {
    if (program::standsForAValue(subject.program.name(pin.op))) {
      pinTie(subject, plan.mesh, pin, assignment);
    }
  }
  for (const program::Argument& argument : subject.program.arguments()) {
    if (!argument.aliasedResult) continue;
    const OpId from = subject.program.value(argument.value).definition;
    const OpId to = subject.program.results()[*argument.aliasedResult].returnOp;
    for (uint32_t f = 0; f < subject.rule(from).factorCount(); ++f) {
      assignment.set(to, FactorId(f), assignment.axes(from, FactorId(f)));
    }
  }
  return assignment;
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
