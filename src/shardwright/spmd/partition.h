// From a plan to the SPMD program: the law (plan/assignment.h), idle splits (give_up.h), partial
// sums (flow.h), reshards (reshard.h). docs/design/0003-plans.md says why.
#pragma once

#include "shardwright/plan/op_patterns.h"
#include "shardwright/plan/plan.h"
#include "shardwright/spmd/program_tables.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::spmd {

// Applies the law and writes the program that one device runs. The plan must pass plan::checkPlan.
//   x[16,32] @ w[32,64] with data: [rows of x], data=4
//     %0:f32[4,32] [data, -] = argument "x"
//     %1:f32[32,64] whole = argument "w"
//     %2:f32[4,64] [data, -] = dot_general %0, %1
[[nodiscard]] SpmdProgram partition(const plan::Subject& subject, const plan::Plan& plan);

// The same for many plans of one program: what does not depend on the plan is made once. May be
// used by several threads at once.
class Partitioner {
 public:
  explicit Partitioner(const plan::Subject& subject);

  [[nodiscard]] SpmdProgram partition(const plan::Plan& plan) const;

 private:
  plan::Subject subject_;
  plan::OpPatterns patterns_;
  ProgramTables tables_;
};

}  // namespace shardwright::spmd
