#include "shardwright/cost/topology.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "shardwright/base/check.h"

namespace shardwright::cost {
namespace {

// What one axis has of the level that is being filled.
struct Part {
  uint32_t axis;
  int64_t size;
};

int64_t largestDivisor(int64_t number, int64_t most) {
  for (int64_t divisor = std::min(number, most); divisor > 1; --divisor) {
    if (number % divisor == 0) return divisor;
  }
  return 1;
}

// Of all ways to write `devices` as a product within `limits`, the one nearest to a cube.
class SliceShape {
 public:
  explicit SliceShape(std::vector<int64_t> limits) : limits_(std::move(limits)) {
    std::ranges::sort(limits_);
  }
  // A single long line when nothing fits, as for a prime number of devices.
  std::vector<int64_t> find(int64_t devices) {
    best_.clear();
    extend({}, devices);
    return best_.empty() ? std::vector<int64_t>{devices} : best_;
  }

 private:
  void extend(std::vector<int64_t> shape, int64_t rest) {
    if (shape.size() == limits_.size()) {
      if (rest == 1 && (best_.empty() || key(shape) < key(best_))) best_ = std::move(shape);
      return;
    }
    const int64_t limit = std::min(rest, limits_[shape.size()]);
    for (int64_t size = shape.empty() ? 1 : shape.back(); size <= limit; ++size) {
      if (rest % size != 0) continue;
      std::vector<int64_t> longer = shape;
      longer.push_back(size);
      extend(std::move(longer), rest / size);
    }
  }
  static std::pair<int64_t, int64_t> key(const std::vector<int64_t>& shape) {
    return {shape.back(), std::reduce(shape.begin(), shape.end())};
  }

  std::vector<int64_t> limits_;
  std::vector<int64_t> best_;
};

// Puts axes onto the dims of a slice, last axis first.
class TorusPlacer {
 public:
  TorusPlacer(uint32_t link, std::vector<int64_t> shape)
      : link_(link), shape_(std::move(shape)), taken_(shape_.size(), 1) {}

  std::vector<Segment> place(int64_t size) {
    if (size == 1) return {};
    const std::optional<uint32_t> dims = wholeDims(size);
    return dims ? takeWhole(*dims) : takeParts(size);
  }

 private:
  // The fewest untouched dims that have just this size together, as a bit set.
  std::optional<uint32_t> wholeDims(int64_t size) const {
    std::optional<uint32_t> best;
    for (uint32_t dims = 1; dims < 1u << shape_.size(); ++dims) {
      if (product(dims) != size) continue;
      if (!best || std::popcount(dims) < std::popcount(*best)) best = dims;
    }
    return best;
  }
  // 0 when one of the dims is in use already.
  int64_t product(uint32_t dims) const {
    int64_t result = 1;
    for (size_t i = 0; i < shape_.size(); ++i) {
      if ((dims >> i & 1) != 0) result *= taken_[i] == 1 && shape_[i] > 1 ? shape_[i] : 0;
    }
    return result;
  }
  std::vector<Segment> takeWhole(uint32_t dims) {
    std::vector<Segment> segments;
    for (uint32_t i = 0; i < shape_.size(); ++i) {
      if ((dims >> i & 1) != 0) segments.push_back(take(i, shape_[i]));
    }
    return segments;
  }
  // The shape's product is the product of all axes, so what the dims have left always suffices.
  std::vector<Segment> takeParts(int64_t size) {
    std::vector<Segment> segments;
    for (uint32_t i = 0; i < shape_.size(); ++i) {
      const int64_t part = std::gcd(size, shape_[i] / taken_[i]);
      if (part == 1) continue;
      segments.push_back(take(i, part));
      size /= part;
    }
    SW_CHECK(size == 1);
    return segments;
  }
  Segment take(uint32_t dim, int64_t size) {
    const int64_t stride = taken_[dim];
    taken_[dim] *= size;
    return {link_, size, dim, shape_[dim], stride};
  }

  uint32_t link_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> taken_;  // Per dim: how much of it the axes before have.
};

using Pinned = std::vector<std::optional<uint32_t>>;  // Per axis: the link it has to be on.

// Fills the levels of the network from the inside.
class Placer {
 public:
  Placer(const Device& device, const mesh::Mesh& mesh, Pinned pinned)
      : device_(device), mesh_(mesh), pinned_(std::move(pinned)) {
    topology_.links = device.links;
    topology_.axes.resize(mesh.axes.size());
    for (const mesh::Axis& axis : mesh.axes) rest_.push_back(axis.size);
  }

  Result<Topology> place() {
    for (uint32_t link = 0; link < device_.links.size(); ++link) {
      if (const Status error = fill(link)) return *error;
    }
    return topology_;
  }

 private:
  Status fill(uint32_t link) {
    const Link& level = device_.links[link];
    int64_t room = level.domain == 0 ? std::numeric_limits<int64_t>::max() : level.domain / inside_;
    std::vector<Part> parts;
    if (const Status error = takePinned(link, room, parts)) return error;
    takeRest(link, room, parts);
    std::ranges::sort(parts, std::greater{}, &Part::axis);
    for (const Part& part : parts) inside_ *= part.size;
    if (level.isTorus()) {
      placeOnTorus(link, parts);
    } else {
      for (const Part& part : parts) topology_.axes[part.axis].push_back({link, part.size});
    }
    return {};
  }

  Status takePinned(uint32_t link, int64_t& room, std::vector<Part>& parts) {
    for (uint32_t axis = 0; axis < rest_.size(); ++axis) {
      if (pinned_[axis] != link || rest_[axis] == 1) continue;
      if (rest_[axis] > room) return tooLong(axis, link, room);
      parts.push_back({axis, rest_[axis]});
      room /= std::exchange(rest_[axis], 1);
    }
    return {};
  }

