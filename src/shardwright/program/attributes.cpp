#include "shardwright/program/attributes.h"

#include <string_view>

namespace shardwright::program {
namespace {

// Calls `visit(name, field)` for each field. Encoding and printing both follow from this list.
template <typename V>
void visitFields(const std::monostate&, V&&) {}

template <typename V>
void visitFields(const DimsAttrs& a, V&& visit) {
  visit("dims", a.dims);
}

template <typename V>
void visitFields(const DimAttrs& a, V&& visit) {
  visit("dim", a.dim);
}

template <typename V>
void visitFields(const DotAttrs& a, V&& visit) {
  visit("lhs_batch", a.lhsBatch);
  visit("rhs_batch", a.rhsBatch);
  visit("lhs_contracting", a.lhsContracting);
  visit("rhs_contracting", a.rhsContracting);
  visit("lhs_ragged", a.lhsRagged);
  visit("rhs_group", a.rhsGroup);
}

template <typename V>
void visitFields(const ReduceAttrs& a, V&& visit) {
  visit("dims", a.dims);
  visit("combiner", a.combiner);
}

template <typename V>
void visitFields(const SliceAttrs& a, V&& visit) {
  visit("starts", a.starts);
  visit("limits", a.limits);
  visit("strides", a.strides);
}

template <typename V>
void visitFields(const PadAttrs& a, V&& visit) {
  visit("low", a.low);
  visit("high", a.high);
  visit("interior", a.interior);
}

template <typename V>
void visitFields(const WindowAttrs& a, V&& visit) {
  visit("sizes", a.sizes);
  visit("strides", a.strides);
  visit("base_dilations", a.baseDilations);
  visit("window_dilations", a.windowDilations);
  visit("padding", a.padding);
  visit("combiner", a.combiner);
}

template <typename V>
void visitFields(const GatherAttrs& a, V&& visit) {
  visit("offset_dims", a.offsetDims);
  visit("collapsed_slice_dims", a.collapsedSliceDims);
  visit("operand_batching_dims", a.operandBatchingDims);
  visit("start_indices_batching_dims", a.startIndicesBatchingDims);
  visit("start_index_map", a.startIndexMap);
  visit("slice_sizes", a.sliceSizes);
  visit("index_vector_dim", a.indexVectorDim);
}

template <typename V>
void visitFields(const ScatterAttrs& a, V&& visit) {
  visit("update_window_dims", a.updateWindowDims);
  visit("inserted_window_dims", a.insertedWindowDims);
  visit("input_batching_dims", a.inputBatchingDims);
  visit("scatter_indices_batching_dims", a.scatterIndicesBatchingDims);
  visit("scatter_dims_to_operand_dims", a.scatterDimsToOperandDims);
  visit("index_vector_dim", a.indexVectorDim);
  visit("combiner", a.combiner);
}

template <typename V>
void visitFields(const ConvolutionAttrs& a, V&& visit) {
  visit("input_batch", a.inputBatch);
  visit("input_feature", a.inputFeature);
  visit("kernel_input_feature", a.kernelInputFeature);
  visit("kernel_output_feature", a.kernelOutputFeature);
  visit("output_batch", a.outputBatch);
  visit("output_feature", a.outputFeature);
  visit("input_spatial", a.inputSpatial);
  visit("kernel_spatial", a.kernelSpatial);
  visit("output_spatial", a.outputSpatial);
  visit("strides", a.strides);
  visit("padding", a.padding);
  visit("lhs_dilation", a.lhsDilation);
  visit("rhs_dilation", a.rhsDilation);
  visit("feature_group_count", a.featureGroupCount);
  visit("batch_group_count", a.batchGroupCount);
  visit("window_reversed", a.windowReversed);
}

template <typename V>
void visitFields(const AttentionAttrs& a, V&& visit) {
  visit("head_dim", a.headDim);
  visit("causal", a.causal);
}

template <typename V>
void visitFields(const ConstantAttrs& a, V&& visit) {
  visit("splat", a.splat);
  visit("zero", a.zero);
}

template <typename V>
void visitFields(const WhileAttrs& a, V&& visit) {
  visit("trip_count", a.tripCount);
  visit("known", a.known);
}

template <typename V>
void visitFields(const ExplicitRuleAttrs& a, V&& visit) {
  visit("factor_sizes", a.factorSizes);
  visit("operands", a.operandDims);
  visit("results", a.resultDims);
  visit("reduction", a.reduction);
  visit("need_replication", a.needReplication);
  visit("permutation", a.permutation);
}

struct Encoder {
  std::vector<uint64_t>& words;

  void put(int64_t value) { words.push_back(static_cast<uint64_t>(value)); }
  void put(bool value) { words.push_back(value ? 1 : 0); }
  void put(Combiner value) { words.push_back(static_cast<uint64_t>(value)); }
  template <typename T>
  void put(const std::vector<T>& list) {
    words.push_back(list.size());
    for (const T& item : list) put(item);
  }
  template <typename T>
  void operator()(std::string_view, const T& field) {
    put(field);
  }
};

struct Printer {
  std::string text;

  void put(int64_t value) { text += std::to_string(value); }
  void put(bool value) { text += value ? "true" : "false"; }
  void put(Combiner value) { text += combinerName(value); }
  template <typename T>
  void put(const std::vector<T>& list) {
    text += "[";
    for (size_t i = 0; i < list.size(); ++i) {
      if (i != 0) text += ",";
      put(list[i]);
    }
    text += "]";
  }
  // Empty lists say nothing.
  template <typename T>
  bool isDefault(const std::vector<T>& list) const {
    return list.empty();
  }
  template <typename T>
  bool isDefault(const T&) const {
    return false;
  }
  template <typename T>
  void operator()(std::string_view name, const T& field) {
    if (isDefault(field)) return;
    if (!text.empty()) text += ", ";
    text += name;
    text += "=";
    put(field);
  }
};

}  // namespace

const char* combinerName(Combiner combiner) {
  static constexpr const char* kNames[] = {"add", "mul",     "min",    "max",    "and",  "or",
                                           "xor", "replace", "argmin", "argmax", "other"};
  return kNames[static_cast<size_t>(combiner)];
}

void encode(const Attributes& attributes, std::vector<uint64_t>& words) {
  words.push_back(attributes.index());
  std::visit([&](const auto& value) { visitFields(value, Encoder{words}); }, attributes);
}

std::string str(const Attributes& attributes) {
  Printer printer;
  std::visit([&](const auto& value) { visitFields(value, printer); }, attributes);
  return printer.text.empty() ? "" : "{" + printer.text + "}";
}

}  // namespace shardwright::program
