#include "mutations.h"

#include <algorithm>

namespace shardwright::testing {

using mesh::AxisList;
using mesh::AxisSet;
using spmd::Instruction;
using spmd::Kind;
using spmd::Local;

Broken Mutator::breakOneThing() {
  static constexpr Broken (Mutator::* kAll[])() = {&Mutator::dropMove,
                                                   &Mutator::changeAxes,
                                                   &Mutator::reverseAxes,
                                                   &Mutator::changeKind,
                                                   &Mutator::changeDim,
                                                   &Mutator::changeCombiner,
                                                   &Mutator::changeLayout,
                                                   &Mutator::togglePartial,
                                                   &Mutator::changeSplit,
                                                   &Mutator::takeAnotherLayout,
                                                   &Mutator::takeAnotherValue,
                                                   &Mutator::takeALaterLocal,
                                                   &Mutator::swapOps,
                                                   &Mutator::swapInstructions,
                                                   &Mutator::changeRegion,
                                                   &Mutator::changeYield,
                                                   &Mutator::changeResult,
                                                   &Mutator::changeValue,
                                                   &Mutator::takeFromAnotherRegion,
                                                   &Mutator::corruptALocal,
                                                   &Mutator::corruptAnInstruction};
  return (this->*kAll[below(std::size(kAll))])();
}

std::string Mutator::name(InstructionId id) const {
  const Instruction& instruction = spmd_.instructions[id];
  return std::string(kindName(instruction.kind)) + " at instruction " + std::to_string(id.index()) +
         " for op " + std::to_string(instruction.op.index());
}

Mutator::InstructionId Mutator::anyMove() {
  std::vector<InstructionId> moves;
  for (uint32_t i = 0; i < spmd_.instructions.size(); ++i) {
    if (spmd_.instructions[InstructionId(i)].kind != Kind::kCompute) {
      moves.push_back(InstructionId(i));
    }
  }
  return moves.empty() ? InstructionId() : moves[below(moves.size())];
}

Mutator::InstructionId Mutator::anyCompute() {
  for (;;) {
    const InstructionId id(below(spmd_.instructions.size()));
    if (spmd_.instructions[id].kind == Kind::kCompute) return id;
  }
}

bool Mutator::isUsed(LocalId local) const {
  const auto among = [&](const std::vector<LocalId>& list) {
    return std::ranges::find(list, local) != list.end();
  };
  return among(spmd_.operands) || among(spmd_.results) ||
         std::any_of(spmd_.yields.begin(), spmd_.yields.end(), among);
}

std::vector<Mutator::LocalId> Mutator::localsOf(program::ValueId value) const {
  std::vector<LocalId> locals;
  for (uint32_t i = 0; i < spmd_.locals.size(); ++i) {
    if (spmd_.locals[LocalId(i)].value == value) locals.push_back(LocalId(i));
  }
  return locals;
}

bool Mutator::isAround(program::RegionId outer, program::RegionId inner) const {
  while (inner != outer) {
    if (inner == program_.entry()) return false;
    inner = program_.op(program_.region(inner).parent).region;
  }
  return true;
}

// Whoever uses the result of a move takes its operand instead.
Broken Mutator::dropMove() {
  const InstructionId id = anyMove();
  if (!id.valid()) return {};
  const LocalId from = spmd_.operandsOf(spmd_.instructions[id])[0];
  const LocalId to = spmd_.result(spmd_.instructions[id]);
  if (!isUsed(to)) return {};
  std::ranges::replace(spmd_.operands, to, from);
  std::ranges::replace(spmd_.results, to, from);
  for (auto& yields : spmd_.yields) std::ranges::replace(yields, to, from);
  return "dropped " + name(id);
}

Broken Mutator::changeAxes() {
  const InstructionId id = anyMove();
  if (!id.valid() || spmd_.instructions[id].kind == Kind::kCollectivePermute) return {};
  AxisList& axes = spmd_.instructions[id].axes;
  const auto axis = static_cast<uint32_t>(below(spmd_.mesh.axes.size()));
  AxisList changed;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != axis) changed.append(axes[i]);
  }
  if (!axes.contains(axis)) changed.append(axis);
  axes = changed;
  return "changed the axes of " + name(id);
}

