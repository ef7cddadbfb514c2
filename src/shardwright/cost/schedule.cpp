#include "shardwright/cost/schedule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "shardwright/cost/combine.h"
#include "shardwright/plan/structure.h"

namespace shardwright::cost {
namespace {

using program::RegionId;
using spmd::LocalId;

// Bytes that are neither argument, constant nor result of the program: those come and go.
std::vector<int64_t> temporaryBytes(const Graph& graph, const Steps& steps) {
  const spmd::SpmdProgram& spmd = *graph.spmd;
  std::vector<int64_t> bytes(spmd.locals.size(), 0);
  for (size_t n = 0; n < bytes.size(); ++n) {
    if (steps.producer[n].valid()) bytes[n] = spmd.bytes(LocalId(n));
  }
  for (const LocalId result : steps.results) bytes[result.index()] = 0;
  return bytes;
}

// Runs the steps of one region: in the order in which they are demanded, producers first, and after
// each step those that became eager.
class RegionScheduler {
 public:
  RegionScheduler(const Steps& steps, RegionId region, std::vector<char>& done)
      : steps_(steps), region_(region), done_(done) {}
  virtual ~RegionScheduler() = default;

  void demand(StepId step) {
    if (done_[step.index()]) return;
    steps_.forEachMaker(step, [&](StepId maker) { demand(maker); });
    run(step);
    drain();
  }

  std::vector<StepId> take() { return std::move(order_); }

 protected:
  // Whether a step whose producers have run should run now. May be asked again.
  virtual bool eager(StepId step) = 0;
  // Called after each step; offers candidates.
  virtual void ran(StepId step) = 0;

  void offer(StepId step) {
    if (!done_[step.index()]) candidates_.push(step);
  }

  bool isMadeHere(LocalId buffer) const { return steps_.makerIn(region_, buffer).valid(); }

  bool ready(StepId step) const {
    bool all = true;
    steps_.forEachMaker(step, [&](StepId maker) { all = all && done_[maker.index()] != 0; });
    return all;
  }

  const Steps& steps_;
  RegionId region_;
  std::vector<char>& done_;

 private:
  void run(StepId step) {
    if (done_[step.index()]) return;
    done_[step.index()] = 1;
    order_.push_back(step);
    ran(step);
  }

  void drain() {
    while (!candidates_.empty()) {
      const StepId step = candidates_.top();
      candidates_.pop();
      if (!done_[step.index()] && ready(step) && eager(step)) run(step);
    }
  }

  std::vector<StepId> order_;
  std::priority_queue<StepId, std::vector<StepId>, std::greater<>> candidates_;
};

// What M2 and M3 look at, for all regions.
struct Balance {
  std::vector<int64_t> bytes;     // Per local: of the temporaries.
  std::vector<uint32_t> readers;  // Per local: steps of its own region that still have to read it.
  std::vector<LocalId> overwrites;  // Per local: the argument whose buffer it takes over, if any.
};

// M14: which steps wait until the loops of a region have run.
class WaitForLoops {
 public:
  WaitForLoops(const Graph& graph, const Steps& steps, RegionId region)
      : graph_(graph),
        steps_(steps),
        region_(region),
        loopsBefore_(steps.steps.size(), 0),
        loopsBehind_(steps.steps.size(), 0) {}

  struct Waiting {
    StepId lastLoop;          // For which they wait; invalid without loops.
    std::vector<char> waits;  // Per step.
  };
  Waiting find() && {
    Waiting found{StepId(), std::vector<char>(steps_.steps.size(), 0)};
    const auto& all = steps_.ofRegion[region_];
    const auto lastLoop =
        std::find_if(all.rbegin(), all.rend(), [&](StepId id) { return isLoop(id); });
    if (lastLoop == all.rend()) return found;
    found.lastLoop = *lastLoop;
    countLoops();
    for (const StepId id : all) {
      bool waits = id < found.lastLoop && isLateProduct(id);
      steps_.forEachMaker(id,
                          [&](StepId maker) { waits = waits || found.waits[maker.index()] != 0; });
      found.waits[id.index()] = waits;
    }
    return found;
  }

 private:
  bool isLoop(StepId id) const {
    const Step& step = steps_.steps[id];
    if (step.kernel.valid()) return false;
    const program::Program& program = graph_.subject->program;
    const auto regions = program.regions(graph_.instruction(step.instruction).op);
    return program.region(regions.front()).kind != program::RegionKind::kBranch;
  }

