// What a partitioned program costs on a device: time and memory in parts, with units.
//
//   subject: transformer's training step; plan: data parallel on data=8; device: h100
//     step 41 ms = compute 38 ms + exposed communication 3 ms; all_reduce: 30, 352 MB, 2.1 ms
//     peak 31 GB = arguments 1.9 GB + results 1.4 GB - aliased 1.4 GB + temporaries 29 GB
//
// The estimate reads the SPMD program and nothing else of the plan: what is costed is what runs.
#pragma once

#include <memory>

#include "shardwright/cost/barriers.h"
#include "shardwright/cost/device.h"
#include "shardwright/cost/memory.h"
#include "shardwright/cost/timeline.h"
#include "shardwright/cost/topology.h"
#include "shardwright/plan/plan.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::cost {

struct Estimate {
  Seconds step;                 // From start to end: compute + exposed.
  Seconds compute;              // While kernels run.
  Seconds exposed;              // While the device waits for communication.
  CollectiveCosts collectives;  // By collectiveIndex(kind).
  Flops flops;                  // Of one device, in one step.
  double traffic = 0;           // Bytes that kernels read and write, in one step.
  double kernels = 0;           // Launched in one step.
  Memory memory;
  std::vector<Event> events;  // The timeline.
};

// What does not depend on the plan: made once per program and backend, used for many estimates.
class Estimator {
 public:
  Estimator(const plan::Subject& subject, Flavor flavor);

  // `device` must have the estimator's flavor and `topology` the program's mesh.
  // Without lists, `events` and those of `memory` stay empty; the numbers are the same.
  [[nodiscard]] Estimate estimate(const spmd::SpmdProgram& spmd, const Device& device,
                                  const Topology& topology, Detail detail = Detail::kLists) const;

 private:
  plan::Subject subject_;
  Flavor flavor_;
  IdVector<program::SignatureId, rules::Work> work_;
  std::vector<char> mayRepeat_;  // repeatedOps.
  BaseOrder order_;
  JointBarriers barriers_;
};

[[nodiscard]] Estimate estimate(const plan::Subject& subject, const spmd::SpmdProgram& spmd,
                                const Device& device, const Topology& topology);

}  // namespace shardwright::cost
