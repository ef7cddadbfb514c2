// Where partial sums flow.
//
// An op whose reduction factor is split leaves a partial sum. Combining it at once is always right;
// letting it pass through linear ops is right too, and often saves: the three gradients that reach
// the input of an attention layer are added up first and reduced once.
//
//   F1  A sum that is partial over an axis may pass through an op that is linear in that operand
//       (Rule::linearGroup), inside one region, if it is the value's only use. Operands that are
//       linear together with it and complete are masked: they enter on one device only.
//   F2  For each value with one use and each axis there are two numbers: the least bytes sent until
//       its user has it complete, and until its user has it partial. An op's numbers follow from
//       its operands' numbers, in program order.
//   F3  Values with several uses, pinned values, arguments of ties and of ops that are not linear
//   are
//       demanded complete. From there choices go backwards; where both ways cost the same, sums are
//       reduced early.
//   F4  An op that is as cheap as an addition gives up its own split over the axis if every operand
//       that shows the split factor comes partial: three partial gradients are added up as they are
//       and scattered once, though the addition could have been split. A repeated number shows the
//       factor too, and is made whole instead.
//   F5  What a loop adds up (gradients of parts of a batch) may stay partial over all turns. The
//       carry is partial, and complete behind the loop. So if nothing else looks at it inside, if
//       neither the carry nor an addition is split over the axis, and if each addition of a turn
//       (there are several where a weight is used several times) adds a partial sum. Before the
//       first of them the carry may go through linear ops that are not split. What such a loop
//       leaves may in turn be what another one around it adds up.
//   F6  Such a carry gives up its split over the axis, and so do the additions to it, if it begins
//       with zeros and a loop reads a value of its shape that is split outside and whole inside: a
//       recurrent network whose weights are gathered before the loop adds up their gradients whole,
//       and scatters them once behind it. Not where gathered copies are made again, which saves
//       memory, nor what is written into a stack. A sum of a megabyte at most does so anyway.
#pragma once

#include <vector>

#include "shardwright/plan/assignment.h"
#include "shardwright/spmd/splits.h"

namespace shardwright::spmd {

struct Flow {
  // Per value: the axes over which it reaches its only user as a partial sum.
  std::vector<mesh::AxisSet> passes;
};

// Decides for each axis. Splits that ops give up (F4) are removed from the assignment.
Flow planFlow(const plan::Subject& subject, const ProgramTables& tables, const plan::Plan& plan,
              const plan::Assignment& assignment, Splits& splits);

}  // namespace shardwright::spmd
