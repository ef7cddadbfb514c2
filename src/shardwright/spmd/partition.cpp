#include "shardwright/spmd/partition.h"

#include <algorithm>
#include <limits>

#include "shardwright/plan/structure.h"
#include "shardwright/spmd/flow.h"
#include "shardwright/spmd/give_up.h"
#include "shardwright/spmd/reshard.h"
#include "shardwright/spmd/splits.h"

namespace shardwright::spmd {

using mesh::AxisList;
using mesh::AxisSet;
using mesh::LayoutId;
using program::Combiner;
using program::OpId;
using program::RegionId;
using program::ValueId;
using rules::Rule;

namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// The program before its first instruction.
SpmdProgram assigned(const plan::Subject& subject, const plan::OpPatterns& patterns,
                     const plan::Plan& plan) {
  SpmdProgram spmd;
  spmd.mesh = plan.mesh;
  spmd.assignment = plan::assign(subject, patterns, plan);
  return spmd;
}

class Lowering {
 public:
  Lowering(const plan::Subject& subject, const plan::OpPatterns& patterns,
           const ProgramTables& tables, const plan::Plan& plan)
      : subject_(subject),
        program_(subject.program),
        tables_(tables),
        plan_(plan),
        spmd_(assigned(subject, patterns, plan)),
        splits_(subject, tables, spmd_.assignment),
        resharder_(spmd_.mesh, spmd_.layouts) {
    giveUpIdleSplits(program_, tables, plan, splits_);
    flow_ = planFlow(subject, tables, plan, spmd_.assignment, splits_);
    spmd_.yields.resize(program_.regionCount());
    known_.resize(splits_.tensorCount());
    copies_.reserve(program_.valueCount() * 5 / 4);
    copies_.resize(program_.valueCount());
    spmd_.instructions.reserve(program_.opCount() * 5 / 4);
    spmd_.locals.reserve(program_.valueCount() * 5 / 4);
    spmd_.operands.reserve(program_.opCount() * 3);
    for (const plan::Pin& pin : plan.pins) {
      if (!program::standsForAValue(program_.name(pin.op))) pins_.push_back(&pin);
    }
    std::ranges::stable_sort(pins_, {}, [](const plan::Pin* pin) { return pin->op; });
  }

  SpmdProgram run() {
    lowerRegion(program_.entry());
    return std::move(spmd_);
  }

 private:
  // --- layouts ---

  // What was found last for a tensor of a split: layers are alike, so most ops ask for the same
  // again.
  struct Known {
    AxisSet partial;
    LayoutId layout;
    program::TypeId type;  // Local; found when a result is made.
  };

  Known& known(OpId op, const SplitFacts& facts, size_t tensor, AxisSet partial) {
    Known& known = known_[facts.firstTensor + tensor];
    if (known.layout.valid() && known.partial == partial) return known;
    const Rule& rule = subject_.rule(op);
    const auto axes = spmd_.assignment.axes(op);
    dims_.clear();
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      dims_.push_back(plan::dimAxes(rule, axes, tensor, d));
    }
    return known = {partial, spmd_.layouts.intern(dims_, partial), {}};
  }

  LayoutId layoutOf(OpId op, size_t tensor, AxisSet partial = {}) {
    return known(op, splits_.of(op), tensor, partial).layout;
  }

  void addResult(ValueId value, Known& known) {
    if (!known.type.valid()) known.type = localType(value, known.layout);
    const LocalId local =
        spmd_.locals.push({value, known.layout, known.type, spmd_.instructions.nextId()});
    AxisSet& passes = flow_.passes[value.index()];
    if (!passes.empty()) passes = passes & known.partial;
    addSource(value, local, known.layout);
  }

  LocalId addLocal(ValueId value, LayoutId layout) {
    return spmd_.locals.push(
        {value, layout, localType(value, layout), spmd_.instructions.nextId()});
  }

