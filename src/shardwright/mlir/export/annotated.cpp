// The annotated form: the program as it was read, with a sharding on every value.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardwright/mlir/dialects/sdy/sharding.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/export/emit.h"
#include "shardwright/mlir/export/export.h"
#include "shardwright/mlir/export/lowering.h"
#include "shardwright/mlir/export/module_shell.h"

namespace shardwright {
namespace {

using program::OpId;
using spmd::Instruction;
using spmd::Kind;
using spmd::LocalId;

// Writes the ops of the program only, each with its sharding. XLA reads shardings of arguments,
// results and constraints, and drops those of other ops; so constraints say the same once more,
// and where the plan brings a value into another layout, a constraint stands for that.
class AnnotatedLowering final : public Lowering {
 public:
  AnnotatedLowering(const ImportedProgram& imported, const spmd::SpmdProgram& spmd,
                    const ShardingWriter& shardings)
      : Lowering(imported, spmd, spmd.locals.size()),
        shardings_(shardings),
        written_(imported.program.valueCount()),
        said_(spmd.locals.size()),
        uses_(usesOf(spmd)) {
    for (const LocalId argument : spmd.arguments) note(argument);
  }

 private:
  // What needs a local: nothing, the instructions that change its layout, or an op too.
  enum class Use : uint8_t { kNone, kMoves, kOp };

  static std::vector<Use> usesOf(const spmd::SpmdProgram& spmd) {
    std::vector<Use> uses(spmd.locals.size(), Use::kNone);
    const auto add = [&](std::span<const LocalId> locals, Use use) {
      for (const LocalId local : locals) uses[local.index()] = std::max(uses[local.index()], use);
    };
    for (const Instruction& instruction : spmd.instructions) {
      add(spmd.operandsOf(instruction),
          instruction.kind == Kind::kCompute ? Use::kOp : Use::kMoves);
    }
    for (const auto& yielded : spmd.yields) add(yielded, Use::kOp);
    return uses;
  }

  size_t slot(LocalId local) const override { return local.index(); }
  mlir::Type localType(LocalId, mlir::Type type) const override { return type; }

  void mark(mlir::Operation* op, llvm::ArrayRef<LocalId> results) override {
    // A shard_map says the shardings of its results itself.
    if (results.empty() || mlir::isa<sdy::ManualComputationOp>(op)) return;
    if (refusesShardings(op) || losesItsPlace(op)) return;
    llvm::SmallVector<mesh::LayoutId> layouts;
    for (const LocalId local : results) layouts.push_back(spmd_.locals[local].layout);
    op->setDiscardableAttr(sdy::kShardingAttr, shardings_.perValue(layouts));
  }

  // XLA knows the attributes that an ApproxTopK may have, and a sharding is none of them.
  static bool refusesShardings(mlir::Operation* op) {
    auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
    return call && call.getCallTargetName() == "ApproxTopK";
  }

  // XLA takes away an op that moves elements and leaves the type as it is.
  static bool movesNothing(mlir::Operation* op) {
    return mlir::isa_and_nonnull<stablehlo::BitcastConvertOp, stablehlo::BroadcastInDimOp,
                                 stablehlo::ConvertOp, stablehlo::ReshapeOp, stablehlo::SliceOp>(
               op) &&
           op->getOperand(0).getType() == op->getResult(0).getType();
  }

  // The sharding of a convert then goes to the op before, which may be a whole loop, or a
  // constraint, which takes it.
  static bool losesItsPlace(mlir::Operation* op) {
    return mlir::isa<stablehlo::ConvertOp>(op) && movesNothing(op) &&
           !op->getOperand(0).getDefiningOp<sdy::ShardingConstraintOp>();
  }

  // XLA makes these wherever it needs them, in any layout.
  static bool isSource(mlir::Operation* op) {
    if (mlir::isa_and_nonnull<stablehlo::ConstantOp, stablehlo::IotaOp>(op)) return true;
    return mlir::isa_and_nonnull<stablehlo::BroadcastInDimOp>(op) &&
           shapeOf(op->getOperand(0)).empty();
  }

