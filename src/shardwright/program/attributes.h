// What an op says beside its operands: one struct per shape of information, not per op. The rules
// read these; whatever else an op carries (precision, layouts, …) stays with the imported module.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "shardwright/base/ids.h"

namespace shardwright::program {

using IntList = std::vector<int64_t>;

// How a reduce, scatter or window body combines two elements. `kReplace` is a scatter that
// overwrites; `kArgMax` and `kArgMin` reduce (value, index) pairs; `kOther` was not recognised.
enum class Combiner : uint8_t {
  kAdd,
  kMul,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kReplace,
  kArgMin,
  kArgMax,
  kOther
};
const char* combinerName(Combiner combiner);

// The permutation of a transpose, the mapped dims of a broadcast_in_dim, the reversed dims, …
struct DimsAttrs {
  IntList dims;
};

// The one dim that a concatenate joins, an iota counts along, a sort sorts, …
struct DimAttrs {
  int64_t dim = 0;
};

// A ragged dot also has the one dim of the left side that is cut into groups, and the dim of the
// right side that numbers them, if there is one.
struct DotAttrs {
  IntList lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  IntList lhsRagged = {}, rhsGroup = {};
};

struct ReduceAttrs {
  IntList dims;
  Combiner combiner = Combiner::kOther;
};

// One entry per dim. dynamic_slice uses `limits` alone, for its sizes.
struct SliceAttrs {
  IntList starts, limits, strides;
};

struct PadAttrs {
  IntList low, high, interior;
};

// One entry per dim of the operand (reduce_window, select_and_scatter). `padding` holds (low, high)
// pairs.
struct WindowAttrs {
  IntList sizes, strides, baseDilations, windowDilations, padding;
  Combiner combiner = Combiner::kOther;
};

struct GatherAttrs {
  IntList offsetDims, collapsedSliceDims, operandBatchingDims, startIndicesBatchingDims,
      startIndexMap, sliceSizes;
  int64_t indexVectorDim = 0;
};

// A scatter of n inputs has operands inputs[n], indices, updates[n] and n results.
struct ScatterAttrs {
  IntList updateWindowDims, insertedWindowDims, inputBatchingDims, scatterIndicesBatchingDims,
      scatterDimsToOperandDims;
  int64_t indexVectorDim = 0;
  Combiner combiner = Combiner::kOther;
};

// Positions of the special dims in each tensor; spatial entries in order.
struct ConvolutionAttrs {
  int64_t inputBatch = 0, inputFeature = 0, kernelInputFeature = 0, kernelOutputFeature = 0,
          outputBatch = 0, outputFeature = 0;
  IntList inputSpatial, kernelSpatial, outputSpatial;
  IntList strides, padding, lhsDilation, rhsDilation;
  int64_t featureGroupCount = 1, batchGroupCount = 1;
  bool windowReversed = false;  // In any spatial dim.
};

// Attention in one call: where queries have their heads, and whether they see what stands before
// them alone.
struct AttentionAttrs {
  int64_t headDim = 0;
  bool causal = false;
};

// A splat constant has one element value throughout, so any part of it can be made locally.
struct ConstantAttrs {
  bool splat = false;
  bool zero = false;  // All elements are 0 (or false).
};

// `tripCount` is how often the body runs; `known` is false when a default stands in for it.
struct WhileAttrs {
  int64_t tripCount = 1;
  bool known = false;
};

// A rule that came with the program (`sdy.sharding_rule`). Tensors are operands then results; each
// dim lists its factors, major first.
struct ExplicitRuleAttrs {
  IntList factorSizes;
  std::vector<std::vector<IntList>> operandDims, resultDims;
  IntList reduction, needReplication, permutation;
};

using Attributes =
    std::variant<std::monostate, DimsAttrs, DimAttrs, DotAttrs, ReduceAttrs, SliceAttrs, PadAttrs,
                 WindowAttrs, GatherAttrs, ScatterAttrs, ConvolutionAttrs, ConstantAttrs,
                 WhileAttrs, ExplicitRuleAttrs, AttentionAttrs>;

struct AttributesTag;
using AttributesId = Id<AttributesTag>;

// Appends an encoding of `attributes` that is equal for equal values and different for others.
void encode(const Attributes& attributes, std::vector<uint64_t>& words);

// "{lhs_batch=[0], …}"; "" for none.
std::string str(const Attributes& attributes);

}  // namespace shardwright::program
