#include "shardwright/cost/launch.h"

#include <algorithm>

namespace shardwright::cost {
namespace {

using spmd::InstructionId;
using spmd::LocalId;

class Launcher {
 public:
  Launcher(const Graph& graph, Fusion& fusion)
      : graph_(graph), fusion_(fusion), lastGroup_(graph.spmd->locals.size()) {}

  void group() {
    for (size_t n = 0; n < fusion_.kernels.size(); ++n) {
      const KernelId id(n);
      Kernel& kernel = fusion_.kernels[id];
      kernel.leader = isLoop(kernel) ? findLeader(kernel) : KernelId();
      if (kernel.leader.valid()) {
        kernel.alone = fusion_.kernels[kernel.leader].alone = false;
      } else {
        kernel.leader = id;
      }
      if (isLoop(kernel)) touch(kernel);
    }
  }

 private:
  bool isLoop(const Kernel& kernel) const {
    const Role role = graph_.node(kernel.root).role;
    return (role == Role::kLoop && !kernel.normalizes) || role == Role::kReduce ||
           isProductWithLoops(kernel.root);
  }
  // K13.
  bool isProductWithLoops(InstructionId root) const {
    return graph_.flavor == Flavor::kTpu && isProduct(graph_, root);
  }

  // How many points the kernel visits.
  int64_t points(const Kernel& kernel) const {
    const spmd::Instruction& root = graph_.instruction(kernel.root);
    const bool reduces = graph_.node(kernel.root).role == Role::kReduce;
    const LocalId shape = reduces ? graph_.operandsOf(root)[0] : root.firstResult;
    return elements(shape);
  }
  int64_t elements(LocalId id) const {
    return graph_.spmd->types.elements(graph_.spmd->locals[id].type);
  }

  KernelId findLeader(const Kernel& kernel) const {
    for (const KernelInput& input : fusion_.inputsOf(kernel)) {
      const KernelId group = lastGroup_[input.buffer.index()];
      if (group.valid() && elements(input.buffer) == points(kernel) && fits(kernel, group)) {
        return group;
      }
    }
    return {};
  }

  // Whether all inputs are made before the group's first kernel, or by the group.
  bool fits(const Kernel& kernel, KernelId group) const {
    const Kernel& leader = fusion_.kernels[group];
    if (leader.region != kernel.region || points(leader) != points(kernel)) return false;
    const auto inputs = fusion_.inputsOf(kernel);
    return std::all_of(inputs.begin(), inputs.end(), [&](const KernelInput& input) {
      const InstructionId maker = graph_.spmd->locals[input.buffer].definition;
      const KernelId made = fusion_.kernelOf[maker.index()];
      return maker < leader.root ||
             (made.valid() && fusion_.kernels[made].leader == group &&
              (graph_.node(maker).role == Role::kLoop || isProductWithLoops(maker)));
    });
  }

  void touch(const Kernel& kernel) {
    for (const KernelInput& input : fusion_.inputsOf(kernel)) {
      lastGroup_[input.buffer.index()] = kernel.leader;
    }
    const spmd::Instruction& root = graph_.instruction(kernel.root);
    if (root.resultCount > 0) lastGroup_[root.firstResult.index()] = kernel.leader;
  }

  const Graph& graph_;
  Fusion& fusion_;
  std::vector<KernelId> lastGroup_;  // Per buffer: the group that read or wrote it last.
};

}  // namespace

void launchTogether(const Graph& graph, Fusion& fusion) { Launcher(graph, fusion).group(); }

}  // namespace shardwright::cost
