// Disjoint sets over dense numbers, plain and with a side per element.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace shardwright::analysis {

class UnionFind {
 public:
  explicit UnionFind(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  uint32_t find(uint32_t element) {
    while (parent_[element] != element) {
      parent_[element] = parent_[parent_[element]];
      element = parent_[element];
    }
    return element;
  }

  // The smaller number represents the union, so representatives do not depend on the order of
  // joins.
  void join(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (a < b) {
      parent_[b] = a;
    } else {
      parent_[a] = b;
    }
  }

 private:
  std::vector<uint32_t> parent_;
};

// Each element has a side, 0 or 1, relative to its representative.
//   SidedUnionFind sets(3);
//   sets.join(0, 1, false) = true;   // 1 is on the side of 0
//   sets.join(1, 2, true) = true;    // 2 is on the other side of 1
//   sets.join(0, 2, false) = false;  // contradicts what is known; nothing changes
class SidedUnionFind {
 public:
  explicit SidedUnionFind(size_t count) : parent_(count), flipped_(count, 0) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  // The representative of `element`, and whether it is on the other side.
  std::pair<uint32_t, bool> find(uint32_t element) {
    uint32_t root = element;
    bool side = false;
    while (parent_[root] != root) {
      side ^= flipped_[root] != 0;
      root = parent_[root];
    }
    // Second walk: point everything on the way at the root.
    bool remaining = side;
    while (parent_[element] != root && element != root) {
      const uint32_t next = parent_[element];
      const bool step = flipped_[element] != 0;
      parent_[element] = root;
      flipped_[element] = remaining ? 1 : 0;
      remaining ^= step;
      element = next;
    }
    return {root, side};
  }

  bool join(uint32_t a, uint32_t b, bool otherSide) {
    const auto [rootA, sideA] = find(a);
    const auto [rootB, sideB] = find(b);
    const bool flip = (sideA != sideB) != otherSide;
    if (rootA == rootB) return !flip;
    const auto [root, child] = std::minmax(rootA, rootB);
    parent_[child] = root;
    flipped_[child] = flip ? 1 : 0;
    return true;
  }

 private:
  std::vector<uint32_t> parent_;
  std::vector<char> flipped_;  // Relative to the parent.
};

}  // namespace shardwright::analysis
