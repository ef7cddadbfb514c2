#include "shardwright/mlir/export/stand_ins.h"

namespace shardwright {

using spmd::Instruction;
using spmd::Kind;

mlir::Value StandIns::write(Emit& emit, const Instruction& instruction, mlir::Value operand) {
  const mlir::Value sent = emit.barrier(operand);
  switch (instruction.kind) {
    case Kind::kAllGather:
      return emit.barrier(copies(emit, instruction, sent));
    case Kind::kReduceScatter:
      return emit.barrier(firstPart(emit, instruction, sent));
    case Kind::kAllToAll:
      return emit.barrier(exchange(emit, instruction, sent));
    default:
      return sent;
  }
}

mlir::Value StandIns::allReduce(Emit& emit, mlir::Value operand, mesh::AxisList,
                                program::Combiner) {
  return emit.barrier(operand);
}

mlir::Value StandIns::copies(Emit& emit, const Instruction& instruction, mlir::Value operand) {
  const llvm::SmallVector<mlir::Value> parts(static_cast<size_t>(group(instruction)), operand);
  return emit.concatenate(parts, instruction.dim);
}

mlir::Value StandIns::firstPart(Emit& emit, const Instruction& instruction, mlir::Value operand) {
  const int64_t size = shapeOf(operand)[instruction.dim] / group(instruction);
  return emit.slice(operand, instruction.dim, 0, size);
}

mlir::Value StandIns::exchange(Emit& emit, const Instruction& instruction, mlir::Value operand) {
  const int64_t count = group(instruction);
  const int64_t size = shapeOf(operand)[instruction.toDim] / count;
  llvm::SmallVector<mlir::Value> parts;
  for (int64_t n = 0; n < count; ++n) {
    parts.push_back(emit.slice(operand, instruction.toDim, n * size, size));
  }
  return emit.concatenate(parts, instruction.dim);
}

}  // namespace shardwright
