#include "shardwright/cost/memory.h"

#include <algorithm>

#include "shardwright/cost/argument_copies.h"
#include "shardwright/cost/combine.h"
#include "shardwright/cost/lenders.h"
#include "shardwright/cost/padded_images.h"
#include "shardwright/cost/workspaces.h"

namespace shardwright::cost {
namespace {

using program::RegionId;
using spmd::Instruction;
using spmd::InstructionId;
using spmd::LocalId;

// A piece of memory that values take over from one another. `from` and `to` are positions in the
// order of a region; `to` is included.
struct Tenancy {
  LocalId buffer;
  int64_t bytes = 0;
  uint32_t from = 0, to = 0;
};
constexpr uint32_t kNoTenancy = ~0u;

struct RegionPeak {
  int64_t bytes = 0;
  uint32_t at = 0;  // Position in the region's order.
  std::vector<Tenancy> tenancies;
  RegionId inner;  // The region inside the step at the peak that adds to it, if any.
};

class MemorySweep {
 public:
  MemorySweep(const Graph& graph, const Steps& steps, const Order& order, Flavor flavor,
              Detail detail)
      : graph_(graph),
        spmd_(*graph.spmd),
        program_(graph.subject->program),
        steps_(steps),
        order_(order),
        flavor_(flavor),
        lists_(detail == Detail::kLists),
        lenders_(steps, order[program_.entry()], program_.entry()) {}

  Memory make() && {
    sizeBuffers();
    findShared();
    findCopiedArguments();
    findTargets();
    findLenders();
    peaks_.resize(program_.regionCount());
    Memory memory;
    sumEnds(memory);
    memory.temporaries = Bytes{sweep(program_.entry())};
    memory.peak = memory.arguments + memory.results - memory.aliased + memory.temporaries;
    if (!lists_) return memory;
    for (LivePoint& point : curve_) point.bytes += memory.peak - memory.temporaries;
    memory.curve = std::move(curve_);
    listResidents(memory);
    return memory;
  }

 private:
  // Where a value is meant to end up.
  struct Target {
    enum class Kind : uint8_t { kNone, kOwn, kOver };
    Kind kind =
        Kind::kNone;  // kOwn: memory that is there for it. kOver: `over`, once nobody reads it.
    LocalId over;
  };

  // Where a buffer lies now: memory of the sweep, to be freed; or memory that is there anyway.
  enum class Place : uint8_t { kNowhere, kFixed, kTemporary };

  void sizeBuffers() {
    std::vector<int64_t> ofType(spmd_.types.size());
    for (size_t n = 0; n < ofType.size(); ++n) {
      ofType[n] = bufferBytes(spmd_.types, program::TypeId(n), flavor_).value;
    }
    const size_t count = spmd_.locals.size();
    bytes_.resize(count);
    for (size_t n = 0; n < count; ++n) bytes_[n] = ofType[spmd_.locals[LocalId(n)].type.index()];
    place_.assign(count, Place::kFixed);
    slotBytes_.assign(count, 0);
    tenancy_.assign(count, 0);
    targets_.assign(count, {});
    readers_.assign(count, 0);
    copyTenancy_.assign(count, kNoTenancy);
    copyReaders_.assign(count, 0);
    findWrittenAsCopies();
    for (size_t n = 0; n < count; ++n) {
      if (steps_.producer[n].valid()) place_[n] = Place::kNowhere;
    }
  }

  // --- copies in another order of dims (M10) ---

  // A value that is only read as a copy is written as one; with zeros around it, only a loop can
  // write it.
  void findWrittenAsCopies() {
    std::vector<uint32_t> copied(spmd_.locals.size(), 0);
    for (const KernelInput& input : steps_.inputs) {
      if (input.copied) ++copied[input.buffer.index()];
      anyCopied_ |= input.copied;
    }
    if (!anyCopied_) return;
    findCopyBytes();
    writtenAsCopy_.assign(copied.size(), 0);
    for (size_t n = 0; n < copied.size(); ++n) {
      const StepId maker = steps_.producer[n];
      const bool onlyCopied = steps_.usersOf(LocalId(n)).size() == copied[n] && maker.valid();
      writtenAsCopy_[n] = onlyCopied && (copyBytes_[n] == bytes_[n] || isLoop(steps_.steps[maker]));
      if (writtenAsCopy_[n]) bytes_[n] = copyBytes_[n];
    }
  }

