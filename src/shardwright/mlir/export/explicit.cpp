// What a device runs: the explicit form has it in one sdy.manual_computation, the local form in
// @main.
#include <optional>

#include "shardwright/mlir/export/export.h"
#include "shardwright/mlir/export/lowering.h"
#include "shardwright/mlir/export/module_shell.h"
#include "shardwright/mlir/export/parts.h"
#include "shardwright/mlir/export/stand_ins.h"
#include "shardwright/mlir/import/locations.h"

namespace shardwright {
namespace {

using spmd::Instruction;
using spmd::Kind;
using spmd::LocalId;

class DeviceLowering final : public Lowering {
 public:
  DeviceLowering(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
                 Positions& positions, Collectives& collectives)
      : Lowering(imported, spmd, spmd.locals.size()),
        positions_(positions),
        collectives_(collectives) {}

 private:
  size_t slot(LocalId local) const override { return local.index(); }

  mlir::Type localType(LocalId local, mlir::Type type) const override {
    const auto shape = spmd_.types.shape(spmd_.locals[local].type);
    return withShape(type, Shape(shape.data(), shape.size()));
  }

  void mark(mlir::Operation*, llvm::ArrayRef<LocalId>) override {}

  Status write(const Instruction& instruction) override {
    Emit emit(builder_, origin(instruction.op)->getLoc());
    if (instruction.kind == Kind::kCompute) return compute(emit, instruction);
    const mlir::Value operand = value(spmd_.operandsOf(instruction)[0]);
    if (!hasNumbers(elementOf(operand))) return noNumbers(instruction);
    mlir::Value result;
    if (instruction.kind == Kind::kSlice) result = slice(emit, instruction, operand);
    if (instruction.kind == Kind::kMask) result = mask(emit, instruction, operand);
    if (isCollective(instruction.kind)) result = collectives_.write(emit, instruction, operand);
    bind(spmd_.result(instruction), result);
    return {};
  }

  Status compute(Emit& emit, const Instruction& instruction) {
    LocalOp op{program_, spmd_,      instruction, origin(instruction.op), operands(instruction),
               emit,     positions_, collectives_};
    Result<Values> results = localCompute(op);
    if (!results) return results.error();
    for (size_t i = 0; i < results->size(); ++i) {
      bind(spmd_.result(instruction, i), (*results)[i]);
    }
    return {};
  }

  mlir::Value slice(Emit& emit, const Instruction& instruction, mlir::Value operand) {
    std::vector<mesh::AxisList> axes(shapeOf(operand).size());
    axes[instruction.dim] = instruction.axes;
    const mlir::Type type = localType(spmd_.result(instruction), operand.getType());
    return takePart(emit, positions_, operand, type, axes);
  }

  mlir::Value mask(Emit& emit, const Instruction& instruction, mlir::Value operand) {
    const mlir::Value nothing =
        emit.constant(neutral(elementOf(operand), shapeOf(operand), instruction.combiner));
    return emit.select(positions_.isFirst(instruction.axes), operand, nothing);
  }

  Status noNumbers(const Instruction& instruction) {
    mlir::Operation* op = origin(instruction.op);
    return Diagnostic{op->getName().getStringRef().str() + ": a " + kindName(instruction.kind) +
                          " of quantized values has no explicit form; use the annotated form",
                      sourceOf(op->getLoc()),
                      {}};
  }

  Positions& positions_;
  Collectives& collectives_;
};

llvm::SmallVector<mesh::LayoutId> layoutsOf(const spmd::SpmdProgram& spmd,
                                            const std::vector<LocalId>& locals) {
  llvm::SmallVector<mesh::LayoutId> layouts;
  for (const LocalId local : locals) layouts.push_back(spmd.locals[local].layout);
  return layouts;
}

// An empty manual computation over all arguments, in @main, and @main's return.
sdy::ManualComputationOp addComputation(ModuleShell& shell, const spmd::SpmdProgram& spmd) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&shell.body());
  auto main = mlir::cast<mlir::func::FuncOp>(shell.body().getParentOp());
  const ShardingWriter& shardings = shell.shardings();
  auto computation = sdy::ManualComputationOp::create(
      builder, shell.returnLocation(), main.getResultTypes(), shell.body().getArguments(),
      shardings.perValue(layoutsOf(spmd, spmd.arguments)),
      shardings.perValue(layoutsOf(spmd, spmd.results)), shardings.allAxes());
  mlir::func::ReturnOp::create(builder, shell.returnLocation(), computation.getResults());
  mlir::Block& body = computation.getBody().emplaceBlock();
  for (size_t i = 0; i < spmd.arguments.size(); ++i) {
    const mlir::BlockArgument argument = shell.body().getArgument(static_cast<unsigned>(i));
    const auto shape = spmd.types.shape(spmd.locals[spmd.arguments[i]].type);
    body.addArgument(withShape(argument.getType(), Shape(shape.data(), shape.size())),
                     argument.getLoc());
  }
  return computation;
}

llvm::SmallVector<mlir::Value> resultsOf(const Lowering& lowering, const spmd::SpmdProgram& spmd) {
  llvm::SmallVector<mlir::Value> results;
  for (const LocalId local : spmd.results) results.push_back(lowering.value(local));
  return results;
}

Result<std::string> buildExplicit(const ImportedProgram& imported, const spmd::SpmdProgram& spmd) {
  ModuleShell shell(imported, spmd);
  mlir::Block& body = addComputation(shell, spmd).getBody().front();
  Positions positions(spmd.mesh, body, shell.returnLocation());
  Collectives collectives(spmd);
  DeviceLowering lowering(imported, spmd, positions, collectives);
  if (Status failed = lowering.run(body)) return *failed;
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&body);
  sdy::ReturnOp::create(builder, shell.returnLocation(), resultsOf(lowering, spmd));
  return std::move(shell).finish();
}

Result<std::string> buildLocal(const ImportedProgram& imported, const spmd::SpmdProgram& spmd) {
  ModuleShell shell(imported, spmd, Extent::kDevice);
  Positions positions(spmd.mesh, shell.body(), shell.returnLocation(), /*alone=*/true);
  StandIns collectives(spmd);
  DeviceLowering lowering(imported, spmd, positions, collectives);
  if (Status failed = lowering.run(shell.body())) return *failed;
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&shell.body());
  mlir::func::ReturnOp::create(builder, shell.returnLocation(), resultsOf(lowering, spmd));
  return std::move(shell).finish();
}

}  // namespace

Result<std::string> exportExplicit(const ImportedProgram& imported, const spmd::SpmdProgram& spmd) {
  std::optional<Result<std::string>> text;
  runWithLargeStack([&] { text = buildExplicit(imported, spmd); });
  return *std::move(text);
}

Result<std::string> exportLocal(const ImportedProgram& imported, const spmd::SpmdProgram& spmd) {
  std::optional<Result<std::string>> text;
  runWithLargeStack([&] { text = buildLocal(imported, spmd); });
  return *std::move(text);
}

}  // namespace shardwright
