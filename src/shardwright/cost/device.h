// What a device can do: a profile, read from devices/*.json. docs/reference/devices.md describes
// the format.
//
// A device is what JAX calls one: a GPU, a TPU chip (a core of one on v3), a host CPU device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/result.h"
#include "shardwright/cost/units.h"

namespace shardwright::cost {

// Which XLA backend compiles for the device: they fuse, schedule and reuse buffers differently.
enum class Flavor : uint8_t { kGpu, kTpu, kCpu };
const char* flavorName(Flavor flavor);  // "gpu", "tpu", "cpu".

// What a matmul multiplies. kF32 is an f32 matmul at XLA's default precision (TF32 on GPUs since
// Ampere, one bf16 pass on TPUs); kF32Highest is the same at full precision.
enum class MatmulClass : uint8_t { kF64, kF32, kF32Highest, kF16, kBF16, kF8, kI8 };
inline constexpr size_t kMatmulClasses = 7;
// "f64", "f32", "f32_highest", "f16", "bf16", "f8", "i8".
const char* matmulClassName(MatmulClass matmul);

// What a datasheet promises, and the share of it that large well-shaped work gets.
struct ComputeRate {
  FlopsPerSecond peak;
  double efficiency = 1;
  FlopsPerSecond effective() const { return peak * efficiency; }
};

enum class LinkKind : uint8_t { kOnChip, kNvlink, kPcie, kIci, kInfiniband, kDcn, kHost };
const char* linkKindName(LinkKind kind);  // "onchip", "nvlink", …, "infiniband".
// Knows `ib` for `infiniband` too.
std::optional<LinkKind> parseLinkKind(std::string_view name);

// One level of the network that a device is in.
//   switched   every device reaches every other of its domain at full rate
//   torus      neighbours along each dim are wired to one another
struct Link {
  LinkKind kind = LinkKind::kHost;
  // One direction. Switched: of one device to all others together. Torus: of one of its wires.
  BytesPerSecond bandwidth = {};
  double efficiency = 1;
  Seconds latency = {};   // Per hop.
  Seconds overhead = {};  // Once per collective: launching it, meeting the others.
  // How many devices it joins, counting those that inner links join already: 8 for the GPUs of a
  // node. 0 is no limit.
  int64_t domain = 0;
  // The dims of the largest torus; empty for a switched link.
  std::vector<int64_t> torus = {};
  // A dim of a torus closes into a ring when its size is a multiple of this; else it is a line.
  int64_t wrapMultiple = 1;

  bool isTorus() const { return !torus.empty(); }
  BytesPerSecond effective() const { return bandwidth * efficiency; }
};

struct Device {
  std::string name;   // "h100".
  std::string title;  // "NVIDIA H100 SXM5 80 GB".
  Flavor flavor = Flavor::kGpu;

  Bytes memory;
  Bytes reserved;  // What the runtime takes of it before the program gets any.
  Bytes usableMemory() const { return memory - reserved; }

  BytesPerSecond hbmBandwidth;
  double hbmEfficiency = 1;
  BytesPerSecond effectiveHbm() const { return hbmBandwidth * hbmEfficiency; }

  // What moves no more than this finds it in the device's share of the caches; none by default.
  Bytes cache;
  BytesPerSecond cacheBandwidth;
  BytesPerSecond bandwidthFor(Bytes moved) const {
    return moved <= cache ? cacheBandwidth : effectiveHbm();
  }

  std::array<ComputeRate, kMatmulClasses> matmul;
  const ComputeRate& rate(MatmulClass kind) const { return matmul[static_cast<size_t>(kind)]; }
  ComputeRate vector;  // f32 arithmetic outside matmuls.

  Seconds launchOverhead;  // Between one kernel and the next.

  std::vector<Link> links;  // Innermost, that is fastest, first. The last has no limit.
  const Link* find(LinkKind kind) const;
};

// Names of the profiles that are built in, sorted.
std::vector<std::string> knownDevices();

// The built-in profile of this name, or the profile in this file (a name that ends in .json).
//   loadDevice("h200");  loadDevice("measured.json")
//   loadDevice("h20") fails: "unknown device `h20`; known are a100-40, …, or a path to a .json
//   file"
[[nodiscard]] Result<Device> loadDevice(const std::string& nameOrPath);

// Reads a profile. Errors name `file` and the key: "h9.json: error: `memory.capacity.value` …".
[[nodiscard]] Result<Device> parseDevice(std::string_view json, const std::string& file);

}  // namespace shardwright::cost
