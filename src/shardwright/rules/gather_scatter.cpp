// Gather and scatter.
//
// A lookup in an embedding table, f32[1000,64] by i32[8,1] -> f32[8,64], is
//     ([k, j], [i, l])->([i, j]) {i=8, j=64, k=1000, l=1} reduction={k} need_replication={l}
// With k split, each device looks up the rows it has, puts zeros for the others, and the parts add
// up: a masked local gather.
//
// Its gradient, a scatter-add of f32[8,64] into f32[1000,64], is
//     ([k, j], [i, l], [i, j])->([k, j]) {…} reduction={i} need_replication={l}
// With i split, each device scatters its own updates; the operand must count once, so all devices
// but one start from the combiner's neutral element. With k split, each device applies the updates
// that fall into its rows: indices are shifted by the device's position, and those out of range are
// dropped, as scatter does anyway.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

using program::Combiner;
using program::GatherAttrs;
using program::ScatterAttrs;

constexpr size_t kNoDim = static_cast<size_t>(-1);

// For each dim of the indices, the operand dim that it batches; kNoDim for the others.
std::vector<size_t> batchedBy(std::span<const int64_t> indexDims,
                              std::span<const int64_t> operandDims, size_t indicesRank) {
  std::vector<size_t> dims(indicesRank, kNoDim);
  for (size_t b = 0; b < indexDims.size(); ++b) {
    dims[static_cast<size_t>(indexDims[b])] = static_cast<size_t>(operandDims[b]);
  }
  return dims;
}

// The dims of the indices that are not the index vector.
std::vector<size_t> indexDims(const OpView& view, size_t indices, int64_t indexVectorDim) {
  const size_t rank = view.shape(indices).size();
  if (static_cast<size_t>(indexVectorDim) == rank) return restOf({}, rank);
  return restOf({{indexVectorDim}}, rank);
}

void blockIndexVector(RuleBuilder& builder, const OpView& view, size_t indices,
                      int64_t indexVectorDim) {
  const auto dim = static_cast<size_t>(indexVectorDim);
  const auto shape = view.shape(indices);
  if (dim < shape.size()) builder.map(indices, dim, builder.blocked(shape[dim]));
}

// What both ops say about their indices: where the index vector is, and which dims are batching.
struct IndexNames {
  std::string_view batching, operandBatching;
};

void checkIndices(Checker& check, const OpView& view, size_t indices, int64_t indexVectorDim,
                  std::span<const int64_t> batching, std::span<const int64_t> operandBatching,
                  const IndexNames& names) {
  if (check.failed()) return;
  const auto rank = static_cast<int64_t>(view.shape(indices).size());
  check
      .that(indexVectorDim >= 0 && indexVectorDim <= rank,
            "index_vector_dim: " + std::to_string(indexVectorDim) + " is no dim of " +
                view.tensorName(indices) + ", which has rank " + std::to_string(rank))
      .dims(names.batching, batching, indices)
      .sameLength(names.batching, batching, names.operandBatching, operandBatching);
  for (const int64_t dim : batching) {
    check.that(dim != indexVectorDim,
               std::string(names.batching) + " names the index vector's dim");
  }
}

// --- gather ---

Status checkGather(const OpView& view, const GatherAttrs& attrs) {
  const size_t operands = view.operandCount(), result = operands;
  Checker check(view);
  // dynamic_gather has its slice sizes as a third operand.
  check
      .that(operands == 2 || operands == 3,
            "has " + std::to_string(operands) + " operands, expected 2")
      .counts(operands, 1)
      .dims("offset_dims", attrs.offsetDims, result)
      .ascending("offset_dims", attrs.offsetDims)
      .dims("collapsed_slice_dims and operand_batching_dims",
            joined(attrs.collapsedSliceDims, attrs.operandBatchingDims), 0)
      .dims("start_index_map", attrs.startIndexMap, 0);
  checkIndices(check, view, 1, attrs.indexVectorDim, attrs.startIndicesBatchingDims,
               attrs.operandBatchingDims, {"start_indices_batching_dims", "operand_batching_dims"});
  if (check.failed()) return check.status();
  const size_t batches = indexDims(view, 1, attrs.indexVectorDim).size();
  check.rank(result, batches + attrs.offsetDims.size())
      .rank(0, attrs.offsetDims.size() + attrs.collapsedSliceDims.size() +
                   attrs.operandBatchingDims.size());
  if (operands == 2) check.perDim("slice_sizes", attrs.sliceSizes, 0);
  return check.status();
}