  static bool isEmpty(mlir::Value value) {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && type.getNumElements() == 0;
  }

  // A loop that carries a value and never changes it carries it no more in XLA, and the shardings
  // of the loop do not fit it then. A constraint is a change to XLA.
  static bool keepsALoop(mlir::Value value) {
    return isEmpty(value) || movesNothing(value.getDefiningOp());
  }

  static bool isWorthSaying(mlir::Value value) {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    if (!type || keepsALoop(value)) return type != nullptr;
    return type.getRank() > 0 && !isSource(value.getDefiningOp());
  }

  sdy::TensorShardingAttr sharding(LocalId local) const {
    return shardings_.sharding(spmd_.locals[local].layout);
  }
  bool isPartial(LocalId local) const {
    return !spmd_.layouts.partial(spmd_.locals[local].layout).empty();
  }

  // XLA knows that the local is in its layout.
  void note(LocalId local) { said_[slot(local)] = sharding(local); }

  mlir::Value constrain(mlir::Value value, sdy::TensorShardingAttr sharding) {
    auto constraint = sdy::ShardingConstraintOp::create(builder_, value.getLoc(), value, sharding);
    constraint->setDiscardableAttr(kForXlaAttr, builder_.getUnitAttr());
    return constraint;
  }

  // Binds the local to its value, in the layout of the local.
  void say(LocalId local, mlir::Value value) {
    bind(local, value);
    if (said_[slot(local)] == sharding(local) || !isWorthSaying(value)) return;
    bind(local, constrain(value, sharding(local)));
    note(local);
  }

  // What is partial is said when it is reduced: XLA may then scatter what it reduces. Not so a
  // convolution, which XLA gets wrong if its result is split along a spatial dim and no operand is,
  // and a gather, which XLA refuses if its result is split more than its operands are.
  bool waits(LocalId local) const {
    const mlir::Value made = value(local);
    return isPartial(local) && !keepsALoop(made) &&
           !mlir::isa_and_nonnull<stablehlo::ConvolutionOp, stablehlo::GatherOp>(
               made.getDefiningOp());
  }

  void made(LocalId local) override {
    written_[spmd_.locals[local].value.index()] = local;
    if (!waits(local) && uses_[slot(local)] != Use::kNone) say(local, value(local));
  }

  // A chain of these is one constraint, where an op needs what it ends in.
  void move(const Instruction& instruction) {
    const LocalId from = spmd_.operandsOf(instruction)[0], to = spmd_.result(instruction);
    said_[slot(to)] = said_[slot(from)];
    bind(to, value(from));
    if (uses_[slot(to)] == Use::kOp) say(to, value(from));
  }

  // An op that the plan runs again is written once.
  bool wasWritten(const Instruction& instruction) {
    for (unsigned i = 0; i < instruction.resultCount; ++i) {
      const LocalId local = spmd_.result(instruction, i);
      const LocalId first = written_[spmd_.locals[local].value.index()];
      if (!first.valid()) return false;
      said_[slot(local)] = said_[slot(first)];
      say(local, value(first));
    }
    return instruction.resultCount > 0;
  }

  Status write(const Instruction& instruction) override {
    if (instruction.kind != Kind::kCompute) {
      move(instruction);
      return {};
    }
    mlir::Operation* source = origin(instruction.op);
    if (wasWritten(instruction) || mlir::isa<sdy::ShardingGroupOp>(source)) return {};
    if (mlir::isa<sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp, sdy::PropagationBarrierOp>(
            source)) {
      bind(spmd_.result(instruction), value(spmd_.operandsOf(instruction)[0]));
      made(spmd_.result(instruction));
      return {};
    }
    annotate(clone(source, instruction), instruction);
    return {};
  }

