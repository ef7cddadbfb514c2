// The rules of a program, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::driver {

// One line per distinct op and rule, most frequent first:
//   24  stablehlo.tanh  ([i, j])->([i, j]) {i=8, j=4}  model.py:12:3
std::string rulesText(const program::Program& program, const rules::RuleTable& rules);

// {"rules": […], "aliases": […]}. `rules` has one entry per op of the flat program, in order:
//   origin        number of the op in the module: all its ops in pre-order, the module being 0
//   op, rule      name, and rule in Shardy's notation (factors in order of their ids)
//   source        "family", "explicit" (came with the op) or "whole" (no rule)
//   operands      numbers of the values it uses
//   results       how many values it defines, numbered from first_result on
//   location      source line
// `aliases` pairs the ops of arguments and returns that share a buffer.
nlohmann::ordered_json rulesJson(const program::Program& program, const rules::RuleTable& rules);

}  // namespace shardwright::driver