Broken Mutator::reverseAxes() {
  const InstructionId id = anyMove();
  if (!id.valid()) return {};
  Instruction& instruction = spmd_.instructions[id];
  const bool ordered = instruction.kind == Kind::kSlice || instruction.kind == Kind::kAllGather ||
                       instruction.kind == Kind::kReduceScatter ||
                       instruction.kind == Kind::kAllToAll;
  if (!ordered || instruction.axes.size() < 2) return {};
  AxisList reversed;
  for (uint32_t i = instruction.axes.size(); i-- > 0;) reversed.append(instruction.axes[i]);
  instruction.axes = reversed;
  return "turned round the axes of " + name(id);
}

Broken Mutator::changeKind() {
  const InstructionId id = anyMove();
  if (!id.valid()) return {};
  const auto kind = static_cast<Kind>(1 + below(7));
  if (kind == spmd_.instructions[id].kind) return {};
  const std::string before = name(id);
  spmd_.instructions[id].kind = kind;
  return before + " became " + kindName(kind);
}

Broken Mutator::changeDim() {
  const InstructionId id = anyMove();
  if (!id.valid()) return {};
  Instruction& instruction = spmd_.instructions[id];
  const bool cuts = instruction.kind == Kind::kSlice || instruction.kind == Kind::kAllGather ||
                    instruction.kind == Kind::kReduceScatter || instruction.kind == Kind::kAllToAll;
  if (!cuts) return {};
  uint8_t& dim =
      instruction.kind == Kind::kAllToAll && below(2) == 0 ? instruction.toDim : instruction.dim;
  dim = static_cast<uint8_t>(dim + 1 + below(2));
  return "changed a dim of " + name(id);
}

Broken Mutator::changeCombiner() {
  const InstructionId id = anyMove();
  if (!id.valid()) return {};
  Instruction& instruction = spmd_.instructions[id];
  const bool combines = instruction.kind == Kind::kMask || instruction.kind == Kind::kAllReduce ||
                        instruction.kind == Kind::kReduceScatter;
  if (!combines) return {};
  const auto combiner = static_cast<program::Combiner>(below(6));
  if (combiner == instruction.combiner) return {};
  instruction.combiner = combiner;
  return "changed the combiner of " + name(id);
}

// Gives a local another layout, and the type that goes with it where there is one.
void Mutator::relabel(LocalId id, mesh::LayoutId layout) {
  Local& local = spmd_.locals[id];
  local.layout = layout;
  std::vector<int64_t> shape;
  for (size_t d = 0; d < spmd_.layouts.rank(layout); ++d) {
    shape.push_back(program_.shape(local.value)[d] /
                    mesh::deviceCount(spmd_.mesh, spmd_.layouts.dim(layout, d)));
  }
  local.type = spmd_.types.intern(spmd_.types.dtype(local.type), shape);
}

Broken Mutator::changeLayout() {
  const LocalId id = anyLocal();
  const mesh::LayoutId layout(below(spmd_.layouts.size()));
  const bool fits = spmd_.layouts.rank(layout) == program_.shape(spmd_.locals[id].value).size();
  if (!fits || layout == spmd_.locals[id].layout) return {};
  relabel(id, layout);
  return "changed the layout of %" + std::to_string(id.index());
}

Broken Mutator::togglePartial() {
  const LocalId id = anyLocal();
  const mesh::LayoutId layout = spmd_.locals[id].layout;
  AxisSet partial = spmd_.layouts.partial(layout);
  const auto axis = static_cast<uint32_t>(below(spmd_.mesh.axes.size()));
  if (spmd_.layouts.splitting(layout).contains(axis)) return {};
  partial.contains(axis) ? partial.remove(axis) : partial.add(axis);
  const auto dims = spmd_.layouts.dims(layout);
  spmd_.locals[id].layout = spmd_.layouts.intern(dims, partial);
  return "changed what %" + std::to_string(id.index()) + " is partial over";
}

