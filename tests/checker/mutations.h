// Ways to break an SPMD program. Each changes what the program means, or leaves it alone and says
// so.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "shardwright/spmd/spmd_program.h"

namespace shardwright::testing {

// What was broken, in words; nothing if the mutation found nothing to break.
using Broken = std::optional<std::string>;

class Mutator {
 public:
  Mutator(const program::Program& program, spmd::SpmdProgram& spmd, std::mt19937_64& random)
      : program_(program), spmd_(spmd), random_(random) {}

  // One of them at random.
  Broken breakOneThing();

 private:
  using InstructionId = spmd::InstructionId;
  using LocalId = spmd::LocalId;

  Broken dropMove();
  Broken changeAxes();
  Broken reverseAxes();
  Broken changeKind();
  Broken changeDim();
  Broken changeCombiner();
  Broken changeLayout();
  Broken togglePartial();
  Broken changeSplit();
  Broken takeAnotherLayout();
  Broken takeAnotherValue();
  Broken takeALaterLocal();
  Broken takeFromAnotherRegion();
  Broken corruptALocal();
  Broken corruptAnInstruction();
  Broken swapOps();
  Broken swapInstructions();
  Broken changeRegion();
  Broken changeYield();
  Broken changeResult();
  Broken changeValue();

  size_t below(size_t limit) { return static_cast<size_t>(random_() % limit); }
  // A random instruction that is a move (or a compute), if there is one.
  InstructionId anyMove();
  InstructionId anyCompute();
  LocalId anyLocal() { return LocalId(below(spmd_.locals.size())); }
  bool isUsed(LocalId local) const;
  bool takeOutside(LocalId made, program::RegionId region);
  std::vector<LocalId> localsOf(program::ValueId value) const;
  bool isAround(program::RegionId outer, program::RegionId inner) const;
  void relabel(LocalId local, mesh::LayoutId layout);
  std::string name(InstructionId id) const;

  const program::Program& program_;
  spmd::SpmdProgram& spmd_;
  std::mt19937_64& random_;
};

}  // namespace shardwright::testing
