#include "shardwright/cost/matmul_rate.h"

#include <algorithm>
#include <cmath>

#include "shardwright/cost/padded_images.h"
#include "shardwright/cost/patterns.h"

namespace shardwright::cost {
namespace {

using program::DType;
using rules::FactorId;
using rules::Rule;
using rules::WorkKind;
using spmd::Instruction;
using spmd::LocalId;

MatmulClass matmulClass(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kC128:
      return MatmulClass::kF64;
    case DType::kBF16:
    case DType::kF16:
      return MatmulClass::kF16;
    case DType::kF4:
    case DType::kF6:
    case DType::kF8:
      return MatmulClass::kF8;
    case DType::kI2:
    case DType::kI4:
    case DType::kI8:
    case DType::kU2:
    case DType::kU4:
    case DType::kU8:
      return MatmulClass::kI8;
    default:
      return MatmulClass::kF32;
  }
}

double share(double size, double tile) { return size / (std::ceil(size / tile) * tile); }

// Of the vector rate: what cuDNN's convolutions in groups reach
// (benchmarks/results/h200-convolutions.md). Depthwise ones of 7 x 7 and 3 x 3
// points in float32 ran at 4 to 5 TFLOP/s on an H200, those of 4 and 31 points along one dim at 0.2
// and 0.4.
constexpr double kGroupedShare = 0.2;
constexpr double kGroupedShareAlongOneDim = 0.015;

// What strides leave of the rate, and 32-bit numbers in the gradient of a kernel (the same page).
constexpr double kStrided = 0.65, kWideKernelGradient = 0.5;

// What is left of the rate of tensor cores (benchmarks/results/h200-kernels.md): of products of
// 32-bit numbers that lie across the sum in both operands, as in the gradient of weights, unless
// there are few rows or columns; and where the rows of an operand or of the result do not begin at
// multiples of 16 bytes. What is smaller and not summed along its rows fares better if they begin
// at words.
constexpr double kAcrossTheSum = 0.65, kNarrow = 128;
constexpr double kUnalignedOperand = 0.4, kHalfwayAligned = 0.7;
constexpr double kUnalignedResult = 0.85, kUnalignedResultOf32Bits = 0.5;
constexpr int64_t kAlignedBits = 128;
constexpr double kShortRow = 64;  // Tiles are larger, so it makes little difference.

// What attention in one call gets, which also takes exponentials: as many for narrow heads as for
// wide ones (benchmarks/results/h200-kernels.md).
constexpr double kAttentionShare = 0.75, kAttentionShareOfNarrowHeads = 0.55;
constexpr int64_t kWideHead = 128;

// One product, as one device has it.
class Product {
 public:
  Product(const Graph& graph, const Device& device, const Instruction& instruction)
      : graph_(graph),
        spmd_(*graph.spmd),
        device_(device),
        instruction_(instruction),
        rule_(graph.subject->rule(instruction.op)),
        where_(rule_.factorCount(), 0) {
    for (size_t t = 0; t < rule_.tensorCount(); ++t) {
      for (size_t d = 0; d < rule_.rank(t); ++d) {
        for (const FactorId f : rule_.dim(t, d)) where_[f.index()] |= bitOf(t);
      }
    }
  }

  double share(FlopsPerSecond rate, WorkKind work) const {
    if (work == WorkKind::kAttention) return attentionShare();
    if (work == WorkKind::kWindow) return convolutionShare(rate);
    const double tiles = matmulShare(size(kRows), size(kColumns), size(kSummed), device_.flavor);
    return tiles * layoutShare(rate);
  }

 private:
  static constexpr uint8_t kSummed = 0b011, kInResult = 0b100, kRows = 0b101, kColumns = 0b110,
                           kEverywhere = 0b111;

  // Tensors are bits: the operands 1 and 2, results 4.
  uint8_t bitOf(size_t tensor) const {
    const size_t bit = tensor >= rule_.operandCount() ? 2 : std::min<size_t>(tensor, 1);
    return static_cast<uint8_t>(1u << bit);
  }

  template <typename Predicate>
  double points(const Predicate& counts) const {
    return localPoints(*graph_.subject, spmd_, instruction_.op, counts);
  }
  double size(uint8_t where) const {
    return points([&](FactorId f) { return where_[f.index()] == where; });
  }

  double attentionShare() const {
    const auto query = spmd_.types.shape(spmd_.locals[spmd_.operandsOf(instruction_)[0]].type);
    return query.back() < kWideHead ? kAttentionShareOfNarrowHeads : kAttentionShare;
  }

  // There are kernels of other kinds for the groups of a convolution.
  double groupedShare(FlopsPerSecond rate) const {
    if (device_.flavor != Flavor::kGpu) return 1;
    const bool alongOneDim = convolution(graph_, instruction_.op)->kernelSpatial.size() <= 1;
    const double share = alongOneDim ? kGroupedShareAlongOneDim : kGroupedShare;
    return std::min(1.0, device_.vector.effective().value * share / rate.value);
  }

  // Each point of the result is a row: where windows are strided or dilated, its places are factors
  // of the result alone.
  double convolutionShare(FlopsPerSecond rate) const {
    if (size(kEverywhere) > 1) return groupedShare(rate);
    const double rows = size(kRows) * size(kInResult);
    const double tiles = matmulShare(rows, size(kColumns), convolutionDepth(), device_.flavor);
    if (device_.flavor != Flavor::kGpu) return tiles;
    const bool wide = bitsOf(0) == 32;
    return tiles * (isKernelGradient() && wide ? kWideKernelGradient : 1) *
           (isStrided() ? kStrided : 1);
  }