Broken Mutator::changeSplit() {
  const InstructionId id = anyCompute();
  const program::OpId op = spmd_.instructions[id].op;
  const auto factors = spmd_.assignment.axes(op);
  if (factors.empty()) return {};
  const rules::FactorId factor(below(factors.size()));
  AxisList axes = factors[factor.index()];
  const auto axis = static_cast<uint32_t>(below(spmd_.mesh.axes.size()));
  if (axes.contains(axis)) {
    axes = axes.first(axes.size() - 1);
  } else {
    axes.append(axis);
  }
  spmd_.assignment.set(op, factor, axes);
  return "changed a split of op " + std::to_string(op.index());
}

// An operand becomes the same value in another layout.
Broken Mutator::takeAnotherLayout() {
  const InstructionId move = anyMove();
  if (!move.valid()) return {};
  const program::ValueId value = spmd_.locals[spmd_.result(spmd_.instructions[move])].value;
  const std::vector<LocalId> same = localsOf(value);
  std::vector<size_t> uses;
  for (size_t i = 0; i < spmd_.operands.size(); ++i) {
    if (spmd_.locals[spmd_.operands[i]].value == value) uses.push_back(i);
  }
  LocalId& use = spmd_.operands[uses[below(uses.size())]];
  const LocalId other = same[below(same.size())];
  if (spmd_.locals[other].layout == spmd_.locals[use].layout) return {};
  use = other;
  return "a use of a value took it in another layout, %" + std::to_string(other.index());
}

// An operand becomes another value with the same layout and type.
Broken Mutator::takeAnotherValue() {
  LocalId& use = spmd_.operands[below(spmd_.operands.size())];
  const LocalId other = anyLocal();
  const Local &a = spmd_.locals[use], &b = spmd_.locals[other];
  if (a.value == b.value || a.layout != b.layout || a.type != b.type) return {};
  use = other;
  return "an operand became another value, %" + std::to_string(other.index());
}

// A compute takes something that is made after it.
Broken Mutator::takeALaterLocal() {
  const InstructionId id = anyCompute();
  const Instruction& instruction = spmd_.instructions[id];
  if (instruction.operandCount == 0 || program_.name(instruction.op) == program::kCarry) return {};
  LocalId& use = spmd_.operands[instruction.operandsBegin + below(instruction.operandCount)];
  const LocalId other = anyLocal();
  if (!(id < spmd_.locals[other].definition)) return {};
  use = other;
  return name(id) + " took a later local, %" + std::to_string(other.index());
}

// An instruction takes a local that is made in a region that does not reach so far.
Broken Mutator::takeFromAnotherRegion() {
  const size_t count = spmd_.instructions.size(), first = below(count);
  for (size_t i = 0; i < count; ++i) {
    const Instruction& move = spmd_.instructions[InstructionId((first + i) % count)];
    if (move.kind == Kind::kCompute || move.region == program_.entry()) continue;
    if (takeOutside(spmd_.result(move), move.region)) {
      return "an instruction took %" + std::to_string(spmd_.result(move).index()) +
             " of another region";
    }
  }
  return {};
}

bool Mutator::takeOutside(LocalId made, program::RegionId region) {
  for (const Instruction& instruction : spmd_.instructions) {
    const bool tie = instruction.kind == Kind::kCompute &&
                     program::standsForAValue(program_.name(instruction.op));
    if (tie || isAround(region, instruction.region)) continue;
    for (uint32_t i = 0; i < instruction.operandCount; ++i) {
      LocalId& use = spmd_.operands[instruction.operandsBegin + i];
      const Local &a = spmd_.locals[use], &b = spmd_.locals[made];
      if (a.value != b.value || a.layout != b.layout) continue;
      use = made;
      return true;
    }
  }
  return false;
}

Broken Mutator::swapOps() {
  const InstructionId a = anyCompute(), b = anyCompute();
  if (a == b) return {};
  std::swap(spmd_.instructions[a].op, spmd_.instructions[b].op);
  return "swapped the ops of two instructions, " + name(a) + " and " + name(b);
}

