// Ops of the program on local shapes. Most are the same op; some say sizes in their attributes.
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardwright/mlir/dialects/chlo/chlo.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"
#include "shardwright/mlir/export/parts.h"
#include "shardwright/mlir/export/shardings.h"
#include "shardwright/mlir/import/locations.h"
#include "shardwright/rules/attention.h"

namespace shardwright {

mlir::Operation* cloneLocal(LocalOp& op) {
  llvm::SetVector<mlir::Value> captured;
  if (op.origin->getNumRegions() > 0) {
    mlir::getUsedValuesDefinedAbove(op.origin->getRegions(), captured);
  }
  const unsigned count = op.origin->getNumOperands();
  mlir::IRMapping mapping;
  for (unsigned i = 0; i < captured.size(); ++i) mapping.map(captured[i], op.operands[count + i]);
  mlir::Operation* local = op.origin->clone(mapping);
  // By position and not by value: two uses of one value may want it laid out differently.
  local->setOperands(llvm::ArrayRef(op.operands).take_front(count));
  for (unsigned i = 0; i < local->getNumResults(); ++i) {
    local->getResult(i).setType(op.resultType(i));
  }
  removeShardings(local);
  op.emit.builder().insert(local);
  return local;
}

namespace {

// --- attributes that are sizes ---

void fixSizes(LocalOp& op, stablehlo::SliceOp local) {
  llvm::SmallVector<int64_t> limits(local.getLimitIndices());
  for (size_t d = 0; d < limits.size(); ++d) {
    const bool passes = op.globalOperandShape(0)[d] == op.globalResultShape()[d];
    if (passes) limits[d] = shapeOf(op.operands[0])[d];
  }
  local.setLimitIndices(limits);
}

void fixSizes(LocalOp& op, stablehlo::DynamicSliceOp local) {
  local.setSliceSizes(op.resultShape());
}

void fixSizes(LocalOp& op, stablehlo::BroadcastOp local) {
  local.setBroadcastSizes(op.resultShape().take_front(local.getBroadcastSizes().size()));
}

// A device that has some of the groups has their features (or batches) of the input.
void fixSizes(LocalOp& op, stablehlo::ConvolutionOp local) {
  const auto dims = local.getDimensionNumbers();
  const auto size = [](Shape shape, int64_t dim) { return shape[static_cast<size_t>(dim)]; };
  const Shape input = shapeOf(op.operands[0]), kernel = shapeOf(op.operands[1]);
  const int64_t features = size(kernel, dims.getKernelInputFeatureDimension());
  const int64_t batch = size(op.resultShape(), dims.getOutputBatchDimension());
  if (local.getFeatureGroupCount() > 1 && features > 0) {
    local.setFeatureGroupCount(
        static_cast<uint64_t>(size(input, dims.getInputFeatureDimension()) / features));
  }
  if (local.getBatchGroupCount() > 1 && batch > 0) {
    local.setBatchGroupCount(
        static_cast<uint64_t>(size(input, dims.getInputBatchDimension()) / batch));
  }
}

// Where the input is split and the result is not, each device has some positions of every window.
void fixSizes(LocalOp& op, stablehlo::ReduceWindowOp local) {
  llvm::SmallVector<int64_t> sizes(local.getWindowDimensions());
  const Shape global = op.globalOperandShape(0), part = shapeOf(op.operands[0]);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool resultSplit = op.resultShape()[d] != op.globalResultShape()[d];
    if (!resultSplit && part[d] != global[d]) sizes[d] = sizes[d] * part[d] / global[d];
  }
  local.setWindowDimensions(sizes);
}

// The limits are operands; of a dim that passes whole the limit is its size.
void fixSizes(LocalOp& op, stablehlo::RealDynamicSliceOp local) {
  const mlir::Value limits = local.getLimitIndices();
  if (shapeOf(op.operands[0]) == op.globalOperandShape(0)) return;
  const mlir::OpBuilder::InsertionGuard guard(op.emit.builder());
  op.emit.builder().setInsertionPoint(local);
  const mlir::Value sizes = op.emit.numbers(elementOf(limits), shapeOf(op.operands[0]));
  local.getLimitIndicesMutable().assign(op.emit.minimum(limits, sizes));
}

// The body sees slices. Where they are parts, it works point by point, so all of it is of one
// shape.
void fixSizes(LocalOp& op, chlo::ScanOp local) {
  if (shapeOf(op.operands[0]) == op.globalOperandShape(0)) return;
  llvm::SmallVector<int64_t> slice(shapeOf(op.operands[0]));
  slice.erase(slice.begin() + static_cast<int64_t>(local.getDimension()));
  const auto fix = [&](mlir::Value value) {
    value.setType(mlir::cast<mlir::RankedTensorType>(value.getType()).clone(slice));
  };
  llvm::for_each(local.getBody().getArguments(), fix);
  for (mlir::Operation& inner : local.getBody().front()) llvm::for_each(inner.getResults(), fix);
}

// cuDNN is told the shape of the scores, [batch, heads, queries, keys], as text.
void fixSizes(LocalOp& op, stablehlo::CustomCallOp local) {
  const auto text = mlir::dyn_cast_or_null<mlir::StringAttr>(local.getBackendConfigAttr());
  if (!text || !rules::isFusedAttention(local.getCallTargetName())) return;
  llvm::Expected<llvm::json::Value> config = llvm::json::parse(text.getValue());
  if (!config) return llvm::consumeError(config.takeError());
  const auto within = [](llvm::json::Object* object, llvm::StringRef key) {
    return object ? object->getObject(key) : nullptr;
  };
  llvm::json::Object* scores = within(within(config->getAsObject(), "cudnn_fmha_backend_config"),
                                      "intermediate_tensor_shape");
  llvm::json::Array* dims = scores ? scores->getArray("dimensions") : nullptr;
  if (!dims || dims->size() != 4) return;
  for (size_t d = 0; d < 2; ++d) (*dims)[d] = std::to_string(op.resultShape()[d]);
  std::string changed;
  llvm::raw_string_ostream(changed) << *config;
  local.setBackendConfigAttr(mlir::StringAttr::get(local.getContext(), changed));
}

Values sameOp(LocalOp& op) {
  mlir::Operation* local = cloneLocal(op);
  llvm::TypeSwitch<mlir::Operation*>(local)
      .Case<stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::BroadcastOp,
            stablehlo::ConvolutionOp, stablehlo::ReduceWindowOp, stablehlo::RealDynamicSliceOp,
            stablehlo::CustomCallOp, chlo::ScanOp>([&](auto typed) { fixSizes(op, typed); });
  return Values(local->getResults());
}

// --- ops that compute their shape: on a device it is known ---

Values localBroadcast(LocalOp& op, stablehlo::DynamicBroadcastInDimOp dynamic) {
  return {stablehlo::BroadcastInDimOp::create(op.emit.builder(), op.emit.location(),
                                              op.resultType(), op.operands[0],
                                              dynamic.getBroadcastDimensions())};
}

Values localReshape(LocalOp& op) {
  return {stablehlo::ReshapeOp::create(op.emit.builder(), op.emit.location(), op.resultType(),
                                       op.operands[0])};
}

Values localDynamicGather(LocalOp& op, stablehlo::DynamicGatherOp dynamic) {
  const auto& attributes = op.program.attributes(op.program.op(op.instruction.op).signature);
  const auto* gather = std::get_if<program::GatherAttrs>(&attributes);
  if (gather == nullptr) return sameOp(op);  // Its sizes are not known: it is whole.
  return localGather(op, dynamic.getDimensionNumbers(), gather->sliceSizes,
                     dynamic.getIndicesAreSorted());
}

// --- what has no device-local form ---

Diagnostic refuse(LocalOp& op, const std::string& why) {
  return {
      op.origin->getName().getStringRef().str() + ": " + why, sourceOf(op.origin->getLoc()), {}};
}

// Ops that are written for devices already.
bool namesDevices(mlir::Operation* op) {
  return mlir::isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
                   stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
                   stablehlo::CollectiveReduceOp, stablehlo::CrossReplicaSumOp,
                   stablehlo::PartitionIdOp, stablehlo::ReduceScatterOp, stablehlo::ReplicaIdOp>(
      op);
}

Status refusal(LocalOp& op) {
  if (mlir::isa<sdy::ManualComputationOp>(op.origin)) {
    return refuse(op,
                  "a computation that is written for single devices (shard_map) cannot stand "
                  "inside the explicit form; use the annotated form");
  }
  if (namesDevices(op.origin)) {
    return refuse(op,
                  "an op that speaks of single devices cannot stand inside the explicit form; "
                  "use the annotated form");
  }
  for (const mlir::Type type : op.origin->getOperandTypes()) {
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (tensor && tensor.getElementType().isIndex() &&
        mlir::isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op.origin)) {
      return refuse(op, "indices of type `index` cannot be shifted; use integers");
    }
  }
  return {};
}

