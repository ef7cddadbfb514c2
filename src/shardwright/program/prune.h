// Leaves out what nothing uses and what loops carry for nothing.
#pragma once

#include <vector>

#include "shardwright/program/program.h"

namespace shardwright::program {

struct Pruned {
  Program program;
  size_t removed = 0;  // Ops that reach nothing; carries of unchanged values are not counted.
};

// Values that a loop carries unchanged are taken from outside by whoever uses them, and the carry
// goes: what is made of them can then be made once, before the loop.
//
// Removes the ops that are marked in `removable` (one entry per op) and the carries and merges
// whose results reach no op that stays: no return, no condition of a loop, no op that is not
// removable. JAX leaves such ops behind (differentiating a softmax does, and so do results that a
// caller ignores and values that a loop passes along for nothing) and XLA removes them, so they
// must not take part in decisions. Ids are renumbered, in the same order; Program::tieIndex still
// tells which of its loop's values a carry is. A remark says how many ops were left out. Requires
// that arguments, returns and ops with regions are not removable.
Pruned prune(Program program, const std::vector<char>& removable);

}  // namespace shardwright::program
