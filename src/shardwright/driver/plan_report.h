// What a plan does to a program, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/plan.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::driver {

struct PlacedTensor {
  std::string path;
  program::TypeId type;  // Of the whole, in the program's types.
  std::string spec;      // `[data, -]`, or `replicated`.
  int64_t bytesPerDevice = 0;
};

// Collectives of one kind, each counted as often as it runs. Bytes are those of one device: of the
// result or of the operand, whichever is larger.
struct CollectiveTotal {
  double count = 0;
  double bytes = 0;
};

// Decisions of one class that had no effect at some ops.
struct UnsplitGroup {
  uint32_t axis = 0;
  std::vector<analysis::ColorId> colors;
  plan::Unsplit::Reason reason = plan::Unsplit::Reason::kIndivisible;
  uint32_t ops = 0;
  program::OpId firstOp;
  int64_t size = 0;  // Of the factor at that op.
};

struct PlanReport {
  std::vector<PlacedTensor> arguments, results;
  int64_t argumentBytesPerDevice = 0;
  std::vector<std::pair<spmd::Kind, CollectiveTotal>> collectives;  // All kinds, in their order.
  std::vector<UnsplitGroup> unsplit;
  std::vector<std::string> notes;  // Of the tactics and of partitioning.
};

PlanReport planReport(const plan::Subject& subject, const plan::TacticOutcome& outcome,
                      const spmd::SpmdProgram& spmd);

struct PlanTextOptions {
  // Rows of arguments beyond this many are summed up; copies of an argument share a row. 0: all.
  size_t mostArguments = 40;
};

std::string planText(const plan::Subject& subject, const plan::TacticOutcome& outcome,
                     const PlanReport& report, const PlanTextOptions& options = {});

// Keys: mesh, tactics, arguments, results, argument_bytes_per_device, collectives, unsplit, notes.
nlohmann::ordered_json planJson(const plan::Subject& subject, const plan::TacticOutcome& outcome,
                                const PlanReport& report);

}  // namespace shardwright::driver
