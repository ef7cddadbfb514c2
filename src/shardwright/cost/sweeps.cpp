#include "shardwright/cost/sweeps.h"

#include <algorithm>

#include "shardwright/cost/patterns.h"

namespace shardwright::cost {
namespace {

using spmd::LocalId;

class SweepFinder {
 public:
  SweepFinder(const Graph& graph, const Fusion& fusion) : graph_(graph), fusion_(fusion) {
    sweeps_.first.resize(fusion.kernels.size());
  }

  Sweeps find() && {
    for (size_t n = 0; n < fusion_.kernels.size(); ++n) close(KernelId(n));
    keepInside();
    return std::move(sweeps_);
  }

 private:
  const Kernel& kernel(KernelId id) const { return fusion_.kernels[id]; }
  const Node& root(KernelId id) const { return graph_.node(kernel(id).root); }
  KernelId makerOf(LocalId buffer) const {
    const spmd::InstructionId maker = graph_.spmd->locals[buffer].definition;
    return maker.valid() ? fusion_.kernelOf[maker.index()] : KernelId();
  }
  bool reads(KernelId id, LocalId buffer) const {
    const auto inputs = fusion_.inputsOf(kernel(id));
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const KernelInput& input) { return input.buffer == buffer; });
  }

  // The kernel among those that an input comes from for which `wanted` holds; else invalid.
  template <typename Predicate>
  KernelId among(KernelId id, const Predicate& wanted) const {
    for (const KernelInput& input : fusion_.inputsOf(kernel(id))) {
      const KernelId maker = makerOf(input.buffer);
      if (maker.valid() && kernel(maker).region == kernel(id).region && wanted(maker)) return maker;
    }
    return {};
  }
  // The kernel of rows' maxima, or of their sums, that a kernel reads.
  KernelId rowsOf(KernelId id, bool maxima) const {
    return among(id, [&](KernelId k) {
      return reducesShortRows(graph_, kernel(k).root) &&
             isMaximum(graph_, kernel(k).root) == maxima;
    });
  }

  // The maximum; the exponential, if it is a kernel of its own; the sum; and the division.
  void close(KernelId division) {
    if (root(division).role != Role::kLoop) return;
    const KernelId sum = rowsOf(division, false);
    if (!sum.valid()) return;
    KernelId exponential, maximum = rowsOf(sum, true);
    if (!maximum.valid()) {
      exponential = among(sum, [&](KernelId k) { return root(k).role == Role::kLoop; });
      if (exponential.valid()) maximum = rowsOf(exponential, true);
    }
    if (!maximum.valid() || !sharesRows(sum, division)) return;
    for (const KernelId member : {maximum, exponential, sum, division}) {
      if (member.valid()) sweeps_.first[member.index()] = maximum;
    }
    if (exponential.valid()) {
      exponentials_.push_back(graph_.instruction(kernel(exponential).root).firstResult);
    }
  }

  // Whether both go over the same large buffer.
  bool sharesRows(KernelId sum, KernelId division) const {
    const spmd::SpmdProgram& spmd = *graph_.spmd;
    const auto elements = [&](LocalId id) { return spmd.types.elements(spmd.locals[id].type); };
    const int64_t rows = elements(graph_.instruction(kernel(sum).root).firstResult);
    const auto inputs = fusion_.inputsOf(kernel(sum));
    return std::any_of(inputs.begin(), inputs.end(), [&](const KernelInput& input) {
      return elements(input.buffer) > rows && reads(division, input.buffer);
    });
  }

  // An exponential that nothing but the rest of its softmax reads.
  void keepInside() {
    if (exponentials_.empty()) return;
    sweeps_.staysThere.assign(graph_.spmd->locals.size(), 0);
    for (const LocalId id : exponentials_) {
      sweeps_.staysThere[id.index()] = !graph_.escapes[id.index()] && isReadByKernels(id);
    }
    for (size_t n = 0; n < fusion_.kernels.size(); ++n) {
      for (const KernelInput& input : fusion_.inputsOf(kernel(KernelId(n)))) {
        char& stays = sweeps_.staysThere[input.buffer.index()];
        if (stays) stays = sweeps_.first[n] == sweeps_.first[makerOf(input.buffer).index()];
      }
    }
  }
  bool isReadByKernels(LocalId id) const {
    const auto users = graph_.usersOf(id);
    return std::all_of(users.begin(), users.end(), [&](spmd::InstructionId user) {
      const Role role = graph_.node(user).role;
      return role == Role::kLoop || role == Role::kReduce;
    });
  }

  const Graph& graph_;
  const Fusion& fusion_;
  Sweeps sweeps_;
  std::vector<LocalId> exponentials_;  // Those of sweeps that are buffers.
};

}  // namespace

Sweeps findSweeps(const Graph& graph, const Fusion& fusion) {
  return SweepFinder(graph, fusion).find();
}

}  // namespace shardwright::cost