  void countLoops() {
    const auto& all = steps_.ofRegion[region_];
    for (const StepId id : all) {
      uint32_t& before = loopsBefore_[id.index()];
      steps_.forEachMaker(
          id, [&](StepId maker) { before = std::max(before, loopsBefore_[maker.index()]); });
      if (isLoop(id)) ++before;
    }
    for (auto id = all.rbegin(); id != all.rend(); ++id) {
      uint32_t& behind = loopsBehind_[id->index()];
      behind = std::max(behind, loopsBefore_[id->index()]);
      steps_.forEachMaker(*id, [&](StepId maker) {
        loopsBehind_[maker.index()] = std::max(loopsBehind_[maker.index()], behind);
      });
    }
  }

  // Nothing that is made from it needs another loop. What is joined to something that a later loop
  // makes does not wait: the two gradients of an embedding that is also the output layer.
  bool isLateProduct(StepId id) const {
    return steps_.steps[id].kernel.valid() &&
           productOf(graph_, steps_.steps[id].instruction).valid() &&
           loopsBefore_[id.index()] == loopsBehind_[id.index()];
  }

  const Graph& graph_;
  const Steps& steps_;
  RegionId region_;
  std::vector<uint32_t> loopsBefore_;  // Per step: so many that need one another, itself included.
  std::vector<uint32_t> loopsBehind_;  // Per step: the most before anything that is made from it.
};

class MemoryScheduler final : public RegionScheduler {
 public:
  MemoryScheduler(const Graph& graph, const Steps& steps, RegionId region, std::vector<char>& done,
                  Balance& balance)
      : RegionScheduler(steps, region, done),
        balance_(balance),
        waiting_(WaitForLoops(graph, steps, region).find()) {}

  std::vector<StepId> make() {
    for (const StepId step : steps_.ofRegion[region_]) {
      if (!lazy(step) && !waits(step)) runInTurn(step);
      if (step == waiting_.lastLoop) endWaiting();
    }
    for (const StepId step : steps_.ofRegion[region_]) runInTurn(step);
    return take();
  }

 private:
  bool waits(StepId step) const { return waiting_.waits[step.index()] != 0; }
  void endWaiting() {
    std::ranges::fill(waiting_.waits, char{0});
    for (const StepId step : steps_.ofRegion[region_]) {
      if (step < waiting_.lastLoop && !lazy(step)) runInTurn(step);
    }
  }

  // Those before it that read an argument which it overwrites must not be put off any longer.
  void runInTurn(StepId step) {
    for (const LocalId output : steps_.outputsOf(steps_.steps[step])) {
      const LocalId argument = balance_.overwrites[output.index()];
      if (!argument.valid()) continue;
      for (const StepId reader : steps_.usersOf(argument)) {
        if (reader < step && steps_.steps[reader].region == region_) demand(reader);
      }
    }
    demand(step);
  }

  bool eager(StepId step) override {
    const bool saves = made(step) == 0 || made(step) < freed(step);
    return saves && !waits(step) && !overwritesEarly(step);
  }

  // M3.
  bool lazy(StepId step) const {
    const auto inputs = steps_.inputsOf(steps_.steps[step]);
    const bool fromOutside =
        std::all_of(inputs.begin(), inputs.end(),
                    [&](const KernelInput& input) { return !isMadeHere(input.buffer); });
    return fromOutside && steps_.steps[step].kernel.valid() && made(step) > 0;
  }

  int64_t made(StepId step) const {
    int64_t bytes = 0;
    for (const LocalId output : steps_.outputsOf(steps_.steps[step])) {
      bytes += balance_.bytes[output.index()];
    }
    return bytes;
  }

  int64_t freed(StepId step) const {
    int64_t bytes = 0;
    for (const KernelInput& input : steps_.inputsOf(steps_.steps[step])) {
      const bool last = balance_.readers[input.buffer.index()] == 1;
      if (last && isMadeHere(input.buffer)) bytes += balance_.bytes[input.buffer.index()];
    }
    return bytes;
  }

  bool overwritesEarly(StepId step) const {
    const auto inputs = steps_.inputsOf(steps_.steps[step]);
    for (const LocalId output : steps_.outputsOf(steps_.steps[step])) {
      const LocalId argument = balance_.overwrites[output.index()];
      if (!argument.valid()) continue;
      const bool reads = std::any_of(inputs.begin(), inputs.end(), [&](const KernelInput& input) {
        return input.buffer == argument;
      });
      if (balance_.readers[argument.index()] > (reads ? 1u : 0u)) return true;
    }
    return false;
  }

