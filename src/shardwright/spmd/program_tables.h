// What partitioning asks of a program for every plan and no plan changes, in flat tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::spmd {

// What lowering does with an op.
enum class Handling : uint8_t {
  kPlain,
  kArgument,
  kReturn,
  kCarry,
  kMerge,
  kLoop,    // Has regions, and what they need of values from outside is made before it.
  kRegions  // Has regions, and partial sums that several of them read are completed before it.
};

// One of an op's tensors: operands are numbered first, then results.
struct TensorOf {
  program::OpId op;
  uint32_t tensor = 0;
};

struct Move {
  program::OpId op;
  bool entersLoop;  // What it moves stands outside of the loop that it is in.
};

class ProgramTables {
 public:
  explicit ProgramTables(const plan::Subject& subject);

  Handling handling(program::OpId op) const { return handling_[op.index()]; }
  // Per operand of the op: which result of which op it is.
  const TensorOf* makers(const program::Op& op) const { return makers_.data() + op.operandsBegin; }
  size_t operandCount() const { return makers_.size(); }  // Of all ops.
  // The operands that a value is, in program order.
  std::span<const TensorOf> uses(program::ValueId value) const {
    return {uses_.data() + usesBegin_[value.index()], uses_.data() + usesBegin_[value.index() + 1]};
  }
  // The only use of a value; `op` is invalid if there are none, several, or one that is no operand.
  TensorOf onlyUse(program::ValueId value) const { return onlyUse_[value.index()]; }
  // The carry that an op adds to, as the last one in each turn of its loop, where nothing else
  // looks at what the loop carries there, nor at what is added to it before; invalid for most ops.
  program::OpId sumOf(program::OpId op) const { return sumOf_[op.index()]; }
  // Of such a carry: where loops read values of the same shape that come from outside, as a
  // recurrent network reads the weights whose gradients it adds up. Empty for other ops.
  std::span<const TensorOf> readsBeside(program::OpId carry) const;
  // Whether ops of the signature are as cheap as an addition (F4) and stand for no value.
  bool givesUp(program::SignatureId id) const { return givesUp_[id.index()] != 0; }
  // Ops that only move one value, point for point (U3), in order.
  std::span<const Move> moves() const { return moves_; }

 private:
  void listUses(const program::Program& program);
  void findOnlyUses(const program::Program& program);
  void findMoves(const plan::Subject& subject);
  void findSums(const plan::Subject& subject);
  program::OpId lastSum(const plan::Subject& subject, program::OpId carry) const;

  std::vector<Handling> handling_;   // Per op.
  std::vector<TensorOf> makers_;     // Per operand, in the order of the program's.
  std::vector<uint32_t> usesBegin_;  // Per value, into uses_; one past.
  std::vector<TensorOf> uses_;
  std::vector<TensorOf> onlyUse_;     // Per value.
  std::vector<program::OpId> sumOf_;  // Per op.
  std::vector<char> givesUp_;         // Per signature.
  std::vector<Move> moves_;
  std::vector<program::OpId> sums_;                 // Carries that are sums, in order.
  std::vector<std::vector<TensorOf>> readsBeside_;  // Of each of those.
};

}  // namespace shardwright::spmd
