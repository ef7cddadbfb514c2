// When everything runs. Rules T5-T8: docs/concepts/cost.md.
//
//   T5  One stream computes, and each mesh axis has one stream that communicates. A collective over
//       several axes occupies all of their streams. (Host devices communicate with the cores that
//       compute: there collectives run on the computing stream.)
//   T6  A kernel runs when its inputs are there, the first in the order before others; while it
//   waits
//       for a collective, later ones may run. A collective starts when its turn has come, its
//       operand is there and its streams are free, and holds up nobody but those who need its
//       result. What stands behind a joint barrier waits for all of its operands.
//   T7  While the computing stream waits, communication is exposed: the wait is booked on the
//       collective it waits for from when that begins, and before on those that it stands behind.
//   T8  A loop waits for all streams, runs its body as often as it turns, each turn like the first,
//       and leaves all streams at its end. Of a branch the longest region counts.
#pragma once

#include <array>
#include <vector>

#include "shardwright/cost/barriers.h"
#include "shardwright/cost/compute.h"
#include "shardwright/cost/detail.h"
#include "shardwright/cost/schedule.h"
#include "shardwright/cost/topology.h"
#include "shardwright/cost/units.h"

namespace shardwright::cost {

inline constexpr size_t kCollectiveKinds = 5;
// all_reduce, reduce_scatter, all_gather, all_to_all, collective_permute: in the order of
// spmd::Kind.
inline size_t collectiveIndex(spmd::Kind kind) {
  return static_cast<size_t>(kind) - static_cast<size_t>(spmd::Kind::kAllReduce);
}
inline spmd::Kind collectiveKind(size_t index) {
  return static_cast<spmd::Kind>(index + static_cast<size_t>(spmd::Kind::kAllReduce));
}

// Of all collectives of one kind, in one step of the program.
struct CollectiveCost {
  double count = 0;  // Loops multiply.
  double bytes = 0;  // Of the larger of operand and result, on one device.
  Seconds seconds;   // On the wires.
  Seconds exposed;   // While nothing is computed.
};
using CollectiveCosts = std::array<CollectiveCost, kCollectiveKinds>;

// Something that runs, in one turn of its region; times from the region's start.
struct Event {
  spmd::InstructionId instruction;
  program::RegionId region;
  mesh::AxisSet axes;  // Of a collective; empty for the computing stream.
  Seconds start, end;
};

struct Timeline {
  Seconds end;      // Of the whole step.
  Seconds compute;  // While kernels run; loops multiply.
  CollectiveCosts collectives;
  std::vector<Event> events;  // By region, in the order in which they are started.
};

// Without lists there are no events.
[[nodiscard]] Timeline simulate(const Graph& graph, const Steps& steps, const Order& order,
                                const std::vector<KernelCost>& costs, const JointBarriers& barriers,
                                const Topology& topology, Flavor flavor,
                                Detail detail = Detail::kLists);

}  // namespace shardwright::cost
