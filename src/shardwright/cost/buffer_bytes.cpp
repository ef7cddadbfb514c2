// M9: what values take in memory.
#include <algorithm>
#include <limits>

#include "shardwright/cost/memory.h"

namespace shardwright::cost {
namespace {

int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// A TPU keeps two dims of a value in tiles of 8 x 128 words of 32 bits; narrower elements are
// packed along the first of the two. XLA chooses the dims, and so the order in which a value lies,
// such that little is wasted: a [4096, 1] lies as [1, 4096].
int64_t tiledBytes(const program::TypeTable& types, program::TypeId type) {
  const auto shape = types.shape(type);
  const int64_t bits = program::bitWidth(types.dtype(type));
  const int64_t rows = 8 * std::max<int64_t>(1, 32 / bits);
  const int64_t elements = types.elements(type);
  if (shape.size() < 2 || elements == 0) return roundUp(types.bytes(type), 512);
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t row = 0; row < shape.size(); ++row) {
    for (size_t lane = 0; lane < shape.size(); ++lane) {
      if (row == lane) continue;
      const int64_t others = elements / shape[row] / shape[lane];
      least = std::min(least, others * roundUp(shape[row], rows) * roundUp(shape[lane], 128));
    }
  }
  return least * bits / 8;
}

}  // namespace

Bytes bufferBytes(const program::TypeTable& types, program::TypeId type, Flavor flavor) {
  switch (flavor) {
    case Flavor::kTpu:
      return Bytes{tiledBytes(types, type)};
    case Flavor::kCpu:
      return Bytes{roundUp(types.bytes(type), 64)};
    case Flavor::kGpu:
      break;
  }
  return Bytes{roundUp(types.bytes(type), 256)};
}

}  // namespace shardwright::cost
