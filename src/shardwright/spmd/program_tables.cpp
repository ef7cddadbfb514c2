#include "shardwright/spmd/program_tables.h"

#include <algorithm>
#include <iterator>

#include "shardwright/spmd/give_up.h"

namespace shardwright::spmd {

using program::OpId;
using program::Program;
using program::SignatureId;
using program::ValueId;

namespace {

Handling handlingOf(const Program& program, OpId op) {
  const std::string_view name = program.name(op);
  if (name == program::kArgument) return Handling::kArgument;
  if (name == program::kReturn) return Handling::kReturn;
  if (name == program::kCarry) return Handling::kCarry;
  if (name == program::kMerge) return Handling::kMerge;
  if (name == program::kWhile) return Handling::kLoop;
  return program.regions(op).empty() ? Handling::kPlain : Handling::kRegions;
}

// Not a barrier: what stands behind it is to be made again (jax.checkpoint), not kept.
bool movesOneValue(const plan::Subject& subject, OpId op) {
  const Program& program = subject.program;
  if (program.name(op) == program::kBarrier) return false;
  const auto operands = program.operands(op);
  if (operands.size() != 1 || program.resultCount(op) != 1) return false;
  if (program::standsForAValue(program.name(op)) || subject.rule(op).flopsPerPoint() > 0)
    return false;
  const auto elements = [&](ValueId value) {
    return program.types().elements(program.value(value).type);
  };
  return elements(operands[0]) == elements(program.result(op, 0));
}

// The region is inside the other one, or is it.
bool isWithin(const Program& program, program::RegionId region, program::RegionId outer) {
  while (region != outer) {
    const OpId parent = program.region(region).parent;
    if (!parent.valid()) return false;
    region = program.op(parent).region;
  }
  return true;
}

// The body of the loop that a carry belongs to. Carries stand just before their loop.
program::RegionId bodyOf(const Program& program, OpId carry) {
  while (program.name(carry) == program::kCarry) carry = OpId(carry.index() + 1);
  return program.regions(carry).back();
}

// Whether the region is inside a loop that is inside the body.
bool isInInnerLoop(const Program& program, program::RegionId region, program::RegionId body) {
  for (; region != body; region = program.op(program.region(region).parent).region) {
    if (program.region(region).kind == program::RegionKind::kBody) return true;
    if (!program.region(region).parent.valid()) return false;
  }
  return false;
}

// The body of the innermost loop around a region; invalid outside of loops.
program::RegionId loopAround(const Program& program, program::RegionId region) {
  while (region != program.entry() && program.region(region).kind != program::RegionKind::kBody)
    region = program.op(program.region(region).parent).region;
  return region == program.entry() ? program::RegionId() : region;
}

// Of an op. What a loop carries is made in it.
program::RegionId loopOf(const Program& program, OpId op) {
  if (handlingOf(program, op) == Handling::kCarry) return bodyOf(program, op);
  return loopAround(program, program.op(op).region);
}

// Where loops and branches read what is made outside of them. What a loop carries is outside of
// the loops in its body.
std::vector<TensorOf> readsFromOutside(const Program& program) {
  std::vector<TensorOf> reads;
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const program::RegionId here = program.op(OpId(i)).region;
    if (here == program.entry()) continue;
    const auto operands = program.operands(OpId(i));
    for (uint32_t k = 0; k < operands.size(); ++k) {
      const OpId maker = program.value(operands[k]).definition;
      const bool carried = handlingOf(program, maker) == Handling::kCarry;
      const bool outside = carried ? isInInnerLoop(program, here, bodyOf(program, maker))
                                   : !isWithin(program, program.op(maker).region, here);
      if (outside) reads.push_back({OpId(i), k});
    }
  }
  return reads;
}

}  // namespace

ProgramTables::ProgramTables(const plan::Subject& subject) {
  const Program& program = subject.program;
  for (uint32_t i = 0; i < program.signatureCount(); ++i) {
    const SignatureId id(i);
    givesUp_.push_back(isCheap(subject.rules.rule(id)) &&
                       !program::standsForAValue(program.name(id)));
  }
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    handling_.push_back(handlingOf(program, OpId(i)));
  }
  findMoves(subject);
  listUses(program);
  findOnlyUses(program);
  findSums(subject);
}