  // A convolution multiplies matrices for each point of its window. The gradient of a kernel, which
  // has a window as large as an image, is one product over all points of all images; so is, on
  // TPUs, a convolution of patches over those of a patch.
  double convolutionDepth() const {
    const auto& attrs = *convolution(graph_, instruction_.op);
    const double features = localSize(1, attrs.kernelInputFeature);
    const bool patches = device_.flavor == Flavor::kTpu && cutsPatches(attrs);
    return isKernelGradient() || patches ? features * localSize(1, attrs.kernelSpatial) : features;
  }

  bool cutsPatches(const program::ConvolutionAttrs& attrs) const {
    const auto window = spmd_.types.shape(spmd_.locals[graph_.operandsOf(instruction_)[1]].type);
    for (size_t n = 0; n < attrs.kernelSpatial.size(); ++n) {
      if (attrs.strides[n] != window[static_cast<size_t>(attrs.kernelSpatial[n])]) return false;
    }
    return isLarge(attrs.strides);
  }

  bool isKernelGradient() const { return cost::isKernelGradient(graph_, instruction_); }

  static bool isLarge(const program::IntList& steps) {
    return std::ranges::any_of(steps, [](int64_t step) { return step > 1; });
  }

  // By the stride of its window, or in the gradient of such a kernel by that between its points.
  bool isStrided() const {
    const auto& attrs = *convolution(graph_, instruction_.op);
    return isLarge(isKernelGradient() ? attrs.rhsDilation : attrs.strides);
  }

  double localSize(size_t tensor, int64_t dim) const {
    const LocalId local = tensor < rule_.operandCount() ? graph_.operandsOf(instruction_)[tensor]
                                                        : spmd_.result(instruction_, 0);
    return static_cast<double>(
        spmd_.types.shape(spmd_.locals[local].type)[static_cast<size_t>(dim)]);
  }
  double localSize(size_t tensor, const program::IntList& dims) const {
    double size = 1;
    for (const int64_t dim : dims) size *= localSize(tensor, dim);
    return size;
  }

  // What tensor cores make of the way in which the operands and the result lie in memory.
  double layoutShare(FlopsPerSecond rate) const {
    const bool onTensorCores = rate.value > device_.vector.peak.value;
    if (device_.flavor != Flavor::kGpu || !onTensorCores) return 1;
    const bool wide = bitsOf(0) == 32;
    for (size_t operand = 0; operand < 2; ++operand) {
      if (isAligned(operand, kAlignedBits)) continue;
      const bool halfway = !wide && lastOf(operand) != kSummed && isAligned(operand, 32);
      return halfway ? kHalfwayAligned : kUnalignedOperand;
    }
    if (!isAligned(rule_.operandCount(), kAlignedBits))
      return wide ? kUnalignedResultOf32Bits : kUnalignedResult;
    const bool across = lastOf(0) != kSummed && lastOf(1) != kSummed;
    const bool narrow = std::min(size(kRows), size(kColumns)) <= kNarrow;
    return wide && across && !narrow ? kAcrossTheSum : 1;
  }

  int64_t bitsOf(size_t tensor) const {
    const LocalId local = tensor < rule_.operandCount() ? graph_.operandsOf(instruction_)[tensor]
                                                        : spmd_.result(instruction_, 0);
    return program::bitWidth(spmd_.types.dtype(spmd_.locals[local].type));
  }

  // In which tensors the last dim of a tensor is that is larger than 1; 0 if it has none.
  uint8_t lastOf(size_t tensor) const {
    const std::vector<FactorId> factors = rowOf(tensor);
    return factors.empty() ? uint8_t{0} : where_[factors[0].index()];
  }

  // Rows are what lies together of a tensor: its last dims, as far as they are in the same tensors.
  bool isAligned(size_t tensor, int64_t bits) const {
    const std::vector<FactorId> row = rowOf(tensor);
    const double length =
        points([&](FactorId f) { return std::find(row.begin(), row.end(), f) != row.end(); });
    return length <= kShortRow ||
           std::fmod(length * static_cast<double>(bitsOf(tensor)), static_cast<double>(bits)) == 0;
  }

  std::vector<FactorId> rowOf(size_t tensor) const {
    std::vector<FactorId> row;
    for (size_t d = rule_.rank(tensor); d-- > 0;) {
      const auto factors = rule_.dim(tensor, d);
      for (auto f = factors.rbegin(); f != factors.rend(); ++f) {
        if (rule_.factor(*f).size == 1) continue;
        if (!row.empty() && where_[f->index()] != where_[row[0].index()]) return row;
        row.push_back(*f);
      }
    }
    return row;
  }

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const Device& device_;
  const Instruction& instruction_;
  const Rule& rule_;
  std::vector<uint8_t> where_;  // Per factor: the tensors that have it.
};

}  // namespace

FlopsPerSecond MatmulRates::of(spmd::InstructionId id) {
  const Instruction& product = graph_.instruction(id);
  const spmd::SpmdProgram& spmd = *graph_.spmd;
  const LocalId operand = graph_.operandsOf(product)[0];
  const DType dtype = spmd.types.dtype(spmd.locals[operand].type);
  const FlopsPerSecond rate = device_.rate(matmulClass(dtype)).effective();
  double& share = shares_[spmd.assignment.split(product.op).index()];
  if (share == 0) share = Product(graph_, device_, product).share(rate, graph_.node(id).work);
  return rate * share;
}

double matmulShare(double rows, double columns, double depth, Flavor flavor) {
  switch (flavor) {
    case Flavor::kGpu:
      return share(rows, 64) * share(columns, 64) * depth / (depth + 32);
    case Flavor::kTpu:
      return share(rows, 8) * share(columns, 128) * share(depth, 128);
    case Flavor::kCpu:
      break;
  }
  return share(rows, 4) * share(columns, 8);
}

}  // namespace shardwright::cost