  // K11.
  void findCopyBytes() {
    copyBytes_ = bytes_;
    if (flavor_ != Flavor::kGpu) return;
    for (const Step& step : steps_.steps) {
      const Instruction& root = spmd_.instructions[step.instruction];
      if (graph_.node(step.instruction).work != rules::WorkKind::kWindow) continue;
      const int64_t padded = paddedImageBytes(graph_, root);
      if (padded == 0) continue;
      int64_t& bytes = copyBytes_[buffer(graph_.operandsOf(root)[0]).index()];
      bytes = std::max(bytes, padded);
    }
  }

  bool needsCopy(const KernelInput& input) const {
    return input.copied && !writtenAsCopy_[input.buffer.index()];
  }
  // One that lasts.
  bool readsCopy(const Step& step, const KernelInput& input) const {
    return needsCopy(input) && !copiesForItself(step, input);
  }
  // Products on GPUs want orders of their own. A loop writes both orders at once; of what else
  // there is, the product has a copy while it runs.
  bool copiesForItself(const Step& step, const KernelInput& input) const {
    if (flavor_ != Flavor::kGpu || !step.kernel.valid()) return false;
    if (graph_.node(step.instruction).work != rules::WorkKind::kContraction) return false;
    const StepId maker = steps_.makerIn(step.region, input.buffer);
    return !maker.valid() || !isLoop(steps_.steps[maker]);
  }

  // What a step needs while it runs.
  int64_t workspace(const Step& step) const {
    int64_t bytes = workspaceOf(graph_, steps_, step, bytes_, flavor_);
    if (!anyCopied_) return bytes;
    for (const KernelInput& input : steps_.inputsOf(step)) {
      if (needsCopy(input) && copiesForItself(step, input)) bytes += bytes_[input.buffer.index()];
    }
    return bytes;
  }

  int64_t makeCopy(RegionId region, LocalId buffer, uint32_t now) {
    if (copyReaders_[buffer.index()] == 0) return 0;
    copyTenancy_[buffer.index()] = addTenancy(region, buffer, now, copyBytes_[buffer.index()]);
    return copyBytes_[buffer.index()];
  }

  int64_t dropCopy(RegionId region, LocalId buffer, uint32_t now) {
    endTenancy(region, copyTenancy_[buffer.index()], now);
    return copyBytes_[buffer.index()];
  }

  // --- copies of donated arguments (M17) ---

  void findCopiedArguments() {
    argumentCopied_.assign(spmd_.arguments.size(), 0);
    if (flavor_ != Flavor::kCpu) return;
    argumentCopied_ = copiedArguments(graph_, steps_, order_[program_.entry()]);
  }

  // Made before anything else runs.
  int64_t copyArguments() {
    int64_t bytes = 0;
    for (size_t a = 0; a < argumentCopied_.size(); ++a) {
      if (!argumentCopied_[a]) continue;
      const LocalId argument = spmd_.arguments[a];
      place_[argument.index()] = Place::kTemporary;
      slotBytes_[argument.index()] = bytes_[argument.index()];
      open(program_.entry(), argument, 0);
      bytes += bytes_[argument.index()];
    }
    return bytes;
  }

  // --- memory that several values have in common (M7) ---

  // What an update is written into and what it leaves; what a loop begins with and what it leaves.
  void findShared() {
    shared_.assign(spmd_.locals.size(), 0);
    for (const Step& step : steps_.steps) {
      const Node& node = graph_.node(step.instruction);
      if (step.kernel.valid() && node.role != Role::kUpdate) continue;
      for (const LocalId output : steps_.outputsOf(step)) shared_[output.index()] = 1;
      const auto operands = graph_.operandsOf(spmd_.instructions[step.instruction]);
      if (step.kernel.valid()) {
        for (size_t n = 0; n < node.updates; ++n) share(operands[n]);
      }
      for (const InstructionId tie : steps_.tiesOf(step)) {
        if (spmd_.instructions[tie].resultCount == 3) {
          share(graph_.operandsOf(spmd_.instructions[tie])[0]);
        }
      }
    }
  }
  void share(LocalId local) {
    if (buffer(local).valid()) shared_[buffer(local).index()] = 1;
  }

