// The cheapest way from one layout to another.
//
//   B1  local slice: an unused axis joins the minor end of a dim. Free.
//   B2  all-gather: axes leave the minor end of a dim.            (n-1)/n of the result's bytes
//   B3  all-to-all: axes leave the minor end of one dim and join that of another.
//                                                                  (n-1)/n of the local bytes
//   B4  all-reduce: partial axes are combined.                     2(n-1)/n of the local bytes
//   B5  reduce-scatter: partial axes are combined and join the minor end of a dim.
//                                                                  (n-1)/n of the operand's bytes
//   B6  collective-permute: axes take each other's places, shapes stay. The local bytes.
//
// n is the number of devices that talk to one another. The cheapest sequence is a shortest path
// over layouts, by bytes sent and then by number of steps. Axes only ever join a dim where the
// target has them, so few layouts are visited.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "shardwright/mesh/layout.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::spmd {

struct ReshardStep {
  Kind kind = Kind::kSlice;
  uint8_t dim = 0, toDim = 0;
  mesh::AxisList axes;
  mesh::LayoutId result;
};

struct ReshardPath {
  std::vector<ReshardStep> steps;
  // Bytes that each device sends, as a part of the whole value's bytes.
  double cost = 0;
};

class Resharder {
 public:
  // Both must outlive the resharder. New layouts go into the table.
  Resharder(const mesh::Mesh& mesh, mesh::LayoutTable& layouts) : mesh_(mesh), layouts_(layouts) {}

  // From `from` to `to` for values of this (global) shape; `shapeKey` is a number that equal shapes
  // share. `to` is partial over no axis that `from` is not. The path stays where it is.
  const ReshardPath& path(uint32_t shapeKey, std::span<const int64_t> shape, mesh::LayoutId from,
                          mesh::LayoutId to);

 private:
  struct Key {
    uint32_t shape, from, to;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  const mesh::Mesh& mesh_;
  mesh::LayoutTable& layouts_;
  std::unordered_map<Key, ReshardPath, KeyHash> paths_;
};

}  // namespace shardwright::spmd