  program::TypeId localType(ValueId value, LayoutId layout) {
    const program::TypeId global = program_.value(value).type;
    if (localTypes_.size() <= layout.index()) localTypes_.resize(spmd_.layouts.size());
    std::vector<program::TypeId>& ofLayout = localTypes_[layout.index()];
    if (ofLayout.empty()) ofLayout.resize(program_.types().size());
    program::TypeId& local = ofLayout[global.index()];
    if (!local.valid()) local = makeLocalType(global, layout);
    return local;
  }

  program::TypeId makeLocalType(program::TypeId global, LayoutId layout) {
    shape_.assign(program_.types().shape(global).begin(), program_.types().shape(global).end());
    for (size_t d = 0; d < shape_.size(); ++d) {
      shape_[d] /= mesh::deviceCount(spmd_.mesh, spmd_.layouts.dim(layout, d));
    }
    return spmd_.types.intern(program_.types().dtype(global), shape_);
  }

  // --- instructions ---

  // Fields are written in place: to copy what was just written in parts stalls.
  Instruction& addInstruction(Kind kind, OpId op, std::span<const LocalId> operands) {
    SW_CHECK(operands.size() <= std::numeric_limits<uint16_t>::max());
    Instruction& instruction = spmd_.instructions[spmd_.instructions.push({})];
    instruction.kind = kind;
    instruction.op = op;
    instruction.region = region_;
    instruction.operandsBegin = static_cast<uint32_t>(spmd_.operands.size());
    instruction.operandCount = static_cast<uint16_t>(operands.size());
    for (const LocalId operand : operands) spmd_.operands.push_back(operand);
    return instruction;
  }

  LocalId addStep(LocalId from, const ReshardStep& step, OpId op) {
    const ValueId value = spmd_.locals[from].value;
    const LocalId result = addLocal(value, step.result);
    Instruction& instruction = addInstruction(step.kind, op, {&from, 1});
    instruction.axes = step.axes;
    instruction.dim = step.dim;
    instruction.toDim = step.toDim;
    instruction.combiner = splits_.of(program_.value(value).definition).combiner;
    instruction.resultCount = 1;
    instruction.firstResult = result;
    return result;
  }

  LocalId addMask(LocalId from, AxisSet axes, Combiner combiner, OpId op) {
    const Local local = spmd_.locals[from];
    const auto dims = spmd_.layouts.dims(local.layout);
    const LocalId result = addLocal(
        local.value, spmd_.layouts.intern(dims, spmd_.layouts.partial(local.layout) | axes));
    Instruction& instruction = addInstruction(Kind::kMask, op, {&from, 1});
    instruction.axes = AxisList::inMeshOrder(axes);
    instruction.combiner = combiner;
    instruction.resultCount = 1;
    instruction.firstResult = result;
    return result;
  }

  // --- copies: the layouts in which a value can be had ---

  struct Copy {
    LocalId local;
    LayoutId layout;
    RegionId region;
    uint32_t lastUse = 0;   // Number of the op.
    uint32_t next = kNone;  // Of the same value, in copies_.
    bool gathered = true;  // Nothing but gathers and slices between it and where the value is made.
  };

  // The value as it is made: the first of its copies.
  void addSource(ValueId value, LocalId local, LayoutId layout) {
    Copy& copy = copies_[value.index()];
    copy.local = local;
    copy.layout = layout;
    copy.region = region_;
    copy.lastUse = now_;
    copy.next = kNone;
    copy.gathered = true;
  }

  void addCopy(ValueId value, LocalId local, bool gathered) {
    uint32_t last = value.index();
    while (copies_[last].next != kNone) last = copies_[last].next;
    copies_[last].next = static_cast<uint32_t>(copies_.size());
    copies_.push_back({.local = local,
                       .layout = spmd_.locals[local].layout,
                       .region = region_,
                       .lastUse = now_,
                       .gathered = gathered});
  }

