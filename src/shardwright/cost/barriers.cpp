#include "shardwright/cost/barriers.h"

#include <algorithm>

namespace shardwright::cost {

using program::OpId;
using program::Program;

namespace {

// The importer makes an op for each value of a barrier, one after the other.
bool areParts(const Program& program, OpId a, OpId b) {
  return program.name(b) == program::kBarrier && program.op(a).origin == program.op(b).origin &&
         program.op(a).region == program.op(b).region;
}

std::vector<std::vector<OpId>> listParts(const Program& program) {
  std::vector<std::vector<OpId>> parts;
  for (uint32_t i = 0; i < program.opCount();) {
    const OpId first(i++);
    if (program.name(first) != program::kBarrier) continue;
    std::vector<OpId> barrier{first};
    for (; i < program.opCount() && areParts(program, first, OpId(i)); ++i)
      barrier.push_back(OpId(i));
    if (barrier.size() > 1) parts.push_back(std::move(barrier));
  }
  return parts;
}

}  // namespace

JointBarriers findJointBarriers(const Program& program) {
  constexpr uint32_t kNone = JointBarriers::kNone;
  JointBarriers barriers{.parts = listParts(program), .behind = {}};
  if (barriers.parts.empty()) return barriers;
  barriers.behind.assign(program.opCount(), kNone);
  for (uint32_t number = 0; number < barriers.parts.size(); ++number) {
    for (const OpId part : barriers.parts[number]) barriers.behind[part.index()] = number;
  }
  // Barriers are numbered in program order, so the last one is the largest number.
  const auto last = [](uint32_t a, uint32_t b) {
    return a == kNone ? b : b == kNone ? a : std::max(a, b);
  };
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    if (program.name(OpId(i)) == program::kBarrier && barriers.behind[i] != kNone) continue;
    for (const program::ValueId operand : program.operands(OpId(i))) {
      const uint32_t maker = program.value(operand).definition.index();
      if (maker < i) barriers.behind[i] = last(barriers.behind[i], barriers.behind[maker]);
    }
  }
  return barriers;
}

}  // namespace shardwright::cost