  // --- targets (M7) ---

  void findTargets() {
    const auto& arguments = program_.arguments();
    std::vector<LocalId> donor(steps_.results.size());
    for (size_t a = 0; a < arguments.size(); ++a) {
      if (arguments[a].aliasedResult && !argumentCopied_[a]) {
        donor[*arguments[a].aliasedResult] = spmd_.arguments[a];
      }
    }
    for (size_t r = 0; r < steps_.results.size(); ++r) {
      aim(steps_.results[r], donor[r]);
    }
    for (size_t n = steps_.steps.size(); n-- > 0;) {
      aimTies(steps_.steps[StepId(n)]);
      aimUpdated(steps_.steps[StepId(n)]);
    }
  }

  bool isUpdate(const Step& step) const {
    return step.kernel.valid() && graph_.node(step.instruction).role == Role::kUpdate;
  }

  // What an update is written into is meant for the place that the update is meant for: a cache
  // that several layers are written into, one after the other, is one buffer.
  void aimUpdated(const Step& step) {
    if (!isUpdate(step)) return;
    const auto operands = graph_.operandsOf(spmd_.instructions[step.instruction]);
    const auto outputs = steps_.outputsOf(step);
    const size_t count = std::min<size_t>(graph_.node(step.instruction).updates, outputs.size());
    for (size_t n = 0; n < count; ++n) {
      const LocalId into = buffer(operands[n]);
      const Target& target = targets_[outputs[n].index()];
      const bool made = into.valid() && steps_.makerIn(step.region, into).valid();
      if (made && target.kind != Target::Kind::kNone) aim(into, target.over);
    }
  }

  void aim(LocalId buffer, LocalId over) {
    if (!buffer.valid() || targets_[buffer.index()].kind != Target::Kind::kNone) return;
    targets_[buffer.index()] = {over.valid() ? Target::Kind::kOver : Target::Kind::kOwn, over};
  }

  void aimTies(const Step& step) {
    const auto ties = steps_.tiesOf(step);
    for (const InstructionId id : ties) {
      const Instruction& tie = spmd_.instructions[id];
      const LocalId own = tie.firstResult;
      if (tie.resultCount == 3) {
        aimAtCarry(tie, own);
      } else {
        for (const LocalId yielded : graph_.operandsOf(tie)) aim(buffer(yielded), LocalId());
      }
    }
  }

  void aimAtCarry(const Instruction& carry, LocalId own) {
    const LocalId yielded = buffer(graph_.operandsOf(carry)[1]);
    if (yielded != own) aim(yielded, own);
    const LocalId init = buffer(graph_.operandsOf(carry)[0]);
    const Target& target = targets_[own.index()];
    if (target.kind != Target::Kind::kNone) aim(init, target.over);
  }

  LocalId buffer(LocalId local) const { return steps_.buffer[local.index()]; }

  // --- memory of results that is lent (M7) ---

  void findLenders() {
    for (const LocalId result : steps_.results) {
      lenders_.add(result, targets_[result.index()].over, bytes_[result.index()]);
    }
    if (flavor_ == Flavor::kCpu) lenders_.settle(wishes());
  }
  // All that the entry region makes and that has no place yet.
  std::vector<Lenders::Wish> wishes() const {
    std::vector<Lenders::Wish> wishes;
    const auto& order = order_[program_.entry()];
    for (uint32_t now = 0; now < order.size(); ++now) {
      for (const LocalId output : steps_.outputsOf(steps_.steps[order[now]])) {
        const bool aims = targets_[output.index()].kind != Target::Kind::kNone;
        if (aims || shared_[output.index()]) continue;
        wishes.push_back(lenders_.wish(output, bytes_[output.index()], now));
      }
    }
    return wishes;
  }
  bool borrows(RegionId region, LocalId output, uint32_t now) {
    const int64_t bytes = bytes_[output.index()];
    return region == program_.entry() ? lenders_.lend(output, bytes, now)
                                      : lenders_.lendInside(bytes, entryPosition_);
  }

