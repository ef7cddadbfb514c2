// How long kernels take. Rules T1-T4: docs/concepts/cost.md.
//
//   T1  A kernel takes the longer of its arithmetic and its traffic, and the launch overhead. On
//       GPUs a product takes longer than either. On TPUs the loops of a product's kernel (K13) take
//       their time beside it.
//   T2  Traffic is what it reads and writes at the effective bandwidth, or that of the
//       caches if it fits into them: each buffer once, of a
//       gather or slice only the points that are read, of an update in place only what it writes.
//       Kernels that are launched together (K9) read what they share once, and pay one launch; so
//       do those of a softmax (sweeps.h). On GPUs some ops pass over their data several times,
//       those that read a stack of products in another order of dims (K8), as the update of stacked
//       weights does, get a quarter of the bandwidth, and what takes over an argument's buffer is
//       copied there afterwards.
//   T3  Products and convolutions: matmul_rate.h.
//   T4  All other arithmetic runs at the vector rate; each op counts its effort (rules/work.h).
#pragma once

#include <vector>

#include "shardwright/cost/device.h"
#include "shardwright/cost/fusion.h"
#include "shardwright/cost/units.h"

namespace shardwright::cost {

struct KernelCost {
  Flops flops;    // All arithmetic.
  Bytes traffic;  // Read and written.
  Seconds seconds;
};

// Per kernel, in order of KernelId; collectives cost nothing here.
[[nodiscard]] std::vector<KernelCost> kernelCosts(const Graph& graph, const Fusion& fusion,
                                                  const Device& device);

}  // namespace shardwright::cost
