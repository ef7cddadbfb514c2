// Which donated arguments are copied on hosts. Rule M17: docs/concepts/cost.md.
//
//   M17 XLA for hosts copies a donated argument at the start if anything reads it that what makes
//       the result in its place does not need: nothing says which of the two runs first. All read
//       the copy, which lives until the last of them has run, and the result is written over the
//       argument.
//
//   A weight by which the backward pass multiplies is such an argument: its update does not need
//   the gradient of the layer's input. That of the first layer is not, and none is where all
//   gradients are summed in one all-reduce (M16), which needs the whole backward pass.
#pragma once

#include <vector>

#include "shardwright/cost/steps.h"

namespace shardwright::cost {

// Per argument of the program. `order` is that of the entry region.
[[nodiscard]] std::vector<char> copiedArguments(const Graph& graph, const Steps& steps,
                                                const std::vector<StepId>& order);

}  // namespace shardwright::cost
