// Splits that would only cost.
//
//   U1  A chain of cheap ops (F4 says which) gives up its split over an axis if no operand that it
//       would take split comes split or partial over that axis, and none of its results goes to a
//       use that wants it so: slices before the chain and gathers are all that the split would
//       bring. The classic is a parameter that is whole between steps and reshaped before its first
//       use. What is laid along two dims of a causal mask can be split in one of them only.
//   U2  What a loop carries gives up its split over an axis if nothing in a turn wants it so:
//       neither what yields it nor what reads it. A stack into which each turn writes one part,
//       split along the parts, would be gathered and cut again in each turn.
//   U3  An op that only moves one value, point for point, gives up its split over an axis if all
//       its uses want the result whole and the value itself is gathered anyway or better. Another
//       op of its region wants it whole, or moves it and gives up the split too: a table that is
//       transposed to be the output layer, a kernel that is reversed for the backward pass. Or the
//       value stands outside of the loop that the op is in, and can be gathered once before it: a
//       scale that each part of a batch lays along its rows. Not where gathered copies are made
//       again, which saves memory.
#pragma once

#include "shardwright/plan/plan.h"

namespace shardwright::spmd {

class ProgramTables;  // program_tables.h
class Splits;         // splits.h

// At most one operation per element, and nothing is summed, unless over a single point.
bool isCheap(const rules::Rule& rule);

// Removes such splits from the assignment.
void giveUpIdleSplits(const program::Program& program, const ProgramTables& tables,
                      const plan::Plan& plan, Splits& splits);

}  // namespace shardwright::spmd