  // --- the sweep ---

  int64_t sweep(RegionId region) {
    RegionPeak& peak = peaks_[region];
    countReaders(region);
    int64_t live = copiesFromOutside(region);
    if (region == program_.entry()) live += copyArguments();
    const auto& order = order_[region];
    uint32_t begin = 0;  // Of the launch that the step belongs to.
    for (uint32_t now = 0; now < order.size(); ++now) {
      const Step& step = steps_.steps[order[now]];
      if (region == program_.entry()) entryPosition_ = now;
      taken_.clear();
      for (const LocalId output : steps_.outputsOf(step)) {
        live += settle(region, step, output, now) + makeCopy(region, output, now);
      }
      const auto [inner, innerBytes] = innerPeak(step);
      const int64_t held = live + innerBytes + workspace(step);
      if (lists_ && region == program_.entry()) curve_.push_back({step.instruction, Bytes{held}});
      if (held > peak.bytes) {
        peak.bytes = held;
        peak.at = now;
        peak.inner = inner;
      }
      if (!endsLaunch(order, now)) continue;
      for (; begin <= now; ++begin) live -= release(region, steps_.steps[order[begin]], now);
    }
    return peak.bytes;
  }

  // M6. Kernels that are launched together (K9) and follow one another end together on a GPU,
  // all-reduces that run as one (M16) on a host.
  bool endsLaunch(const std::vector<StepId>& order, uint32_t now) const {
    if (flavor_ == Flavor::kTpu || now + 1 == order.size()) return true;
    if (flavor_ == Flavor::kCpu) return !runAsOne(graph_, steps_, order[now], order[now + 1]);
    const KernelId leader = steps_.steps[order[now]].leader;
    return !leader.valid() || leader != steps_.steps[order[now + 1]].leader;
  }

  // Copies of what the region has from the start are made at once.
  int64_t copiesFromOutside(RegionId region) {
    int64_t bytes = 0;
    if (!anyCopied_) return bytes;
    for (const StepId id : order_[region]) {
      for (const KernelInput& input : steps_.inputsOf(steps_.steps[id])) {
        const size_t n = input.buffer.index();
        if (!readsCopy(steps_.steps[id], input) || steps_.makerIn(region, input.buffer).valid())
          continue;
        if (copyTenancy_[n] == kNoTenancy) bytes += makeCopy(region, input.buffer, 0);
      }
    }
    return bytes;
  }

  // How many steps of this region read each buffer. What the region returns is read once more, at
  // its end.
  void countReaders(RegionId region) {
    // The entry region comes first: nothing has been counted yet.
    if (region != program_.entry()) forEachBuffer(region, [&](LocalId id) { setCounts(id, {}); });
    for (const StepId id : order_[region]) {
      for (const KernelInput& input : steps_.inputsOf(steps_.steps[id])) {
        ++readers_[input.buffer.index()];
        if (readsCopy(steps_.steps[id], input)) ++copyReaders_[input.buffer.index()];
      }
    }
    if (region == program_.entry()) {
      for (const LocalId result : steps_.results) ++readers_[result.index()];
    }
    for (const LocalId yielded : spmd_.yields[region]) {
      if (buffer(yielded).valid()) ++readers_[buffer(yielded).index()];
    }
  }

  // What a region reads, makes or may write over; some more than once.
  template <typename Function>
  void forEachBuffer(RegionId region, const Function& function) const {
    for (const StepId id : order_[region]) {
      for (const KernelInput& input : steps_.inputsOf(steps_.steps[id])) function(input.buffer);
      for (const LocalId output : steps_.outputsOf(steps_.steps[id])) function(output);
    }
    for (const LocalId yielded : spmd_.yields[region]) {
      const LocalId id = buffer(yielded);
      if (!id.valid()) continue;
      function(id);
      if (targets_[id.index()].over.valid()) function(targets_[id.index()].over);
    }
  }