  using Dims = std::vector<mesh::AxisList>;

  // Two dims of a convolution's operands that belong together, and whether they are always to be
  // whole or only while an axis is idle.
  struct DimPair {
    int64_t input, kernel;
    bool always;
  };

  using Sizes = std::span<const int64_t>;
  static int64_t size(Sizes shape, int64_t dim) { return shape[static_cast<size_t>(dim)]; }

  // XLA takes a convolution for a product, and forgets its groups, if along each spatial dim its
  // kernel has one point or its result does: gradients of such kernels.
  static bool isTakenForProduct(const program::ConvolutionAttrs& attrs, Sizes kernel,
                                Sizes result) {
    for (size_t s = 0; s < attrs.kernelSpatial.size(); ++s) {
      if (size(kernel, attrs.kernelSpatial[s]) > 1 && size(result, attrs.outputSpatial[s]) > 1)
        return false;
    }
    return true;
  }

  // Where groups have one feature each, XLA splits the result along another dim than its features
  // if its dims stand in another order than the input's: kernel gradients of each example apart.
  static bool confusesGroups(const program::ConvolutionAttrs& attrs, Sizes kernel) {
    return attrs.featureGroupCount > 1 && size(kernel, attrs.kernelInputFeature) == 1 &&
           (attrs.inputBatch != attrs.outputBatch || attrs.inputFeature != attrs.outputFeature ||
            attrs.inputSpatial != attrs.outputSpatial);
  }

  bool losesGroups(OpId op, const program::ConvolutionAttrs& attrs) const {
    if (attrs.featureGroupCount == 1 && attrs.batchGroupCount == 1) return false;
    const Sizes kernel = program_.shape(program_.operands(op)[1]);
    return isTakenForProduct(attrs, kernel, program_.shape(program_.result(op, 0))) ||
           confusesGroups(attrs, kernel);
  }

  // XLA's partitioner gets a convolution wrong that is split along
  //   - a dim of a dilated kernel (the gradient of a patch embedding's kernel has one);
  //   - features or groups, or a spatial dim that it sums over, if it loses the groups;
  //   - a dim that it sums over, if that is spatial or there are groups, or the groups of a batch,
  //     while an axis of the mesh splits nothing: XLA adds up over that axis too (the gradient of a
  //     depthwise kernel).
  std::vector<DimPair> dimsWrongInXla(OpId op, const program::ConvolutionAttrs& attrs) const {
    const bool lost = losesGroups(op, attrs);
    const Sizes result = program_.shape(program_.result(op, 0));
    std::vector<DimPair> pairs;
    for (size_t s = 0; s < attrs.kernelSpatial.size(); ++s) {
      const bool dilated = s < attrs.rhsDilation.size() && attrs.rhsDilation[s] > 1;
      const bool summed = lost && size(result, attrs.outputSpatial[s]) == 1;
      pairs.push_back({attrs.inputSpatial[s], attrs.kernelSpatial[s], dilated || summed});
    }
    if (attrs.featureGroupCount > 1 || attrs.batchGroupCount > 1) {
      pairs.push_back({attrs.inputFeature, attrs.kernelInputFeature, lost});
    }
    if (attrs.batchGroupCount > 1) {
      pairs.push_back({attrs.inputBatch, attrs.kernelOutputFeature, lost});
    }
    if (lost) pairs.push_back({attrs.inputFeature, attrs.kernelOutputFeature, true});
    return pairs;
  }

  // Whether an axis of the mesh splits nothing of a convolution, or nothing any more once dims are
  // whole that always are to be.
  bool idleAxis(const Instruction& instruction, llvm::ArrayRef<DimPair> pairs) const {
    const mesh::AxisSet used = spmd_.assignment.used(instruction.op);
    for (uint32_t axis = 0; axis < spmd_.mesh.axes.size(); ++axis) {
      if (spmd_.mesh.axes[axis].size > 1 && !used.contains(axis)) return true;
    }
    const auto locals = spmd_.operandsOf(instruction);
    const auto splits = [&](size_t operand, int64_t dim) {
      const Dims& dims = spmd_.layouts.dims(spmd_.locals[locals[operand]].layout);
      return !dims[static_cast<size_t>(dim)].empty();
    };
    return llvm::any_of(pairs, [&](const DimPair& pair) {
      return pair.always && (splits(0, pair.input) || splits(1, pair.kernel));
    });
  }

