#include "shardwright/spmd/partition.h"

#include <algorithm>
#include <limits>

#include "shardwright/spmd/flow.h"
#include "shardwright/spmd/give_up.h"
#include "shardwright/spmd/reshard.h"

namespace shardwright::spmd {

using mesh::AxisList;
using mesh::AxisSet;
using mesh::LayoutId;
using program::Combiner;
using program::OpId;
using program::RegionId;
using program::ValueId;
using rules::FactorId;
using rules::FactorKind;
using rules::Rule;

namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

class Partitioner {
 public:
  Partitioner(const plan::Subject& subject, const plan::Plan& plan)
      : subject_(subject),
        program_(subject.program),
        plan_(plan),
        resharder_(spmd_.mesh, spmd_.layouts) {
    spmd_.mesh = plan.mesh;
    spmd_.assignment = plan::assign(subject, plan);
    giveUpIdleSplits(subject, plan, spmd_.assignment);
    flow_ = planFlow(subject, plan, spmd_.assignment);
    spmd_.yields.resize(program_.regionCount());
    known_.resize(program_.signatureCount());
    firstCopy_.resize(program_.valueCount(), kNone);
    partialOf_.resize(program_.valueCount());
    combiners_.resize(program_.valueCount(), Combiner::kAdd);
    spmd_.instructions.reserve(program_.opCount() * 5 / 4);
    spmd_.locals.reserve(program_.valueCount() * 5 / 4);
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

  // What was found for the last op of a signature, per tensor: layers are alike, so most ops ask
  // for the same again.
  struct Known {
    AxisSet partial;
    LayoutId layout;
    program::TypeId type;  // Local; found when a result is made.
  };
  struct KnownOfSignature {
    std::vector<AxisList> axes;  // Per factor.
    std::vector<Known> tensors;
  };

  Known& known(OpId op, size_t tensor, AxisSet partial) {
    const Rule& rule = subject_.rule(op);
    const auto axes = spmd_.assignment.axes(op);
    KnownOfSignature& last = known_[program_.op(op).signature.index()];
    if (last.tensors.empty() || !std::ranges::equal(last.axes, axes)) {
      last.axes.assign(axes.begin(), axes.end());
      last.tensors.assign(rule.tensorCount(), Known());
    }
    Known& known = last.tensors[tensor];
    if (known.layout.valid() && known.partial == partial) return known;
    dims_.clear();
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      dims_.push_back(plan::dimAxes(rule, axes, tensor, d));
    }
    return known = {partial, spmd_.layouts.intern(dims_, partial), {}};
  }

  LayoutId layoutOf(OpId op, size_t tensor, AxisSet partial = {}) {
    return known(op, tensor, partial).layout;
  }

  LocalId addResult(OpId op, uint32_t index, AxisSet partial) {
    const ValueId value = program_.result(op, index);
    Known& known = this->known(op, program_.operands(op).size() + index, partial);
    if (!known.type.valid()) known.type = localType(value, known.layout);
    return spmd_.locals.push({value, known.layout, known.type, spmd_.instructions.nextId()});
  }

  LocalId addLocal(ValueId value, LayoutId layout) {
    return spmd_.locals.push(
        {value, layout, localType(value, layout), spmd_.instructions.nextId()});
  }

  program::TypeId localType(ValueId value, LayoutId layout) {
    const program::TypeId global = program_.value(value).type;
    shape_.assign(program_.types().shape(global).begin(), program_.types().shape(global).end());
    for (size_t d = 0; d < shape_.size(); ++d) {
      shape_[d] /= mesh::deviceCount(spmd_.mesh, spmd_.layouts.dim(layout, d));
    }
    return spmd_.types.intern(program_.types().dtype(global), shape_);
  }

  // --- instructions ---

  InstructionId addInstruction(Instruction instruction, std::span<const LocalId> operands) {
    instruction.region = region_;
    instruction.operandsBegin = static_cast<uint32_t>(spmd_.operands.size());
    SW_CHECK(operands.size() <= std::numeric_limits<uint16_t>::max());
    instruction.operandCount = static_cast<uint16_t>(operands.size());
    spmd_.operands.insert(spmd_.operands.end(), operands.begin(), operands.end());
    return spmd_.instructions.push(instruction);
  }