  // Finds a place for an output; returns the bytes it adds to what lives.
  int64_t settle(RegionId region, const Step& step, LocalId output, uint32_t now) {
    const int64_t bytes = bytes_[output.index()];
    if (!step.kernel.valid() && carriesUnchanged(step, output)) return fix(output);
    const Target& target = updatesInUse(step) ? Target() : targets_[output.index()];
    if (target.kind == Target::Kind::kOwn) return fix(output);
    if (target.kind == Target::Kind::kOver && isFree(step, target.over, output)) return fix(output);
    if (lenders_.isSettled(output)) return fix(output);
    const LocalId victim = overwritten(region, step, output);
    if (victim.valid()) return takeOver(region, victim, output, now);
    if (borrows(region, output, now)) return fix(output);
    place_[output.index()] = Place::kTemporary;
    slotBytes_[output.index()] = bytes;
    open(region, output, now);
    return bytes;
  }

  // Whether a step that comes later reads what this one is written into, so that this one writes
  // into a copy.
  bool updatesInUse(const Step& step) const {
    if (!isUpdate(step)) return false;
    const auto operands = graph_.operandsOf(spmd_.instructions[step.instruction]);
    for (size_t n = 0; n < graph_.node(step.instruction).updates; ++n) {
      const LocalId into = buffer(operands[n]);
      const bool aims = into.valid() && targets_[into.index()].kind != Target::Kind::kNone;
      if (aims && readers_[into.index()] > 1) return true;
    }
    return false;
  }

  int64_t fix(LocalId output) {
    place_[output.index()] = Place::kFixed;
    return 0;
  }

  // Whether nobody reads `over` any more, but this step to write `output` in its place.
  bool isFree(const Step& step, LocalId over, LocalId output) const {
    uint32_t rest = readers_[over.index()];
    for (const KernelInput& input : steps_.inputsOf(step)) {
      if (input.buffer == over && inPlace(step, input, output)) --rest;
    }
    return rest == 0;
  }

  bool carriesUnchanged(const Step& step, LocalId output) const {
    for (const InstructionId tie : steps_.tiesOf(step)) {
      const Instruction& carry = spmd_.instructions[tie];
      if (carry.firstResult != output || carry.resultCount != 3) continue;
      return buffer(graph_.operandsOf(carry)[1]) == output;
    }
    return false;
  }

  // The input that an output can be written over, if any (M7, M8).
  LocalId overwritten(RegionId region, const Step& step, LocalId output) const {
    for (const KernelInput& input : steps_.inputsOf(step)) {
      const size_t n = input.buffer.index();
      const bool mine = steps_.home[n] == region && place_[n] == Place::kTemporary;
      if (!mine || readers_[n] != 1 || mustKeep(step, input.buffer)) continue;
      const bool fits = inPlace(step, input, output) &&
                        (!step.kernel.valid() || bytes_[n] == bytes_[output.index()]);
      const bool taken = std::find(taken_.begin(), taken_.end(), input.buffer) != taken_.end();
      const bool shared = shared_[n] || shared_[output.index()];
      if (fits && !taken && !(isLoop(step) && shared)) return input.buffer;
    }
    return {};
  }

  // M7. XLA's GPU backend looks for the maker among the operands of the kernel, and does not find
  // it where the value is a part of what that returns: a library call returns its workspace too, a
  // launch the outputs of all its kernels, and a collective is waited for by an op of its own.
  bool isPartOfATuple(LocalId buffer) const {
    const Step& maker = steps_.steps[steps_.producer[buffer.index()]];
    const Role role = graph_.node(maker.instruction).role;
    return role == Role::kKernel || role == Role::kCollective || maker.leader.valid();
  }
  // What an update is written into is settled before that (K7).
  bool mustKeep(const Step& step, LocalId buffer) const {
    return flavor_ == Flavor::kGpu && isLoop(step) && isPartOfATuple(buffer);
  }
  bool isLoop(const Step& step) const {
    return step.kernel.valid() && graph_.node(step.instruction).role == Role::kLoop;
  }

  bool inPlace(const Step& step, const KernelInput& input, LocalId output) const {
    return step.kernel.valid() ? input.pointwise : isInitialValue(step, input.buffer, output);
  }

  bool isInitialValue(const Step& step, LocalId input, LocalId output) const {
    for (const InstructionId tie : steps_.tiesOf(step)) {
      const Instruction& carry = spmd_.instructions[tie];
      if (carry.firstResult == output && carry.resultCount == 3) {
        return buffer(graph_.operandsOf(carry)[0]) == input;
      }
    }
    return false;
  }

