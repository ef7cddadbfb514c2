// The profiles of devices/*.json, put into the library when it is built.
#pragma once

#include <span>
#include <string_view>

namespace shardwright::cost {

struct BuiltinDevice {
  std::string_view name;  // The file's name without .json.
  std::string_view json;
};

std::span<const BuiltinDevice> builtinDevices();

}  // namespace shardwright::cost
