#include "shardwright/cost/compute.h"

#include <algorithm>
#include <cmath>

#include "shardwright/cost/patterns.h"

namespace shardwright::cost {
namespace {

using program::DType;
using rules::FactorId;
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

// By how much a transpose slows a kernel with several outputs down (T2): 3.5 GB took 3.4 ms on an
// H200, alone they would take 0.8 ms.
constexpr double kTransposeSlowdown = 4;

// Of the vector rate: what cuDNN's convolutions in groups reach (T3). Depthwise ones of 7 x 7 and
// 3 x 3 points in float32 ran at 4 to 5 TFLOP/s on an H200, those of 4 and 31 points along one
// dim at 0.2 and 0.4.
constexpr double kGroupedShare = 0.2;
constexpr double kGroupedShareAlongOneDim = 0.015;

class Coster {
 public:
  Coster(const Graph& graph, const Fusion& fusion, const Device& device)
      : graph_(graph),
        spmd_(*graph.spmd),
        fusion_(fusion),
        device_(device),
        touchedBy_(spmd_.locals.size()),
        shapeShares_(spmd_.assignment.splitCount(), 0),
        overwrites_(spmd_.locals.size(), 0) {
    for (const program::Argument& argument : graph.subject->program.arguments()) {
      if (!argument.aliasedResult) continue;
      const LocalId result = fusion.buffer[spmd_.results[*argument.aliasedResult].index()];
      if (result.valid()) overwrites_[result.index()] = 1;
    }
  }

  KernelCost cost(KernelId id) {
    const Kernel& kernel = fusion_.kernels[id];
    const Node& root = graph_.node(kernel.root);
    if (root.role == Role::kCollective) return {};
    const spmd::InstructionId product =
        root.work == WorkKind::kWindow ? kernel.root : productOf(graph_, kernel.root);
    const double multiplied = product.valid() ? graph_.node(product).flops : 0;
    const double other = product.valid() || root.role != Role::kKernel ? 0 : root.flops;
    KernelCost cost;
    cost.flops = Flops{kernel.loopFlops + other + multiplied};
    cost.traffic = traffic(kernel);
    const Seconds launch = kernel.leader == id ? device_.launchOverhead : Seconds{};
    Seconds arithmetic = Flops{kernel.loopWork + other} / device_.vector.effective();
    // Without elements there is neither work nor a rate to do it at.
    if (multiplied > 0) arithmetic += Flops{multiplied} / matmulRate(product);
    const bool slow = kernel.transposes && !kernel.alone;
    const double slower = slow ? kTransposeSlowdown : 1;
    cost.seconds = std::max(arithmetic, cost.traffic / device_.effectiveHbm() * slower) + launch;
    return cost;
  }

 private:
  // T2.
  Bytes traffic(const Kernel& kernel) {
    Bytes bytes;
    for (const KernelInput& input : fusion_.inputsOf(kernel)) {
      if (touchedBy_[input.buffer.index()] != kernel.leader) bytes += Bytes{input.read};
      touchedBy_[input.buffer.index()] = kernel.leader;
    }
    const Instruction& root = graph_.instruction(kernel.root);
    if (root.resultCount > 0) touchedBy_[root.firstResult.index()] = kernel.leader;
    return bytes + written(kernel);
  }

  Bytes written(const Kernel& kernel) const {
    const Instruction& root = graph_.instruction(kernel.root);
    Bytes bytes;
    for (uint16_t r = 0; r < root.resultCount; ++r) {
      const LocalId result = spmd_.result(root, r);
      const bool copiedBack = kernel.transposes && overwrites_[result.index()];
      bytes += Bytes{spmd_.bytes(result) * (copiedBack ? 3 : 1)};
    }
    const uint16_t updates = graph_.node(kernel.root).updates;
    if (updates == 0) return bytes;
    Bytes updated;
    for (size_t n = updates; n < root.operandCount; ++n) {
      updated += Bytes{spmd_.bytes(graph_.operandsOf(root)[n])};
    }
    return std::min(bytes, updated);
  }

  // T3.
  FlopsPerSecond matmulRate(spmd::InstructionId id) {
    const Instruction& product = graph_.instruction(id);
    const LocalId operand = graph_.operandsOf(product)[0];
    const FlopsPerSecond rate =
        device_.rate(matmulClass(spmd_.types.dtype(spmd_.locals[operand].type))).effective();
    double& share = shapeShares_[spmd_.assignment.split(product.op).index()];
    if (share == 0) share = shapeShare(product.op, graph_.node(id).work, rate);
    return rate * share;
  }

  double shapeShare(program::OpId op, WorkKind work, FlopsPerSecond rate) const {
    const rules::Rule& rule = graph_.subject->rule(op);
    std::vector<uint8_t> where(rule.factorCount(), 0);  // Bit t: in tensor t; results are bit 2.
    for (size_t t = 0; t < rule.tensorCount(); ++t) {
      const size_t bit = t >= rule.operandCount() ? 2 : std::min<size_t>(t, 1);
      for (size_t d = 0; d < rule.rank(t); ++d) {
        for (const FactorId f : rule.dim(t, d)) where[f.index()] |= static_cast<uint8_t>(1u << bit);
      }
    }
    const auto size = [&](uint8_t bits) {
      return localPoints(*graph_.subject, spmd_, op,
                         [&](FactorId f) { return where[f.index()] == bits; });
    };
    if (work == WorkKind::kWindow && size(0b111) > 1) return groupedShare(op, rate);
    const double depth = work == WorkKind::kWindow ? inputFeatures(op) : size(0b011);
    return matmulShare(size(0b101), size(0b110), depth, device_.flavor);
  }

  // There are kernels of other kinds for the groups of a convolution.
  double groupedShare(program::OpId op, FlopsPerSecond rate) const {
    const program::ConvolutionAttrs* attrs = convolution(graph_, op);
    if (device_.flavor != Flavor::kGpu || attrs == nullptr) return 1;
    const double share = attrs->kernelSpatial.size() > 1 ? kGroupedShare : kGroupedShareAlongOneDim;
    return std::min(1.0, device_.vector.effective().value * share / rate.value);
  }

  // A convolution multiplies matrices for each point of its window.
  double inputFeatures(program::OpId op) const {
    const program::ConvolutionAttrs* attrs = convolution(graph_, op);
    if (attrs == nullptr) return 1e9;
    const rules::Rule& rule = graph_.subject->rule(op);
    const auto factors = rule.dim(1, static_cast<size_t>(attrs->kernelInputFeature));
    return localPoints(*graph_.subject, spmd_, op, [&](FactorId f) {
      return std::find(factors.begin(), factors.end(), f) != factors.end();
    });
  }

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const Fusion& fusion_;
  const Device& device_;
  std::vector<KernelId> touchedBy_;  // Per buffer: the leader of the kernel that had it last.
  std::vector<double> shapeShares_;  // Per split; 0 if not asked for yet.
  std::vector<char> overwrites_;     // Per local: takes over a donated argument's buffer.
};

}  // namespace

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

std::vector<KernelCost> kernelCosts(const Graph& graph, const Fusion& fusion,
                                    const Device& device) {
  Coster coster(graph, fusion, device);
  std::vector<KernelCost> costs;
  costs.reserve(fusion.kernels.size());
  for (size_t n = 0; n < fusion.kernels.size(); ++n) costs.push_back(coster.cost(KernelId(n)));
  return costs;
}

}  // namespace shardwright::cost
