// How a value lies on the devices of a mesh, in words small enough for hot paths.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/check.h"
#include "shardwright/base/ids.h"
#include "shardwright/base/interner.h"
#include "shardwright/base/result.h"
#include "shardwright/mesh/sharding.h"

namespace shardwright::mesh {

// A mesh may have this many axes; an AxisList then fits into one word.
inline constexpr uint32_t kMostAxes = 15;

// A set of axes of a mesh, by number.
class AxisSet {
 public:
  constexpr AxisSet() = default;
  constexpr AxisSet(std::initializer_list<uint32_t> axes) {
    for (const uint32_t axis : axes) add(axis);
  }
  static constexpr AxisSet ofBits(uint16_t bits) {
    AxisSet set;
    set.bits_ = bits;
    return set;
  }
  constexpr uint16_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool contains(uint32_t axis) const { return (bits_ >> axis & 1) != 0; }
  constexpr bool containsAll(AxisSet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool meets(AxisSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr void add(uint32_t axis) { bits_ = static_cast<uint16_t>(bits_ | 1u << axis); }
  constexpr void remove(uint32_t axis) { bits_ = static_cast<uint16_t>(bits_ & ~(1u << axis)); }
  constexpr AxisSet operator|(AxisSet other) const {
    return ofBits(static_cast<uint16_t>(bits_ | other.bits_));
  }
  constexpr AxisSet operator&(AxisSet other) const {
    return ofBits(static_cast<uint16_t>(bits_ & other.bits_));
  }
  constexpr AxisSet operator-(AxisSet other) const {
    return ofBits(static_cast<uint16_t>(bits_ & ~other.bits_));
  }
  constexpr auto operator<=>(const AxisSet&) const = default;

 private:
  uint16_t bits_ = 0;
};

// Axes in order, major first, none twice: what splits one dim. Four bits an axis.
//   AxisList{0, 2}: the dim is cut into blocks along axis 0, each of them again along axis 2.
class AxisList {
 public:
  constexpr AxisList() = default;
  constexpr AxisList(std::initializer_list<uint32_t> axes) {
    for (const uint32_t axis : axes) append(axis);
  }
  // The axes of a set, in mesh order.
  static constexpr AxisList inMeshOrder(AxisSet set) {
    AxisList list;
    for (uint32_t axis = 0; axis < kMostAxes; ++axis) {
      if (set.contains(axis)) list.append(axis);
    }
    return list;
  }
  static constexpr AxisList ofCode(uint64_t code) {
    AxisList list;
    list.code_ = code;
    return list;
  }
  constexpr uint64_t code() const { return code_; }
  constexpr bool empty() const { return code_ == 0; }
  constexpr uint32_t size() const {
    uint32_t count = 0;
    for (uint64_t rest = code_; rest != 0; rest >>= 4) ++count;
    return count;
  }
  constexpr uint32_t operator[](uint32_t index) const {
    return static_cast<uint32_t>(code_ >> 4 * index & 15) - 1;
  }
  constexpr uint32_t back() const { return (*this)[size() - 1]; }
  constexpr void append(uint32_t axis) { code_ |= static_cast<uint64_t>(axis + 1) << 4 * size(); }
  constexpr void append(AxisList axes) {
    for (uint32_t i = 0; i < axes.size(); ++i) append(axes[i]);
  }
  // The first `count` axes, and those after them.
  constexpr AxisList first(uint32_t count) const {
    return ofCode(count >= 16 ? code_ : code_ & ((uint64_t{1} << 4 * count) - 1));
  }
  constexpr AxisList from(uint32_t count) const {
    return ofCode(count >= 16 ? 0 : code_ >> 4 * count);
  }
  constexpr bool startsWith(AxisList prefix) const { return first(prefix.size()) == prefix; }
  constexpr AxisSet set() const {
    AxisSet axes;
    for (uint32_t i = 0; i < size(); ++i) axes.add((*this)[i]);
    return axes;
  }
  constexpr bool contains(uint32_t axis) const { return set().contains(axis); }
  constexpr auto operator<=>(const AxisList&) const = default;

 private:
  uint64_t code_ = 0;
};

// The number of devices along the axes together.
int64_t deviceCount(const Mesh& mesh);
int64_t deviceCount(const Mesh& mesh, AxisList axes);
int64_t deviceCount(const Mesh& mesh, AxisSet axes);

// The list without axes of size 1, which split nothing.
AxisList withoutTrivial(const Mesh& mesh, AxisList axes);

// `data=4,model=2`; names are identifiers, sizes at least 1, at most kMostAxes of them.
Result<Mesh> parseMesh(std::string_view text);
// The inverse.
std::string str(const Mesh& mesh);
// The number of the axis with this name; kMostAxes if there is none.
uint32_t findAxis(const Mesh& mesh, std::string_view name);
// `data+model`; "" for none.
std::string str(const Mesh& mesh, AxisList axes);

// Groups of devices that differ in nothing but their position along `axes`; inside a group devices
// stand in the order of `axes`, major first. Devices are numbered in mesh order, last axis fastest.
//   mesh a=2,b=3, axes {b}: {0,1,2}, {3,4,5}; axes {b,a}: {0,3,1,4,2,5}
std::vector<std::vector<int64_t>> deviceGroups(const Mesh& mesh, AxisList axes);
// The position of `device` along one axis.
int64_t position(const Mesh& mesh, int64_t device, uint32_t axis);
// The position of `device` along the axes together, the first being major.
int64_t position(const Mesh& mesh, int64_t device, AxisList axes);

struct LayoutTag;
using LayoutId = Id<LayoutTag>;

// Layouts, interned: equal layouts have equal ids. A layout is the axes of each dim and the axes
// over which the value is partial: every device has a term, and the value is what they combine to.
// No axis stands twice in a layout, in dims or as partial.
class LayoutTable {
 public:
  LayoutId intern(std::span<const AxisList> dims, AxisSet partial = {});
  LayoutId whole(size_t rank);

  size_t rank(LayoutId id) const { return interner_.words(id.index()).size() - 1; }
  AxisList dim(LayoutId id, size_t dim) const {
    return AxisList::ofCode(interner_.words(id.index())[dim + 1]);
  }
  AxisSet partial(LayoutId id) const {
    return AxisSet::ofBits(static_cast<uint16_t>(interner_.words(id.index())[0]));
  }
  std::vector<AxisList> dims(LayoutId id) const;
  // All axes that split a dim.
  AxisSet splitting(LayoutId id) const;
  size_t size() const { return interner_.size(); }

  // `[data, model+tensor, -] partial over seq`; `whole` for no axes at all.
  std::string str(const Mesh& mesh, LayoutId id) const;

 private:
  WordInterner interner_;
  std::vector<uint64_t> scratch_;
};

}  // namespace shardwright::mesh
