// Meshes and the shardings that a program already carries when it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwright::mesh {

struct Axis {
  std::string name;
  int64_t size = 1;
  bool operator==(const Axis&) const = default;
};

// A named n-d arrangement of devices, e.g. `data=4,model=2`. Device order is major to minor unless
// `deviceIds` says otherwise.
struct Mesh {
  std::string name;
  std::vector<Axis> axes;
  std::vector<int64_t> deviceIds;
  bool operator==(const Mesh&) const = default;
};

// A whole axis, or the part of it that `"x":(preSize)size` names.
struct AxisRef {
  std::string name;
  struct SubAxis {
    int64_t preSize = 1;
    int64_t size = 1;
    bool operator==(const SubAxis&) const = default;
  };
  std::optional<SubAxis> subAxis;
  bool operator==(const AxisRef&) const = default;
};

// The axes that shard one dim, major first. An open dim may be sharded further.
struct DimSharding {
  std::vector<AxisRef> axes;
  bool closed = true;
  std::optional<int64_t> priority;
  bool operator==(const DimSharding&) const = default;
};

// The sharding of one value over the mesh named `mesh` (an index into the program's meshes).
struct Sharding {
  uint32_t mesh = 0;
  std::vector<DimSharding> dims;
  std::vector<AxisRef> replicated;
  std::vector<AxisRef> unreduced;
  bool operator==(const Sharding&) const = default;

  // In Shardy's notation without the mesh: `[{"x"}, {"y", ?}], replicated={"z"}`.
  std::string str() const;
};

}  // namespace shardwright::mesh
