// What a kernel needs beside its inputs and outputs while it runs. Rules M11 and M15:
// docs/concepts/cost.md.
#pragma once

#include <vector>

#include "shardwright/cost/steps.h"

namespace shardwright::cost {

// `bytes` says what each local takes.
[[nodiscard]] int64_t workspaceOf(const Graph& graph, const Steps& steps, const Step& step,
                                  const std::vector<int64_t>& bytes, Flavor flavor);

}  // namespace shardwright::cost