  LocalId addStep(LocalId from, const ReshardStep& step, OpId op) {
    const ValueId value = spmd_.locals[from].value;
    Instruction instruction;
    instruction.kind = step.kind;
    instruction.axes = step.axes;
    instruction.dim = step.dim;
    instruction.toDim = step.toDim;
    instruction.combiner = combiners_[value.index()];
    instruction.op = op;
    instruction.resultCount = 1;
    instruction.firstResult = addLocal(value, step.result);
    addInstruction(instruction, {&from, 1});
    return instruction.firstResult;
  }

  LocalId addMask(LocalId from, AxisSet axes, Combiner combiner, OpId op) {
    const Local local = spmd_.locals[from];
    Instruction instruction;
    instruction.kind = Kind::kMask;
    instruction.axes = AxisList::inMeshOrder(axes);
    instruction.combiner = combiner;
    instruction.op = op;
    instruction.resultCount = 1;
    const auto dims = spmd_.layouts.dims(local.layout);
    instruction.firstResult = addLocal(
        local.value, spmd_.layouts.intern(dims, spmd_.layouts.partial(local.layout) | axes));
    addInstruction(instruction, {&from, 1});
    return instruction.firstResult;
  }

  // --- copies: the layouts in which a value can be had ---

  struct Copy {
    LocalId local;
    RegionId region;
    uint32_t lastUse;  // Number of the op.
    bool gathered;     // Nothing but gathers and slices between it and where the value is made.
    uint32_t next;
  };

