#include "shardwright/cost/compute.h"

#include <algorithm>
#include <cmath>

#include "shardwright/cost/matmul_rate.h"
#include "shardwright/cost/patterns.h"
#include "shardwright/cost/sweeps.h"
#include "shardwright/cost/workspaces.h"

namespace shardwright::cost {
namespace {

using rules::WorkKind;
using spmd::Instruction;
using spmd::LocalId;

// By how much a transpose slows a kernel with several outputs down (T2): 3.5 GB took 3.4 ms on an
// H200, alone they would take 0.8 ms.
constexpr double kTransposeSlowdown = 4;

// T1. The memory and the matmul units of a GPU do not wait for one another all the time, nor never:
// small products take longer than either.
Seconds together(Seconds arithmetic, Seconds traffic) {
  return {std::hypot(arithmetic.value, traffic.value)};
}

class Coster {
 public:
  Coster(const Graph& graph, const Fusion& fusion, const Device& device)
      : graph_(graph),
        spmd_(*graph.spmd),
        fusion_(fusion),
        device_(device),
        rates_(graph, device),
        sweeps_(device.flavor == Flavor::kGpu ? findSweeps(graph, fusion) : Sweeps{}),
        touchedBy_(spmd_.locals.size()),
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
    const spmd::InstructionId product = multiplicationOf(kernel.root);
    const double multiplied = product.valid() ? graph_.node(product).flops : 0;
    const double other = product.valid() || root.role != Role::kKernel ? 0 : root.flops;
    const KernelId group = groupOf(id);
    KernelCost cost;
    cost.flops = Flops{kernel.loopFlops + other + multiplied};
    cost.traffic = traffic(kernel, group);
    const Seconds launch = group == id ? device_.launchOverhead : Seconds{};
    const Seconds loops = Flops{kernel.loopWork + other * root.effort} / device_.vector.effective();
    // Without elements there is neither work nor a rate to do it at.
    const Seconds products = multiplied > 0 ? Flops{multiplied} / rates_.of(product) : Seconds{};
    const Seconds arithmetic =
        device_.flavor == Flavor::kTpu ? std::max(loops, products) : loops + products;
    const bool slow = kernel.transposes && !kernel.alone;
    const double times = root.passes * (slow ? kTransposeSlowdown : 1);
    // M18: written and read again.
    cost.traffic += Bytes{2 * groupedBytes(graph_, kernel.root, device_.flavor)};
    const Seconds moving = cost.traffic / device_.bandwidthFor(cost.traffic) * times;
    const bool overlaps = device_.flavor == Flavor::kGpu && multiplied > 0;
    cost.seconds =
        (overlaps ? together(arithmetic, moving) : std::max(arithmetic, moving)) + launch;
    return cost;
  }

 private:
  // The contraction or convolution of a kernel; else invalid.
  spmd::InstructionId multiplicationOf(spmd::InstructionId root) const {
    const WorkKind work = graph_.node(root).work;
    const bool convolves =
        work == WorkKind::kWindow && convolution(graph_, graph_.instruction(root).op) != nullptr;
    return convolves || work == WorkKind::kAttention ? root : productOf(graph_, root);
  }

  // The first of those with which a kernel shares what it reads.
  KernelId groupOf(KernelId id) const {
    const KernelId sweep = sweeps_.first.empty() ? KernelId() : sweeps_.first[id.index()];
    return sweep.valid() ? sweep : fusion_.kernels[id].leader;
  }

  // T2.
  Bytes traffic(const Kernel& kernel, KernelId group) {
    Bytes bytes;
    for (const KernelInput& input : fusion_.inputsOf(kernel)) {
      if (touchedBy_[input.buffer.index()] != group) bytes += Bytes{input.read};
      touchedBy_[input.buffer.index()] = group;
    }
    const Instruction& root = graph_.instruction(kernel.root);
    if (root.resultCount > 0) touchedBy_[root.firstResult.index()] = group;
    return bytes + written(kernel);
  }

  Bytes written(const Kernel& kernel) const {
    const Instruction& root = graph_.instruction(kernel.root);
    Bytes bytes;
    for (uint16_t r = 0; r < root.resultCount; ++r) {
      const LocalId result = spmd_.result(root, r);
      if (!sweeps_.staysThere.empty() && sweeps_.staysThere[result.index()]) continue;
      const bool copiedBack = kernel.transposes && overwrites_[result.index()];
      bytes += Bytes{spmd_.bytes(result) * (copiedBack ? 3 : 1)};
    }
    const uint16_t updates = graph_.node(kernel.root).updates;
    if (updates == 0) return bytes;
    Bytes updated;
    for (size_t n = updates; n < root.operandCount; ++n) {
      updated += Bytes{spmd_.bytes(updatesIn(graph_.operandsOf(root)[n]))};
    }
    return std::min(bytes, updated);
  }

  // What is written of an operand of an update: of what is scattered over zeros (K7) only that.
  LocalId updatesIn(LocalId operand) const {
    const spmd::InstructionId maker = spmd_.locals[operand].definition;
    const bool scattered = graph_.node(maker).scatters && graph_.node(maker).role == Role::kLoop;
    return scattered ? graph_.operandsOf(graph_.instruction(maker)).back() : operand;
  }

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const Fusion& fusion_;
  const Device& device_;
  MatmulRates rates_;
  Sweeps sweeps_;
  std::vector<KernelId> touchedBy_;  // Per buffer: the group of the kernel that had it last.
  std::vector<char> overwrites_;     // Per local: takes over a donated argument's buffer.
};

}  // namespace

std::vector<KernelCost> kernelCosts(const Graph& graph, const Fusion& fusion,
                                    const Device& device) {
  Coster coster(graph, fusion, device);
  std::vector<KernelCost> costs;
  costs.reserve(fusion.kernels.size());
  for (size_t n = 0; n < fusion.kernels.size(); ++n) costs.push_back(coster.cost(KernelId(n)));
  return costs;
}

}  // namespace shardwright::cost
