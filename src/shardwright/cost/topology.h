// Which wires the axes of a mesh run over.
//
// Devices are numbered in mesh order, the last axis fastest, and fill the network from the inside:
// the last axes stay in a node (or next to one another in a torus), the first ones go over whatever
// joins nodes. An axis too long for one level is cut: `data=64` on nodes of 8 is 8 inside a node by
// 8 nodes. What an axis does on one level is a segment.
//
//   h100, data=4,model=8      model: 8 over nvlink;  data: 4 over infiniband
//   h100, data=16             data: 8 over nvlink, 2 over infiniband
//   tpu-v5e, data=4,model=2   a 4x2 slice: each axis one dim of the torus
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/result.h"
#include "shardwright/cost/device.h"
#include "shardwright/mesh/layout.h"

namespace shardwright::cost {

// What an axis has of one link, or of one dim of a torus.
struct Segment {
  uint32_t link = 0;  // In Device::links.
  int64_t size = 1;   // Devices along it.
  // Torus only: which dim, how long the whole dim is in this mesh's slice, and how far apart the
  // segment's devices are. 1 when they are neighbours; else so many groups share each wire.
  uint32_t dim = 0;
  int64_t length = 1;
  int64_t stride = 1;
  bool operator==(const Segment&) const = default;
};

struct Topology {
  std::vector<Link> links;                 // Of the device.
  std::vector<std::vector<Segment>> axes;  // Per mesh axis; inner segments first. None for size 1.

  // What these axes have together: inner links first, one segment per switched link and torus dim.
  std::vector<Segment> segments(mesh::AxisList list) const;
  // Whether the last device of a torus segment is a neighbour of its first.
  bool isRing(const Segment& segment) const;
  // "8 over nvlink, 2 over infiniband"; "1 device" for an axis of size 1.
  std::string str(uint32_t axis) const;
  // The same for all axes, "data: 8 over nvlink, …", one line each.
  std::string str(const mesh::Mesh& mesh) const;
};

// The placement described above.
[[nodiscard]] Topology defaultTopology(const Device& device, const mesh::Mesh& mesh);

// The same, with the axes that `overrides` names put on one link each: `data=ib,model=nvlink`.
// Fails when an axis or link does not exist, or when the axes on a link are more than its domain.
[[nodiscard]] Result<Topology> makeTopology(const Device& device, const mesh::Mesh& mesh,
                                            std::string_view overrides);

}  // namespace shardwright::cost
