// Which kernels read a value that may become part of their loops: what fusion decides by.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "shardwright/spmd/spmd_program.h"

namespace shardwright::cost {

// One way in which a kernel reads a value as part of its loop.
struct Reader {
  uint32_t kernel;  // Its root.
  uint32_t path;    // Which slices, transposes, … lie between: each makes the points anew.
  float share;      // Of the value's points that are read.

  bool sameAs(const Reader& other) const { return kernel == other.kernel && path == other.path; }
};

// All of them. More than kMost are too many.
class Readers {
 public:
  // XLA gives up when code would be repeated more than 15 times.
  static constexpr uint32_t kMost = 15;

  // Most lists are short, so the rest is neither filled nor copied.
  Readers() {}
  Readers(const Readers& other) { *this = other; }
  Readers& operator=(const Readers& other) {
    if (this == &other) return *this;
    count_ = other.count_;
    tooMany_ = other.tooMany_;
    std::copy(other.begin(), other.end(), begin());
    return *this;
  }
  ~Readers() = default;

  void add(const Reader& reader) {
    Reader* known = std::find_if(begin(), end(), [&](const Reader& r) { return r.sameAs(reader); });
    if (known != end()) {
      known->share = std::max(known->share, reader.share);
    } else if (count_ < kMost) {
      readers_[count_++] = reader;
    } else {
      tooMany_ = true;
    }
  }
  // Adds readers that come through an op which moves points, or (path 0) does not.
  void add(const Readers& others, uint32_t path, float share) {
    const bool first = count_ == 0;  // Then all are new: paths that differ stay different.
    for (Reader reader : others) {
      if (path != 0) reader.path = (reader.path ^ path) * 0x9E3779B1u;
      reader.share *= share;
      if (first) {
        readers_[count_++] = reader;
      } else {
        add(reader);
      }
    }
    tooMany_ |= others.tooMany_;
  }
  bool containsAll(const Readers& others) const {
    return !others.tooMany_ && std::all_of(others.begin(), others.end(), [&](const Reader& other) {
      return std::any_of(begin(), end(), [&](const Reader& r) { return r.sameAs(other); });
    });
  }
  // How often each point is made if every reader makes it for itself.
  double copies() const {
    double sum = 0;
    for (const Reader& reader : *this) sum += static_cast<double>(reader.share);
    return sum;
  }
  void clear() {
    count_ = 0;
    tooMany_ = false;
  }
  uint32_t count() const { return count_; }
  bool tooMany() const { return tooMany_; }
  const Reader* begin() const { return readers_.data(); }
  const Reader* end() const { return readers_.data() + count_; }

 private:
  Reader* begin() { return readers_.data(); }
  Reader* end() { return readers_.data() + count_; }

  uint32_t count_ = 0;
  bool tooMany_ = false;
  std::array<Reader, kMost> readers_;
};

// Readers of the values that have some so far. Few values do at any time, so their lists stay in
// cache.
class ReadersOfValues {
 public:
  explicit ReadersOfValues(size_t locals) : slots_(locals, kNone) {}

  const Readers& operator[](spmd::LocalId id) const {
    return slots_[id.index()] == kNone ? none_ : pool_[slots_[id.index()]];
  }
  Readers& edit(spmd::LocalId id) {
    uint32_t& slot = slots_[id.index()];
    if (slot == kNone) slot = newSlot();
    return pool_[slot];
  }
  void forget(spmd::LocalId id) {
    uint32_t& slot = slots_[id.index()];
    if (slot != kNone) free_.push_back(slot);
    slot = kNone;
  }

 private:
  static constexpr uint32_t kNone = ~0u;

  uint32_t newSlot() {
    if (free_.empty()) {
      pool_.emplace_back();
      return static_cast<uint32_t>(pool_.size() - 1);
    }
    const uint32_t slot = free_.back();
    free_.pop_back();
    pool_[slot].clear();
    return slot;
  }

  std::vector<uint32_t> slots_;  // Per local.
  std::vector<Readers> pool_;
  std::vector<uint32_t> free_;
  Readers none_;
};

}  // namespace shardwright::cost
