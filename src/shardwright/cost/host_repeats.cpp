#include "shardwright/cost/host_repeats.h"

#include <algorithm>

namespace shardwright::cost {
namespace {

using rules::WorkKind;
using spmd::InstructionId;
using spmd::LocalId;

// So many ops are looked at between an op and its readers. Where there are more, one of them is a
// buffer, most likely.
constexpr int kMostBetween = 200;

bool isFusible(const Node& node) { return node.role == Role::kLoop || node.role == Role::kView; }

}  // namespace

bool isDearOnHosts(const Node& node) { return node.expensive || node.work == WorkKind::kIndexing; }

program::TypeId HostRepeats::wholeType(LocalId id) const {
  return graph_.subject->program.value(graph_.spmd->locals[id].value).type;
}
int64_t HostRepeats::wholeElements(LocalId id) const {
  return graph_.subject->program.types().elements(wholeType(id));
}
int64_t HostRepeats::dimsThatCount(LocalId id) const {
  const auto shape = graph_.subject->program.types().shape(wholeType(id));
  return std::ranges::count_if(shape, [](int64_t size) { return size != 1; });
}

bool HostRepeats::mayRepeat(InstructionId id) const {
  if (graph_.node(id).work == WorkKind::kMovement) return false;
  return isAlmostUnary(id) || isTakenInEverywhere(id);
}

bool HostRepeats::isAlmostUnary(InstructionId id) const {
  const LocalId result = graph_.instruction(id).firstResult;
  const auto operands = graph_.operandsOf(graph_.instruction(id));
  int large = 0;
  int64_t points = 0;
  for (auto operand = operands.begin(); operand != operands.end(); ++operand) {
    const Node& maker = graph_.node(graph_.spmd->locals[*operand].definition);
    const bool named = std::find(operands.begin(), operand, *operand) != operand;
    if (!named) points += wholeElements(*operand);
    if (maker.work == WorkKind::kBroadcast || maker.role == Role::kSource) continue;
    if (dimsThatCount(*operand) >= dimsThatCount(result)) ++large;
  }
  return large <= 1 || points <= wholeElements(result);
}

bool HostRepeats::isTakenInEverywhere(InstructionId id) const {
  const LocalId result = graph_.instruction(id).firstResult;
  int budget = kMostBetween;
  return !graph_.escapes[result.index()] &&
         std::ranges::all_of(graph_.usersOf(result),
                             [&](InstructionId user) { return takesIn(id, user, budget); });
}

bool HostRepeats::takesIn(InstructionId producer, InstructionId reader, int& budget) const {
  if (!isFusible(graph_.node(reader)) || --budget < 0) return false;
  for (const LocalId operand : graph_.operandsOf(graph_.instruction(reader))) {
    const InstructionId maker = graph_.spmd->locals[operand].definition;
    if (maker <= producer) continue;
    const bool buffer = stored_[operand.index()] || !isFusible(graph_.node(maker));
    const bool inTheWay =
        buffer ? needs(maker, producer, budget) : !takesIn(producer, maker, budget);
    if (inTheWay) return false;
  }
  return true;
}

bool HostRepeats::needs(InstructionId id, InstructionId producer, int& budget) const {
  if (id == producer || --budget < 0) return true;
  return std::ranges::any_of(graph_.operandsOf(graph_.instruction(id)), [&](LocalId operand) {
    const InstructionId maker = graph_.spmd->locals[operand].definition;
    return !(maker < producer) && needs(maker, producer, budget);
  });
}

}  // namespace shardwright::cost
