// The order in which steps run. Rules M1-M4, M12-M14, M16: docs/concepts/cost.md.
//
// XLA orders a program so that it needs little memory: a gradient is used by its optimizer update
// as soon as it exists. The order is found once, for the program on one device, and holds for every
// plan:
//
//   M1  Steps run in program order, with these exceptions.
//   M2  A step that frees more bytes than it makes, or makes none, runs as soon as it can. (A step
//       that writes over an argument waits until nobody else reads it.)
//   M3  A step that makes more than it frees and reads nothing but arguments and constants runs
//       just before its first user.
//   M4  What a plan adds: a collective whose result is no larger than its operand runs as soon as
//       it can; everything else just before its first user. A gather is started one gather early,
//       where its operand is there by then.
//   M12 In the body of a loop M2 and M3 do not hold: a step runs when the first that needs it does.
//       What the body yields is made one after the other, and of several things that are needed
//       the one with the most behind it comes first. So the gradients of weights come last.
//   M13 Zeros of one type that loops begin with are made in one launch on GPUs, before the first of
//       them is needed.
//   M14 A product that no loop needs waits until all loops have run, with what is made from it: the
//       gradient of an output layer. Not so if its reader needs a later loop.
//
// These are GPUs and TPUs. XLA runs host programs breadth first: each step, collectives too, as
// soon as it can, in the order in which that came to be, and all-reduces that need nothing of one
// another as one (M16, combine.h).
#pragma once

#include <vector>

#include "shardwright/cost/steps.h"

namespace shardwright::cost {

// Per region, the ops of its steps in the order in which they run.
using BaseOrder = IdVector<program::RegionId, std::vector<program::OpId>>;

// M1-M3, M12 and M14, from the program on one device.
[[nodiscard]] BaseOrder baseOrder(const Graph& oneDevice, const Steps& steps);

// Per region, the steps of a partitioned program in the order in which they run (M4, M13). `base`
// is not asked for hosts.
using Order = IdVector<program::RegionId, std::vector<StepId>>;
[[nodiscard]] Order orderSteps(const Graph& graph, const Steps& steps, const BaseOrder& base,
                               Flavor flavor);

}  // namespace shardwright::cost