  void ran(StepId step) override {
    for (const KernelInput& input : steps_.inputsOf(steps_.steps[step])) {
      const bool here = steps_.home[input.buffer.index()] == region_;
      if (here && --balance_.readers[input.buffer.index()] == 1) offerReaders(input.buffer);
    }
    for (const LocalId output : steps_.outputsOf(steps_.steps[step])) offerReaders(output);
  }

  void offerReaders(LocalId buffer) {
    for (const StepId user : steps_.usersOf(buffer)) {
      if (steps_.steps[user].region == region_) offer(user);
    }
  }

  Balance& balance_;
  WaitForLoops::Waiting waiting_;
};

// M12, as XLA's depth first order has it.
class DepthFirst {
 public:
  DepthFirst(const Graph& graph, const Steps& steps, RegionId region)
      : graph_(graph), steps_(steps), region_(region), behind_(steps.steps.size()) {
    measure();
  }

  std::vector<StepId> make() && {
    std::vector<StepId> last;
    for (const LocalId yielded : graph_.spmd->yields[region_]) {
      const StepId maker = steps_.makerIn(region_, steps_.buffer[yielded.index()]);
      if (maker.valid()) last.push_back(maker);
    }
    visitAll(std::move(last));
    visitAll(steps_.ofRegion[region_]);  // Effects: nobody needs them.
    return std::move(order_);
  }

 private:
  // Of a step and all that it needs: uses of a value beyond its first, and bytes made. What is
  // needed in two ways counts twice, so deep programs reach the most there can be.
  struct Behind {
    double uses = 0, bytes = 0;
    bool done = false;
    bool isMoreThan(const Behind& other) const {
      return std::tie(uses, bytes) > std::tie(other.uses, other.bytes);
    }
  };

  void measure() {
    const auto& all = steps_.ofRegion[region_];
    double bytes = 0;
    for (const StepId id : all) bytes += own(id).bytes;
    for (const StepId id : all) {
      Behind& behind = behind_[id.index()] = own(id);
      steps_.forEachMaker(id, [&](StepId maker) {
        behind.uses += behind_[maker.index()].uses;
        behind.bytes += behind_[maker.index()].bytes;
      });
      behind.uses = std::min(behind.uses, static_cast<double>(all.size()));
      behind.bytes = std::min(behind.bytes, bytes);
    }
  }
  Behind own(StepId id) const {
    Behind own;
    for (const LocalId output : steps_.outputsOf(steps_.steps[id])) {
      own.uses += static_cast<double>(steps_.usersOf(output).size());
      own.bytes += static_cast<double>(graph_.spmd->bytes(output));
    }
    own.uses = std::max(0.0, own.uses - 1);
    return own;
  }

  void visitAll(std::vector<StepId> wanted) {
    std::ranges::stable_sort(wanted, [&](StepId a, StepId b) {
      return behind_[a.index()].isMoreThan(behind_[b.index()]);
    });
    for (const StepId id : wanted) visit(id);
  }
  void visit(StepId id) {
    if (behind_[id.index()].done) return;
    behind_[id.index()].done = true;
    std::vector<StepId> makers;
    steps_.forEachMaker(id, [&](StepId maker) { makers.push_back(maker); });
    visitAll(std::move(makers));
    order_.push_back(id);
  }

  const Graph& graph_;
  const Steps& steps_;
  RegionId region_;
  std::vector<Behind> behind_;  // Per step.
  std::vector<StepId> order_;
};

// Each step as soon as it can, first come first served. Those that run as one (M16) follow one
// another, when all can.
class BreadthFirst {
 public:
  BreadthFirst(const Graph& graph, const Steps& steps, RegionId region)
      : steps_(steps),
        region_(region),
        combined_(combineSums(graph, steps, region)),
        missing_(steps.steps.size(), 0),
        missingOfGroup_(combined_.groups.size(), 0) {}

  std::vector<StepId> make() && {
    const auto& all = steps_.ofRegion[region_];
    for (const StepId id : all) {
      steps_.forEachMaker(id, [&](StepId) { ++missing(id); });
    }
    for (const StepId id : all) {
      if (missing(id) == 0) run(id);
    }
    for (size_t next = 0; next < order_.size(); ++next) offerUsers(order_[next]);
    SW_CHECK(order_.size() == all.size());
    return std::move(order_);
  }

