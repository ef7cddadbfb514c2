#include "shardwright/cost/timeline.h"

#include <algorithm>

#include "shardwright/cost/collective_time.h"

namespace shardwright::cost {
namespace {

using program::RegionId;
using spmd::Instruction;
using spmd::InstructionId;
using spmd::LocalId;

// The streams, while one region runs.
struct Streams {
  Seconds compute;
  std::array<Seconds, mesh::kMostAxes> axes{};

  Seconds latest() const { return std::max(compute, *std::max_element(axes.begin(), axes.end())); }
  void meet(Seconds time) {
    compute = time;
    axes.fill(time);
  }
};

class Simulator {
 public:
  Simulator(const Graph& graph, const Steps& steps, const Order& order,
            const std::vector<KernelCost>& costs, const Topology& topology)
      : graph_(graph),
        spmd_(*graph.spmd),
        program_(graph.subject->program),
        steps_(steps),
        order_(order),
        costs_(costs),
        topology_(topology),
        ready_(spmd_.locals.size()),
        maker_(spmd_.locals.size()) {}

  Timeline make() && {
    timeline_.events.reserve(steps_.steps.size());
    timeline_.end = run(program_.entry());
    return std::move(timeline_);
  }

 private:
  // Simulates one turn of a region from idle streams; returns when it ends.
  Seconds run(RegionId region) {
    Streams streams;
    for (const StepId id : order_[region]) {
      const Step& step = steps_.steps[id];
      const Instruction& instruction = spmd_.instructions[step.instruction];
      if (!step.kernel.valid()) {
        runStructure(step, instruction, streams);
      } else if (spmd::isCollective(instruction.kind)) {
        runCollective(step, instruction, streams);
      } else {
        runKernel(step, streams);
      }
    }
    return finish(region, streams);
  }

  double weightOf(RegionId region) const { return program_.region(region).weight; }

  // When all inputs are there, and which collective is the last to bring one. What comes from around
  // the region is there from the start.
  struct Arrival {
    Seconds time;
    InstructionId last;
  };
  Arrival arrival(const Step& step) const {
    Arrival latest;
    for (const KernelInput& input : steps_.inputsOf(step)) {
      const size_t n = input.buffer.index();
      if (steps_.home[n] != step.region || ready_[n] <= latest.time) continue;
      latest = {ready_[n], maker_[n]};
    }
    return latest;
  }

  void runKernel(const Step& step, Streams& streams) {
    const Arrival inputs = arrival(step);
    wait(inputs.time, inputs.last, weightOf(step.region), streams);
    const Seconds start = streams.compute;
    const Seconds seconds = costs_[step.kernel.index()].seconds;
    streams.compute += seconds;
    timeline_.compute += seconds * weightOf(step.region);
    finishStep(step, {}, start, streams.compute);
  }

  // T7.
  void wait(Seconds until, InstructionId reason, double weight, Streams& streams) {
    if (until <= streams.compute) return;
    book(reason).exposed += (until - streams.compute) * weight;
    streams.compute = until;
  }

  CollectiveCost& book(InstructionId id) {
    return timeline_.collectives[collectiveIndex(spmd_.instructions[id].kind)];
  }

  void runCollective(const Step& step, const Instruction& instruction, Streams& streams) {
    const mesh::AxisSet axes = instruction.axes.set();
    Seconds start = std::max(streams.compute, arrival(step).time);
    forEachAxis(axes, [&](uint32_t axis) { start = std::max(start, streams.axes[axis]); });
    const int64_t bytes = std::max(bytesOf(graph_.operandsOf(instruction)[0]),
                                   bytesOf(spmd_.result(instruction)));
    const Seconds seconds = timeOf(instruction)(Bytes{bytes});
    forEachAxis(axes, [&](uint32_t axis) { streams.axes[axis] = start + seconds; });
    const double weight = weightOf(step.region);
    CollectiveCost& cost = book(step.instruction);
    cost.count += weight;
    cost.bytes += static_cast<double>(bytes) * weight;
    cost.seconds += seconds * weight;
    finishStep(step, axes, start, start + seconds);
    lastOf(axes, step.instruction);
  }

