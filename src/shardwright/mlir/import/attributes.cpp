#include "shardwright/mlir/import/attributes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/mlir/dialects/chlo/chlo.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/import/combiner.h"
#include "shardwright/mlir/import/shardings.h"
#include "shardwright/rules/attention.h"
#include "shardwright/rules/work.h"

namespace shardwright {
namespace {

using program::Attributes;
using program::IntList;

IntList toList(llvm::ArrayRef<int64_t> values) { return {values.begin(), values.end()}; }

// Absent lists mean one `value` per dim.
IntList toList(std::optional<llvm::ArrayRef<int64_t>> values, size_t count, int64_t value) {
  return values ? toList(*values) : IntList(count, value);
}

// Paddings are dense tensors of (low, high) rows.
IntList toList(std::optional<mlir::DenseIntElementsAttr> values, size_t count) {
  if (!values || !*values) return IntList(count, 0);
  IntList list;
  list.reserve(static_cast<size_t>(values->size()));
  for (const llvm::APInt& value : *values) list.push_back(value.getSExtValue());
  return list;
}

size_t rankOf(mlir::Value value) {
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? static_cast<size_t>(type.getRank()) : 0;
}

Attributes dot(stablehlo::DotGeneralOp op) {
  const auto dims = op.getDotDimensionNumbers();
  return program::DotAttrs{
      toList(dims.getLhsBatchingDimensions()), toList(dims.getRhsBatchingDimensions()),
      toList(dims.getLhsContractingDimensions()), toList(dims.getRhsContractingDimensions())};
}

// stablehlo.dot contracts the last dim of the left with the first of the right.
Attributes plainDot(stablehlo::DotOp op) {
  const auto last = static_cast<int64_t>(rankOf(op.getLhs())) - 1;
  return program::DotAttrs{{}, {}, {last}, {0}};
}

Attributes raggedDot(chlo::RaggedDotOp op) {
  const auto dims = op.getRaggedDotDimensionNumbers();
  return program::DotAttrs{
      toList(dims.getLhsBatchingDimensions()),    toList(dims.getRhsBatchingDimensions()),
      toList(dims.getLhsContractingDimensions()), toList(dims.getRhsContractingDimensions()),
      toList(dims.getLhsRaggedDimensions()),      toList(dims.getRhsGroupDimensions())};
}

Attributes reduce(stablehlo::ReduceOp op) {
  return program::ReduceAttrs{toList(op.getDimensions()), recognizeCombiner(op.getBody())};
}

Attributes slice(stablehlo::SliceOp op) {
  return program::SliceAttrs{toList(op.getStartIndices()), toList(op.getLimitIndices()),
                             toList(op.getStrides())};
}

Attributes dynamicSlice(stablehlo::DynamicSliceOp op) {
  return program::SliceAttrs{{}, toList(op.getSliceSizes()), {}};
}

Attributes pad(stablehlo::PadOp op) {
  return program::PadAttrs{toList(op.getEdgePaddingLow()), toList(op.getEdgePaddingHigh()),
                           toList(op.getInteriorPadding())};
}

Attributes reduceWindow(stablehlo::ReduceWindowOp op) {
  const IntList sizes = toList(op.getWindowDimensions());
  const size_t rank = sizes.size();
  return program::WindowAttrs{sizes,
                              toList(op.getWindowStrides(), rank, 1),
                              toList(op.getBaseDilations(), rank, 1),
                              toList(op.getWindowDilations(), rank, 1),
                              toList(op.getPadding(), 2 * rank),
                              recognizeCombiner(op.getBody())};
}

Attributes selectAndScatter(stablehlo::SelectAndScatterOp op) {
  const size_t rank = rankOf(op.getOperand());
  return program::WindowAttrs{toList(op.getWindowDimensions(), rank, 1),
                              toList(op.getWindowStrides(), rank, 1),
                              IntList(rank, 1),
                              IntList(rank, 1),
                              toList(op.getPadding(), 2 * rank),
                              recognizeCombiner(op.getScatter())};
}

Attributes gather(stablehlo::GatherDimensionNumbersAttr dims, IntList sliceSizes) {
  return program::GatherAttrs{toList(dims.getOffsetDims()),
                              toList(dims.getCollapsedSliceDims()),
                              toList(dims.getOperandBatchingDims()),
                              toList(dims.getStartIndicesBatchingDims()),
                              toList(dims.getStartIndexMap()),
                              std::move(sliceSizes),
                              dims.getIndexVectorDim()};
}

// Its slice sizes are an operand; only constant ones say anything.
Attributes dynamicGather(stablehlo::DynamicGatherOp op) {
  mlir::DenseIntElementsAttr sizes;
  if (!mlir::matchPattern(op.getSliceSizes(), mlir::m_Constant(&sizes))) return {};
  return gather(op.getDimensionNumbers(), toList(sizes, 0));
}

Attributes scatter(stablehlo::ScatterOp op) {
  const auto dims = op.getScatterDimensionNumbers();
  return program::ScatterAttrs{
      toList(dims.getUpdateWindowDims()),          toList(dims.getInsertedWindowDims()),
      toList(dims.getInputBatchingDims()),         toList(dims.getScatterIndicesBatchingDims()),
      toList(dims.getScatterDimsToOperandDims()),  dims.getIndexVectorDim(),
      recognizeCombiner(op.getUpdateComputation())};
}

Attributes convolution(stablehlo::ConvolutionOp op) {
  const auto dims = op.getDimensionNumbers();
  const size_t spatial = dims.getInputSpatialDimensions().size();
  program::ConvolutionAttrs attributes;
  attributes.inputBatch = dims.getInputBatchDimension();
  attributes.inputFeature = dims.getInputFeatureDimension();
  attributes.kernelInputFeature = dims.getKernelInputFeatureDimension();
  attributes.kernelOutputFeature = dims.getKernelOutputFeatureDimension();
  attributes.outputBatch = dims.getOutputBatchDimension();
  attributes.outputFeature = dims.getOutputFeatureDimension();
  attributes.inputSpatial = toList(dims.getInputSpatialDimensions());
  attributes.kernelSpatial = toList(dims.getKernelSpatialDimensions());
  attributes.outputSpatial = toList(dims.getOutputSpatialDimensions());
  attributes.strides = toList(op.getWindowStrides(), spatial, 1);
  attributes.padding = toList(op.getPadding(), 2 * spatial);
  attributes.lhsDilation = toList(op.getLhsDilation(), spatial, 1);
  attributes.rhsDilation = toList(op.getRhsDilation(), spatial, 1);
  attributes.featureGroupCount = static_cast<int64_t>(op.getFeatureGroupCount());
  attributes.batchGroupCount = static_cast<int64_t>(op.getBatchGroupCount());
  const auto reversal = op.getWindowReversal();
  attributes.windowReversed = reversal && llvm::is_contained(*reversal, true);
  return attributes;
}

bool isZero(mlir::SplatElementsAttr splat) {
  const mlir::Type element = splat.getElementType();
  if (mlir::isa<mlir::FloatType>(element)) return splat.getSplatValue<llvm::APFloat>().isPosZero();
  if (element.isIntOrIndex()) return splat.getSplatValue<llvm::APInt>().isZero();
  return false;
}

Attributes constant(stablehlo::ConstantOp op) {
  const auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(op.getValue());
  return program::ConstantAttrs{splat != nullptr, splat != nullptr && isZero(splat)};
}

// Whether each op makes a point of its result from the same point of its operands.
bool worksPointByPoint(mlir::Block& body) {
  const auto shapeOf = [](mlir::Value value) {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type ? std::optional(type.getShape()) : std::nullopt;
  };
  const auto shape = shapeOf(body.getArgument(0));
  const auto isAlike = [&](mlir::Value value) { return shape && shapeOf(value) == shape; };
  return llvm::all_of(body.getArguments(), isAlike) &&
         llvm::all_of(body.without_terminator(), [&](mlir::Operation& op) {
           const llvm::StringRef name = op.getName().getStringRef();
           return rules::workOf(name, {}).kind == rules::WorkKind::kElementwise &&
                  llvm::all_of(op.getOperands(), isAlike) && llvm::all_of(op.getResults(), isAlike);
         });
}

Attributes dims(llvm::ArrayRef<int64_t> values) { return program::DimsAttrs{toList(values)}; }

Attributes dim(uint64_t value) { return program::DimAttrs{static_cast<int64_t>(value)}; }

// The dim, if the others can be split.
Attributes scan(chlo::ScanOp op) {
  const bool isKnown = !op.getInputs().empty() && worksPointByPoint(op.getBody().front());
  return isKnown ? dim(op.getDimension()) : Attributes();
}

bool isCausal(stablehlo::CustomCallOp op) {
  const auto text = mlir::dyn_cast_or_null<mlir::StringAttr>(op.getBackendConfigAttr());
  auto config = llvm::json::parse(text ? text.getValue() : "");
  if (!config) {
    llvm::consumeError(config.takeError());
    return false;
  }
  const llvm::json::Object* whole = config->getAsObject();
  const llvm::json::Object* attention =
      whole == nullptr ? nullptr : whole->getObject("cudnn_fmha_backend_config");
  const auto mask = attention == nullptr ? std::nullopt : attention->getString("mask_type");
  return mask && mask->ends_with("CAUSAL");
}

// Attention in cuDNN: where the heads stand in queries, which the layout of the result tells. What
// changes the scores on their way is a function that may look at any of them.
Attributes attention(stablehlo::CustomCallOp op) {
  const auto layouts = op.getResultLayouts();
  const bool plain = rules::isFusedAttention(op.getCallTargetName()) &&
                     op.getCalledComputations().empty() && layouts && !layouts->empty();
  const auto layout = plain ? mlir::dyn_cast<mlir::DenseIntElementsAttr>((*layouts)[0]) : nullptr;
  if (!layout || layout.getNumElements() != 4) return {};
  const auto second = layout.getValues<llvm::APInt>()[1].getSExtValue();
  return program::AttentionAttrs{second == 1 ? 2 : 1, isCausal(op)};
}

// CHLO's broadcasting ops may say which dims their lower-ranked operand stands for.
Attributes broadcastDims(mlir::Operation* op) {
  if (!mlir::isa_and_nonnull<chlo::ChloDialect>(op->getDialect())) return {};
  const auto attribute = op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions");
  return attribute ? dims(attribute.asArrayRef()) : Attributes();
}

Attributes structureOf(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, Attributes>(op)
      .Case([](stablehlo::DotGeneralOp o) { return dot(o); })
      .Case([](stablehlo::DotOp o) { return plainDot(o); })
      .Case([](stablehlo::BroadcastInDimOp o) { return dims(o.getBroadcastDimensions()); })
      .Case([](stablehlo::BroadcastOp o) { return dims(o.getBroadcastSizes()); })
      .Case([](stablehlo::TransposeOp o) { return dims(o.getPermutation()); })
      .Case([](stablehlo::ReverseOp o) { return dims(o.getDimensions()); })
      .Case([](stablehlo::FftOp o) { return dims(o.getFftLength()); })
      .Case([](stablehlo::ReduceOp o) { return reduce(o); })
      .Case([](stablehlo::ConstantOp o) { return constant(o); })
      .Case([](stablehlo::SliceOp o) { return slice(o); })
      .Case([](stablehlo::DynamicSliceOp o) { return dynamicSlice(o); })
      .Case([](stablehlo::PadOp o) { return pad(o); })
      .Case([](stablehlo::ReduceWindowOp o) { return reduceWindow(o); })
      .Case([](stablehlo::SelectAndScatterOp o) { return selectAndScatter(o); })
      .Case([](stablehlo::GatherOp o) {
        return gather(o.getDimensionNumbers(), toList(o.getSliceSizes()));
      })
      .Case([](stablehlo::DynamicGatherOp o) { return dynamicGather(o); })
      .Case([](stablehlo::DynamicBroadcastInDimOp o) { return dims(o.getBroadcastDimensions()); })
      .Case([](stablehlo::DynamicIotaOp o) { return dim(o.getIotaDimension()); })
      .Case([](stablehlo::GetDimensionSizeOp o) { return dim(o.getDimension()); })
      .Case([](stablehlo::SetDimensionSizeOp o) { return dim(o.getDimension()); })
      .Case([](stablehlo::AllGatherOp o) { return dim(o.getAllGatherDim()); })
      .Case([](stablehlo::ReduceScatterOp o) { return dim(o.getScatterDimension()); })
      .Case([](stablehlo::AllToAllOp o) {
        return dims({static_cast<int64_t>(o.getSplitDimension()),
                     static_cast<int64_t>(o.getConcatDimension())});
      })
      .Case([](chlo::RaggedDotOp o) { return raggedDot(o); })
      .Case([](chlo::ScanOp o) { return scan(o); })
      .Case([](stablehlo::CustomCallOp o) { return attention(o); })
      .Case([](stablehlo::ScatterOp o) { return scatter(o); })
      .Case([](stablehlo::ConvolutionOp o) { return convolution(o); })
      .Case([](stablehlo::ConcatenateOp o) { return dim(o.getDimension()); })
      .Case([](stablehlo::IotaOp o) { return dim(o.getIotaDimension()); })
      .Case([](stablehlo::SortOp o) { return dim(o.getDimension()); })
      .Case([](stablehlo::BatchNormTrainingOp o) { return dim(o.getFeatureIndex()); })
      .Case([](stablehlo::BatchNormInferenceOp o) { return dim(o.getFeatureIndex()); })
      .Case([](stablehlo::BatchNormGradOp o) { return dim(o.getFeatureIndex()); })
      .Default([](mlir::Operation* o) { return broadcastDims(o); });
}

}  // namespace

Attributes readAttributes(mlir::Operation* op) {
  if (const auto rule = op->getAttrOfType<sdy::OpShardingRuleAttr>("sdy.sharding_rule")) {
    return readRule(rule);
  }
  return structureOf(op);
}

}  // namespace shardwright
