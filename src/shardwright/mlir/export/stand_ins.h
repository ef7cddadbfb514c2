// What the local form has in the place of collectives: ops of one device with operands and results
// of the same shapes.
#pragma once

#include "shardwright/mlir/export/collectives.h"

namespace shardwright {

// Operand and result are buffers, as those of a collective are: nothing fuses across a barrier.
//   all_reduce, collective_permute   the operand
//   reduce_scatter                   its first part
//   all_gather                       as many copies as there are devices
//   all_to_all                       its parts along one dim, put together along the other
class StandIns final : public Collectives {
 public:
  using Collectives::Collectives;

  mlir::Value write(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand) override;
  mlir::Value allReduce(Emit& emit, mlir::Value operand, mesh::AxisList axes,
                        program::Combiner combiner) override;

 private:
  mlir::Value copies(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  mlir::Value firstPart(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  mlir::Value exchange(Emit& emit, const spmd::Instruction& instruction, mlir::Value operand);
  int64_t group(const spmd::Instruction& instruction) const {
    return mesh::deviceCount(spmd_.mesh, instruction.axes);
  }
};

}  // namespace shardwright
