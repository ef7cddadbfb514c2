// Splits that would only cost.
//
//   U1  A chain of cheap ops (F4 says which) gives up its split over an axis if no operand comes to
//       it split or partial over that axis, and none of its results goes to a use that wants it so:
//       slices before the chain and gathers behind it are all that the split would bring. The
//       classic is a parameter that is whole between steps and reshaped before its first use.
#pragma once

#include <vector>

#include "shardwright/plan/assignment.h"

namespace shardwright::spmd {

// At most one operation per element, and nothing is summed.
bool isCheap(const rules::Rule& rule);

// Per op, the factor that the axis splits; invalid where there is none.
std::vector<rules::FactorId> splitFactors(const program::Program& program,
                                          const plan::Assignment& assignment, uint32_t axis);

// The factor is no longer split over the axis.
void giveUp(plan::Assignment& assignment, program::OpId op, rules::FactorId factor, uint32_t axis);

// Removes such splits from the assignment.
void giveUpIdleSplits(const plan::Subject& subject, const plan::Plan& plan,
                      plan::Assignment& assignment);

}  // namespace shardwright::spmd
