// Finds the plan: from a program, a mesh and a device to decisions, the SPMD program and its
// estimate.
//
//   const Result<Partitioned> found = partition(subject, mesh, {device, topology, limit}, {});
//   if (found && found->fits()) use(found->outcome.plan);
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "shardwright/cost/estimate.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/search/search.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::driver {

// What to plan for. All of it outlives the call.
struct PartitionTarget {
  const cost::Device& device;
  const cost::Topology& topology;
  cost::Bytes limit;  // Of memory, on each device.
};

struct PartitionOptions {
  // Applied in order; auto(AXIS, …) among them searches. None at all: auto over the whole mesh.
  std::vector<plan::Tactic> tactics = {};
  bool keepStated = true;          // Shardings that the module states become pins.
  std::string algorithm = "mcts";  // Of search::searchNames.
  search::Budget budget = {};      // Of each search.
  uint64_t patience = 0;           // See search::SearchOptions.
  uint64_t seed = 0;
  unsigned threads = 1;
  bool experts = true;      // Expert plans are suggested to mcts.
  bool compareAll = false;  // Expert plans are evaluated for comparison, whatever the budget.
  const std::atomic<bool>* interrupt = nullptr;
  search::ProgressCallback progress = {};
};

// One search: one auto(…) of the schedule.
struct SearchSummary {
  std::vector<std::string> axes;
  std::vector<std::string> taken;    // The actions of the best path, in words.
  std::vector<std::string> leftOut;  // What was not searched and why.
  size_t actions = 0;
  search::Progress progress;
  search::StopReason stoppedBy = search::StopReason::kNone;
  bool proved = false;
  search::Trace trace;
};

// A plan that people know, for comparison.
struct Comparison {
  std::string name;
  search::Score score;
};

struct Partitioned {
  plan::TacticOutcome outcome;  // The plan has passed plan::checkPlan.
  spmd::SpmdProgram spmd;
  cost::Estimate estimate;
  cost::Bytes limit;
  std::vector<SearchSummary> searches;
  search::Score replicated;
  std::vector<Comparison> experts;  // Those that were evaluated, best first.

  bool fits() const { return estimate.memory.peak <= limit; }
};

// Bad tactics are diagnostics; a plan that does not fit is a result. Without budget the plan is
// what the manual tactics say.
[[nodiscard]] Result<Partitioned> partition(const plan::Subject& subject, const mesh::Mesh& mesh,
                                            const PartitionTarget& target,
                                            const PartitionOptions& options);

// The same for a plan that is known already, as from a plan file: nothing is searched. The plan has
// passed plan::checkPlan.
[[nodiscard]] Partitioned applyPlan(const plan::Subject& subject, plan::TacticOutcome outcome,
                                    const PartitionTarget& target);

}  // namespace shardwright::driver
