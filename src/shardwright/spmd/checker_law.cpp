#include <algorithm>
#include <limits>

#include "shardwright/spmd/checker_parts.h"

namespace shardwright::spmd::checking {

using analysis::ColorId;
using mesh::AxisList;
using program::OpId;
using rules::FactorId;
using rules::Rule;

namespace {

constexpr uint32_t kNotListed = std::numeric_limits<uint32_t>::max();

// Whether a factor may be split at all: its kind allows it, and no larger factor stands before it
// in any dim.
bool leadsEverywhere(const Rule& rule, FactorId factor) {
  for (size_t tensor = 0; tensor < rule.tensorCount(); ++tensor) {
    for (size_t dim = 0; dim < rule.rank(tensor); ++dim) {
      bool led = false;
      for (const FactorId other : rule.dim(tensor, dim)) {
        if (other == factor && led) return false;
        led = led || rule.factor(other).size != 1;
      }
    }
  }
  return true;
}

bool mayBeSplit(const Rule& rule, FactorId factor) {
  const rules::Factor& f = rule.factor(factor);
  const bool open =
      f.kind == rules::FactorKind::kParallel || f.kind == rules::FactorKind::kReduction;
  return open && f.size > 1 && leadsEverywhere(rule, factor);
}

}  // namespace

Law::Law(const Input& in) : in_(in) {
  const size_t axes = in.plan.mesh.axes.size();
  listed_.assign(axes, std::vector<uint32_t>(in.subject.analysis.colors().size(), kNotListed));
  secondWins_.assign(axes, std::vector<bool>(in.subject.analysis.sets().size(), false));
  std::vector<uint32_t> length(axes, 0);
  for (const plan::Decision& decision : in.plan.decisions) {
    for (const ColorId color : decision.colors) {
      uint32_t& place = listed_[decision.axis][color.index()];
      place = std::min(place, length[decision.axis]++);
    }
  }
  for (const plan::Resolution& resolution : in.plan.resolutions) {
    for (const analysis::SetId set : resolution.sets) {
      secondWins_[resolution.axis][set.index()] = true;
    }
  }
  for (const plan::Turn& turn : in.plan.turns) {
    for (const OpId op : turn.ops) turns_[op.index()].push_back(&turn);
  }
  for (const analysis::Conflict& conflict : in.subject.analysis.conflicts()) {
    conflicts_[conflict.op.index()].push_back(&conflict);
  }
  for (const plan::Pin& pin : in.plan.pins) pins_[pin.op.index()] = &pin;
  for (const program::Argument& argument : in.program().arguments()) {
    if (!argument.aliasedResult) continue;
    const OpId taker = in.program().results()[*argument.aliasedResult].returnOp;
    follows_[taker.index()] = in.program().value(argument.value).definition;
  }
}

std::vector<AxisList> Law::at(OpId op) const {
  if (const auto argument = follows_.find(op.index()); argument != follows_.end()) {
    return at(argument->second);
  }
  const auto pin = pins_.find(op.index());
  if (pin == pins_.end() || !program::standsForAValue(in_.program().name(op))) return unpinned(op);
  // These ops have one factor per dim.
  const Rule& rule = in_.subject.rule(op);
  std::vector<AxisList> axes(rule.factorCount());
  for (size_t dim = 0; dim < rule.rank(0) && dim < pin->second->dims.size(); ++dim) {
    const auto factors = rule.dim(0, dim);
    if (!factors.empty()) axes[factors.front().index()] = pinned(*pin->second, 0, dim);
  }
  return axes;
}

std::vector<AxisList> Law::unpinned(OpId op) const {
  std::vector<AxisList> axes(in_.subject.rule(op).factorCount());
  for (uint32_t axis = 0; axis < in_.plan.mesh.axes.size(); ++axis) {
    const FactorId factor = taker(op, axis, axes);
    if (factor.valid()) axes[factor.index()].append(axis);
  }
  return axes;
}

// Axes of size 1 go nowhere (L1). Behind what the pin states, an open dim has what it would have
// without, as far as that is free and divides.
AxisList Law::pinned(const plan::Pin& pin, size_t tensor, size_t dim) const {
  AxisList axes = proper(in_.plan.mesh, pin.dims[dim]);
  const Rule& rule = in_.subject.rule(pin.op);
  if (!pin.isOpen(dim) || !rule.leading(tensor, dim).valid()) return axes;
  const program::Program& program = in_.program();
  const program::ValueId value = program.resultCount(pin.op) > 0
                                     ? program.result(pin.op, pin.result)
                                     : program.operands(pin.op)[0];
  const AxisList lawful = unpinned(pin.op)[rule.leading(tensor, dim).index()];
  const auto isStated = [&](uint32_t axis) {
    return std::ranges::any_of(pin.dims, [&](AxisList of) { return of.contains(axis); });
  };
  for (uint32_t i = 0; i < lawful.size(); ++i) {
    const uint32_t axis = lawful[i];
    const int64_t parts = mesh::deviceCount(in_.plan.mesh, axes) * in_.plan.mesh.axes[axis].size;
    if (!isStated(axis) && program.shape(value)[dim] % parts == 0) axes.append(axis);
  }
  return axes;
}

// L1: which factor of the op gets the axis; invalid if none.
FactorId Law::taker(OpId op, uint32_t axis, const std::vector<AxisList>& axes) const {
  if (in_.plan.mesh.axes[axis].size == 1) return {};
  FactorId best;
  for (uint32_t f = 0; f < axes.size(); ++f) {
    const FactorId factor(f);
    const ColorId color = in_.subject.analysis.color({op, factor});
    if (!color.valid() || listed_[axis][color.index()] == kNotListed) continue;
    if (!canTake(op, factor, axes[f], axis)) continue;
    if (!best.valid()) {
      best = factor;
      continue;
    }
    const ColorId bestColor = in_.subject.analysis.color({op, best});
    const bool better = color == bestColor ? beats(op, axis, factor, best)
                                           : place(op, axis, color) < place(op, axis, bestColor);
    if (better) best = factor;
  }
  return best;
}

bool Law::canTake(OpId op, FactorId factor, AxisList taken, uint32_t axis) const {
  const Rule& rule = in_.subject.rule(op);
  if (!mayBeSplit(rule, factor)) return false;
  int64_t left = rule.factor(factor).size;
  for (uint32_t i = 0; i < taken.size(); ++i) left /= in_.plan.mesh.axes[taken[i]].size;
  return left % in_.plan.mesh.axes[axis].size == 0;
}

// L4: winners of turns come first, then the order of the list.
std::pair<bool, uint32_t> Law::place(OpId op, uint32_t axis, ColorId color) const {
  bool turned = false;
  if (const auto turns = turns_.find(op.index()); turns != turns_.end()) {
    turned = std::ranges::any_of(turns->second, [&](const plan::Turn* turn) {
      return turn->axis == axis && turn->winner == color;
    });
  }
  return {!turned, listed_[axis][color.index()]};
}

// L2: whether `later` wins against `earlier`, both of one colour.
bool Law::beats(OpId op, uint32_t axis, FactorId later, FactorId earlier) const {
  const auto conflicts = conflicts_.find(op.index());
  if (conflicts == conflicts_.end()) return false;
  for (const analysis::Conflict* conflict : conflicts->second) {
    const bool straight = conflict->first == earlier && conflict->second == later;
    const bool swapped = conflict->first == later && conflict->second == earlier;
    const bool second = secondWins_[axis][conflict->set.index()];
    if (straight || swapped) return straight == second;
  }
  return false;
}

}  // namespace shardwright::spmd::checking
