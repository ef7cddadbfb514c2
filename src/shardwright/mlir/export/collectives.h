// Collectives as StableHLO ops, in the form that JAX gives them.
#pragma once

#include <utility>
#include <vector>

#include "shardwright/mlir/export/emit.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright {

// Which device sends its part to which, when a value goes from layout `from` to layout `to` and the
// local shape stays. Every device sends once and receives once; one that has its part already keeps
// it, the others get theirs from the nearest device that has it.
//   mesh a=2,b=2, [a, b] -> [b, a]: {0,0}, {2,1}, {1,2}, {3,3}
std::vector<std::pair<int64_t, int64_t>> permutation(const mesh::Mesh& mesh,
                                                     const mesh::LayoutTable& layouts,
                                                     mesh::LayoutId from, mesh::LayoutId to);

// Writes collectives, each with a channel of its own.
class Collectives {
 public:
  explicit Collectives(const spmd::SpmdProgram& spmd) : spmd_(spmd) {}
  virtual ~Collectives() = default;

  // Requires isCollective(instruction.kind). `operand` is the value of its operand.
  virtual mlir::Value write(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  // Combines `operand` over `axes`; for what no instruction stands for.
  virtual mlir::Value allReduce(Emit& emit, mlir::Value operand, mesh::AxisList axes,
                                program::Combiner combiner);

 protected:
  mlir::Type resultType(const spmd::Instruction& instruction, mlir::Value operand) const;

  const spmd::SpmdProgram& spmd_;

 private:
  mlir::Value reduceScatter(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  mlir::Value allGather(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  mlir::Value allToAll(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  mlir::Value permute(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  mlir::Attribute groups(Emit& emit, mesh::AxisList axes) const;
  stablehlo::ChannelHandleAttr channel(Emit& emit);
  int64_t channels_ = 0;
};

}  // namespace shardwright
