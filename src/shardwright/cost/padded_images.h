// What a GPU's convolutions do with images that its library cannot pad by itself (K11).
#pragma once

#include "shardwright/cost/graph.h"

namespace shardwright::cost {

// Whether a convolution is the gradient of another one's kernel: its window is the gradient of an
// image, with gaps where that had strides, and covers more than the result; images and features
// have changed places.
[[nodiscard]] bool isKernelGradient(const Graph& graph, const spmd::Instruction& convolution);

// Whether a convolution reads its kernel as it lies: output features first and input features last,
// or the gradient of an image in any order, for that of a kernel is a call of its own. Not so where
// the images have gaps.
[[nodiscard]] bool readsKernelAsItLies(const Graph& graph, const spmd::Instruction& convolution);

// The bytes of the images of a convolution as its library wants them: with zeros written around
// them, and between their points, unless it pads as much on both sides and leaves no gaps. 0 if
// they are read as they are. The gradient of an image reads its kernel reversed and is a call of
// its own.
//   64 x 64 points, padding (1, 1): 0;  (0, 1): those of 65 x 65;  gaps of 2, padding (2, 2): 131^2
[[nodiscard]] int64_t paddedImageBytes(const Graph& graph, const spmd::Instruction& convolution);

}  // namespace shardwright::cost
