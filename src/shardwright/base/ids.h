// Strong 32-bit ids: an index into one table that cannot be mistaken for an index into another.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "shardwright/base/check.h"

namespace shardwright {

// `struct OpTag; using OpId = Id<OpTag>;` A default-constructed id is invalid.
template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(uint32_t index) : index_(index) {}
  explicit Id(size_t index) : index_(static_cast<uint32_t>(index)) {
    SW_CHECK(index < std::numeric_limits<uint32_t>::max());
  }

  constexpr uint32_t index() const { return index_; }
  constexpr bool valid() const { return index_ != kInvalid; }
  constexpr auto operator<=>(const Id&) const = default;

  // The id `offset` places on, as for the later results of an op.
  constexpr Id plus(size_t offset) const { return Id(index_ + static_cast<uint32_t>(offset)); }

 private:
  static constexpr uint32_t kInvalid = std::numeric_limits<uint32_t>::max();
  uint32_t index_ = kInvalid;
};

// A vector indexed by one kind of id only.
template <typename IdType, typename T>
class IdVector {
 public:
  IdType push(T value) {
    items_.push_back(std::move(value));
    return IdType(items_.size() - 1);
  }
  T& operator[](IdType id) { return items_[id.index()]; }
  const T& operator[](IdType id) const { return items_[id.index()]; }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(IdType id) const { return id.index() < items_.size(); }
  void reserve(size_t count) { items_.reserve(count); }
  void resize(size_t count) { items_.resize(count); }
  IdType nextId() const { return IdType(items_.size()); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  size_t capacityBytes() const { return items_.capacity() * sizeof(T); }

 private:
  std::vector<T> items_;
};

}  // namespace shardwright