  void takeRest(uint32_t link, int64_t room, std::vector<Part>& parts) {
    for (uint32_t axis = static_cast<uint32_t>(rest_.size()); axis-- > 0 && room > 1;) {
      if (pinned_[axis] || rest_[axis] == 1) continue;
      const int64_t size = largestDivisor(rest_[axis], room);
      if (size > 1) parts.push_back({axis, size});
      rest_[axis] /= size;
      // An axis that leaves a level closes it: devices are numbered with the last axis fastest.
      room = rest_[axis] > 1 ? 1 : room / size;
    }
    // The last level takes what is left, whatever it costs.
    SW_CHECK(link + 1 < device_.links.size() ||
             std::ranges::all_of(rest_, [](int64_t rest) { return rest == 1; }));
  }

  void placeOnTorus(uint32_t link, const std::vector<Part>& parts) {
    int64_t devices = 1;
    for (const Part& part : parts) devices *= part.size;
    TorusPlacer torus(link, SliceShape(device_.links[link].torus).find(devices));
    for (const Part& part : parts) {
      std::ranges::copy(torus.place(part.size), std::back_inserter(topology_.axes[part.axis]));
    }
  }

  Diagnostic tooLong(uint32_t axis, uint32_t link, int64_t room) const {
    const Link& level = device_.links[link];
    return {"axis `" + mesh_.axes[axis].name + "` of size " +
                std::to_string(mesh_.axes[axis].size) + " does not fit on " +
                linkKindName(level.kind) + ", which joins " + std::to_string(level.domain) +
                " devices of `" + device_.name + "` and has room for " + std::to_string(room),
            {},
            {}};
  }

  const Device& device_;
  const mesh::Mesh& mesh_;
  Pinned pinned_;
  Topology topology_;
  std::vector<int64_t> rest_;  // Per axis: what is not placed yet.
  int64_t inside_ = 1;         // Devices that the levels so far join.
};

Diagnostic noLink(const Device& device, std::string_view name) {
  std::string known;
  for (const Link& link : device.links)
    known += (known.empty() ? "" : ", ") + std::string(linkKindName(link.kind));
  return {
      "topology: `" + device.name + "` has no link `" + std::string(name) + "`; it has " + known,
      {},
      {}};
}

Status pin(const Device& device, const mesh::Mesh& mesh, std::string_view entry, Pinned& pinned) {
  const size_t equals = entry.find('=');
  if (equals == std::string_view::npos)
    return Diagnostic{"topology: expected `axis=link`, found `" + std::string(entry) + "`", {}, {}};
  const std::string_view name = entry.substr(0, equals);
  const uint32_t axis = mesh::findAxis(mesh, name);
  if (axis >= mesh.axes.size())
    return Diagnostic{
        "topology: the mesh " + mesh::str(mesh) + " has no axis `" + std::string(name) + "`",
        {},
        {}};
  if (pinned[axis])
    return Diagnostic{"topology: axis `" + std::string(name) + "` is named twice", {}, {}};
  const std::optional<LinkKind> kind = parseLinkKind(entry.substr(equals + 1));
  const Link* link = kind ? device.find(*kind) : nullptr;
  if (link == nullptr) return noLink(device, entry.substr(equals + 1));
  pinned[axis] = static_cast<uint32_t>(link - device.links.data());
  return {};
}

Result<Pinned> parseOverrides(const Device& device, const mesh::Mesh& mesh, std::string_view text) {
  Pinned pinned(mesh.axes.size());
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (const Status error = pin(device, mesh, text.substr(0, comma), pinned)) return *error;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return pinned;
}

bool sameWires(const Topology& topology, const Segment& a, const Segment& b) {
  return a.link == b.link && (!topology.links[a.link].isTorus() || a.dim == b.dim);
}

}  // namespace

std::vector<Segment> Topology::segments(mesh::AxisList list) const {
  std::vector<Segment> all;
  for (uint32_t i = 0; i < list.size(); ++i)
    std::ranges::copy(axes[list[i]], std::back_inserter(all));
  std::ranges::stable_sort(all, [](const Segment& a, const Segment& b) {
    return std::tie(a.link, a.dim, a.stride) < std::tie(b.link, b.dim, b.stride);
  });
  std::vector<Segment> merged;
  for (const Segment& segment : all) {
    if (!merged.empty() && sameWires(*this, merged.back(), segment)) {
      merged.back().size *= segment.size;
    } else {
      merged.push_back(segment);
    }
  }
  return merged;
}

bool Topology::isRing(const Segment& segment) const {
  const bool whole = segment.size == segment.length && segment.size > 2;
  return whole && segment.length % links[segment.link].wrapMultiple == 0;
}

std::string Topology::str(uint32_t axis) const {
  std::string text;
  for (const Segment& segment : axes[axis]) {
    text += (text.empty() ? "" : ", ") + std::to_string(segment.size) + " over " +
            linkKindName(links[segment.link].kind);
  }
  return text.empty() ? "1 device" : text;
}

std::string Topology::str(const mesh::Mesh& mesh) const {
  std::string text;
  for (uint32_t axis = 0; axis < axes.size(); ++axis)
    text += mesh.axes[axis].name + ": " + str(axis) + "\n";
  return text;
}

Topology defaultTopology(const Device& device, const mesh::Mesh& mesh) {
  return *Placer(device, mesh, Pinned(mesh.axes.size())).place();
}

Result<Topology> makeTopology(const Device& device, const mesh::Mesh& mesh,
                              std::string_view overrides) {
  Result<Pinned> pinned = parseOverrides(device, mesh, overrides);
  if (!pinned) return pinned.error();
  return Placer(device, mesh, std::move(*pinned)).place();
}

}  // namespace shardwright::cost