// An operand dim of which one element is looked up: each device has it or has not. Devices that
// have it not give 0, or false.
void lookUp(RuleBuilder& builder, const OpView& view, size_t dim) {
  const int64_t size = view.operandShape(0)[dim];
  const Combiner combiner = view.dtype(0) == program::DType::kPred ? Combiner::kOr : Combiner::kAdd;
  builder.map(0, dim, size > 1 ? builder.reduction(size, combiner) : builder.blocked(size));
}

// An operand dim of which a slice is taken, and the result dim where it goes.
void takeSlice(RuleBuilder& builder, const OpView& view, size_t dim, size_t resultDim) {
  const int64_t size = view.operandShape(0)[dim], sliceSize = view.resultShape(0)[resultDim];
  if (size == sliceSize) {
    const FactorId factor = builder.parallel(size);
    builder.map(0, dim, factor);
    builder.mapResult(0, resultDim, factor);
    return;
  }
  builder.mapResult(0, resultDim, builder.blocked(sliceSize));
  if (sliceSize == 1) return lookUp(builder, view, dim);
  builder.map(0, dim, builder.blocked(size));
}

// The slices that the attributes state are those that the shapes show.
Status checkSliceSizes(const OpView& view, const GatherAttrs& attrs,
                       std::span<const size_t> sliceDims) {
  Checker check(view);
  const auto expect = [&](size_t dim, int64_t sliceSize) {
    check.that(attrs.sliceSizes[dim] == sliceSize, "slice_sizes: dim " + std::to_string(dim) +
                                                       " has " +
                                                       std::to_string(attrs.sliceSizes[dim]) +
                                                       ", expected " + std::to_string(sliceSize));
  };
  if (attrs.sliceSizes.empty()) return std::nullopt;
  for (size_t n = 0; n < sliceDims.size(); ++n) {
    expect(sliceDims[n], view.resultShape(0)[static_cast<size_t>(attrs.offsetDims[n])]);
  }
  for (const int64_t dim : attrs.operandBatchingDims) expect(static_cast<size_t>(dim), 1);
  for (const int64_t dim : attrs.collapsedSliceDims) expect(static_cast<size_t>(dim), 1);
  return check.status();
}

}  // namespace

Result<Rule> gather(const OpView& view) {
  const auto* attrs = view.attributes<GatherAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = checkGather(view, *attrs)) return *bad;
  const auto sliceDims = restOf(joined(attrs->collapsedSliceDims, attrs->operandBatchingDims),
                                view.operandShape(0).size());
  if (Status bad = checkSliceSizes(view, *attrs, sliceDims)) return *bad;

  RuleBuilder builder(view);
  const auto fromIndices = indexDims(view, 1, attrs->indexVectorDim);
  const auto toResult = restOf(attrs->offsetDims, view.resultShape(0).size());
  const auto batched = batchedBy(attrs->startIndicesBatchingDims, attrs->operandBatchingDims,
                                 view.operandShape(1).size());
  for (size_t n = 0; n < fromIndices.size(); ++n) {
    const FactorId factor = builder.parallel(view.operandShape(1)[fromIndices[n]]);
    builder.map(1, fromIndices[n], factor);
    builder.mapResult(0, toResult[n], factor);
    if (batched[fromIndices[n]] != kNoDim) builder.map(0, batched[fromIndices[n]], factor);
  }
  for (size_t n = 0; n < sliceDims.size(); ++n) {
    takeSlice(builder, view, sliceDims[n], static_cast<size_t>(attrs->offsetDims[n]));
  }
  for (const int64_t dim : attrs->collapsedSliceDims) {
    lookUp(builder, view, static_cast<size_t>(dim));
  }
  blockIndexVector(builder, view, 1, attrs->indexVectorDim);
  builder.linear(0, 1);
  if (view.operandCount() == 3) blockAll(builder, view, 2);
  return std::move(builder).finish();
}

