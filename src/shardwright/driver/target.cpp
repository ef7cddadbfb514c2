#include "shardwright/driver/target.h"

#include <utility>

#include "shardwright/driver/amounts.h"

namespace shardwright::driver {

Result<Target> makeTarget(const TargetText& text, const mesh::Mesh& mesh) {
  Result<cost::Device> device = cost::loadDevice(text.device);
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
