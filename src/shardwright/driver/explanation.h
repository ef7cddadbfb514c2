// Why a plan lays things out as it does: of each argument which decision splits it or why an axis
// leaves it whole, of each collective what it moves, for whom, and why it is needed.
//
//   12 x all_gather over data  bf16[1024,4096] [data, -] -> whole
//       of   argument `params['w1']`
//       for  dot_general at model.py:12:3
//       why  there data splits batch/x.0, which comes before params/w1.0
#pragma once

#include <string>
#include <vector>

#include "shardwright/cost/estimate.h"
#include "shardwright/plan/plan.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::driver {

struct ExplainedArgument {
  std::string path, type, spec;
  int64_t bytes = 0;  // On one device.
  // One sentence per axis of the mesh, in its order; axes of size 1 have none.
  std::vector<std::string> why;
};

// Collectives that agree in all of these texts, as those of the layers of a network.
struct ExplainedCollective {
  std::string kind, axes;
  std::string type;      // Of the whole value.
  std::string from, to;  // Layouts, as plan files write them; partial ones say so.
  std::string of;        // What makes the value.
  std::string user;      // The op for which it is moved.
  std::string why;
  double count = 0;    // Loops multiply.
  double bytes = 0;    // Of the larger of operand and result, on one device.
  double seconds = 0;  // On the wires.
};

struct Explanation {
  std::vector<ExplainedArgument> arguments;      // In the program's order.
  std::vector<ExplainedCollective> collectives;  // The longest first; without times, the largest.
  bool timed = false;
};

// `spmd` is what the plan makes of the program. Without an estimate nothing has a time.
Explanation explain(const plan::Subject& subject, const plan::Plan& plan,
                    const spmd::SpmdProgram& spmd, const cost::Estimate* estimate = nullptr);

}  // namespace shardwright::driver