 private:
  uint32_t& missing(StepId id) {
    const uint32_t group = combined_.groupOf[id.index()];
    return group == Combined::kAlone ? missing_[id.index()] : missingOfGroup_[group];
  }

  void run(StepId id) {
    const uint32_t group = combined_.groupOf[id.index()];
    if (group == Combined::kAlone) return order_.push_back(id);
    std::vector<StepId>& members = combined_.groups[group];
    order_.insert(order_.end(), members.begin(), members.end());
    members.clear();  // They have run.
  }

  void offerUsers(StepId id) {
    for (const LocalId output : steps_.outputsOf(steps_.steps[id])) {
      for (const StepId user : steps_.usersOf(output)) {
        if (steps_.steps[user].region == region_ && --missing(user) == 0) run(user);
      }
    }
  }

  const Steps& steps_;
  RegionId region_;
  Combined combined_;
  std::vector<uint32_t> missing_;         // Per step that runs alone: so many makers have not run.
  std::vector<uint32_t> missingOfGroup_;  // Per group: the same of all its steps.
  std::vector<StepId> order_;
};

class PlanScheduler final : public RegionScheduler {
 public:
  PlanScheduler(const Graph& graph, const Steps& steps, RegionId region, std::vector<char>& done)
      : RegionScheduler(steps, region, done), graph_(graph) {}

  std::vector<StepId> make(const std::vector<program::OpId>& base,
                           const std::vector<StepId>& ofOp) {
    for (const program::OpId op : base) {
      if (ofOp[op.index()].valid()) demand(ofOp[op.index()]);
    }
    for (const StepId step : steps_.ofRegion[region_]) demand(step);
    return take();
  }

 private:
  bool eager(StepId step) override {
    const spmd::InstructionId id = steps_.steps[step].instruction;
    return graph_.node(id).role == Role::kCollective &&
           graph_.instruction(id).kind != spmd::Kind::kAllGather;
  }
  void ran(StepId step) override {
    for (const LocalId output : steps_.outputsOf(steps_.steps[step])) {
      for (const StepId user : steps_.usersOf(output)) {
        if (steps_.steps[user].region == region_ && eager(user)) offer(user);
      }
    }
  }

  const Graph& graph_;
};

// Moves each gather to just after the one before it, or after its operand is made.
class Prefetcher {
 public:
  Prefetcher(const Graph& graph, const Steps& steps) : graph_(graph), steps_(steps) {}

  std::vector<StepId> make(std::vector<StepId> order) {
    std::vector<uint32_t> position(steps_.steps.size(), 0);
    for (uint32_t n = 0; n < order.size(); ++n) position[order[n].index()] = n;
    std::vector<Move> moves;
    uint32_t last = 0;
    bool any = false;
    for (uint32_t n = 0; n < order.size(); ++n) {
      if (!isGather(order[n])) continue;
      const uint32_t behind = std::max(any ? last : n, operandReady(order[n], position));
      if (behind < n) moves.push_back({n, behind});
      last = n;
      any = true;
    }
    return moves.empty() ? order : merge(order, moves);
  }

 private:
  // A step that is to follow another, by their positions.
  struct Move {
    uint32_t from, behind;
  };

  bool isGather(StepId step) const {
    return graph_.instruction(steps_.steps[step].instruction).kind == spmd::Kind::kAllGather;
  }

  // The last position that makes an operand of the step, in its own region.
  uint32_t operandReady(StepId step, const std::vector<uint32_t>& position) const {
    uint32_t ready = 0;
    steps_.forEachMaker(step,
                        [&](StepId maker) { ready = std::max(ready, position[maker.index()]); });
    return ready;
  }

  // A gather that others were to follow may itself have moved: they follow the place it left.
  static std::vector<StepId> merge(const std::vector<StepId>& order, std::vector<Move>& moves) {
    std::vector<char> moved(order.size(), 0);
    for (const Move& move : moves) moved[move.from] = 1;
    std::ranges::stable_sort(moves, {}, &Move::behind);
    std::vector<StepId> result;
    result.reserve(order.size());
    auto next = moves.begin();
    for (uint32_t n = 0; n < order.size(); ++n) {
      if (!moved[n]) result.push_back(order[n]);
      for (; next != moves.end() && next->behind == n; ++next) result.push_back(order[next->from]);
    }
    return result;
  }

  const Graph& graph_;
  const Steps& steps_;
};

// M13.
class ZerosTogether {
 public:
  ZerosTogether(const Graph& graph, const Steps& steps) : graph_(graph), steps_(steps) {}

