// Where classes of colours meet: the compatibility sets that a plan may turn the other way.
#pragma once

#include <vector>

#include "shardwright/plan/meetings.h"

namespace shardwright::search {

// Meeting sets (plan/meetings.h) of colours of two classes that are copies of one another: they are
// turned together.
struct MeetingClass {
  analysis::ClassId first, second;
  std::vector<plan::MeetingSet> sets;
  double bytes = 0;  // Of what the ops make.
};

// All of them, largest first. One pass over the program, whatever the number of classes.
[[nodiscard]] std::vector<MeetingClass> meetingClasses(const plan::Subject& subject);

// What a plan must have so that, on the axis, the colours of one class win at these ops.
[[nodiscard]] std::vector<plan::Turn> turnsOf(const MeetingClass& meeting, uint32_t axis,
                                              bool firstWins);

}  // namespace shardwright::search
