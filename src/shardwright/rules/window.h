// What convolutions and window ops share: one dim over which a window slides.
#pragma once

#include <cstdint>
#include <span>

namespace shardwright::rules {

// How often a GPU passes over what is summed up along a dim (benchmarks/results/h200-kernels.md).
inline constexpr uint8_t kCumulativePasses = 3;

struct WindowDim {
  int64_t in = 1, out = 1;
  int64_t size = 1, stride = 1, low = 0;
  int64_t baseDilation = 1, windowDilation = 1;
};

// How the input dim of a window falls apart. Output o reads input o x stride + k x dilation, for
// every position k of the window.
enum class WindowShape : uint8_t {
  kOverlapping,  // Windows reach into one another's part of the input, or over its rim.
  kTiles,        // in = out x size: the windows are the input, cut up.
  kSparse,       // in = out x stride, and each window lies within its stride.
  kInterleaved,  // in = size x dilation, and all outputs lie within one dilation.
};

// Whether each output can be made from its own part of the input (tiles, sparse), or each position
// of the window reads its own part (interleaved).
//   {.in = 32, .out = 16, .size = 2, .stride = 2} = kTiles   (2x2 pooling, patch embedding)
//   {.in = 32, .out = 16, .size = 1, .stride = 2} = kSparse  (a 1x1 convolution that halves)
//   {.in = 32, .out = 2, .size = 16, .windowDilation = 2} = kInterleaved  (gradient of a patch
//                                                                          embedding's kernel)
//   {.in = 32, .out = 32, .size = 3, .low = 1} = kOverlapping
WindowShape windowShape(const WindowDim& dim);

// `list[index]`, or `fallback` where the op leaves the list out.
inline int64_t entryOr(std::span<const int64_t> list, size_t index, int64_t fallback) {
  return index < list.size() ? list[index] : fallback;
}

}  // namespace shardwright::rules
