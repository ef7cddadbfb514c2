// What is in a program: the data behind `shardwright inspect`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shardwright/plan/names.h"
#include "shardwright/plan/roles.h"
#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::driver {

using plan::Role;
using plan::whereText;

struct TensorSummary {
  std::string path;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
  std::string sharding;  // As stated in the module; empty if none is.
};

struct ArgumentSummary {
  TensorSummary tensor;
  Role role = Role::kInput;
  bool donated = false;
};

// How many arguments of one role there are, and how large together.
struct RoleTotal {
  int64_t tensors = 0;
  int64_t elements = 0;
  int64_t bytes = 0;
};

struct LoopSummary {
  std::string location;
  int64_t tripCount = 0;
  bool known = true;     // False: a default, or an upper bound.
  uint32_t depth = 0;    // Loops around it.
  uint32_t carried = 0;  // Values it carries.
  uint32_t ops = 0;      // In its body, nested ones too.
};

// Ops of one name that no rule describes: every dim is treated as whole.
struct UnsupportedSummary {
  std::string op;
  uint32_t count = 0;
  std::string location;  // Of the first.
};

struct OpKindSummary {
  uint32_t count = 0;
  double flops = 0;  // One step, loops counted by their trip counts.
};

struct Inspection {
  std::vector<ArgumentSummary> arguments;
  std::vector<TensorSummary> results;
  std::map<Role, RoleTotal> totals;
  // By name, for ops that stand in the module (argument, return, carry and merge do not).
  std::map<std::string, OpKindSummary> ops;
  std::vector<LoopSummary> loops;
  double flops = 0;
  std::vector<UnsupportedSummary> unsupported;
  std::vector<std::string> remarks;  // "model.py:3:1: loop with an unknown number …"
  std::vector<std::string> meshes;   // "mesh: data=4, model=2"
};

Inspection inspect(const program::Program& program, const rules::RuleTable& rules);

// What reading the module assumed, as the turns of a loop that does not tell them.
[[nodiscard]] std::vector<std::string> remarksOf(const program::Program& program);
// The same, and what an estimate does not know: the work of ops without a rule.
[[nodiscard]] std::vector<std::string> estimateRemarks(const program::Program& program,
                                                       const rules::RuleTable& rules);

}  // namespace shardwright::driver
