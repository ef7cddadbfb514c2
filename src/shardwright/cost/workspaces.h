// What a kernel needs beside its inputs and outputs while it runs. Rules M11, M15 and M18:
// docs/concepts/cost.md.
#pragma once

#include <vector>

#include "shardwright/cost/steps.h"

namespace shardwright::cost {

// `bytes` says what each local takes.
[[nodiscard]] int64_t workspaceOf(const Graph& graph, const Steps& steps, const Step& step,
                                  const std::vector<int64_t>& bytes, Flavor flavor);

// M18: bytes of what a GPU writes out for each group of a product of groups of rows; else 0.
[[nodiscard]] int64_t groupedBytes(const Graph& graph, spmd::InstructionId id, Flavor flavor);

}  // namespace shardwright::cost