  bool isAround(RegionId outer) const {
    for (RegionId region = region_;;) {
      if (region == outer) return true;
      const OpId parent = program_.region(region).parent;
      if (!parent.valid()) return false;
      region = program_.op(parent).region;
    }
  }

  // Forgets copies of regions that are closed, and gathered copies whose last use lies too far
  // back. The first copy is where the value is made; it is there as long as the value is.
  void forgetOld(ValueId value) {
    for (uint32_t* link = &copies_[value.index()].next; *link != kNone;) {
      Copy& copy = copies_[*link];
      const bool far = plan_.remakeGap && copy.gathered && now_ - copy.lastUse > *plan_.remakeGap;
      if (far || !isAround(copy.region)) {
        *link = copy.next;
      } else {
        link = &copy.next;
      }
    }
  }

  const ReshardPath& path(ValueId value, LayoutId from, LayoutId to) {
    const program::TypeId type = program_.value(value).type;
    return resharder_.path(type.index(), program_.types().shape(type), from, to);
  }

  // The value in the layout `target` for `op`; made from what is cheapest, and kept.
  LocalId request(ValueId value, LayoutId target, OpId op) {
    const Copy& source = copies_[value.index()];
    if (source.layout == target) return source.local;
    forgetOld(value);
    for (uint32_t copy = source.next; copy != kNone; copy = copies_[copy].next) {
      if (copies_[copy].layout != target) continue;
      copies_[copy].lastUse = now_;
      return copies_[copy].local;
    }
    uint32_t best = kNone;
    const ReshardPath* cheapest = nullptr;
    for (uint32_t copy = value.index(); copy != kNone; copy = copies_[copy].next) {
      const LayoutId layout = copies_[copy].layout;
      // A copy that lacks a partial axis would have to be masked: not the same sum.
      if (!spmd_.layouts.partial(layout).containsAll(spmd_.layouts.partial(target))) continue;
      const ReshardPath& path = this->path(value, layout, target);
      if (cheapest != nullptr && path.cost >= cheapest->cost) continue;
      cheapest = &path;
      best = copy;
    }
    SW_CHECK(best != kNone);
    copies_[best].lastUse = now_;
    return walk(value, best, *cheapest, op);
  }

  LocalId walk(ValueId value, uint32_t copy, const ReshardPath& path, OpId op) {
    LocalId local = copies_[copy].local;
    bool gathered = copies_[copy].gathered;
    for (ReshardStep step : path.steps) {
      if (step.kind == Kind::kAllReduce) local = reducePassed(local, step, op);
      local = addStep(local, step, op);
      gathered = gathered && (step.kind == Kind::kAllGather || step.kind == Kind::kSlice);
      addCopy(value, local, gathered);
    }
    return local;
  }

  // B4: sums that were passed on are reduced before the op's own, not together with them. Over the
  // same axes as its neighbours (the gradients over `data`), an all-reduce can be merged with
  // theirs.
  LocalId reducePassed(LocalId from, ReshardStep& step, OpId op) {
    const Local local = spmd_.locals[from];
    const OpId definition = program_.value(local.value).definition;
    const AxisSet all = spmd_.layouts.partial(local.layout) - spmd_.layouts.partial(step.result);
    const AxisSet own = all & splits_.of(definition).reduced;
    const AxisSet passed = all - own;
    if (own.empty() || passed.empty()) return from;
    step.axes = AxisList::inMeshOrder(own);
    ReshardStep first = step;
    first.axes = AxisList::inMeshOrder(passed);
    const auto dims = spmd_.layouts.dims(local.layout);
    first.result = spmd_.layouts.intern(dims, spmd_.layouts.partial(local.layout) - passed);
    return addStep(from, first, op);
  }

  // --- ops ---

  // Of a value that is made: over which axes its only user takes it as a partial sum.
  AxisSet passedOn(ValueId value) const { return flow_.passes[value.index()]; }

