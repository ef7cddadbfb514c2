// Plans as files. JSON; docs/reference/plan-file.md lists the keys.
//
//   {"version": 1,
//    "mesh": [{"axis": "data", "size": 4}, {"axis": "model", "size": 2}],
//    "device_ids": […],     (only if the mesh does not have its devices in order)
//    "program": {"hash": "91b0…", "structure": "07c4…", "ops": 1234},
//    "tactics": [{"tactic": "dp(data)", "took": "dp(data): batch (batch/x.0)"}],
//    "decisions": [{"axis": "data", "colors": [{"id": 0, "name": "batch/x.0"}], "classes": [1]}],
//    "resolutions": [{"axis": "model", "sets": [{"id": 0, "name": "…"}]}],
//    "turns": [{"axis": "model", "winner": {…}, "loser": {…}, "first_op": 17}],
//    "pins": [{"argument": "state['w']", "spec": "[-, model]"}],
//    "remake_gap": 200,
//    "arguments": [{"path": "batch['x']", "shape": [16, 32], "dtype": "f32", "spec": "[data, -]"}]}
//
// A plan belongs to one program: ids of colours and sets are those of its analysis, and loading it
// for another is refused with the first difference. A program that differs in sizes alone has the
// same analysis: the plan is carried over to it if every argument then lies as `arguments` say,
// which are for people otherwise. Saving what was loaded gives the same text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/result.h"
#include "shardwright/plan/plan.h"

namespace shardwright::plan {

inline constexpr int kPlanFileVersion = 1;

struct PlanFile {
  Plan plan;
  std::vector<std::string> tactics;  // As written,
  std::vector<std::string> words;    // and what each took.
  std::vector<std::string> notes{};  // Of loading: from which sizes the plan was carried over.
};

// How each argument lies, as files say it.
std::vector<std::string> argumentSpecs(const Subject& subject, const Plan& plan);

std::string savePlan(const Subject& subject, const PlanFile& file);

// Diagnostics name the key: "decisions[1].axis: the mesh has no axis `foo`; it is data=4". The plan
// passes checkPlan.
Result<PlanFile> loadPlan(const Subject& subject, std::string_view text);

// Ops, types, attributes and how they hang together; not names of arguments, not locations. Equal
// on all machines.
uint64_t programHash(const program::Program& program);

// What the analysis makes of the ops and how they hang together, whatever their sizes: programs
// that agree in it have the same ops, colours and sets by number.
uint64_t structureHash(const Subject& subject);

// As plan files have it: 16 digits.
std::string hashText(uint64_t hash);

}  // namespace shardwright::plan
