// An estimate as text for people, as JSON for programs and as a timeline for trace viewers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "shardwright/cost/estimate.h"
#include "shardwright/plan/plan.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::driver {

// What was estimated, and of what. All of it outlives the view.
struct EstimateView {
  const plan::Subject& subject;
  const spmd::SpmdProgram& spmd;
  const cost::Device& device;
  const cost::Topology& topology;
  const cost::Estimate& estimate;
  cost::Bytes limit;  // Of memory.
  // What the tactics took and could not take, for the reader.
  std::vector<std::string> remarks;

  bool fits() const { return estimate.memory.peak <= limit; }
};

struct EstimateTextOptions {
  size_t mostRows = 10;                      // Of each list; 0 lists all.
  std::string listAll = "--all lists them";  // How to see the rows that are left out.
};

// Where time and memory go, the largest first, with source lines.
std::string estimateText(const EstimateView& view, const EstimateTextOptions& options = {});

// Keys: device, mesh, topology, step_seconds, compute_seconds, exposed_communication_seconds,
// peak_bytes, limit_bytes, fits, flops, memory, collectives, largest_collectives, residents,
// arguments, results, remarks. They are stable; new ones may come.
nlohmann::ordered_json estimateJson(const EstimateView& view);

// The predicted timeline and memory curve as trace events, which Perfetto and chrome://tracing
// show: one track that computes, one per mesh axis, and a counter of bytes. Of a loop the first
// turn is shown inside the loop's own bar.
nlohmann::ordered_json traceJson(const EstimateView& view);

// "3.1 ms", "12 us", "0 s".
std::string secondsText(double seconds);

}  // namespace shardwright::driver
