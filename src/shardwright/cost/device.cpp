#include "shardwright/cost/device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "shardwright/cost/builtin_devices.h"

namespace shardwright::cost {
namespace {

constexpr std::array kFlavorNames = {"gpu", "tpu", "cpu"};
constexpr std::array<const char*, kMatmulClasses> kMatmulNames = {
    "f64", "f32", "f32_highest", "f16", "bf16", "f8", "i8"};
constexpr std::array kLinkNames = {"onchip", "nvlink", "pcie", "ici", "infiniband", "dcn", "host"};

Result<std::string> readProfile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Diagnostic{"cannot read device profile `" + path + "`: " + std::strerror(errno), {}, {}};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Diagnostic unknownDevice(const std::string& name) {
  std::string known;
  for (const std::string& device : knownDevices()) known += device + ", ";
  return {
      "unknown device `" + name + "`; known are " + known + "or a path to a .json file", {}, {}};
}

}  // namespace

const char* flavorName(Flavor flavor) { return kFlavorNames[static_cast<size_t>(flavor)]; }

const char* matmulClassName(MatmulClass matmul) {
  return kMatmulNames[static_cast<size_t>(matmul)];
}

const char* linkKindName(LinkKind kind) { return kLinkNames[static_cast<size_t>(kind)]; }

std::optional<LinkKind> parseLinkKind(std::string_view name) {
  if (name == "ib") return LinkKind::kInfiniband;
  const auto found = std::ranges::find(kLinkNames, name);
  if (found == kLinkNames.end()) return {};
  return static_cast<LinkKind>(found - kLinkNames.begin());
}

const Link* Device::find(LinkKind kind) const {
  const auto found = std::ranges::find(links, kind, &Link::kind);
  return found == links.end() ? nullptr : &*found;
}

std::vector<std::string> knownDevices() {
  std::vector<std::string> names;
  for (const BuiltinDevice& device : builtinDevices()) names.emplace_back(device.name);
  std::ranges::sort(names);
  return names;
}

Result<Device> loadDevice(const std::string& nameOrPath) {
  if (nameOrPath.ends_with(".json")) {
    const Result<std::string> text = readProfile(nameOrPath);
    if (!text) return text.error();
    return parseDevice(*text, nameOrPath);
  }
  for (const BuiltinDevice& device : builtinDevices()) {
    if (device.name == nameOrPath) return parseDevice(device.json, nameOrPath + ".json");
  }
  return unknownDevice(nameOrPath);
}

}  // namespace shardwright::cost
