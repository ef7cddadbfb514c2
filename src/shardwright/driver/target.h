// What is planned for: a device, how the mesh lies on its links, and how much memory there is.
#pragma once

#include <string>

#include "shardwright/base/result.h"
#include "shardwright/cost/topology.h"
#include "shardwright/driver/partition.h"

namespace shardwright::driver {

// As people write them.
struct TargetText {
  std::string device;    // `h100`, or a path to a .json profile.
  std::string topology;  // `data=ib,model=nvlink`; empty for the default.
  std::string memory;    // `40GB`; empty for what the device has.
};

struct Target {
  cost::Device device;
  cost::Topology topology;
  cost::Bytes limit;

  // Points into this object.
  PartitionTarget view() const { return {device, topology, limit}; }
};

// The name of the built-in profile that is meant, whatever the case of its letters; another text as
// it is: a path, or a mistake for cost::loadDevice to name.
//   deviceName("H100") = "h100", deviceName("H100.json") = "H100.json"
std::string deviceName(const std::string& text);

// The device may be named in any case.
//   makeTarget({.device = "h20"}, mesh) fails: "unknown device `h20`; known are a100-40, …"
[[nodiscard]] Result<Target> makeTarget(const TargetText& text, const mesh::Mesh& mesh);

}  // namespace shardwright::driver