// A move and what it moves change places.
Broken Mutator::swapInstructions() {
  const InstructionId b = anyMove();
  if (!b.valid() || b.index() == 0) return {};
  const InstructionId a(b.index() - 1);
  const LocalId operand = spmd_.operandsOf(spmd_.instructions[b])[0];
  if (spmd_.locals[operand].definition != a) return {};
  std::swap(spmd_.instructions[a], spmd_.instructions[b]);
  for (Local& local : spmd_.locals) {
    const InstructionId before = local.definition;
    if (before == a) local.definition = b;
    if (before == b) local.definition = a;
  }
  return "swapped " + name(a) + " and the one before";
}

Broken Mutator::changeRegion() {
  const InstructionId id(below(spmd_.instructions.size()));
  Instruction& instruction = spmd_.instructions[id];
  const program::RegionId region(below(program_.regionCount()));
  if (region == instruction.region) return {};
  if (instruction.kind != Kind::kCompute && !isUsed(spmd_.result(instruction))) return {};
  instruction.region = region;
  return "moved " + name(id) + " to another region";
}

Broken Mutator::changeYield() {
  auto& yields = spmd_.yields[program::RegionId(below(spmd_.yields.size()))];
  if (yields.empty()) return {};
  LocalId& yielded = yields[below(yields.size())];
  const auto same = localsOf(spmd_.locals[yielded].value);
  const LocalId other = below(2) == 0 ? anyLocal() : same[below(same.size())];
  const Local &a = spmd_.locals[yielded], &b = spmd_.locals[other];
  if (a.value == b.value && a.layout == b.layout) return {};
  yielded = other;
  return "a region yields %" + std::to_string(other.index());
}

Broken Mutator::changeResult() {
  auto& list = below(2) == 0 ? spmd_.arguments : spmd_.results;
  if (list.empty()) return {};
  LocalId& local = list[below(list.size())];
  const LocalId other = anyLocal();
  if (other == local) return {};
  local = other;
  return "an argument or result became %" + std::to_string(other.index());
}

Broken Mutator::changeValue() {
  const LocalId id = anyLocal();
  const program::ValueId value(below(program_.valueCount()));
  if (value == spmd_.locals[id].value) return {};
  spmd_.locals[id].value = value;
  return "%" + std::to_string(id.index()) + " stands for another value";
}

// Ids and axes that lead nowhere.
Broken Mutator::corruptALocal() {
  const auto wrong = static_cast<uint32_t>(random_() | 0x40000000u);
  Local& local = spmd_.locals[anyLocal()];
  const size_t which = below(6);
  if (which == 0) local.value = program::ValueId(wrong);
  if (which == 1) local.layout = mesh::LayoutId(wrong);
  if (which == 2) local.type = program::TypeId(wrong);
  if (which == 3) local.definition = InstructionId(wrong);
  if (which == 4) spmd_.operands[below(spmd_.operands.size())] = LocalId(wrong);
  if (which == 5) {
    const std::vector<AxisList> dims(program_.shape(local.value).size(),
                                     AxisList::ofCode(random_() | 15));
    if (dims.empty()) return {};
    local.layout = spmd_.layouts.intern(dims);
  }
  return "corrupted a local";
}

Broken Mutator::corruptAnInstruction() {
  const auto wrong = static_cast<uint32_t>(random_() | 0x40000000u);
  const InstructionId id(below(spmd_.instructions.size()));
  Instruction& instruction = spmd_.instructions[id];
  const size_t which = below(7);
  if (which == 0) instruction.op = program::OpId(wrong);
  if (which == 1) instruction.region = program::RegionId(wrong);
  if (which == 2) instruction.operandCount = 60000;
  if (which == 3) instruction.resultCount = 60000;
  if (which == 4) instruction.kind = static_cast<Kind>(8 + below(200));
  if (which == 5) instruction.axes = AxisList::ofCode(random_() | 15);
  if (which == 6) {
    const program::OpId op = instruction.op;
    if (spmd_.assignment.axes(op).empty()) return {};
    spmd_.assignment.set(op, rules::FactorId(0u), AxisList::ofCode(random_() | 15));
  }
  return "corrupted an instruction";
}

}  // namespace shardwright::testing
