#include "shardwright/cost/compute.h"

#include <algorithm>
#include <cmath>

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

class Coster {
 public:
  Coster(const Graph& graph, const Fusion& fusion, const Device& device)
      : graph_(graph),
        spmd_(*graph.spmd),
        fusion_(fusion),
        device_(device),
        touchedBy_(spmd_.locals.size()) {}

  KernelCost cost(KernelId id) {
    const Kernel& kernel = fusion_.kernels[id];
    const Node& root = graph_.node(kernel.root);
    if (root.role == Role::kCollective) return {};
    const bool usesMatmul = root.work == WorkKind::kContraction || root.work == WorkKind::kWindow;
    const double other = usesMatmul || root.role != Role::kKernel ? 0 : root.flops;
    KernelCost cost;
    cost.flops = Flops{kernel.loopFlops + other + (usesMatmul ? root.flops : 0)};
    cost.traffic = traffic(kernel);
    const Seconds launch = kernel.leader == id ? device_.launchOverhead : Seconds{};
    Seconds arithmetic = Flops{kernel.loopWork + other} / device_.vector.effective();
    if (usesMatmul) arithmetic += Flops{root.flops} / matmulRate(kernel);
    cost.seconds = std::max(arithmetic, cost.traffic / device_.effectiveHbm()) + launch;
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
    for (uint16_t r = 0; r < root.resultCount; ++r)
      bytes += Bytes{spmd_.bytes(spmd_.result(root, r))};
    const uint16_t updates = graph_.node(kernel.root).updates;
    if (updates == 0) return bytes;
    Bytes updated;
    for (size_t n = updates; n < root.operandCount; ++n) {
      updated += Bytes{spmd_.bytes(graph_.operandsOf(root)[n])};
    }
    return std::min(bytes, updated);
  }

  // T3.
  FlopsPerSecond matmulRate(const Kernel& kernel) const {
    const Instruction& root = graph_.instruction(kernel.root);
    const LocalId operand = graph_.operandsOf(root)[0];
    const FlopsPerSecond rate =
        device_.rate(matmulClass(spmd_.types.dtype(spmd_.locals[operand].type))).effective();
    if (graph_.node(kernel.root).work != WorkKind::kContraction) return rate;
    return rate * shapeShare(root.op);
  }

  double shapeShare(program::OpId op) const {
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
    return matmulShare(size(0b101), size(0b110), size(0b011), device_.flavor);
  }

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const Fusion& fusion_;
  const Device& device_;
  std::vector<KernelId> touchedBy_;  // Per buffer: the leader of the kernel that had it last.
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
