#include <algorithm>

#include "shardwright/spmd/checker_parts.h"

namespace shardwright::spmd::checking {

using mesh::AxisList;
using mesh::AxisSet;
using program::Combiner;

namespace {

bool hasNeutral(Combiner combiner) {
  using enum Combiner;
  return combiner == kAdd || combiner == kMul || combiner == kMin || combiner == kMax ||
         combiner == kAnd || combiner == kOr;
}

bool cutsOneDim(Kind kind) {
  return kind == Kind::kSlice || kind == Kind::kReduceScatter || kind == Kind::kAllGather ||
         kind == Kind::kAllToAll;
}

bool reduces(Kind kind) { return kind == Kind::kAllReduce || kind == Kind::kReduceScatter; }

// Axes that do not stand in the same place of the same dim in both.
AxisSet movedAxes(const std::vector<AxisList>& from, const std::vector<AxisList>& to) {
  AxisSet moved;
  for (size_t dim = 0; dim < from.size(); ++dim) {
    const uint32_t places = std::max(from[dim].size(), to[dim].size());
    for (uint32_t i = 0; i < places; ++i) {
      const bool here = i < from[dim].size(), there = i < to[dim].size();
      if (here && there && from[dim][i] == to[dim][i]) continue;
      if (here) moved.add(from[dim][i]);
      if (there) moved.add(to[dim][i]);
    }
  }
  return moved;
}

}  // namespace

// K7.
Status Layouts::checkMove(const Instruction& instruction) {
  const auto error = [&](const std::string& what) {
    return breach(in_, "K7", instruction.op,
                  std::string(kindName(instruction.kind)) + " " +
                      str(in_.spmd.operandsOf(instruction)[0]) + " over " +
                      axesStr(in_.spmd.mesh, instruction.axes) + ": " + what);
  };
  if (instruction.kind == Kind::kCollectivePermute) {
    const std::string wrong = permuteFault(instruction);
    return wrong.empty() ? Status() : error(wrong);
  }
  if (instruction.axes.empty()) return error("has no axes");
  Moved expected;
  const std::string wrong = move(instruction, expected);
  if (!wrong.empty()) return error(wrong);
  const mesh::LayoutId actual = in_.local(in_.spmd.result(instruction)).layout;
  if (in_.spmd.layouts.dims(actual) != expected.dims ||
      in_.spmd.layouts.partial(actual) != expected.partial) {
    return error("leaves " + in_.spmd.layouts.str(in_.spmd.mesh, actual));
  }
  combiner_[in_.spmd.result(instruction).index()] = expected.combiner;
  return {};
}

std::string Layouts::move(const Instruction& instruction, Moved& moved) const {
  const LocalId operand = in_.spmd.operandsOf(instruction)[0];
  moved = {in_.spmd.layouts.dims(in_.local(operand).layout), partial(operand),
           combiner_[operand.index()]};
  const std::string wrong = moveDims(instruction, moved);
  return wrong.empty() ? moveTerms(instruction, moved) : wrong;
}

// Axes leave and join dims at the minor end.
std::string Layouts::moveDims(const Instruction& instruction, Moved& moved) const {
  const Kind kind = instruction.kind;
  if (!cutsOneDim(kind)) return {};
  const size_t rank = moved.dims.size();
  if (instruction.dim >= rank) return "there is no dim " + std::to_string(instruction.dim);
  size_t joined = instruction.dim;
  if (kind == Kind::kAllGather || kind == Kind::kAllToAll) {
    AxisList& from = moved.dims[instruction.dim];
    const uint32_t kept = from.size() - std::min(from.size(), instruction.axes.size());
    if (from.from(kept) != instruction.axes) {
      return "dim " + std::to_string(instruction.dim) + " is split over " +
             axesStr(in_.spmd.mesh, from) + ", which does not end so";
    }
    from = from.first(kept);
    joined = instruction.toDim;
  }
  if (kind == Kind::kAllGather) return {};
  if (joined >= rank) return "there is no dim " + std::to_string(joined);
  if (kind == Kind::kAllToAll && joined == instruction.dim) return "moves inside one dim";
  for (const AxisList axes : moved.dims) {
    if (axes.set().meets(instruction.axes.set())) return "the value is split over them already";
  }
  moved.dims[joined].append(instruction.axes);
  return {};
}

std::string Layouts::moveTerms(const Instruction& instruction, Moved& moved) const {
  const AxisSet axes = instruction.axes.set();
  const bool wasPartial = !moved.partial.empty();
  if (instruction.kind == Kind::kMask) {
    if (moved.partial.meets(axes)) return "is partial over them already";
    if (!hasNeutral(instruction.combiner)) return "the combiner has no neutral element";
    if (wasPartial && instruction.combiner != moved.combiner) return "mixes two combiners";
    moved.partial = moved.partial | axes;
    moved.combiner = instruction.combiner;
  }
  if (!reduces(instruction.kind)) return {};
  if (!moved.partial.containsAll(axes)) {
    return "is partial over " + axesStr(in_.spmd.mesh, moved.partial) + " only";
  }
  if (instruction.combiner != moved.combiner) {
    return std::string("combines with ") + program::combinerName(instruction.combiner) +
           ", its terms with " + program::combinerName(moved.combiner);
  }
  moved.partial = moved.partial - axes;
  return {};
}

std::string Layouts::permuteFault(const Instruction& instruction) const {
  const Local& from = in_.local(in_.spmd.operandsOf(instruction)[0]);
  const Local& to = in_.local(in_.spmd.result(instruction));
  if (!in_.spmd.layouts.partial(from.layout).empty() ||
      !in_.spmd.layouts.partial(to.layout).empty()) {
    return "the value is partial";
  }
  if (from.type != to.type) {
    return "changes the local type from " + in_.spmd.types.str(from.type) + " to " +
           in_.spmd.types.str(to.type);
  }
  const AxisSet moved =
      movedAxes(in_.spmd.layouts.dims(from.layout), in_.spmd.layouts.dims(to.layout));
  // Both layouts say all there is to say; axes are named for the reader's sake, or not at all.
  if (!instruction.axes.empty() && !instruction.axes.set().containsAll(moved)) {
    return "moves " + axesStr(in_.spmd.mesh, moved);
  }
  return {};
}

// K9: follows each pinned value from where it is made.
Status Layouts::checkPinned(const Instruction& instruction, uint32_t place) {
  const auto operands = in_.spmd.operandsOf(instruction);
  if (instruction.kind == Kind::kCompute) {
    for (const LocalId operand : operands) {
      const bool pinned = pinOf_.contains(in_.local(operand).value.index());
      // What a loop's body yields to its carry comes later; yields are looked at by themselves.
      const bool later = in_.local(operand).definition.index() >= place;
      if (!pinned || later || settled_[operand.index()]) continue;
      return breach(in_, "K9", instruction.op,
                    str(operand) + " is used before its pinned layout is reached");
    }
  }
  for (size_t i = 0; i < instruction.resultCount; ++i) {
    const LocalId result = in_.spmd.result(instruction, i);
    const bool from = instruction.kind != Kind::kCompute && settled_[operands[0].index()];
    settled_[result.index()] = from || hasPinnedLayout(result);
  }
  return {};
}

bool Layouts::hasPinnedLayout(LocalId local) const {
  const auto pin = pinOf_.find(in_.local(local).value.index());
  if (pin == pinOf_.end() || !partial(local).empty()) return false;
  const size_t tensor = in_.subject.rule(pin->second->op).operandCount() + pin->second->result;
  for (size_t dim = 0; dim < pin->second->dims.size(); ++dim) {
    const AxisList wanted = law_.pinned(*pin->second, tensor, dim);
    if (in_.spmd.layouts.dim(in_.local(local).layout, dim) != wanted) return false;
  }
  return true;
}

}  // namespace shardwright::spmd::checking
