// At what rate products and convolutions run. Rule T3: docs/concepts/cost.md.
//
//   T3  A contraction or convolution runs at the matmul rate of its element type, less what its
//       shape wastes: rows and columns come in tiles, and short sums do not fill the pipeline. The
//       sums of a convolution are as long as it has input features: each point of the window is a
//       product of its own. Convolutions in groups have kernels of another kind: on GPUs they
//       reach a fifth of the vector rate, and along one dim a small part of that. Tensor cores of
//       GPUs read rows of 16 bytes, and 32-bit ones along the sum. Attention in one call gets 0.75,
//       with heads narrower than 128 0.55.
#pragma once

#include <vector>

#include "shardwright/cost/device.h"
#include "shardwright/cost/graph.h"

namespace shardwright::cost {

// Rates of the products of one program; they are found once for all ops that are split alike.
class MatmulRates {
 public:
  MatmulRates(const Graph& graph, const Device& device)
      : graph_(graph), device_(device), shares_(graph.spmd->assignment.splitCount(), 0) {}

  // Of a contraction or convolution.
  FlopsPerSecond of(spmd::InstructionId product);

 private:
  const Graph& graph_;
  const Device& device_;
  std::vector<double> shares_;  // Per split; 0 if not asked for yet.
};

// The share of the matmul rate that a product of [rows, depth] and [depth, columns] gets (T3), at
// most 1.
//   matmulShare(4096, 4096, 4096, kGpu) = 0.99;  matmulShare(16, 4096, 4096, kGpu) = 0.25
[[nodiscard]] double matmulShare(double rows, double columns, double depth, Flavor flavor);

}  // namespace shardwright::cost
