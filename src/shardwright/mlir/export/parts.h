// What the parts of the explicit form share: the program, the place to write to, the device's
// position.
#pragma once

#include "shardwright/mlir/dialects/chlo/chlo.h"
#include "shardwright/mlir/export/collectives.h"
#include "shardwright/mlir/export/emit.h"
#include "shardwright/mlir/export/positions.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright {

// One op of the program on its way to its device-local form.
struct LocalOp {
  const program::Program& program;
  const spmd::SpmdProgram& spmd;
  const spmd::Instruction& instruction;
  mlir::Operation* origin;
  llvm::SmallVector<mlir::Value> operands;  // Local; what regions capture comes last.
  Emit& emit;
  Positions& positions;
  Collectives& collectives;

  // How an operand or a result is laid out.
  mesh::LayoutId operandLayout(size_t index) const {
    return spmd.locals[spmd.operandsOf(instruction)[index]].layout;
  }
  mesh::LayoutId resultLayout(size_t index = 0) const {
    return spmd.locals[spmd.result(instruction, index)].layout;
  }
  mesh::AxisList operandAxes(size_t index, size_t dim) const {
    return spmd.layouts.dim(operandLayout(index), dim);
  }
  // Shape and type of a result, on the device.
  Shape resultShape(size_t index = 0) const {
    const auto shape = spmd.types.shape(spmd.locals[spmd.result(instruction, index)].type);
    return {shape.data(), shape.size()};
  }
  mlir::Type resultType(unsigned index = 0) const {
    return withShape(origin->getResult(index).getType(), resultShape(index));
  }
  // Shapes in the program as it was read.
  Shape globalOperandShape(unsigned index) const { return shapeOf(origin->getOperand(index)); }
  Shape globalResultShape(unsigned index = 0) const { return shapeOf(origin->getResult(index)); }
};

// The device's part of a value that it has whole along `axes`, one list per dim.
mlir::Value takePart(Emit& emit, Positions& positions, mlir::Value value, mlir::Type partType,
                     llvm::ArrayRef<mesh::AxisList> axes);

// The op on local operands and with local results, its regions with it. Attributes that say
// how the program is sharded are left out; others are as in the program.
mlir::Operation* cloneLocal(LocalOp& op);

// --- one function per family; each returns the values of the results ---
using Values = llvm::SmallVector<mlir::Value>;

// sources.cpp
Values localConstant(LocalOp& op, mlir::ElementsAttr value);
Values localIota(LocalOp& op, int64_t dim);
Values localRng(LocalOp& op);

// indexing.cpp
Values localGather(LocalOp& op, stablehlo::GatherDimensionNumbersAttr dims, Shape sliceSizes,
                   bool sorted);
Values localScatter(LocalOp& op, stablehlo::ScatterOp scatter);

// ragged.cpp
Values localRaggedDot(LocalOp& op, chlo::RaggedDotOp dot);

// compute.cpp: any op that is not control flow. A diagnostic where it has no device-local form.
Result<Values> localCompute(LocalOp& op);

}  // namespace shardwright
