// Ops that do again what another op has done.
#pragma once

#include <span>
#include <vector>

#include "shardwright/base/interner.h"
#include "shardwright/program/builder.h"
#include "shardwright/rules/work.h"

namespace shardwright {

// Finds them while a program is built, so that they need not be added: derivatives of derivatives
// compute most of a step twice, and on a mesh what is computed twice is sent twice. XLA would merge
// the ops, but not the collectives between them.
//
//   %1 = tanh %0;  %2 = multiply %1, 2;  %3 = tanh %0;  %4 = multiply %3, 2
//
// Here %3 is %1, and so %4 is %2. A constant, or a value repeated along new dims, counts as equal
// but stays: as one value it would tie the dims of all that read it to one another, and a learning
// rate that is repeated for each weight would tie the weights.
class Repetitions {
 public:
  struct Candidate {
    program::NameId name;
    program::AttributesId attributes;
    uint32_t variant = program::kNoVariant;
    std::span<const program::ValueId> operands = {};
    program::TypeId resultType;
  };

  explicit Repetitions(const program::ProgramBuilder& builder) : builder_(builder) {}

  // The value that the op would make in the open region, if it is there already; else invalid, and
  // `add` wants to know the result that the op gets.
  [[nodiscard]] program::ValueId find(const Candidate& op);
  void add(program::ValueId result);

 private:
  struct Known {
    program::ValueId first;  // That is equal.
    // Its dims are those of an argument, or of an op that nothing is said of here.
    bool anchored = true;
  };

  Known known(program::ValueId value) const;
  bool isAnchored(const Candidate& op, rules::WorkKind kind) const;

  const program::ProgramBuilder& builder_;
  WordInterner numbers_;
  std::vector<Known> firsts_;  // Per number.
  std::vector<Known> values_;  // Per value; what is missing is known by itself alone.
  Known* found_ = nullptr;     // By the last `find`: the entry of `firsts_`, if there is one.
  std::vector<uint64_t> words_;
};

}  // namespace shardwright
