// What joint barriers hold back. Part of rule T6: docs/concepts/cost.md.
#pragma once

#include <cstdint>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::cost {

// An `optimization_barrier` of several values: whatever needs one of its results waits for all of
// its operands. So what a layer's backward pass makes again waits for the gradient that reaches the
// layer (jax.checkpoint), though it needs nothing of it.
struct JointBarriers {
  static constexpr uint32_t kNone = ~0u;
  std::vector<std::vector<program::OpId>> parts;  // Per barrier, in program order: an op per value.
  std::vector<uint32_t>
      behind;  // Per op: the last barrier that it stands behind. Empty if there are none.
};

[[nodiscard]] JointBarriers findJointBarriers(const program::Program& program);

}  // namespace shardwright::cost
