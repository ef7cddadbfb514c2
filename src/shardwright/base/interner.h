// Gives equal sequences of words the same dense number, starting at 0.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace shardwright {

// Keeps every distinct sequence once, in one flat pool. Open addressing; no allocation per lookup.
//   WordInterner names;
//   names.intern({{1, 2}}) = {0, true};  names.intern({{3}}) = {1, true};
//   names.intern({{1, 2}}) = {0, false}
class WordInterner {
 public:
  // Returns the number of `words` and whether it is new.
  std::pair<uint32_t, bool> intern(std::span<const uint64_t> words);

  std::span<const uint64_t> words(uint32_t id) const;
  size_t size() const { return entries_.size(); }
  size_t capacityBytes() const;

 private:
  struct Entry {
    uint64_t hash;
    uint32_t begin;
    uint32_t length;
  };

  void grow();

  std::vector<uint64_t> pool_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // Entry number + 1; 0 is empty. The size is a power of two.
};

// Mixes `words` into 64 bits (the splitmix64 finalizer on each word).
uint64_t hashWords(std::span<const uint64_t> words);

}  // namespace shardwright
