// The laws that every Program obeys. Builders are trusted code, so a breach is a bug in whoever
// built it; the verifier says which op and which law.
#pragma once

#include "shardwright/program/program.h"

namespace shardwright::program {

// Checks, in one pass over the ops:
//   P1  ids are in range; results and signature types agree; operand types match the signature
//   P2  regions nest: each lies right behind its parent op and inside the parent's region
//   P3  a value is defined before it is used, in the region of the use or in one around it; the
//       exceptions are the second operand of a carry, which the body of its loop yields, and the
//       operands of a merge, which the branches of its case yield
//   P4  a carry's first result is used only in its loop's condition, its second only in the body,
//       its third only outside the loop
//   P5  the values of a carry have one type; so have those of a merge
//   P6  `while` follows its carries and has a condition with one yield and a body with one yield
//       per carry; `case` has branches with one yield per merge that follows it
//   P7  arguments and results name existing ops; an aliased result exists and has the argument's
//       type; no result is aliased twice
[[nodiscard]] Status verify(const Program& program);

}  // namespace shardwright::program