  int64_t bytesOf(LocalId id) const { return spmd_.bytes(id); }

  // There are few pairs of kind and axes.
  AlphaBeta timeOf(const Instruction& instruction) {
    for (const Known& known : known_) {
      if (known.kind == instruction.kind && known.axes == instruction.axes) return known.time;
    }
    known_.push_back({instruction.kind, instruction.axes,
                      collectiveTime(topology_, instruction.kind, instruction.axes)});
    return known_.back().time;
  }

  template <typename Function>
  static void forEachAxis(mesh::AxisSet axes, const Function& function) {
    for (uint32_t axis = 0; axis < mesh::kMostAxes; ++axis) {
      if (axes.contains(axis)) function(axis);
    }
  }

  void lastOf(mesh::AxisSet axes, InstructionId id) {
    forEachAxis(axes, [&](uint32_t axis) { lastOnAxis_[axis] = id; });
  }

  void finishStep(const Step& step, mesh::AxisSet axes, Seconds start, Seconds end) {
    timeline_.events.push_back({step.instruction, step.region, axes, start, end});
    for (const LocalId output : steps_.outputsOf(step)) {
      ready_[output.index()] = end;
      maker_[output.index()] = step.instruction;
    }
  }

  // T8.
  void runStructure(const Step& step, const Instruction& instruction, Streams& streams) {
    drain(step.region, streams);
    const Seconds start = streams.compute;
    const auto saved = lastOnAxis_;
    const auto regions = program_.regions(instruction.op);
    const bool isLoop = program_.region(regions[0]).kind != program::RegionKind::kBranch;
    const Seconds seconds = isLoop ? runLoop(step, regions) : runBranches(regions);
    lastOnAxis_ = saved;
    streams.meet(start + seconds);
    finishStep(step, {}, start, streams.compute);
  }

  Seconds runLoop(const Step& step, std::span<const RegionId> regions) {
    Seconds seconds;
    for (const RegionId region : regions) {
      seconds += run(region) * (weightOf(region) / weightOf(step.region));
    }
    return seconds;
  }

  // Only what the longest branch does is booked.
  Seconds runBranches(std::span<const RegionId> regions) {
    const Booked before = booked();
    Booked longest = before;
    Seconds seconds;
    for (const RegionId region : regions) {
      restore(before);
      const Seconds branch = run(region);
      if (branch < seconds) continue;
      seconds = branch;
      longest = booked();
    }
    restore(longest);
    return seconds;
  }

  struct Booked {
    Seconds compute;
    CollectiveCosts collectives;
  };
  Booked booked() const { return {timeline_.compute, timeline_.collectives}; }
  void restore(const Booked& booked) {
    timeline_.compute = booked.compute;
    timeline_.collectives = booked.collectives;
  }

  // Waits for all streams.
  void drain(RegionId region, Streams& streams) {
    for (uint32_t axis = 0; axis < mesh::kMostAxes; ++axis) {
      wait(streams.axes[axis], lastOnAxis_[axis], weightOf(region), streams);
    }
  }

  Seconds finish(RegionId region, Streams& streams) {
    drain(region, streams);
    return streams.latest();
  }

  struct Known {
    spmd::Kind kind;
    mesh::AxisList axes;
    AlphaBeta time;
  };

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const program::Program& program_;
  const Steps& steps_;
  const Order& order_;
  const std::vector<KernelCost>& costs_;
  const Topology& topology_;
  std::vector<Seconds> ready_;         // Per local, from the start of its region.
  std::vector<InstructionId> maker_;   // Per local.
  std::array<InstructionId, mesh::kMostAxes> lastOnAxis_;  // The last collective on each axis.
  std::vector<Known> known_;
  Timeline timeline_;
};

}  // namespace

Timeline simulate(const Graph& graph, const Steps& steps, const Order& order,
                  const std::vector<KernelCost>& costs, const Topology& topology) {
  return Simulator(graph, steps, order, costs, topology).make();
}

}  // namespace shardwright::cost
