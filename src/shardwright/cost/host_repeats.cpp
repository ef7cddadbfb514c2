#include "shardwright/cost/host_repeats.h"

#include <algorithm>

#include "shardwright/cost/host_matmul.h"

namespace shardwright::cost {
namespace {

using rules::WorkKind;
using spmd::InstructionId;
using spmd::LocalId;

// So many ops are looked at between an op and its readers. Where there are more, one of them is a
// buffer, most likely.
constexpr int kMostBetween = 200;

// So many loops lie between a stack of products and the reduction of a softmax, or fewer; and
// between what a norm repeats along rows and the reductions of its backward pass.
constexpr int kMostBeforeReduction = 4;
constexpr int kMostBeforeRows = 2;

// What norms repeat was seen stored with 50 million points, and made again with 130 thousand. Where
// between them that changes is not known.
constexpr int64_t kLeastForLibrary = int64_t{1} << 18;

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

bool HostRepeats::isSharedWithLibrary(InstructionId id) const {
  const LocalId result = graph_.instruction(id).firstResult;
  if (graph_.node(id).work == WorkKind::kBroadcast && isReducedAlongRows(result, kMostBeforeRows))
    return true;
  return std::ranges::any_of(graph_.usersOf(result),
                             [&](InstructionId user) { return followsReducedProducts(user); });
}

bool HostRepeats::followsReducedProducts(InstructionId id) const {
  return std::ranges::any_of(graph_.operandsOf(graph_.instruction(id)), [&](LocalId operand) {
    const InstructionId maker = graph_.spmd->locals[operand].definition;
    return graph_.node(maker).work == WorkKind::kContraction &&
           isBatched(graph_.subject->rule(graph_.instruction(maker).op)) &&
           isReduced(operand, kMostBeforeReduction);
  });
}

bool HostRepeats::isReduced(LocalId id, int loops) const {
  return std::ranges::any_of(graph_.usersOf(id), [&](InstructionId user) {
    const Node& node = graph_.node(user);
    return node.role == Role::kReduce ||
           (isFusible(node) && loops > 0 &&
            isReduced(graph_.instruction(user).firstResult, loops - 1));
  });
}

bool HostRepeats::isReducedAlongRows(LocalId id, int loops) const {
  return std::ranges::any_of(graph_.usersOf(id), [&](InstructionId user) {
    const Node& node = graph_.node(user);
    if (node.role == Role::kReduce) return sumsRows(user);
    return node.role == Role::kLoop && loops > 0 &&
           isReducedAlongRows(graph_.instruction(user).firstResult, loops - 1);
  });
}

bool HostRepeats::sumsRows(InstructionId id) const {
  const spmd::Instruction& reduction = graph_.instruction(id);
  const rules::Rule& rule = graph_.subject->rule(reduction.op);
  const LocalId operand = graph_.operandsOf(reduction)[0];
  const int64_t points = graph_.spmd->types.elements(graph_.spmd->locals[operand].type);
  if (rule.rank(0) == 0 || points < kLeastForLibrary) return false;
  return std::ranges::any_of(rule.dim(0, rule.rank(0) - 1), [&](rules::FactorId factor) {
    return rule.factor(factor).kind == rules::FactorKind::kReduction;
  });
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
