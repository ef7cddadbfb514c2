// An independent look at a partitioned program: does it do what the program and the plan say?
//
// The checker shares no code with the law, the partitioner or the reshard planner. It reads the
// program, its rules and its analysis, and works everything else out again, slowly and obviously.
// A program is accepted only if all of this holds:
//
//   K1  form        the mesh is the plan's; no axis stands twice in a layout; every local is made
//   by
//                   one instruction; its type is the part of its value that the layout says
//   K2  ops         every op of the program appears exactly once, in order and in its region; the
//                   instructions of a region stand together, after the op it belongs to
//   K3  values      operands stand for the values that the op takes, and are visible: made before,
//                   in this region or one around it; what partitioning adds keeps the value
//   K4  law         each op is split as the law of plan/assignment.h says, except for axes that it
//                   gave up because partial operands flow through it over those axes, or because
//                   nothing comes to it split over them and nothing it makes is wanted so (U1 to
//                   U3)
//   K5  layouts     each dim of each operand and result has the axes of its leading factor
//   K6  partial     a result is partial over the axes of its split reductions and over those that
//                   flow in through linear operands, all with one combiner; operands that are
//                   linear together are partial alike; an operand that counts once enters on one
//                   device; nothing else is partial, and nothing that a condition or a branch
//                   yields or that is returned. A carry is partial if what it begins with is and
//                   what its body yields: a sum over all turns
//   K7  moves       slices, masks and collectives do what spmd_program.h says
//   K8  ties        a carry takes what its body yields, a merge what its branches yield; arguments
//                   and results are those of the program; aliased pairs have one layout
//   K9  pins        a pinned value is brought into its layout before anything uses it
#pragma once

#include "shardwright/base/result.h"
#include "shardwright/plan/plan.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::spmd {

// Empty if `spmd` is a right partitioning of the program by `plan`, which must pass
// plan::checkPlan. The diagnostic begins with the law and names op, dim, axes and sizes; its
// location is the op's.
//   K5: op 7 (stablehlo.add): operand 1: dim 0 is split over model (2), expected data (4)
[[nodiscard]] Status check(const plan::Subject& subject, const plan::Plan& plan,
                           const SpmdProgram& spmd);

}  // namespace shardwright::spmd