  int64_t takeOver(RegionId region, LocalId victim, LocalId output, uint32_t now) {
    taken_.push_back(victim);
    endTenancy(region, tenancy_[victim.index()], now == 0 ? 0 : now - 1);
    place_[output.index()] = Place::kTemporary;
    slotBytes_[output.index()] = slotBytes_[victim.index()];
    place_[victim.index()] = Place::kNowhere;
    open(region, output, now);
    return 0;
  }

  void open(RegionId region, LocalId output, uint32_t now) {
    tenancy_[output.index()] = addTenancy(region, output, now, slotBytes_[output.index()]);
  }

  uint32_t addTenancy(RegionId region, LocalId buffer, uint32_t now, int64_t bytes) {
    if (!lists_) return 0;
    auto& tenancies = peaks_[region].tenancies;
    tenancies.push_back({buffer, bytes, now, static_cast<uint32_t>(order_[region].size())});
    return static_cast<uint32_t>(tenancies.size() - 1);
  }
  void endTenancy(RegionId region, uint32_t number, uint32_t last) {
    if (lists_) peaks_[region].tenancies[number].to = last;
  }

  // After the step: inputs that it was the last to read are free, and outputs that nobody reads.
  int64_t release(RegionId region, const Step& step, uint32_t now) {
    int64_t freed = 0;
    for (const KernelInput& input : steps_.inputsOf(step)) {
      if (readsCopy(step, input) && --copyReaders_[input.buffer.index()] == 0) {
        freed += dropCopy(region, input.buffer, now);
      }
      const bool last = --readers_[input.buffer.index()] == 0;
      if (last && steps_.home[input.buffer.index()] == region)
        freed += close(region, input.buffer, now);
    }
    for (const LocalId output : steps_.outputsOf(step)) {
      if (readers_[output.index()] == 0) freed += close(region, output, now);
    }
    return freed;
  }

  int64_t close(RegionId region, LocalId buffer, uint32_t now) {
    if (place_[buffer.index()] != Place::kTemporary) return 0;
    place_[buffer.index()] = Place::kNowhere;
    endTenancy(region, tenancy_[buffer.index()], now);
    return slotBytes_[buffer.index()];
  }

  // M8. The regions of a step run one after the other, or only one of them does.
  std::pair<RegionId, int64_t> innerPeak(const Step& step) {
    std::pair<RegionId, int64_t> largest{RegionId(), 0};
    if (step.kernel.valid()) return largest;
    for (const RegionId region : program_.regions(spmd_.instructions[step.instruction].op)) {
      const std::vector<Counts> outer = saveCounts(region);
      const int64_t bytes = sweep(region);
      restoreCounts(region, outer);
      if (bytes > largest.second || !largest.first.valid()) largest = {region, bytes};
    }
    return largest;
  }

  // A region counts its own readers of the buffers around it, and has its own copies of them; those
  // outside must survive that.
  struct Counts {
    uint32_t readers = 0, copyReaders = 0, copyTenancy = kNoTenancy;
  };
  void setCounts(LocalId id, const Counts& counts) {
    readers_[id.index()] = counts.readers;
    copyReaders_[id.index()] = counts.copyReaders;
    copyTenancy_[id.index()] = counts.copyTenancy;
  }
  std::vector<Counts> saveCounts(RegionId region) const {
    std::vector<Counts> counts;
    forEachBuffer(region, [&](LocalId id) {
      const size_t n = id.index();
      counts.push_back({readers_[n], copyReaders_[n], copyTenancy_[n]});
    });
    return counts;
  }
  void restoreCounts(RegionId region, const std::vector<Counts>& counts) {
    size_t next = 0;
    forEachBuffer(region, [&](LocalId id) { setCounts(id, counts[next++]); });
  }

  // --- ends and residents ---

  void sumEnds(Memory& memory) const {
    for (const LocalId id : spmd_.arguments) memory.arguments += Bytes{spmd_.bytes(id)};
    for (const LocalId id : spmd_.results) memory.results += Bytes{spmd_.bytes(id)};
    for (const program::Argument& argument : program_.arguments()) {
      if (argument.aliasedResult) {
        memory.aliased += Bytes{spmd_.bytes(spmd_.results[*argument.aliasedResult])};
      }
    }
  }

