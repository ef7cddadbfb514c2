// Whether a value is what became of another one, element by element: a parameter after a step, and
// not what was computed from it.
//
//   w - lr * g                          an update of w, whatever g is
//   table.at[i].set(table[i] - lr * g)  an update of the table; cache.at[i].set(k) is none
//   x @ w                               none: no dim of w stays where it was
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

class Updates {
 public:
  explicit Updates(const Subject& subject) : subject_(subject), program_(subject.program) {}

  // Whether `result` is reached from `source` through ops that tie each dim of the one to the same
  // dim of the other, and what is written over parts of it comes of it.
  bool areElementwise(program::ValueId source, program::ValueId result) const;
  // The same of what a turn of a loop is given at a `carry` and what it passes on.
  bool inBody(program::OpId carry) const;

 private:
  bool comesOf(program::ValueId source, program::OpId op, size_t updated) const;
  bool dependOn(program::ValueId source, std::vector<program::ValueId> pending) const;
  bool tiesEveryDim(program::OpId op, size_t input, size_t output) const;

  Subject subject_;
  const program::Program& program_;
  mutable std::unordered_map<uint32_t, bool> inBody_;  // Of carries asked for so far.
};

}  // namespace shardwright::plan
