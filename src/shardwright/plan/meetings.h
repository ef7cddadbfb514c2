// Where two colours meet: the ops that have a factor of each, in compatibility sets.
#pragma once

#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

// Ops at which both colours have a factor that can be split, joined when one value carries both
// dims from one op to the other: turning a set one way needs no resharding inside it.
struct MeetingSet {
  std::vector<program::OpId> ops;  // In program order.
};

// In order of their first op.
std::vector<MeetingSet> meetings(const Subject& subject, analysis::ColorId a, analysis::ColorId b);

}  // namespace shardwright::plan