// What a move makes of something outside may be moved on.
void ProgramTables::findMoves(const plan::Subject& subject) {
  const Program& program = subject.program;
  std::vector<char> fromOutside(program.opCount(), 0);
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const OpId op(i);
    if (!movesOneValue(subject, op)) continue;
    const OpId maker = program.value(program.operands(op)[0]).definition;
    const program::RegionId loop = loopAround(program, program.op(op).region);
    const bool outside = loop.valid() && loop != loopOf(program, maker);
    fromOutside[i] = static_cast<char>(outside || fromOutside[maker.index()]);
    moves_.push_back({op, fromOutside[i] != 0});
  }
}

void ProgramTables::listUses(const Program& program) {
  usesBegin_.assign(program.valueCount() + 1, 0);
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const auto operands = program.operands(OpId(i));
    const size_t begin = program.op(OpId(i)).operandsBegin;
    if (makers_.size() < begin + operands.size()) makers_.resize(begin + operands.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      const OpId maker = program.value(operands[k]).definition;
      const size_t tensor = program.operands(maker).size() + program.resultIndex(operands[k]);
      makers_[begin + k] = {maker, static_cast<uint32_t>(tensor)};
      ++usesBegin_[operands[k].index() + 1];
    }
  }
  for (size_t v = 1; v < usesBegin_.size(); ++v) usesBegin_[v] += usesBegin_[v - 1];
  uses_.resize(usesBegin_.back());
  std::vector<uint32_t> next(usesBegin_.begin(), usesBegin_.end() - 1);
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const auto operands = program.operands(OpId(i));
    for (uint32_t k = 0; k < operands.size(); ++k) {
      uses_[next[operands[k].index()]++] = {OpId(i), k};
    }
  }
}

// What a condition yields is used there too.
void ProgramTables::findOnlyUses(const Program& program) {
  for (uint32_t v = 0; v < program.valueCount(); ++v) {
    const auto all = uses(ValueId(v));
    onlyUse_.push_back(all.size() == 1 ? all[0] : TensorOf{});
  }
  for (uint32_t r = 0; r < program.regionCount(); ++r) {
    const program::Region& region = program.region(program::RegionId(r));
    if (region.kind != program::RegionKind::kCondition) continue;
    for (const ValueId value : region.yields) onlyUse_[value.index()] = {};
  }
}

void ProgramTables::findSums(const plan::Subject& subject) {
  const Program& program = subject.program;
  sumOf_.resize(program.opCount());
  const std::vector<TensorOf> reads = readsFromOutside(program);
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const OpId carry(i);
    if (handling(carry) != Handling::kCarry || !uses(program.result(carry, 0)).empty()) continue;
    const OpId last = lastSum(subject, carry);
    if (!last.valid()) continue;
    sumOf_[last.index()] = carry;
    sums_.push_back(carry);
    std::vector<TensorOf>& beside = readsBeside_.emplace_back();
    const auto shape = program.shape(program.result(carry, 0));
    std::ranges::copy_if(reads, std::back_inserter(beside), [&](const TensorOf& read) {
      return std::ranges::equal(program.shape(program.operands(read.op)[read.tensor]), shape);
    });
  }
}

std::span<const TensorOf> ProgramTables::readsBeside(OpId carry) const {
  const auto found = std::ranges::lower_bound(sums_, carry);
  if (found == sums_.end() || *found != carry) return {};
  return readsBeside_[static_cast<size_t>(found - sums_.begin())];
}

// From what the loop carries through one linear op after another to what it yields: a weight that
// is used several times in a turn has as many gradients, each added to the sum of those before.
OpId ProgramTables::lastSum(const plan::Subject& subject, OpId carry) const {
  const Program& program = subject.program;
  const ValueId sum = program.operands(carry)[1];
  if (onlyUse(sum).op != carry) return {};
  for (ValueId value = program.result(carry, 1); value != sum;) {
    const TensorOf use = onlyUse(value);
    const bool linear = use.op.valid() && program.resultCount(use.op) == 1 &&
                        subject.rule(use.op).linearGroup(use.tensor) != 0;
    if (!linear) return {};
    value = program.result(use.op, 0);
    if (value == sum) return use.op;
  }
  return {};
}

}  // namespace shardwright::spmd