  void listResidents(Memory& memory) const {
    std::vector<char> aliased(spmd_.results.size(), 0);
    for (size_t a = 0; a < spmd_.arguments.size(); ++a) {
      addResident(memory, Resident::Kind::kArgument, spmd_.arguments[a],
                  spmd_.bytes(spmd_.arguments[a]));
      if (const auto result = program_.arguments()[a].aliasedResult) aliased[*result] = 1;
    }
    for (size_t r = 0; r < spmd_.results.size(); ++r) {
      if (aliased[r]) continue;
      addResident(memory, Resident::Kind::kResult, spmd_.results[r], spmd_.bytes(spmd_.results[r]));
    }
    addTemporaries(memory, program_.entry());
    std::stable_sort(memory.residents.begin(), memory.residents.end(),
                     [](const Resident& a, const Resident& b) { return a.bytes > b.bytes; });
  }

  void addTemporaries(Memory& memory, RegionId region) const {
    const RegionPeak& peak = peaks_[region];
    if (order_[region].empty()) return;
    memory.peakAt = steps_.steps[order_[region][peak.at]].instruction;
    for (const Tenancy& tenancy : peak.tenancies) {
      if (tenancy.from > peak.at || tenancy.to < peak.at) continue;
      addResident(memory, Resident::Kind::kTemporary, tenancy.buffer, tenancy.bytes);
    }
    if (peak.inner.valid()) addTemporaries(memory, peak.inner);
    addWorkspace(memory, steps_.steps[order_[region][peak.at]]);
  }

  void addWorkspace(Memory& memory, const Step& step) const {
    const int64_t bytes = workspace(step);
    if (bytes == 0) return;
    addResident(memory, Resident::Kind::kWorkspace, steps_.outputsOf(step).front(), bytes);
  }

  void addResident(Memory& memory, Resident::Kind kind, LocalId local, int64_t bytes) const {
    if (bytes == 0) return;
    const program::OpId op = spmd_.instructions[spmd_.locals[local].definition].op;
    memory.residents.push_back({kind, local, op, Bytes{bytes}});
  }

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const program::Program& program_;
  const Steps& steps_;
  const Order& order_;
  Flavor flavor_;
  bool lists_;                      // Whether tenancies and the curve are kept.
  bool anyCopied_ = false;          // Whether any kernel reads a copy.
  std::vector<int64_t> bytes_;      // Per local, rounded up.
  std::vector<int64_t> slotBytes_;  // Per local: of the memory it lies in.
  std::vector<Place> place_;        // Per local.
  std::vector<Target> targets_;     // Per local.
  Lenders lenders_;
  uint32_t entryPosition_ = 0;         // Of the step that runs in the entry region.
  std::vector<char> argumentCopied_;   // Per argument of the program.
  std::vector<char> shared_;           // Per local: several values have its memory in common.
  std::vector<uint32_t> readers_;      // Per local: how many steps of the region still read it.
  std::vector<int64_t> copyBytes_;     // Per local: of its copy, if there is one.
  std::vector<char> writtenAsCopy_;    // Per local: only read as a copy.
  std::vector<uint32_t> copyReaders_;  // Per local: steps of the region that still read its copy.
  std::vector<uint32_t> copyTenancy_;  // Per local: its copy's entry in the region's tenancies.
  std::vector<uint32_t> tenancy_;      // Per local: its entry in its region's tenancies.
  std::vector<LocalId> taken_;  // Inputs of the current step that an output was written over.
  IdVector<RegionId, RegionPeak> peaks_;
  std::vector<LivePoint> curve_;  // Of the entry region, temporaries alone.
};

}  // namespace

const char* residentKindName(Resident::Kind kind) {
  static constexpr const char* kNames[] = {"argument", "result", "temporary", "workspace"};
  return kNames[static_cast<size_t>(kind)];
}

Memory memoryOf(const Graph& graph, const Steps& steps, const Order& order, Flavor flavor,
                Detail detail) {
  return MemorySweep(graph, steps, order, flavor, detail).make();
}

}  // namespace shardwright::cost