  const program::ConvolutionAttrs* convolution(const Instruction& instruction) const {
    return std::get_if<program::ConvolutionAttrs>(
        &program_.attributes(program_.op(instruction.op).signature));
  }

  // XLA repeats what a convolution with strides adds up, if its input is split along a spatial dim
  // and its kernel by features of the result: patch embeddings, and short cuts of residual
  // networks.
  static bool wantsWholeFeatures(const program::ConvolutionAttrs& attrs, const Dims& input) {
    return llvm::any_of(attrs.strides, [](int64_t stride) { return stride > 1; }) &&
           llvm::any_of(attrs.inputSpatial,
                        [&](int64_t dim) { return !input[static_cast<size_t>(dim)].empty(); });
  }

  // There the operands come whole.
  void makeWholeForXla(const Instruction& instruction, llvm::MutableArrayRef<mlir::Value> values) {
    const auto* attrs = convolution(instruction);
    if (attrs == nullptr) return;
    const auto locals = spmd_.operandsOf(instruction);
    Dims wanted[2] = {spmd_.layouts.dims(spmd_.locals[locals[0]].layout),
                      spmd_.layouts.dims(spmd_.locals[locals[1]].layout)};
    const std::vector<DimPair> pairs = dimsWrongInXla(instruction.op, *attrs);
    const bool idle = idleAxis(instruction, pairs);
    bool change[2] = {false, false};
    for (const DimPair& pair : pairs) {
      const size_t dims[2] = {static_cast<size_t>(pair.input), static_cast<size_t>(pair.kernel)};
      if (!pair.always && !(idle && !wanted[1][dims[1]].empty())) continue;
      for (size_t i = 0; i < 2; ++i) {
        change[i] |= !wanted[i][dims[i]].empty();
        wanted[i][dims[i]] = {};
      }
    }
    mesh::AxisList& features = wanted[1][static_cast<size_t>(attrs->kernelOutputFeature)];
    if (wantsWholeFeatures(*attrs, wanted[0]) && !features.empty()) {
      change[1] = true;
      features = {};
    }
    for (size_t i = 0; i < 2; ++i) {
      if (change[i]) values[i] = constrain(values[i], shardings_.sharding(wanted[i]));
    }
  }

  // Where the groups come whole, so do the features of the result.
  mlir::Value wholeFeatures(mlir::Operation* op, const Instruction& instruction) {
    const auto* attrs = convolution(instruction);
    const mlir::Value result = op->getResult(0);
    if (attrs == nullptr) return result;
    const bool whole = losesGroups(instruction.op, *attrs) ||
                       (attrs->batchGroupCount > 1 &&
                        idleAxis(instruction, dimsWrongInXla(instruction.op, *attrs)));
    if (!whole) return result;
    Dims dims = spmd_.layouts.dims(spmd_.locals[spmd_.result(instruction)].layout);
    dims[static_cast<size_t>(attrs->outputFeature)] = {};
    return constrain(result, shardings_.sharding(dims));
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
    if (mlir::isa<stablehlo::ConvolutionOp>(op)) bind(results[0], wholeFeatures(op, instruction));
    for (const LocalId result : results) made(result);
  }

  const ShardingWriter& shardings_;
  std::vector<LocalId> written_;               // Per value, the first local of it.
  std::vector<sdy::TensorShardingAttr> said_;  // Per local, what XLA knows of its sharding.
  std::vector<Use> uses_;                      // Per local.
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
