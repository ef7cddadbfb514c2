// The annotated form: the program as it was read, with a sharding on every value.
#include <map>
#include <optional>

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardwright/mlir/dialects/sdy/sharding.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/export/export.h"
#include "shardwright/mlir/export/lowering.h"
#include "shardwright/mlir/export/module_shell.h"

namespace shardwright {
namespace {

using program::OpId;
using program::ValueId;
using spmd::Instruction;
using spmd::Kind;
using spmd::LocalId;

// Finds values that a loop carries and never changes. XLA takes them out of a loop before it reads
// shardings, which then do not fit the loop any more; so they are not carried here.
class Invariants {
 public:
  explicit Invariants(const program::Program& program) : program_(program) {}

  bool isInvariant(OpId carry) {
    const auto [known, isNew] = known_.try_emplace(carry, false);
    if (!isNew) return known->second;
    // Until this returns, the carry counts as one that changes, and stands for itself.
    const ValueId start = source(program_.operands(carry)[0]);
    const ValueId yielded = source(program_.operands(carry)[1]);
    const bool empty = program_.types().elements(program_.value(start).type) == 0;
    return known_[carry] = empty || yielded == start || yielded == program_.result(carry, 1);
  }

 private:
  // Where the value comes from, past ops that only pass it on.
  ValueId source(ValueId value) {
    const OpId definition = program_.value(value).definition;
    const bool passes =
        program_.name(definition) == program::kCarry ? isInvariant(definition) : isSame(definition);
    return passes ? source(program_.operands(definition)[0]) : value;
  }

  // A move of elements that leaves the type as it is leaves the elements too.
  bool isSame(OpId op) const {
    constexpr std::string_view kMoves[] = {"stablehlo.bitcast_convert",
                                           "stablehlo.broadcast_in_dim", "stablehlo.convert",
                                           "stablehlo.reshape", "stablehlo.slice"};
    if (!llvm::is_contained(kMoves, program_.name(op))) return false;
    // The many encodings of the smallest floats are one type to the program.
    const program::DType dtype =
        program_.types().dtype(program_.value(program_.result(op, 0)).type);
    if (program::isFloat(dtype) && program::bitWidth(dtype) <= 8) return false;
    return program_.value(program_.operands(op)[0]).type ==
           program_.value(program_.result(op, 0)).type;
  }

  const program::Program& program_;
  std::map<OpId, bool> known_;
};

// All locals of a value are the value, so only ops of the program are written.
class AnnotatedLowering final : public Lowering {
 public:
  AnnotatedLowering(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
                    const ShardingWriter& shardings)
      : Lowering(imported, spmd, imported.program.valueCount()),
        shardings_(shardings),
        invariants_(imported.program),
        madeAs_(imported.program.valueCount()) {
    for (const LocalId argument : spmd.arguments) note(argument);
  }

 private:
  size_t slot(LocalId local) const override { return spmd_.locals[local].value.index(); }
  mlir::Type localType(LocalId, mlir::Type type) const override { return type; }

  void mark(mlir::Operation* op, llvm::ArrayRef<LocalId> results) override {
    // A shard_map says the shardings of its results itself.
    if (results.empty() || mlir::isa<sdy::ManualComputationOp>(op)) return;
    llvm::SmallVector<mesh::LayoutId> layouts;
    for (const LocalId local : results) {
      layouts.push_back(spmd_.locals[local].layout);
      note(local);
    }
    if (refusesShardings(op)) return;
    op->setDiscardableAttr(sdy::kShardingAttr, shardings_.perValue(layouts));
  }

  // XLA knows the attributes that an ApproxTopK may have, and a sharding is none of them.
  static bool refusesShardings(mlir::Operation* op) {
    auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
    return call && call.getCallTargetName() == "ApproxTopK";
  }

  sdy::TensorShardingAttr sharding(LocalId local) const {
    return shardings_.sharding(spmd_.locals[local].layout);
  }
  // A value has the sharding that it is made with.
  void note(LocalId local) { madeAs_[slot(local)] = spmd_.locals[local].layout; }

  // Where the loop wants another sharding than the value is made with, that is said before it.
  mlir::Value instead(const Instruction& carry) override {
    if (!invariants_.isInvariant(carry.op)) return {};
    const LocalId start = spmd_.operandsOf(carry)[0], carried = spmd_.result(carry);
    for (unsigned i = 0; i < carry.resultCount; ++i) note(spmd_.result(carry, i));
    if (shardings_.sharding(madeAs_[slot(start)]) == sharding(carried)) return value(start);
    return sdy::ShardingConstraintOp::create(builder_, origin(carry.op)->getLoc(), value(start),
                                             sharding(carried));
  }

  Status write(const Instruction& instruction) override {
    if (instruction.kind != Kind::kCompute) return {};
    mlir::Operation* source = origin(instruction.op);
    const bool again = instruction.resultCount > 0 && bound(spmd_.result(instruction));
    if (again || mlir::isa<sdy::ShardingGroupOp>(source)) return {};
    if (mlir::isa<sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp, sdy::PropagationBarrierOp>(
            source)) {
      bind(spmd_.result(instruction), value(spmd_.operandsOf(instruction)[0]));
      note(spmd_.result(instruction));
      return {};
    }
    annotate(clone(source, instruction), instruction);
    return {};
  }

  using Dims = std::vector<mesh::AxisList>;

  // Two dims of a convolution's operands that belong together.
  struct DimPair {
    size_t input, kernel;
    bool dilated;
  };

