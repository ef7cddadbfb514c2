// Where two colours meet: the ops that have a factor of each, in compatibility sets.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

// Ops at which both colours have a factor that can be split, joined when one value carries both
// dims from one op to the other: turning a set one way needs no resharding inside it.
struct MeetingSet {
  analysis::ColorId first, second;  // In the order of their classes.
  std::vector<program::OpId> ops;   // In program order.
};

// All of a program. They are found in one pass over it, however many colours there are.
class Meetings {
 public:
  explicit Meetings(const Subject& subject);

  // In order of their first op.
  const std::vector<MeetingSet>& sets() const { return sets_; }
  // Those of two colours, in order of their first op.
  std::vector<const MeetingSet*> between(analysis::ColorId a, analysis::ColorId b) const;

 private:
  std::vector<MeetingSet> sets_;
  std::map<std::pair<analysis::ColorId, analysis::ColorId>, std::vector<size_t>> places_;
};

}  // namespace shardwright::plan
