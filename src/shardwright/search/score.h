// How good a plan is: memory first, then time.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace shardwright::search {

// What evaluating a plan gives. A plan fits if it needs no more memory than there is.
struct Score {
  double seconds = std::numeric_limits<double>::infinity();
  int64_t peakBytes = std::numeric_limits<int64_t>::max();
  int64_t limitBytes = std::numeric_limits<int64_t>::max();

  bool fits() const { return peakBytes <= limitBytes; }
  int64_t excessBytes() const { return fits() ? 0 : peakBytes - limitBytes; }
  bool operator==(const Score&) const = default;
};

// A plan that fits is better than any that does not; of two that do not, the one with less excess
// is better; of two that fit, the faster one. Equal times are settled by peak memory.
//   better({1 s, 30 GB, 40 GB}, {0.5 s, 50 GB, 40 GB}) = true
[[nodiscard]] bool better(const Score& a, const Score& b);

// The same as one number for the statistics of a tree, smaller being better: the logarithm of the
// time, and a penalty that grows with the excess. A penalty costs as much as a step 20 times as
// long, so it outweighs any time a plan that fits may take, but it is no strict order: use `better`
// to compare plans.
[[nodiscard]] double treeCost(const Score& score);

}  // namespace shardwright::search