  std::vector<StepId> make(std::vector<StepId> order) {
    std::vector<std::vector<StepId>> zeros(graph_.spmd->types.size());
    bool any = false;
    for (const StepId step : order) {
      if (!makesZeros(step)) continue;
      std::vector<StepId>& alike = zeros[typeOf(step)];
      any |= !alike.empty();
      alike.push_back(step);
    }
    if (!any) return order;
    std::vector<StepId> result;
    result.reserve(order.size());
    for (const StepId step : order) {
      if (!makesZeros(step)) {
        result.push_back(step);
        continue;
      }
      std::vector<StepId>& alike = zeros[typeOf(step)];
      result.insert(result.end(), alike.begin(), alike.end());
      alike.clear();  // The others have had their turn.
    }
    return result;
  }

 private:
  LocalId output(StepId step) const { return steps_.outputsOf(steps_.steps[step]).front(); }
  size_t typeOf(StepId step) const { return graph_.spmd->locals[output(step)].type.index(); }
  bool makesZeros(StepId id) const {
    const Step& step = steps_.steps[id];
    if (!step.kernel.valid() || step.inputs.begin != step.inputs.end) return false;
    if (steps_.outputsOf(step).size() != 1) return false;
    return isReadByALoop(output(id)) &&
           plan::isZero(*graph_.subject, graph_.spmd->locals[output(id)].value);
  }
  bool isReadByALoop(LocalId buffer) const {
    return std::ranges::any_of(steps_.usersOf(buffer),
                               [&](StepId user) { return !steps_.steps[user].kernel.valid(); });
  }

  const Graph& graph_;
  const Steps& steps_;
};

Balance balanceOf(const Graph& graph, const Steps& steps) {
  const spmd::SpmdProgram& spmd = *graph.spmd;
  Balance balance;
  balance.bytes = temporaryBytes(graph, steps);
  balance.readers.assign(spmd.locals.size(), 0);
  balance.overwrites.assign(spmd.locals.size(), LocalId());
  for (size_t n = 0; n < spmd.locals.size(); ++n) {
    for (const StepId user : steps.usersOf(LocalId(n))) {
      if (steps.steps[user].region == steps.home[n]) ++balance.readers[n];
    }
  }
  const auto& arguments = graph.subject->program.arguments();
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (!arguments[a].aliasedResult) continue;
    balance.overwrites[steps.results[*arguments[a].aliasedResult].index()] = spmd.arguments[a];
  }
  return balance;
}

}  // namespace

BaseOrder baseOrder(const Graph& oneDevice, const Steps& steps) {
  Balance balance = balanceOf(oneDevice, steps);
  std::vector<char> done(steps.steps.size(), 0);
  BaseOrder base;
  for (size_t n = 0; n < steps.ofRegion.size(); ++n) {
    const RegionId region(n);
    const bool isBody =
        oneDevice.subject->program.region(region).kind == program::RegionKind::kBody;
    std::vector<program::OpId> ops;
    for (const StepId step :
         isBody ? DepthFirst(oneDevice, steps, region).make()
                : MemoryScheduler(oneDevice, steps, region, done, balance).make()) {
      ops.push_back(oneDevice.instruction(steps.steps[step].instruction).op);
    }
    base.push(std::move(ops));
  }
  return base;
}

Order orderSteps(const Graph& graph, const Steps& steps, const BaseOrder& base, Flavor flavor) {
  Order order;
  if (flavor == Flavor::kCpu) {
    for (size_t n = 0; n < steps.ofRegion.size(); ++n)
      order.push(BreadthFirst(graph, steps, RegionId(n)).make());

    return order;
  }
  std::vector<StepId> ofOp(graph.subject->program.opCount(), StepId());
  for (size_t n = 0; n < steps.steps.size(); ++n) {
    const spmd::Instruction& instruction = graph.instruction(steps.steps[StepId(n)].instruction);
    if (instruction.kind == spmd::Kind::kCompute) ofOp[instruction.op.index()] = StepId(n);
  }
  std::vector<char> done(steps.steps.size(), 0);
  for (size_t n = 0; n < steps.ofRegion.size(); ++n) {
    const RegionId region(n);
    PlanScheduler scheduler(graph, steps, region, done);
    std::vector<StepId> made = Prefetcher(graph, steps).make(scheduler.make(base[region], ofOp));
    if (flavor == Flavor::kGpu) made = ZerosTogether(graph, steps).make(std::move(made));
    order.push(std::move(made));
  }
  return order;
}

}  // namespace shardwright::cost
