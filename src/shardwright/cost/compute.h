// How long kernels take. Rules T1-T4: docs/concepts/cost.md.
//
//   T1  A kernel takes the longer of its arithmetic and its traffic, and the launch overhead.
//   T2  Traffic is what it reads and writes at the effective bandwidth: each buffer once, of a
//   gather
//       or slice only the points that are read, of an update in place only what it writes. Kernels
//       that are launched together (K9) read what they share once, and pay one launch. On GPUs
//       those that read a stack of products in another order of dims (K8), as the update of
//       stacked weights does, get a quarter of the bandwidth, and what takes over an argument's
//       buffer is copied there afterwards.
//   T3  A contraction or convolution runs at the matmul rate of its element type, less what its
//   shape
//       wastes: rows and columns come in tiles, and short sums do not fill the pipeline. The sums
//       of a convolution are as long as it has input features: each point of the window is a
//       product of its own. Convolutions in groups have kernels of another kind: on GPUs they
//       reach a fifth of the vector rate, and along one dim a small part of that.
//   T4  All other arithmetic runs at the vector rate; an expensive op counts 8 times.
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

// The share of the matmul rate that a product of [rows, depth] and [depth, columns] gets (T3), at
// most 1.
//   matmulShare(4096, 4096, 4096, kGpu) = 0.99;  matmulShare(16, 4096, 4096, kGpu) = 0.25
[[nodiscard]] double matmulShare(double rows, double columns, double depth, Flavor flavor);

}  // namespace shardwright::cost
