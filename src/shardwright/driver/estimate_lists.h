// The lists of an estimate's report: what is alike stands in one row.
#pragma once

#include <string>
#include <vector>

#include "shardwright/driver/estimate_report.h"

namespace shardwright::driver {

// Collectives of one kind, axes, shape and source line: those of the layers of a network.
struct CollectiveGroup {
  std::string kind, axes, type, where;
  double count = 0;
  double bytes = 0;
  double seconds = 0;  // On the wires; loops multiply.
};
// The longest first.
std::vector<CollectiveGroup> collectiveGroups(const EstimateView& view);

// What is in memory at the peak and differs in nothing but indices in its path.
struct ResidentGroup {
  std::string kind, type, layout, where;
  uint64_t count = 0;
  double bytes = 0;
};
// The largest first.
std::vector<ResidentGroup> residentGroups(const EstimateView& view);

// Arguments that differ in nothing but indices in their path.
struct ArgumentGroup {
  std::string path, type, spec;
  uint64_t count = 0;
  double bytes = 0;  // Of all of them, on one device.
};
// The largest first.
std::vector<ArgumentGroup> argumentGroups(const EstimateView& view);

// "while dot_general at model.py:12:3 runs".
std::string peakText(const EstimateView& view);

// An argument or result and how it lies on the devices.
struct TensorPlace {
  std::string path, type, dtype, spec;
  std::vector<int64_t> shape, localShape;
  int64_t bytes = 0;  // On one device.
};
TensorPlace argumentPlace(const EstimateView& view, size_t index);
TensorPlace resultPlace(const EstimateView& view, size_t index);

}  // namespace shardwright::driver
