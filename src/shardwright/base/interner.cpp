#include "shardwright/base/interner.h"

#include <algorithm>

#include "shardwright/base/check.h"

namespace shardwright {

uint64_t hashWords(std::span<const uint64_t> words) {
  uint64_t hash = 0x9e3779b97f4a7c15ULL + words.size();
  for (const uint64_t word : words) {
    uint64_t mixed = hash ^ word;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    hash = (mixed ^ (mixed >> 31)) + 0x9e3779b97f4a7c15ULL;
  }
  return hash;
}

std::span<const uint64_t> WordInterner::words(uint32_t id) const {
  const Entry& entry = entries_[id];
  return {pool_.data() + entry.begin, entry.length};
}

size_t WordInterner::capacityBytes() const {
  return pool_.capacity() * sizeof(uint64_t) + entries_.capacity() * sizeof(Entry) +
         slots_.capacity() * sizeof(uint32_t);
}

std::pair<uint32_t, bool> WordInterner::intern(std::span<const uint64_t> words) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const uint64_t hash = hashWords(words);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const uint32_t id = slots_[slot] - 1;
    if (entries_[id].hash == hash && std::ranges::equal(this->words(id), words)) return {id, false};
  }
  SW_CHECK(pool_.size() + words.size() < UINT32_MAX);
  const auto id = static_cast<uint32_t>(entries_.size());
  entries_.push_back(
      {hash, static_cast<uint32_t>(pool_.size()), static_cast<uint32_t>(words.size())});
  pool_.insert(pool_.end(), words.begin(), words.end());
  slots_[slot] = id + 1;
  return {id, true};
}

void WordInterner::grow() {
  slots_.assign(std::max<size_t>(16, 2 * slots_.size()), 0);
  const size_t mask = slots_.size() - 1;
  for (uint32_t id = 0; id < entries_.size(); ++id) {
    size_t slot = entries_[id].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id + 1;
  }
}

}  // namespace shardwright
