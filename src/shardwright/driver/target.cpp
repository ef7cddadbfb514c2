#include "shardwright/driver/target.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "shardwright/driver/amounts.h"

namespace shardwright::driver {

std::string deviceName(const std::string& text) {
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::vector<std::string> known = cost::knownDevices();
  return std::ranges::find(known, lower) == known.end() ? text : lower;
}

Result<Target> makeTarget(const TargetText& text, const mesh::Mesh& mesh) {
  Result<cost::Device> device = cost::loadDevice(deviceName(text.device));
  if (!device) return device.error();
  Result<cost::Topology> topology = cost::makeTopology(*device, mesh, text.topology);
  if (!topology) return topology.error();
  const Result<cost::Bytes> limit = text.memory.empty()
                                        ? Result<cost::Bytes>(device->usableMemory())
                                        : parseByteCount(text.memory);
  if (!limit) return limit.error();
  return Target{std::move(*device), std::move(*topology), *limit};
}

}  // namespace shardwright::driver