  // The axes over which operands of this linear group come partial.
  AxisSet groupPartial(OpId op, uint8_t group) const {
    AxisSet axes;
    const auto operands = program_.operands(op);
    for (size_t i = 0; group != 0 && i < operands.size(); ++i) {
      if (subject_.rule(op).linearGroup(i) == group) axes = axes | passedOn(operands[i]);
    }
    return axes;
  }

  // Axes of split reduction factors that the operand does not show.
  AxisSet reducedElsewhere(OpId op, size_t operand) const {
    const SplitFacts& facts = splits_.of(op);
    return facts.reduced - splits_.shown(facts, operand);
  }

  LocalId operandOf(OpId op, size_t index) {
    const ValueId value = program_.operands(op)[index];
    const Rule& rule = subject_.rule(op);
    const uint8_t group = rule.linearGroup(index);
    const AxisSet passed = group == 0 ? AxisSet() : passedOn(value);
    LocalId local = request(value, layoutOf(op, index, passed), op);
    const AxisSet once = rule.countsOnce(index) ? reducedElsewhere(op, index) : AxisSet();
    const AxisSet masked = (groupPartial(op, group) - passed) | once;
    const Combiner combiner = splits_.of(op).combiner;
    // Masking zeros would change nothing.
    const auto isZero = [&] { return combiner == Combiner::kAdd && plan::isZero(subject_, value); };
    if (masked.empty() || isZero()) return local;
    return addMask(local, masked, combiner, op);
  }

  AxisSet partialAfter(OpId op) const {
    AxisSet axes = splits_.of(op).reduced;
    for (size_t i = 0; i < program_.operands(op).size(); ++i) {
      if (subject_.rule(op).linearGroup(i) != 0) axes = axes | passedOn(program_.operands(op)[i]);
    }
    return axes;
  }

  // Nothing partial comes in or goes out: most ops.
  bool isPlain(const SplitFacts& facts, std::span<const ValueId> operands) const {
    AxisSet partial = facts.reduced;
    for (const ValueId operand : operands) partial = partial | passedOn(operand);
    return partial.empty();
  }

  void lowerOp(OpId op) {
    operands_.clear();
    const auto operands = program_.operands(op);
    const SplitFacts& facts = splits_.of(op);
    const bool plain = isPlain(facts, operands);
    for (size_t i = 0; i < operands.size(); ++i) {
      operands_.push_back(plain ? request(operands[i], known(op, facts, i, {}).layout, op)
                                : operandOf(op, i));
    }
    finishOp(op, operands_, plain ? AxisSet() : partialAfter(op));
  }

  void finishOp(OpId op, std::span<const LocalId> operands, AxisSet partial) {
    const program::Signature& signature = program_.signature(op);
    const SplitFacts& facts = splits_.of(op);
    const LocalId first = spmd_.locals.nextId();
    for (uint32_t i = 0; i < signature.resultCount; ++i) {
      addResult(program_.result(op, i), known(op, facts, signature.operandCount + i, partial));
    }
    Instruction& instruction = addInstruction(Kind::kCompute, op, operands);
    instruction.resultCount = static_cast<uint16_t>(signature.resultCount);
    if (signature.resultCount > 0) instruction.firstResult = first;
    if (!pins_.empty()) bringIntoPins(op);
  }

  // A pinned value is brought into its layout where it is made; from then on that is the value.
  void bringIntoPins(OpId op) {
    for (auto pin = std::ranges::lower_bound(pins_, op, {}, [](auto* p) { return p->op; });
         pin != pins_.end() && (*pin)->op == op; ++pin) {
      const ValueId value = program_.result(op, (*pin)->result);
      const LayoutId layout = spmd_.layouts.intern(pinnedAxes(**pin, value));
      const LocalId local = request(value, layout, op);
      flow_.passes[value.index()] = {};
      addSource(value, local, layout);
    }
  }

