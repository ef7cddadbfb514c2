#include "shardwright/cost/timeline.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

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
            const std::vector<KernelCost>& costs, const JointBarriers& barriers,
            const Topology& topology, Flavor flavor, Detail detail)
      : graph_(graph),
        spmd_(*graph.spmd),
        program_(graph.subject->program),
        steps_(steps),
        order_(order),
        costs_(costs),
        topology_(topology),
        overlaps_(flavor != Flavor::kCpu),
        lists_(detail == Detail::kLists),
        ready_(spmd_.locals.size()),
        maker_(spmd_.locals.size()),
        turns_(spmd_.instructions.size()),
        missing_(steps.steps.size(), 0),
        position_(steps.steps.size(), 0) {
    // Where nothing overlaps, nothing runs ahead.
    if (overlaps_ && !barriers.parts.empty()) findGates(barriers);
  }

  Timeline make() && {
    if (lists_) timeline_.events.reserve(steps_.steps.size());
    timeline_.end = run(program_.entry());
    return std::move(timeline_);
  }

 private:
  // Steps whose producers have started, by when their inputs arrive, then by position.
  struct Arrival {
    Seconds time;
    uint32_t position = 0;
    InstructionId last;  // The collective that brings the last input, if one does.
    bool operator>(const Arrival& other) const {
      return std::tie(time, position) > std::tie(other.time, other.position);
    }
  };
  // One turn of a region.
  struct Turn {
    std::span<const StepId> order;
    Streams streams;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;  // Positions.
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> coming;
  };

  // Simulates one turn of a region from idle streams; returns when it ends.
  Seconds run(RegionId region) {
    Turn turn{.order = order_[region], .streams = {}, .ready = {}, .coming = {}};
    for (uint32_t n = 0; n < turn.order.size(); ++n) {
      position_[turn.order[n].index()] = n;
      missing_[turn.order[n].index()] = producersOf(turn.order[n]);
      if (!gateOf_.empty() && gateOf_[turn.order[n].index()] != kNoGate)
        ++missing_[turn.order[n].index()];
    }
    for (uint32_t n = 0; n < turn.order.size(); ++n) {
      if (missing_[turn.order[n].index()] == 0) turn.ready.push(n);
    }
    while (!turn.ready.empty() || !turn.coming.empty()) advance(turn, region);
    drain(region, turn.streams);
    return turn.streams.latest();
  }

  uint32_t producersOf(StepId id) const {
    uint32_t count = 0;
    steps_.forEachMaker(id, [&](StepId) { ++count; });
    return count;
  }

  // Starts the first step in the order whose inputs are there, or waits for the next one's.
  void advance(Turn& turn, RegionId region) {
    while (!turn.coming.empty() && turn.coming.top().time <= turn.streams.compute) {
      turn.ready.push(turn.coming.top().position);
      turn.coming.pop();
    }
    if (turn.ready.empty()) {
      const Arrival next = turn.coming.top();
      return wait(next.time, next.last, weightOf(region), turn.streams);
    }
    const StepId id = turn.order[turn.ready.top()];
    turn.ready.pop();
    start(id, turn.streams);
    for (const LocalId output : steps_.outputsOf(steps_.steps[id])) announce(turn, region, output);
    if (!gateOf_.empty()) openGates(turn, id);
  }

  // --- joint barriers ---

  // A barrier that steps of its region wait for: makers of its operands that have yet to start.
  struct Gate {
    std::vector<StepId> makers, waiting;
    uint32_t closed = 0;
    Seconds time;
    InstructionId last;  // The step that brings the last operand.
  };
  static constexpr uint32_t kNoGate = ~0u;

  void findGates(const JointBarriers& barriers) {
    gates_.resize(barriers.parts.size());
    gateOf_.assign(steps_.steps.size(), kNoGate);
    gatesOfMaker_.resize(steps_.steps.size());
    std::vector<uint32_t> partOf(program_.opCount(), kNoGate);
    for (uint32_t gate = 0; gate < barriers.parts.size(); ++gate) {
      for (const program::OpId part : barriers.parts[gate]) partOf[part.index()] = gate;
    }
    for (const Instruction& instruction : spmd_.instructions) {
      if (instruction.kind != spmd::Kind::kCompute) continue;
      if (const uint32_t gate = partOf[instruction.op.index()]; gate != kNoGate)
        addMaker(gate, instruction);
    }
    for (size_t n = 0; n < steps_.steps.size(); ++n) {
      const uint32_t gate = barriers.behind[opBehind(steps_.steps[StepId(n)]).index()];
      if (gate != kNoGate) waitAt(gate, StepId(n), barriers);
    }
    for (Gate& gate : gates_) gate.closed = static_cast<uint32_t>(gate.makers.size());
  }

  void addMaker(uint32_t gate, const Instruction& part) {
    const LocalId buffer = steps_.buffer[graph_.operandsOf(part)[0].index()];
    const StepId maker = steps_.makerIn(part.region, buffer);
    std::vector<StepId>& makers = gates_[gate].makers;
    if (!maker.valid() || std::ranges::find(makers, maker) != makers.end()) return;
    makers.push_back(maker);
    gatesOfMaker_[maker.index()].push_back(gate);
  }

  // What is sent of a value stands where the value is made, whoever it is sent for.
  program::OpId opBehind(const Step& step) const {
    const Instruction& instruction = spmd_.instructions[step.instruction];
    if (instruction.kind == spmd::Kind::kCompute) return instruction.op;
    return program_.value(spmd_.locals[instruction.firstResult].value).definition;
  }

  void waitAt(uint32_t gate, StepId step, const JointBarriers& barriers) {
    const RegionId region = program_.op(barriers.parts[gate][0]).region;
    if (steps_.steps[step].region != region || gates_[gate].makers.empty()) return;
    gateOf_[step.index()] = gate;
    gates_[gate].waiting.push_back(step);
  }

  void openGates(Turn& turn, StepId maker) {
    for (const uint32_t number : gatesOfMaker_[maker.index()]) {
      Gate& gate = gates_[number];
      for (const LocalId output : steps_.outputsOf(steps_.steps[maker])) {
        if (ready_[output.index()] <= gate.time) continue;
        gate.time = ready_[output.index()];
        gate.last = maker_[output.index()];
      }
      if (--gate.closed > 0) continue;
      for (const StepId step : gate.waiting) {
        if (--missing_[step.index()] == 0) makeReady(turn, step);
      }
    }
  }

  void start(StepId id, Streams& streams) {
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

  void announce(Turn& turn, RegionId region, LocalId output) {
    for (const StepId user : steps_.usersOf(output)) {
      if (steps_.steps[user].region != region || --missing_[user.index()] > 0) continue;
      makeReady(turn, user);
    }
  }

  void makeReady(Turn& turn, StepId step) {
    const Arrival next = arrival(step);
    // Most inputs are there already.
    if (next.time <= turn.streams.compute) {
      turn.ready.push(next.position);
    } else {
      turn.coming.push(next);
    }
  }

  double weightOf(RegionId region) const { return program_.region(region).weight; }

  Arrival arrival(StepId id) const {
    const Step& step = steps_.steps[id];
    Arrival latest{.time = {}, .position = position_[id.index()], .last = {}};
    for (const KernelInput& input : steps_.inputsOf(step)) {
      const size_t n = input.buffer.index();
      if (!steps_.makerIn(step.region, input.buffer).valid() || ready_[n] <= latest.time) continue;
      latest.time = ready_[n];
      latest.last = maker_[n];
    }
    const uint32_t number = gateOf_.empty() ? kNoGate : gateOf_[id.index()];
    if (number != kNoGate && gates_[number].time > latest.time) {
      latest.time = gates_[number].time;
      latest.last = gates_[number].last;
    }
    return latest;
  }

  void runKernel(const Step& step, Streams& streams) {
    const Seconds begin = streams.compute;
    const Seconds seconds = costs_[step.kernel.index()].seconds;
    streams.compute += seconds;
    timeline_.compute += seconds * weightOf(step.region);
    finishStep(step, {}, begin, streams.compute);
  }

  // T7. Of the wait for a collective that had to wait itself, each of those before it has its part.
  void wait(Seconds until, InstructionId reason, double weight, Streams& streams) {
    for (Seconds end = until; end > streams.compute;) {
      const WireTurn& turn = turns_[reason.index()];
      const bool first = !turn.behind.valid();
      const Seconds begin = first ? streams.compute : std::max(streams.compute, turn.begin);
      book(reason).exposed += (end - begin) * weight;
      end = begin;
      reason = turn.behind;
    }
    streams.compute = std::max(streams.compute, until);
  }

  CollectiveCost& book(InstructionId id) {
    return timeline_.collectives[collectiveIndex(spmd_.instructions[id].kind)];
  }

  void runCollective(const Step& step, const Instruction& instruction, Streams& streams) {
    const mesh::AxisSet axes = overlaps_ ? instruction.axes.set() : mesh::AxisSet();
    Seconds begin = streams.compute;
    InstructionId behind;
    forEachAxis(axes, [&](uint32_t axis) {
      if (streams.axes[axis] <= begin) return;
      begin = streams.axes[axis];
      behind = lastOnAxis_[axis];
    });
    turns_[step.instruction.index()] = {begin, behind};
    const int64_t bytes =
        std::max(bytesOf(graph_.operandsOf(instruction)[0]), bytesOf(spmd_.result(instruction)));
    const Seconds seconds = timeOf(instruction)(Bytes{bytes});
    forEachAxis(axes, [&](uint32_t axis) { streams.axes[axis] = begin + seconds; });
    const double weight = weightOf(step.region);
    CollectiveCost& cost = book(step.instruction);
    cost.count += weight;
    cost.bytes += static_cast<double>(bytes) * weight;
    cost.seconds += seconds * weight;
    if (!overlaps_) wait(begin + seconds, step.instruction, weight, streams);
    finishStep(step, axes, begin, begin + seconds);
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
    for (uint32_t axis = 0, rest = axes.bits(); rest != 0; ++axis, rest >>= 1) {
      if ((rest & 1) != 0) function(axis);
    }
  }

  void lastOf(mesh::AxisSet axes, InstructionId id) {
    forEachAxis(axes, [&](uint32_t axis) { lastOnAxis_[axis] = id; });
  }

  void finishStep(const Step& step, mesh::AxisSet axes, Seconds begin, Seconds end) {
    if (lists_) timeline_.events.push_back({step.instruction, step.region, axes, begin, end});
    for (const LocalId output : steps_.outputsOf(step)) {
      ready_[output.index()] = end;
      maker_[output.index()] = step.instruction;
    }
  }

  // T8.
  void runStructure(const Step& step, const Instruction& instruction, Streams& streams) {
    drain(step.region, streams);
    const Seconds begin = streams.compute;
    const auto saved = lastOnAxis_;
    const auto regions = program_.regions(instruction.op);
    const bool isLoop = program_.region(regions[0]).kind != program::RegionKind::kBranch;
    const Seconds seconds = isLoop ? runLoop(step, regions) : runBranches(regions);
    lastOnAxis_ = saved;
    streams.meet(begin + seconds);
    finishStep(step, {}, begin, streams.compute);
  }

  Seconds runLoop(const Step& step, std::span<const RegionId> regions) {
    Seconds seconds;
    const double around = weightOf(step.region);
    for (const RegionId region : regions) {
      // A loop inside one that never turns runs 0 of 0 times.
      seconds += run(region) * (around > 0 ? weightOf(region) / around : 0);
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

  // When a collective begins, and the one whose end it waits for, if it does.
  struct WireTurn {
    Seconds begin;
    InstructionId behind;
  };

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
  const bool overlaps_;
  const bool lists_;
  std::vector<Seconds> ready_;        // Per local, from the start of its region.
  std::vector<InstructionId> maker_;  // Per local.
  std::vector<WireTurn> turns_;       // Per instruction.
  std::vector<uint32_t> missing_;     // Per step: inputs whose producers have not started.
  std::vector<uint32_t> position_;    // Per step, in the order of its region.
  std::vector<Gate> gates_;           // Per joint barrier.
  std::vector<uint32_t> gateOf_;      // Per step; empty if there are none.
  std::vector<std::vector<uint32_t>> gatesOfMaker_;        // Per step.
  std::array<InstructionId, mesh::kMostAxes> lastOnAxis_;  // The last collective on each axis.
  std::vector<Known> known_;
  Timeline timeline_;
};

}  // namespace

Timeline simulate(const Graph& graph, const Steps& steps, const Order& order,
                  const std::vector<KernelCost>& costs, const JointBarriers& barriers,
                  const Topology& topology, Flavor flavor, Detail detail) {
  return Simulator(graph, steps, order, costs, barriers, topology, flavor, detail).make();
}

}  // namespace shardwright::cost