  void addCopy(ValueId value, LocalId local, bool gathered) {
    copies_.push_back({local, region_, now_, gathered, kNone});
    uint32_t* link = &firstCopy_[value.index()];
    while (*link != kNone) link = &copies_[*link].next;
    *link = static_cast<uint32_t>(copies_.size() - 1);
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
    uint32_t* link = &firstCopy_[value.index()];
    for (bool source = true; *link != kNone; source = false) {
      Copy& copy = copies_[*link];
      const bool far =
          !source && plan_.remakeGap && copy.gathered && now_ - copy.lastUse > *plan_.remakeGap;
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
    forgetOld(value);
    for (uint32_t copy = firstCopy_[value.index()]; copy != kNone; copy = copies_[copy].next) {
      if (spmd_.locals[copies_[copy].local].layout != target) continue;
      copies_[copy].lastUse = now_;
      return copies_[copy].local;
    }
    uint32_t best = kNone;
    double cost = std::numeric_limits<double>::infinity();
    for (uint32_t copy = firstCopy_[value.index()]; copy != kNone; copy = copies_[copy].next) {
      const LayoutId layout = spmd_.locals[copies_[copy].local].layout;
      // A copy that lacks a partial axis would have to be masked: not the same sum.
      if (!spmd_.layouts.partial(layout).containsAll(spmd_.layouts.partial(target))) continue;
      const double price = path(value, layout, target).cost;
      if (price < cost) {
        cost = price;
        best = copy;
      }
    }
    SW_CHECK(best != kNone);
    copies_[best].lastUse = now_;
    return walk(value, best, target, op);
  }

  LocalId walk(ValueId value, uint32_t copy, LayoutId target, OpId op) {
    LocalId local = copies_[copy].local;
    bool gathered = copies_[copy].gathered;
    // A copy of the path: adding layouts may move the table it lives in.
    const ReshardPath steps = path(value, spmd_.locals[local].layout, target);
    for (ReshardStep step : steps.steps) {
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
    const AxisSet own = step.axes.set() & reducedOver(definition);
    const AxisSet passed = step.axes.set() - own;
    if (own.empty() || passed.empty()) return from;
    step.axes = AxisList::inMeshOrder(own);
    ReshardStep first = step;
    first.axes = AxisList::inMeshOrder(passed);
    const auto dims = spmd_.layouts.dims(local.layout);
    first.result = spmd_.layouts.intern(dims, spmd_.layouts.partial(local.layout) - passed);
    return addStep(from, first, op);
  }

  // --- ops ---

  // The axes of split reduction factors.
  AxisSet reducedOver(OpId op) const {
    const Rule& rule = subject_.rule(op);
    AxisSet axes;
    for (uint32_t f = 0; f < rule.factorCount(); ++f) {
      if (rule.factors()[f].kind == FactorKind::kReduction) {
        axes = axes | spmd_.assignment.axes(op, FactorId(f)).set();
      }
    }
    return axes;
  }

  Combiner combinerOf(OpId op) const {
    const Rule& rule = subject_.rule(op);
    for (uint32_t f = 0; f < rule.factorCount(); ++f) {
      const bool split = !spmd_.assignment.axes(op, FactorId(f)).empty();
      if (split && rule.factors()[f].kind == FactorKind::kReduction) {
        return rule.factors()[f].combiner;
      }
    }
    return Combiner::kAdd;
  }

  AxisSet passedOn(ValueId value) const {
    return flow_.passes[value.index()] & partialOf_[value.index()];
  }

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
    const Rule& rule = subject_.rule(op);
    AxisSet axes = reducedOver(op);
    for (size_t d = 0; d < rule.rank(operand); ++d) {
      axes = axes - plan::dimAxes(rule, spmd_.assignment.axes(op), operand, d).set();
    }
    return axes;
  }

  // All elements are 0, whatever part one looks at: masking would change nothing.
  bool isZero(ValueId value) const {
    for (;;) {
      const OpId op = program_.value(value).definition;
      const auto& attributes = program_.attributes(program_.op(op).signature);
      if (const auto* constant = std::get_if<program::ConstantAttrs>(&attributes)) {
        return constant->zero;
      }
      const bool passes =
          program_.operands(op).size() == 1 && subject_.rule(op).linearGroup(0) == 1;
      if (!passes) return false;
      value = program_.operands(op)[0];
    }
  }

  LocalId operandOf(OpId op, size_t index) {
    const ValueId value = program_.operands(op)[index];
    const Rule& rule = subject_.rule(op);
    const uint8_t group = rule.linearGroup(index);
    const AxisSet passed = group == 0 ? AxisSet() : passedOn(value);
    LocalId local = request(value, layoutOf(op, index, passed), op);
    const AxisSet once = rule.countsOnce(index) ? reducedElsewhere(op, index) : AxisSet();
    const AxisSet masked = (groupPartial(op, group) - passed) | once;
    if (masked.empty() || (combinerOf(op) == Combiner::kAdd && isZero(value))) return local;
    return addMask(local, masked, combinerOf(op), op);
  }

  AxisSet partialAfter(OpId op) const {
    AxisSet axes = reducedOver(op);
    for (size_t i = 0; i < program_.operands(op).size(); ++i) {
      if (subject_.rule(op).linearGroup(i) != 0) axes = axes | passedOn(program_.operands(op)[i]);
    }
    return axes;
  }

  void lowerOp(OpId op) {
    operands_.clear();
    const size_t count = program_.operands(op).size();
    for (size_t i = 0; i < count; ++i) operands_.push_back(operandOf(op, i));
    finishOp(op, operands_);
  }

  void finishOp(OpId op, std::span<const LocalId> operands) {
    Instruction instruction;
    instruction.op = op;
    instruction.resultCount = static_cast<uint16_t>(program_.resultCount(op));
    const AxisSet partial = partialAfter(op);
    for (uint32_t i = 0; i < instruction.resultCount; ++i) {
      const ValueId value = program_.result(op, i);
      const LocalId local = addResult(op, i, partial);
      if (i == 0) instruction.firstResult = local;
      partialOf_[value.index()] = partial;
      combiners_[value.index()] = combinerOf(op);
    }
    addInstruction(instruction, operands);
    for (uint32_t i = 0; i < instruction.resultCount; ++i) {
      addCopy(program_.result(op, i), instruction.firstResult.plus(i), true);
    }
    bringIntoPins(op);
  }

  // A pinned value is brought into its layout where it is made; from then on that is the value.
  void bringIntoPins(OpId op) {
    for (auto pin = std::ranges::lower_bound(pins_, op, {}, [](auto* p) { return p->op; });
         pin != pins_.end() && (*pin)->op == op; ++pin) {
      const ValueId value = program_.result(op, (*pin)->result);
      dims_.clear();
      for (const AxisList axes : (*pin)->dims) {
        dims_.push_back(mesh::withoutTrivial(spmd_.mesh, axes));
      }
      const LayoutId layout = spmd_.layouts.intern(dims_);
      const LocalId local = request(value, layout, op);
      partialOf_[value.index()] = {};
      firstCopy_[value.index()] = kNone;
      addCopy(value, local, true);
    }
  }

  // --- structure ---

  void lowerRegion(RegionId id) {
    const RegionId outer = region_;
    region_ = id;
    const program::Region& region = program_.region(id);
    for (uint32_t i = region.begin.index(); i < region.end.index();) {
      const OpId op(i);
      i = program_.regions(op).empty() ? i + 1
                                       : program_.region(program_.regions(op).back()).end.index();
      lowerAny(op);
    }
    lowerYields(id);
    region_ = outer;
  }

  void lowerAny(OpId op) {
    now_ = op.index();
    const std::string_view name = program_.name(op);
    if (name == program::kCarry) return lowerCarry(op);
    if (name == program::kMerge) return lowerMerge(op);
    if (name == program::kWhile) hoist(op);
    lowerOp(op);
    if (name == program::kArgument) {
      spmd_.arguments.push_back(copies_[firstCopy_[program_.result(op, 0).index()]].local);
    }
    if (name == program::kReturn) spmd_.results.push_back(spmd_.operands.back());
    for (const RegionId region : program_.regions(op)) lowerRegion(region);
    if (!program_.regions(op).empty()) lastCase_ = op;
  }

  // What the body yields is known when its region ends.
  void lowerCarry(OpId op) {
    const LocalId init = operandOf(op, 0);
    const LocalId both[] = {init, init};
    finishOp(op, both);
    carries_.push_back(InstructionId(spmd_.instructions.size() - 1));
  }

  void lowerMerge(OpId op) {
    operands_.clear();
    for (const RegionId region : program_.regions(lastCase_)) {
      operands_.push_back(spmd_.yields[region][op.index() - endOf(lastCase_)]);
    }
    finishOp(op, operands_);
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
      const LayoutId layout = layoutOf(tie, body ? 1 : branchNumber(id));
      yields.push_back(request(region.yields[i], layout, region.parent));
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

  void hoistOne(OpId loop, ValueId value, LayoutId layout) {
    const OpId definition = program_.value(value).definition;
    const auto carried =
        static_cast<uint32_t>(program_.region(program_.regions(loop).back()).yields.size());
    // What the loop itself carries is made anew each time.
    if (definition.index() + carried >= loop.index()) return;
    const bool remade = plan_.remakeGap && partialOf_[value.index()].empty();
    if (!remade) request(value, layout, loop);
  }

  const plan::Subject& subject_;
  const program::Program& program_;
  const plan::Plan& plan_;
  SpmdProgram spmd_;
  Resharder resharder_;
  Flow flow_;
  RegionId region_;
  std::vector<const plan::Pin*> pins_;  // Of values inside, by op.
  std::vector<uint32_t> firstCopy_;     // Per value, into copies_.
  std::vector<Copy> copies_;
  std::vector<AxisSet> partialOf_;   // Per value: as it is made.
  std::vector<Combiner> combiners_;  // Per value: of its partial terms.
  OpId lastCase_;     // Whose regions were closed last: the merges that follow are its results.
  uint32_t now_ = 0;  // The op being lowered.
  std::vector<InstructionId> carries_;  // Of loops that are still open.

  std::vector<KnownOfSignature> known_;  // By signature.
  std::vector<AxisList> dims_;
  std::vector<int64_t> shape_;
  std::vector<LocalId> operands_;
};

}  // namespace

SpmdProgram partition(const plan::Subject& subject, const plan::Plan& plan) {
  return Partitioner(subject, plan).run();
}

}  // namespace shardwright::spmd
