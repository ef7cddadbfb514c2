#include "shardwright/mesh/layout.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace shardwright::mesh {
namespace {

// More devices than any machine has; keeps products inside 64 bits.
constexpr int64_t kMostDevices = int64_t{1} << 32;

Diagnostic badMesh(std::string_view text, const std::string& why) {
  return {
      "mesh `" + std::string(text) + "`: " + why + "; a mesh reads like data=4,model=2", {}, {}};
}

bool isName(std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, fits);
}

Result<Axis> parseAxis(std::string_view text, std::string_view part) {
  const size_t equals = part.find('=');
  if (equals == std::string_view::npos) {
    return badMesh(text, "`" + std::string(part) + "` has no size");
  }
  Axis axis{std::string(part.substr(0, equals)), 0};
  if (!isName(axis.name)) return badMesh(text, "`" + axis.name + "` is no axis name");
  const std::string_view number = part.substr(equals + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), axis.size);
  if (error != std::errc() || end != number.data() + number.size() || axis.size < 1) {
    return badMesh(text, "axis `" + axis.name + "` has size `" + std::string(number) +
                             "`, expected a number from 1 on");
  }
  return axis;
}

}  // namespace

int64_t deviceCount(const Mesh& mesh) {
  int64_t count = 1;
  for (const Axis& axis : mesh.axes) count *= axis.size;
  return count;
}

int64_t deviceCount(const Mesh& mesh, AxisList axes) { return deviceCount(mesh, axes.set()); }

int64_t deviceCount(const Mesh& mesh, AxisSet axes) {
  int64_t count = 1;
  for (uint32_t i = 0; i < mesh.axes.size(); ++i) {
    if (axes.contains(i)) count *= mesh.axes[i].size;
  }
  return count;
}

AxisList withoutTrivial(const Mesh& mesh, AxisList axes) {
  AxisList kept;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    if (mesh.axes[axes[i]].size > 1) kept.append(axes[i]);
  }
  return kept;
}

Result<Mesh> parseMesh(std::string_view text) {
  Mesh mesh;
  mesh.name = "mesh";
  int64_t devices = 1;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    Result<Axis> axis = parseAxis(text, rest.substr(0, comma));
    if (!axis) return axis.error();
    if (findAxis(mesh, axis->name) != kMostAxes) {
      return badMesh(text, "axis `" + axis->name + "` is named twice");
    }
    if (axis->size > kMostDevices / devices) return badMesh(text, "too many devices");
    devices *= axis->size;
    mesh.axes.push_back(*std::move(axis));
    if (mesh.axes.size() > kMostAxes) {
      return badMesh(text, "more than " + std::to_string(kMostAxes) + " axes");
    }
    if (comma == std::string_view::npos) return mesh;
    rest = rest.substr(comma + 1);
  }
}

std::string str(const Mesh& mesh) {
  std::string text;
  for (const Axis& axis : mesh.axes) {
    text += (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  }
  return text;
}

uint32_t findAxis(const Mesh& mesh, std::string_view name) {
  for (uint32_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) return i;
  }
  return kMostAxes;
}

std::string str(const Mesh& mesh, AxisList axes) {
  std::string text;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    text += (i == 0 ? "" : "+") + mesh.axes[axes[i]].name;
  }
  return text;
}

int64_t position(const Mesh& mesh, int64_t device, uint32_t axis) {
  for (size_t i = mesh.axes.size(); i-- > axis + 1;) device /= mesh.axes[i].size;
  return device % mesh.axes[axis].size;
}

int64_t position(const Mesh& mesh, int64_t device, AxisList axes) {
  int64_t place = 0;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    place = place * mesh.axes[axes[i]].size + position(mesh, device, axes[i]);
  }
  return place;
}

std::vector<std::vector<int64_t>> deviceGroups(const Mesh& mesh, AxisList axes) {
  const int64_t devices = deviceCount(mesh);
  const auto groupSize = static_cast<size_t>(deviceCount(mesh, axes));
  AxisList others;
  for (uint32_t axis = 0; axis < mesh.axes.size(); ++axis) {
    if (!axes.contains(axis)) others.append(axis);
  }
  std::vector<std::vector<int64_t>> groups(static_cast<size_t>(devices) / groupSize,
                                           std::vector<int64_t>(groupSize));
  for (int64_t device = 0; device < devices; ++device) {
    const auto group = static_cast<size_t>(position(mesh, device, others));
    groups[group][static_cast<size_t>(position(mesh, device, axes))] = device;
  }
  return groups;
}

LayoutId LayoutTable::intern(std::span<const AxisList> dims, AxisSet partial) {
  scratch_.assign(1, partial.bits());
  for (const AxisList axes : dims) scratch_.push_back(axes.code());
  return LayoutId(interner_.intern(scratch_).first);
}

LayoutId LayoutTable::whole(size_t rank) {
  scratch_.assign(rank + 1, 0);
  return LayoutId(interner_.intern(scratch_).first);
}

std::vector<AxisList> LayoutTable::dims(LayoutId id) const {
  std::vector<AxisList> dims;
  for (size_t d = 0; d < rank(id); ++d) dims.push_back(dim(id, d));
  return dims;
}

AxisSet LayoutTable::splitting(LayoutId id) const {
  AxisSet axes;
  for (size_t d = 0; d < rank(id); ++d) axes = axes | dim(id, d).set();
  return axes;
}

std::string LayoutTable::str(const Mesh& mesh, LayoutId id) const {
  if (splitting(id).empty() && partial(id).empty()) return "whole";
  std::string text = "[";
  for (size_t d = 0; d < rank(id); ++d) {
    const AxisList axes = dim(id, d);
    text += (d == 0 ? "" : ", ") + (axes.empty() ? "-" : mesh::str(mesh, axes));
  }
  text += "]";
  if (!partial(id).empty()) {
    text += " partial over " + mesh::str(mesh, AxisList::inMeshOrder(partial(id)));
  }
  return text;
}

}  // namespace shardwright::mesh
