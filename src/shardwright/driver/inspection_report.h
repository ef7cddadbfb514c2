// An Inspection as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "shardwright/driver/inspection.h"

namespace shardwright::driver {

struct TextOptions {
  // Arguments beyond this many are summed up in one line; 0 lists all.
  size_t mostArguments = 0;
};

std::string toText(const Inspection& inspection, const TextOptions& options = {});

// Keys: arguments, results, parameters, optimizer_state, ops, loops, flops, unsupported, remarks,
// meshes. They are stable; new ones may come.
nlohmann::ordered_json toJson(const Inspection& inspection);

// "1.5 GB", "512 B": powers of 1000.
std::string bytesText(double bytes);
// "1.24 T", "3", for counts and FLOPs.
std::string countText(double count);

}  // namespace shardwright::driver
