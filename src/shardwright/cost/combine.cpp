#include "shardwright/cost/combine.h"

#include <algorithm>

namespace shardwright::cost {
namespace {

using program::RegionId;
using spmd::Instruction;
using spmd::LocalId;

constexpr size_t kMostCombined = 256;

const Instruction& instructionOf(const Graph& graph, const Steps& steps, StepId step) {
  return graph.instruction(steps.steps[step].instruction);
}

bool isSum(const Graph& graph, const Steps& steps, StepId step) {
  return instructionOf(graph, steps, step).kind == spmd::Kind::kAllReduce;
}

bool isAlike(const Graph& graph, const Steps& steps, StepId a, StepId b) {
  const Instruction& one = instructionOf(graph, steps, a);
  const Instruction& other = instructionOf(graph, steps, b);
  const auto dtype = [&](const Instruction& instruction) {
    return graph.spmd->types.dtype(graph.spmd->locals[instruction.firstResult].type);
  };
  return one.kind == other.kind && one.axes == other.axes && one.combiner == other.combiner &&
         dtype(one) == dtype(other);
}

class Combiner {
 public:
  Combiner(const Graph& graph, const Steps& steps, RegionId region)
      : graph_(graph), steps_(steps), region_(region) {}

  Combined find() && {
    combined_.groupOf.assign(steps_.steps.size(), Combined::kAlone);
    std::vector<StepId> sums;
    for (const StepId step : steps_.ofRegion[region_]) {
      if (isSum(graph_, steps_, step)) sums.push_back(step);
    }
    while (sums.size() > 1) {
      gather(sums.front());
      std::erase_if(sums, [&, like = sums.front()](StepId step) {
        return isAlike(graph_, steps_, like, step);
      });
    }
    return std::move(combined_);
  }

 private:
  // Those that are like this one, in runs none of which needs another of its run.
  void gather(StepId like) {
    std::vector<uint32_t> needs(steps_.steps.size(), 0);  // The last run that a step needs.
    std::vector<std::vector<StepId>> runs(1);
    for (const StepId step : operandsFirst()) {
      uint32_t& last = needs[step.index()];
      forEachBefore(step, [&](StepId maker) { last = std::max(last, needs[maker.index()]); });
      if (!isAlike(graph_, steps_, like, step)) continue;
      if (last == runs.size() || runs.back().size() == kMostCombined) runs.emplace_back();
      runs.back().push_back(step);
      last = static_cast<uint32_t>(runs.size());
    }
    for (std::vector<StepId>& run : runs) {
      if (run.size() > 1) add(std::move(run));
    }
  }

  void add(std::vector<StepId> run) {
    for (const StepId step : run) {
      combined_.groupOf[step.index()] = static_cast<uint32_t>(combined_.groups.size());
    }
    combined_.groups.push_back(std::move(run));
  }

  // What has to run before a step: what it reads from, and what others of its group do.
  template <typename Function>
  void forEachBefore(StepId step, const Function& function) const {
    const uint32_t group = combined_.groupOf[step.index()];
    if (group == Combined::kAlone) return steps_.forEachMaker(step, function);
    for (const StepId member : combined_.groups[group]) steps_.forEachMaker(member, function);
  }

  std::vector<StepId> operandsFirst() const {
    std::vector<StepId> order;
    std::vector<char> seen(steps_.steps.size(), 0);
    const auto& ends = region_ == graph_.subject->program.entry() ? graph_.spmd->results
                                                                  : graph_.spmd->yields[region_];
    for (const LocalId end : ends) {
      const StepId maker = steps_.makerIn(region_, steps_.buffer[end.index()]);
      if (maker.valid()) visit(maker, seen, order);
    }
    for (const StepId step : steps_.ofRegion[region_]) visit(step, seen, order);
    return order;
  }

  void visit(StepId end, std::vector<char>& seen, std::vector<StepId>& order) const {
    struct Entry {
      StepId step;
      bool ready;  // All that it needs has been listed.
    };
    std::vector<Entry> stack = {{end, false}};
    while (!stack.empty()) {
      const auto [step, ready] = stack.back();
      stack.pop_back();
      if (ready) order.push_back(step);
      if (ready || seen[step.index()]) continue;
      seen[step.index()] = 1;
      stack.push_back({step, true});
      const auto begin = static_cast<std::ptrdiff_t>(stack.size());
      forEachBefore(step, [&](StepId maker) { stack.push_back({maker, false}); });
      std::reverse(stack.begin() + begin, stack.end());  // The first operand is listed first.
    }
  }

  const Graph& graph_;
  const Steps& steps_;
  RegionId region_;
  Combined combined_;
};

}  // namespace

Combined combineSums(const Graph& graph, const Steps& steps, RegionId region) {
  return Combiner(graph, steps, region).find();
}

bool runAsOne(const Graph& graph, const Steps& steps, StepId first, StepId second) {
  if (!isSum(graph, steps, first) || !isAlike(graph, steps, first, second)) return false;
  bool reads = false;
  steps.forEachMaker(second, [&](StepId maker) { reads |= maker == first; });
  return !reads;
}

}  // namespace shardwright::cost
