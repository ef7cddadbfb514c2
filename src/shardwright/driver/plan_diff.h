// What two plan files say differently. No program is needed: a plan file has names for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/result.h"

namespace shardwright::driver {

// What a plan file says, in words.
struct PlanWords {
  struct Argument {
    std::string path, type, spec;
  };
  struct Axis {
    std::string name;
    std::vector<std::string> splits;  // In order.
  };
  std::string file;
  std::string mesh;
  std::string program;  // Its hash.
  int64_t ops = 0;
  std::vector<std::string> tactics;
  std::vector<Axis> axes;
  std::vector<Argument> arguments;
  // "on model: batch/tokens.1 with itself, …": the second side has the axis.
  std::vector<std::string> resolutions;
  std::vector<std::string> turns, pins;
  std::string remake;  // Empty if gathered copies are kept.
};

// Diagnostics name the file and the key.
Result<PlanWords> planWords(const std::string& file, std::string_view text);

// Fails where there is nothing to compare: an argument that only one of them has, or another type.
Status checkComparable(const PlanWords& a, const PlanWords& b);

// At most `mostRows` of each list; 0 lists all.
std::string diffText(const PlanWords& a, const PlanWords& b, size_t mostRows);

// Keys: same, programs_differ, mesh, tactics (each `a`, `b`), axes (each axis, a, b), arguments
// (each path, type, a, b), resolutions, turns, pins, remake (each only_a, only_b). Of axes and
// arguments those that differ.
nlohmann::ordered_json diffJson(const PlanWords& a, const PlanWords& b);

}  // namespace shardwright::driver