// Ops that only speak of shardings, of which there are none on a device.
bool isIdentity(mlir::Operation* op) {
  if (auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op)) {
    constexpr llvm::StringLiteral kTargets[] = {"Sharding", "InspectSharding",
                                                "xla.sdy.FuncResultSharding"};
    return llvm::is_contained(kTargets, call.getCallTargetName());
  }
  return mlir::isa_and_nonnull<sdy::SdyDialect>(op->getDialect()) &&
         !mlir::isa<sdy::ConstantOp, sdy::ManualComputationOp>(op);
}

// The same value, by way of one dim. Only one layout is possible there, so none goes across.
mlir::Value byOneDim(Emit& emit, mlir::Value value) {
  const mlir::RankedTensorType type = tensorType(value);
  const mlir::Value flat = emit.reshape(value, {type.getNumElements()});
  return emit.reshape(emit.barrier(flat), type.getShape());
}

// XLA for hosts lets what stands around a transform (collectives, products) choose how its operand
// and result lie in memory, and then refuses all layouts but one.
Values localFft(LocalOp& op) {
  op.operands[0] = byOneDim(op.emit, op.operands[0]);
  return {byOneDim(op.emit, cloneLocal(op)->getResult(0))};
}

Values passOn(const LocalOp& op) {
  return Values(llvm::ArrayRef(op.operands).take_front(op.origin->getNumResults()));
}

}  // namespace