  std::vector<AxisList> pinnedAxes(const plan::Pin& pin, ValueId value) const {
    const rules::Rule& rule = subject_.rule(pin.op);
    std::vector<AxisList> lawful;
    for (size_t d = 0; d < pin.dims.size(); ++d) {
      lawful.push_back(
          plan::dimAxes(rule, spmd_.assignment.axes(pin.op), rule.operandCount() + pin.result, d));
    }
    return plan::pinnedAxes(spmd_.mesh, pin, program_.shape(value), lawful);
  }

  // --- structure ---

  void lowerRegion(RegionId id) {
    const RegionId outer = region_;
    region_ = id;
    const program::Region& region = program_.region(id);
    for (uint32_t i = region.begin.index(); i < region.end.index();) {
      const OpId op(i);
      lowerAny(op);
      i = hasRegions(op) ? endOf(op) : i + 1;
    }
    lowerYields(id);
    region_ = outer;
  }

  bool hasRegions(OpId op) const {
    return tables_.handling(op) == Handling::kLoop || tables_.handling(op) == Handling::kRegions;
  }

  void lowerAny(OpId op) {
    now_ = op.index();
    const Handling handling = tables_.handling(op);
    if (handling == Handling::kCarry) return lowerCarry(op);
    if (handling == Handling::kMerge) return lowerMerge(op);
    if (handling == Handling::kLoop) hoist(op);
    if (handling == Handling::kRegions) completeShared(op);
    lowerOp(op);
    if (handling == Handling::kArgument) {
      spmd_.arguments.push_back(copies_[program_.result(op, 0).index()].local);
    }
    if (handling == Handling::kReturn) spmd_.results.push_back(spmd_.operands.back());
    if (!hasRegions(op)) return;
    for (const RegionId region : program_.regions(op)) lowerRegion(region);
    lastCase_ = op;
  }

  // What the body yields is known when its region ends.
  void lowerCarry(OpId op) {
    const LocalId init = operandOf(op, 0);
    const LocalId both[] = {init, init};
    finishOp(op, both, partialAfter(op));
    carries_.push_back(InstructionId(spmd_.instructions.size() - 1));
  }

  void lowerMerge(OpId op) {
    operands_.clear();
    for (const RegionId region : program_.regions(lastCase_)) {
      operands_.push_back(spmd_.yields[region][op.index() - endOf(lastCase_)]);
    }
    finishOp(op, operands_, partialAfter(op));
  }

  // Merges stand just behind the regions of their case.
  uint32_t endOf(OpId parent) const {
    return program_.region(program_.regions(parent).back()).end.index();
  }

  void lowerYields(RegionId id) {
    const program::Region& region = program_.region(id);
    if (region.kind == program::RegionKind::kEntry) return;
    std::vector<LocalId>& yields = spmd_.yields[id];
    if (region.kind == program::RegionKind::kCondition) {
      for (const ValueId value : region.yields) {
        yields.push_back(
            request(value, spmd_.layouts.whole(program_.shape(value).size()), region.parent));
      }
      return;
    }
    const auto count = static_cast<uint32_t>(region.yields.size());
    const bool body = region.kind == program::RegionKind::kBody;
    // Carries stand just before their loop, merges just behind their case.
    const uint32_t firstTie = body ? region.parent.index() - count : endOf(region.parent);
    for (uint32_t i = 0; i < count; ++i) {
      const OpId tie(firstTie + i);
      const ValueId value = region.yields[i];
      const LayoutId layout =
          body ? layoutOf(tie, 1, passedOn(value)) : layoutOf(tie, branchNumber(id));
      yields.push_back(request(value, layout, region.parent));
    }
    if (body) closeCarries(yields);
  }

  size_t branchNumber(RegionId id) const {
    const auto regions = program_.regions(program_.region(id).parent);
    return static_cast<size_t>(std::ranges::find(regions, id) - regions.begin());
  }

  void closeCarries(std::span<const LocalId> yields) {
    for (size_t i = 0; i < yields.size(); ++i) {
      const InstructionId carry = carries_[carries_.size() - yields.size() + i];
      spmd_.operands[spmd_.instructions[carry].operandsBegin + 1] = yields[i];
    }
    carries_.resize(carries_.size() - yields.size());
  }

