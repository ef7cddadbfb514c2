// Kernels that XLA for GPUs makes one, row by row. Part of rule T2: docs/concepts/cost.md.
#pragma once

#include <vector>

#include "shardwright/cost/fusion.h"

namespace shardwright::cost {

// A softmax along short rows, from its maximum to its division, reads its operand once and writes
// its result once: a row stays on the chip.
struct Sweeps {
  std::vector<KernelId> first;   // Per kernel: the first of its sweep; invalid if it is in none.
  std::vector<char> staysThere;  // Per local: never reaches memory. Empty if there is none.
};

[[nodiscard]] Sweeps findSweeps(const Graph& graph, const Fusion& fusion);

}  // namespace shardwright::cost