  // XLA's partitioner gets a convolution wrong that is split along
  //   - a dim of a dilated kernel (the gradient of a patch embedding's kernel has one);
  //   - a dim that it sums over, if that is spatial or there are groups, or the groups of a batch,
  //     while an axis of the mesh splits nothing: XLA adds up over that axis too (the gradient of a
  //     depthwise kernel).
  static std::vector<DimPair> dimsWrongInXla(const program::ConvolutionAttrs& attrs) {
    std::vector<DimPair> pairs;
    for (size_t s = 0; s < attrs.kernelSpatial.size(); ++s) {
      pairs.push_back({static_cast<size_t>(attrs.inputSpatial[s]),
                       static_cast<size_t>(attrs.kernelSpatial[s]),
                       s < attrs.rhsDilation.size() && attrs.rhsDilation[s] > 1});
    }
    if (attrs.featureGroupCount > 1 || attrs.batchGroupCount > 1) {
      pairs.push_back({static_cast<size_t>(attrs.inputFeature),
                       static_cast<size_t>(attrs.kernelInputFeature), false});
    }
    if (attrs.batchGroupCount > 1) {
      pairs.push_back({static_cast<size_t>(attrs.inputBatch),
                       static_cast<size_t>(attrs.kernelOutputFeature), false});
    }
    return pairs;
  }

  bool idleAxis(OpId op) const {
    const mesh::AxisSet used = spmd_.assignment.used(op);
    for (uint32_t axis = 0; axis < spmd_.mesh.axes.size(); ++axis) {
      if (spmd_.mesh.axes[axis].size > 1 && !used.contains(axis)) return true;
    }
    return false;
  }

  // There the operands come whole. If the plan has them whole and they were made in parts, that is
  // said too: left to itself XLA goes by how they were made.
  void makeWholeForXla(const Instruction& instruction, llvm::MutableArrayRef<mlir::Value> values) {
    const auto* attrs = std::get_if<program::ConvolutionAttrs>(
        &program_.attributes(program_.op(instruction.op).signature));
    if (attrs == nullptr) return;
    const auto locals = spmd_.operandsOf(instruction);
    const auto layout = [&](size_t i) { return spmd_.locals[locals[i]].layout; };
    Dims wanted[2] = {spmd_.layouts.dims(layout(0)), spmd_.layouts.dims(layout(1))};
    const Dims made[2] = {spmd_.layouts.dims(madeAs_[slot(locals[0])]),
                          spmd_.layouts.dims(madeAs_[slot(locals[1])])};
    const bool idle = idleAxis(instruction.op);
    bool say[2] = {false, false};
    for (const DimPair& pair : dimsWrongInXla(*attrs)) {
      const size_t dims[2] = {pair.input, pair.kernel};
      const bool split = !wanted[1][pair.kernel].empty() || !made[1][pair.kernel].empty();
      if (!pair.dilated && !(split && idle)) continue;
      for (size_t i = 0; i < 2; ++i) {
        say[i] |= !wanted[i][dims[i]].empty() || !made[i][dims[i]].empty();
        wanted[i][dims[i]] = {};
      }
    }
    for (size_t i = 0; i < 2; ++i) {
      if (!say[i]) continue;
      auto whole = sdy::ShardingConstraintOp::create(builder_, values[i].getLoc(), values[i],
                                                     shardings_.sharding(wanted[i]));
      whole->setDiscardableAttr(kForXlaAttr, builder_.getUnitAttr());
      values[i] = whole;
    }
  }

  mlir::Operation* clone(mlir::Operation* source, const Instruction& instruction) {
    llvm::SmallVector<mlir::Value> values = operands(instruction);
    makeWholeForXla(instruction, values);
    llvm::SetVector<mlir::Value> captured;
    mlir::getUsedValuesDefinedAbove(source->getRegions(), captured);
    mlir::IRMapping mapping;
    mapping.map(source->getOperands(), llvm::ArrayRef(values).take_front(source->getNumOperands()));
    mapping.map(captured.getArrayRef(),
                llvm::ArrayRef(values).drop_front(source->getNumOperands()));
    return builder_.clone(*source, mapping);
  }

  // A constraint says its sharding in an attribute of its own.
  void annotate(mlir::Operation* op, const Instruction& instruction) {
    llvm::SmallVector<LocalId> results;
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      results.push_back(spmd_.result(instruction, i));
      bind(results.back(), op->getResult(i));
    }
    op->removeDiscardableAttr(sdy::kShardingAttr);
    op->removeDiscardableAttr("mhlo.sharding");
    if (auto constraint = mlir::dyn_cast<sdy::ShardingConstraintOp>(op)) {
      constraint.setShardingAttr(sharding(results[0]));
      note(results[0]);
    } else {
      mark(op, results);
    }
  }

  const ShardingWriter& shardings_;
  Invariants invariants_;
  std::vector<mesh::LayoutId> madeAs_;  // Per value.
};

Result<std::string> build(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
                          const std::string& planText) {
  ModuleShell shell(imported, spmd);
  if (!planText.empty()) {
    shell.module()->setAttr(kPlanAttr,
                            mlir::StringAttr::get(shell.module().getContext(), planText));
  }
  AnnotatedLowering lowering(imported, spmd, shell.shardings());
  if (Status failed = lowering.run(shell.body())) return *failed;
  llvm::SmallVector<mlir::Value> results;
  for (const LocalId local : spmd.results) results.push_back(lowering.value(local));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&shell.body());
  mlir::func::ReturnOp::create(builder, shell.returnLocation(), results);
  return std::move(shell).finish();
}

}  // namespace

Result<std::string> exportAnnotated(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
                                    const std::string& planText) {
  std::optional<Result<std::string>> text;
  runWithLargeStack([&] { text = build(imported, spmd, planText); });
  return *std::move(text);
}

}  // namespace shardwright