namespace {

// --- scatter: n inputs, the indices, n updates; n results ---

// A factor for one dim of all inputs and all results.
void mapInputs(RuleBuilder& builder, const OpView& view, size_t dim, FactorId factor) {
  for (size_t n = 0; n < view.resultCount(); ++n) {
    builder.map(n, dim, factor);
    builder.mapResult(n, dim, factor);
  }
}

void mapUpdates(RuleBuilder& builder, const OpView& view, size_t dim, FactorId factor) {
  const size_t count = view.resultCount();
  for (size_t n = 0; n < count; ++n) builder.map(count + 1 + n, dim, factor);
}

Status checkScatter(const OpView& view, const ScatterAttrs& attrs) {
  const size_t count = view.resultCount(), indices = count, updates = count + 1;
  Checker check(view);
  check.that(count > 0, "has no results")
      .counts(2 * count + 1, count)
      .dims("update_window_dims", attrs.updateWindowDims, updates)
      .ascending("update_window_dims", attrs.updateWindowDims)
      .dims("inserted_window_dims and input_batching_dims",
            joined(attrs.insertedWindowDims, attrs.inputBatchingDims), 0)
      .dims("scatter_dims_to_operand_dims", attrs.scatterDimsToOperandDims, 0);
  checkIndices(check, view, indices, attrs.indexVectorDim, attrs.scatterIndicesBatchingDims,
               attrs.inputBatchingDims, {"scatter_indices_batching_dims", "input_batching_dims"});
  if (check.failed()) return check.status();
  const size_t batches = indexDims(view, indices, attrs.indexVectorDim).size();
  check.rank(updates, batches + attrs.updateWindowDims.size())
      .rank(0, attrs.updateWindowDims.size() + attrs.insertedWindowDims.size() +
                   attrs.inputBatchingDims.size());
  for (size_t n = 0; n < count; ++n) {
    check.sameRank(n, 0).sameRank(updates + n, updates).sameRank(2 * count + 1 + n, 0);
  }
  return check.status();
}

// Updates that meet in one element are combined; over devices, only with what XLA's scatter can
// be told apart by: the combiners for which Shardy splits the updates too.
FactorId updatesFactor(RuleBuilder& builder, int64_t size, Combiner combiner) {
  const bool known = combiner == Combiner::kAdd || combiner == Combiner::kMul ||
                     combiner == Combiner::kMin || combiner == Combiner::kMax;
  return known ? builder.reduction(size, combiner) : builder.blocked(size);
}

// A window dim of the updates and the input dim it goes to: parallel if it covers the dim.
void putWindow(RuleBuilder& builder, const OpView& view, size_t dim, size_t updateDim) {
  const int64_t size = view.shape(0)[dim];
  const int64_t windowSize = view.shape(view.resultCount() + 1)[updateDim];
  const bool covers = size == windowSize;
  const FactorId factor = covers ? builder.parallel(size) : builder.blocked(size);
  mapInputs(builder, view, dim, factor);
  mapUpdates(builder, view, updateDim, covers ? factor : builder.blocked(windowSize));
}

}  // namespace

Result<Rule> scatter(const OpView& view) {
  const auto* attrs = view.attributes<ScatterAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = checkScatter(view, *attrs)) return *bad;

  RuleBuilder builder(view);
  const size_t indices = view.resultCount(), updates = indices + 1;
  const auto fromIndices = indexDims(view, indices, attrs->indexVectorDim);
  const auto toUpdates = restOf(attrs->updateWindowDims, view.shape(updates).size());
  const auto batched = batchedBy(attrs->scatterIndicesBatchingDims, attrs->inputBatchingDims,
                                 view.shape(indices).size());
  for (size_t n = 0; n < fromIndices.size(); ++n) {
    const int64_t size = view.shape(indices)[fromIndices[n]];
    const size_t inputDim = batched[fromIndices[n]];
    const FactorId factor =
        inputDim != kNoDim ? builder.parallel(size) : updatesFactor(builder, size, attrs->combiner);
    builder.map(indices, fromIndices[n], factor);
    mapUpdates(builder, view, toUpdates[n], factor);
    if (inputDim != kNoDim) mapInputs(builder, view, inputDim, factor);
  }
  const auto windowDims =
      restOf(joined(attrs->insertedWindowDims, attrs->inputBatchingDims), view.shape(0).size());
  for (size_t n = 0; n < windowDims.size(); ++n) {
    putWindow(builder, view, windowDims[n], static_cast<size_t>(attrs->updateWindowDims[n]));
  }
  for (const int64_t d : attrs->insertedWindowDims) {
    const auto dim = static_cast<size_t>(d);
    mapInputs(builder, view, dim, builder.parallel(view.shape(0)[dim]));
  }
  blockIndexVector(builder, view, indices, attrs->indexVectorDim);
  for (size_t n = 0; n < indices; ++n) builder.countsOnce(n, attrs->combiner);
  if (indices == 1 && attrs->combiner == Combiner::kAdd) {
    builder.linear(0, 1);
    builder.linear(updates, 1);
  }
  const double combined = attrs->combiner == Combiner::kReplace ? 0 : 1;
  builder.flops(combined * static_cast<double>(indices) * productOf(view.shape(updates)));
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