Result<Values> localCompute(LocalOp& op) {
  if (Status refused = refusal(op)) return *refused;
  if (isIdentity(op.origin)) return passOn(op);
  return llvm::TypeSwitch<mlir::Operation*, Values>(op.origin)
      .Case([&](stablehlo::ConstantOp o) { return localConstant(op, o.getValue()); })
      .Case([&](sdy::ConstantOp o) { return localConstant(op, o.getValue()); })
      .Case([&](chlo::ConstantOp o) { return localConstant(op, o.getValue()); })
      .Case([&](stablehlo::IotaOp o) {
        return localIota(op, static_cast<int64_t>(o.getIotaDimension()));
      })
      .Case([&](stablehlo::DynamicIotaOp o) {
        return localIota(op, static_cast<int64_t>(o.getIotaDimension()));
      })
      .Case([&](stablehlo::RngOp) { return localRng(op); })
      .Case([&](stablehlo::FftOp) { return localFft(op); })
      .Case([&](stablehlo::GatherOp o) {
        return localGather(op, o.getDimensionNumbers(), o.getSliceSizes(), o.getIndicesAreSorted());
      })
      .Case([&](chlo::RaggedDotOp o) { return localRaggedDot(op, o); })
      .Case([&](stablehlo::DynamicGatherOp o) { return localDynamicGather(op, o); })
      .Case([&](stablehlo::ScatterOp o) { return localScatter(op, o); })
      .Case([&](stablehlo::DynamicBroadcastInDimOp o) { return localBroadcast(op, o); })
      .Case([&](stablehlo::DynamicReshapeOp) { return localReshape(op); })
      .Default([&](mlir::Operation*) { return sameOp(op); });
}

}  // namespace shardwright
