// What a search found, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "shardwright/driver/partition.h"

namespace shardwright::driver {

// What was planned, and for what. All of it outlives the view.
struct PartitionView {
  const plan::Subject& subject;
  const PartitionTarget& target;
  const PartitionOptions& options;
  const Partitioned& found;
};

struct PartitionTextOptions {
  size_t mostRows = 10;                      // Of each list; 0 lists all.
  std::string listAll = "--all lists them";  // How to see the rows that are left out.
};

// The decisions in words, how the plan compares with known ones, the estimate in parts, what was
// left whole and why.
std::string partitionText(const PartitionView& view, const PartitionTextOptions& options = {});

// If the plan does not fit: what would. Empty where nothing is known.
//   "the arguments alone take 458 GB, which at least 13 such devices can hold"
std::string remedyText(const PartitionView& view);

// What estimateJson has, and: remedy (if the plan does not fit), search (algorithm, evaluations,
// seconds, seed, threads, stopped_by, proved, trace), searches (one per auto), plan (per axis, in
// words), comparisons, unsharded.
nlohmann::ordered_json partitionJson(const PartitionView& view);

}  // namespace shardwright::driver
