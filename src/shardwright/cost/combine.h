// All-reduces that run as one. Rule M16: docs/concepts/cost.md.
//
//   M16 XLA for hosts makes one collective of all-reduces over the same axes, of the same kind and
//       element type, if none of them needs another. It goes through them operands first, from the
//       first result of the program to the last, and begins anew at the first that needs one of
//       those it has gathered, or after 256. The one begins when the last operand is there, and
//       until it ends all operands and all results are in memory.
//
//   The gradients of data parallelism are one all-reduce at the end of the step; the sums of
//   Megatron, each of which needs the one before, stay alone.
#pragma once

#include <cstdint>
#include <vector>

#include "shardwright/cost/steps.h"

namespace shardwright::cost {

struct Combined {
  static constexpr uint32_t kAlone = ~0u;
  std::vector<uint32_t> groupOf;            // Per step: in groups, or kAlone.
  std::vector<std::vector<StepId>> groups;  // Two steps or more each.
};

// Those of one region. Whatever needs one of a group may wait for all of it: there are no circles.
[[nodiscard]] Combined combineSums(const Graph& graph, const Steps& steps,
                                   program::RegionId region);

// Whether two steps that follow one another belong to one of those groups: two all-reduces that
// could be combined, the second of which does not read the first.
[[nodiscard]] bool runAsOne(const Graph& graph, const Steps& steps, StepId first, StepId second);

}  // namespace shardwright::cost
