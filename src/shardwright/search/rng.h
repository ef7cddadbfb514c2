// Random numbers that are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardwright::search {

// splitmix64: one word of state, and every seed is as good as any other.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  // Streams that have nothing in common, for neighbouring seeds and threads. What differs by a
  // multiple of the step below is one stream, some draws apart, so seeds are mixed first.
  static Rng ofThread(uint64_t seed, unsigned thread) { return Rng(Rng(seed).next() + thread); }

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In [0, count). The bias of the remainder is below 2^-32 for the counts used here.
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }
  // An index with probability proportional to its weight. Requires a positive sum.
  size_t weighted(std::span<const double> weights) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    double left = uniform() * sum;
    for (size_t i = 0; i < weights.size(); ++i) {
      left -= weights[i];
      if (left < 0) return i;
    }
    return weights.size() - 1;
  }

 private:
  uint64_t state_;
};

}  // namespace shardwright::search