  // What a loop needs of values from outside is made once, before it. Gathered copies stay inside
  // where the plan saves memory.
  void hoist(OpId loop) {
    const uint32_t end = endOf(loop);
    for (uint32_t i = loop.index() + 1; i < end; ++i) {
      const OpId op(i);
      for (size_t k = 0; k < program_.operands(op).size(); ++k) {
        hoistOne(loop, program_.operands(op)[k], layoutOf(op, k));
      }
    }
    const program::Region& body = program_.region(program_.regions(loop).back());
    for (uint32_t i = 0; i < body.yields.size(); ++i) {
      const OpId carry(loop.index() - static_cast<uint32_t>(body.yields.size()) + i);
      hoistOne(loop, body.yields[i], layoutOf(carry, 1));
    }
  }

  // A partial sum that several regions read is completed once, before their op: gradients that an
  // optimizer looks at in all branches, and in one choice after another. What a single branch reads
  // is left to it; it may not be the one that is taken.
  void completeShared(OpId choice) {
    const uint32_t end = endOf(choice);
    for (uint32_t i = choice.index() + 1; i < end; ++i) {
      const OpId op(i);
      for (size_t k = 0; k < program_.operands(op).size(); ++k) {
        const ValueId value = program_.operands(op)[k];
        const bool outside = program_.value(value).definition < choice;
        if (outside && isSharedSum(value)) request(value, layoutOf(op, k), choice);
      }
    }
  }

  bool isSharedSum(ValueId value) const {
    if (spmd_.layouts.partial(copies_[value.index()].layout).empty()) return false;
    const auto uses = tables_.uses(value);
    const RegionId first = program_.op(uses[0].op).region;
    return std::ranges::any_of(
        uses, [&](const TensorOf& use) { return program_.op(use.op).region != first; });
  }

  void hoistOne(OpId loop, ValueId value, LayoutId layout) {
    const OpId definition = program_.value(value).definition;
    const auto carried =
        static_cast<uint32_t>(program_.region(program_.regions(loop).back()).yields.size());
    // What the loop itself carries is made anew each time.
    if (definition.index() + carried >= loop.index()) return;
    const bool isPartial = !spmd_.layouts.partial(copies_[value.index()].layout).empty();
    const bool remade = plan_.remakeGap && !isPartial;
    if (!remade) request(value, layout, loop);
  }

  const plan::Subject& subject_;
  const program::Program& program_;
  const ProgramTables& tables_;
  const plan::Plan& plan_;
  SpmdProgram spmd_;
  Splits splits_;  // Of its assignment.
  Resharder resharder_;
  Flow flow_;
  RegionId region_;
  std::vector<const plan::Pin*> pins_;  // Of values inside, by op.
  std::vector<Copy> copies_;            // Per value as it is made, then others as they come.
  OpId lastCase_;     // Whose regions were closed last: the merges that follow are its results.
  uint32_t now_ = 0;  // The op being lowered.
  std::vector<InstructionId> carries_;  // Of loops that are still open.

  std::vector<Known> known_;                              // Per tensor of each split.
  std::vector<std::vector<program::TypeId>> localTypes_;  // Per layout and type, once asked for.
  std::vector<AxisList> dims_;
  std::vector<int64_t> shape_;
  std::vector<LocalId> operands_;
};

}  // namespace

Partitioner::Partitioner(const plan::Subject& subject)
    : subject_(subject), patterns_(subject), tables_(subject) {}

SpmdProgram Partitioner::partition(const plan::Plan& plan) const {
  return Lowering(subject_, patterns_, tables_, plan).run();
}

SpmdProgram partition(const plan::Subject& subject, const plan::Plan& plan) {
  return Partitioner(subject).partition(plan);
}

}  // namespace shardwright::spmd
