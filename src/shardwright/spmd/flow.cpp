#include "shardwright/spmd/flow.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "shardwright/plan/structure.h"
#include "shardwright/spmd/give_up.h"

namespace shardwright::spmd {

using mesh::AxisSet;
using program::Combiner;
using program::OpId;
using program::ValueId;
using rules::FactorId;
using rules::FactorKind;
using rules::Rule;

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
// Sums of biases and scales: to have one whole costs no memory worth speaking of, to scatter it in
// each turn costs time.
constexpr int64_t kSmallSum = int64_t{1} << 20;

// What the decisions of all axes share. Only ops that a partial sum can reach are looked at: few.
class FlowPlanner {
 public:
  FlowPlanner(const plan::Subject& subject, const ProgramTables& tables, const plan::Plan& plan,
              const plan::Assignment& assignment, Splits& splits)
      : subject_(subject),
        program_(subject.program),
        tables_(tables),
        mesh_(plan.mesh),
        remakes_(plan.remakeGap.has_value()),
        assignment_(assignment),
        splits_(splits),
        complete_(program_.valueCount(), 0),
        partial_(program_.valueCount(), kImpossible),
        group_(program_.opCount(), 0),
        demand_(program_.valueCount(), 0),
        open_(program_.valueCount(), 0),
        pending_(program_.opCount() / 64 + 1, 0) {
    flow_.passes.resize(program_.valueCount());
    for (const plan::Pin& pin : plan.pins) pinned_.push_back(pin.op);
    std::ranges::sort(pinned_);
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      if (!splits.of(OpId(i)).reduced.empty()) reducing_.push_back(OpId(i));
    }
  }

  Flow run() {
    for (axis_ = 0; axis_ < mesh_.axes.size(); ++axis_) {
      if (mesh_.axes[axis_].size > 1) decide();
    }
    return std::move(flow_);
  }

 private:
  // The only use of a value that may pass on a partial sum.
  TensorOf onlyUse(ValueId value) const {
    const TensorOf use = tables_.onlyUse(value);
    if (pinned_.empty() || !use.op.valid()) return use;
    const OpId definition = program_.value(value).definition;
    return std::ranges::binary_search(pinned_, definition) ? TensorOf{} : use;
  }

  bool isSplit(OpId op) const { return splits_.of(op).used.contains(axis_); }
  bool leavesPartial(OpId op) const { return splits_.of(op).reduced.contains(axis_); }

  // A partial sum, and not a partial maximum.
  bool leavesSum(OpId op) const {
    const Rule& rule = subject_.rule(op);
    const auto axes = assignment_.axes(op);
    for (uint32_t f = 0; f < axes.size(); ++f) {
      const rules::Factor& factor = rule.factors()[f];
      if (axes[f].empty() || factor.kind != FactorKind::kReduction) continue;
      if (factor.combiner != Combiner::kAdd) return false;
    }
    return leavesPartial(op) && program_.resultCount(op) == 1;
  }

  // --- one axis ---

  void decide() {
    for (const OpId op : reducing_) {
      if (leavesPartial(op)) await(op);
    }
    priceAll();
    for (auto op = priced_.rbegin(); op != priced_.rend(); ++op) choose(*op);
    for (const OpId op : passing_) apply(op);
    forget();
  }

  void await(OpId op) { pending_[op.index() / 64] |= uint64_t{1} << op.index() % 64; }

  // In program order. An op's price is its operands' matter: whoever is not reached from an op that
  // leaves a partial sum costs nothing, and what comes before its operand (a carry) knows nothing
  // of it.
  void priceAll() {
    for (size_t word = 0; word < pending_.size(); ++word) {
      while (pending_[word] != 0) {
        const auto bit = static_cast<size_t>(std::countr_zero(pending_[word]));
        pending_[word] &= pending_[word] - 1;
        const OpId op(word * 64 + bit);
        if (program_.resultCount(op) != 1) continue;
        price(op);
        priced_.push_back(op);
        awaitUser(op, program_.result(op, 0));
        priceCarry(op);
      }
    }
  }

  void awaitUser(OpId op, ValueId value) {
    const OpId user = onlyUse(value).op;
    if (user.valid() && op < user) await(user);
  }

  // F5: what the loop leaves of a sum costs what the last op that adds to it does.
  void priceCarry(OpId op) {
    const OpId carry = carryOf(op);
    if (!carry.valid() || partial_[program_.result(op, 0).index()] == kImpossible) return;
    const ValueId sum = program_.result(op, 0), left = program_.result(carry, 2);
    const double partial = partial_[sum.index()];
    partial_[left.index()] = partial;
    complete_[left.index()] = std::min(normalCost(op), partial + reduceCost(left));
    pricedCarries_.push_back(carry);
    awaitUser(op, left);
  }

  void forget() {
    for (const OpId op : priced_) {
      const size_t result = program_.result(op, 0).index();
      complete_[result] = 0;
      partial_[result] = kImpossible;
      open_[result] = 0;
      group_[op.index()] = 0;
      demand_[result] = 0;
      for (const ValueId operand : program_.operands(op)) demand_[operand.index()] = 0;
    }
    for (const OpId carry : pricedCarries_) {
      const size_t left = program_.result(carry, 2).index();
      complete_[left] = 0;
      partial_[left] = kImpossible;
      demand_[left] = 0;
    }
    for (const OpId op : passing_) {
      for (const ValueId operand : program_.operands(op)) demand_[operand.index()] = 0;
    }
    priced_.clear();
    pricedCarries_.clear();
    passing_.clear();
  }

  // What it costs to hand an operand on, given that only this op uses it; shared values are paid
  // for where they are made.
  double completeCost(ValueId value) const {
    return onlyUse(value).op.valid() ? complete_[value.index()] : 0;
  }
  double partialCost(ValueId value, OpId user) const {
    if (isOpen(value)) return 0;
    if (partial_[value.index()] == kImpossible) return kImpossible;
    const OpId definition = program_.value(value).definition;
    const bool passes =
        onlyUse(value).op == user && program_.op(definition).region == program_.op(user).region;
    return passes ? partial_[value.index()] : kImpossible;
  }

  // F6: what a loop carries of a sum that may give up its split. If it does is known at the end of
  // the turn.
  bool isOpen(ValueId value) const {
    const OpId carry = program_.value(value).definition;
    return tables_.handling(carry) == Handling::kCarry && program_.resultIndex(value) == 1 &&
           mayGiveUp(carry) && onlyUse(value).op.valid();
  }

  // F6: if a whole copy of what the sum is the gradient of lives as long as the loop in any case.
  bool mayGiveUp(OpId carry) const {
    if (remakes_ || !isSplit(carry) || !plan::isZero(subject_, program_.operands(carry)[0]))
      return false;
    if (bytesOf(program_.operands(carry)[0]) <= kSmallSum) return true;
    return std::ranges::any_of(tables_.readsBeside(carry), [&](const TensorOf& read) {
      const TensorOf maker = tables_.makers(program_.op(read.op))[read.tensor];
      return splits_.shown(maker.op, maker.tensor).contains(axis_) &&
             !splits_.shown(read.op, read.tensor).contains(axis_);
    });
  }

  double normalCost(OpId op) const {
    double cost = 0;
    for (const ValueId operand : program_.operands(op)) cost += completeCost(operand);
    return cost;
  }

  // F2.
  void price(OpId op) {
    const ValueId result = program_.result(op, 0);
    const double normal = normalCost(op);
    double& complete = complete_[result.index()];
    double& partial = partial_[result.index()];
    if (leavesPartial(op)) {
      if (leavesSum(op)) partial = normal;
      complete = normal + reduceCost(result);
      return;
    }
    partial = flowCost(op);
    open_[result.index()] = std::ranges::any_of(program_.operands(op), [&](ValueId operand) {
      return open_[operand.index()] != 0 || isOpen(operand);
    });
    complete = partial == kImpossible ? normal : std::min(normal, partial + reduceCost(result));
  }

  // The cheapest way to leave the op's result partial, over its linear groups.
  double flowCost(OpId op) {
    double best = kImpossible;
    const Rule& rule = subject_.rule(op);
    for (size_t i = 0; i < rule.operandCount(); ++i) {
      const uint8_t group = rule.linearGroup(i);
      if (group == 0 || partialCost(program_.operands(op)[i], op) == kImpossible) continue;
      const double cost = flowCost(op, group);
      if (cost < best) {
        best = cost;
        group_[op.index()] = group;
      }
    }
    return best;
  }

  double flowCost(OpId op, uint8_t group) const {
    const FactorId split = splitFactor(op);
    if (split.valid() && !isCheap(subject_.rule(op))) return kImpossible;
    double cost = 0;
    for (uint32_t i = 0; i < program_.operands(op).size(); ++i) {
      const ValueId operand = program_.operands(op)[i];
      const double complete = completeCost(operand);
      const double passed =
          subject_.rule(op).linearGroup(i) == group ? partialCost(operand, op) : kImpossible;
      cost += mustPass(op, i, split) ? passed : std::min(complete, passed);
    }
    return cost;
  }

  // F4: what shows the split factor comes partial, or the op keeps its split.
  // A repeated number shows it too; it is made whole where what it multiplies goes on to one op.
  bool mustPass(OpId op, size_t operand, FactorId split) const {
    if (!split.valid() || !shows(op, operand, split)) return false;
    return !onlyUse(program_.result(op, 0)).op.valid() || !isFree(program_.operands(op)[operand]);
  }

  // Whether the value can be made whole without anything being sent, and only one op reads it.
  bool isFree(ValueId value) const {
    const OpId maker = program_.value(value).definition;
    if (!tables_.givesUp(program_.op(maker).signature) || !onlyUse(value).op.valid()) return false;
    if (partial_[value.index()] != kImpossible) return false;
    for (size_t t = 0; t < program_.operands(maker).size(); ++t) {
      if (splits_.shown(maker, t).contains(axis_)) return false;
    }
    return true;
  }

  // The factor that the axis splits; invalid if there is none.
  FactorId splitFactor(OpId op) const {
    const auto axes = assignment_.axes(op);
    for (uint32_t f = 0; isSplit(op) && f < axes.size(); ++f) {
      if (axes[f].contains(axis_)) return FactorId(f);
    }
    return {};
  }

  bool shows(OpId op, size_t tensor, FactorId factor) const {
    const Rule& rule = subject_.rule(op);
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      if (std::ranges::find(rule.dim(tensor, d), factor) != rule.dim(tensor, d).end()) return true;
    }
    return false;
  }

  int64_t bytesOf(ValueId value) const {
    return program_.types().bytes(program_.value(value).type);
  }

  // Bytes that each device sends to complete the value: reduced and scattered if that is how it is
  // used.
  double reduceCost(ValueId value) const {
    const OpId op = program_.value(value).definition;
    const size_t tensor = program_.operands(op).size() + program_.resultIndex(value);
    AxisSet splitting = splits_.shown(op, tensor);
    splitting.remove(axis_);
    const auto n = static_cast<double>(mesh_.axes[axis_].size);
    // Nothing at all costs something too, or reducing early and late would be the same.
    const int64_t whole = std::max<int64_t>(1, bytesOf(value));
    const double bytes = static_cast<double>(whole) *
                         program_.region(program_.op(op).region).weight /
                         static_cast<double>(mesh::deviceCount(mesh_, splitting));
    return (isScattered(value) ? 1 : 2) * (n - 1) / n * bytes;
  }

  // Whether all users split the value over this axis, so that it is scattered and not reduced
  // whole.
  bool isScattered(ValueId value) const {
    const auto uses = tables_.uses(value);
    return !uses.empty() && std::ranges::all_of(uses, [&](const TensorOf& use) {
      return splits_.shown(use.op, use.tensor).contains(axis_);
    });
  }

  // F3: what the op asks of its operands, given what is asked of its result.
  void choose(OpId op) {
    if (leavesPartial(op)) return;
    const ValueId result = program_.result(op, 0);
    const double flowing = partial_[result.index()];
    if (flowing == kImpossible) return;
    // Early where it costs the same: strictly less, with room for rounding.
    const OpId carry = carryOf(op);
    const ValueId reduced = carry.valid() ? program_.result(carry, 2) : result;
    const bool wanted = demand_[result.index()] != 0 || demand_[reduced.index()] != 0;
    const double late = flowing + reduceCost(reduced);
    if (!wanted && !(late < normalCost(op) * (1 - 1e-9))) return;
    // The carry that it adds to is partial only if the last sum of the turn wants it so.
    if (!wanted && !carry.valid() && open_[result.index()]) return;
    if (!pass(op) || !carry.valid()) return;
    demand_[result.index()] = 1;
    demandAlong(carry);
  }

  void demandAlong(OpId carry) {
    passing_.push_back(carry);
    ValueId value = program_.result(carry, 1);
    for (; leadsOn(onlyUse(value)); value = program_.result(onlyUse(value).op, 0)) {
      demand_[value.index()] = 1;
      passing_.push_back(onlyUse(value).op);
    }
    demand_[value.index()] = 1;
  }

  // F5: the carry that may be partial if the op, the last one that adds to it, adds a partial sum.
  OpId carryOf(OpId op) const {
    const OpId carry = tables_.sumOf(op);
    if (!carry.valid() || onlyUse(program_.result(op, 0)).op != carry) return {};
    if (isSplit(carry) && !mayGiveUp(carry)) return {};
    ValueId value = program_.result(carry, 1);
    while (leadsOn(onlyUse(value))) value = program_.result(onlyUse(value).op, 0);
    for (bool begins = true; value != program_.result(op, 0); begins = false) {
      if (!addsInPart(value, onlyUse(value), begins)) return {};
      value = program_.result(onlyUse(value).op, 0);
    }
    return carry;
  }

  // Whether the use of what a loop carries only makes it ready to be added to: a conversion to its
  // own type, which JAX makes of numbers that start as Python's, or a factor. Nothing partial is
  // added there yet.
  bool leadsOn(TensorOf use) const {
    if (!use.op.valid() || isSplit(use.op) || program_.resultCount(use.op) != 1) return false;
    const bool joins = program::standsForAValue(program_.name(use.op));  // What branches yield.
    return !joins && subject_.rule(use.op).linearGroup(use.tensor) != 0 &&
           partial_[program_.result(use.op, 0).index()] == kImpossible;
  }

  // Whether the use of a sum leaves its own result partial and takes the value so: what else it
  // adds is partial, and unless the sum begins there, the same held before it without a carry.
  bool addsInPart(ValueId value, TensorOf use, bool begins) const {
    if (!use.op.valid() || (isSplit(use.op) && !addsPointByPoint(use.op))) return false;
    if (partial_[program_.result(use.op, 0).index()] == kImpossible) return false;
    if (subject_.rule(use.op).linearGroup(use.tensor) != group_[use.op.index()]) return false;
    return begins || partialCost(value, use.op) < completeCost(value);
  }

  // An addition of values of one shape, not one that writes into a stack.
  bool addsPointByPoint(OpId op) const {
    const Rule& rule = subject_.rule(op);
    return isCheap(rule) && std::ranges::all_of(rule.factors(), [](const rules::Factor& factor) {
             return factor.kind == FactorKind::kParallel;
           });
  }

  // Whether something passes.
  bool pass(OpId op) {
    const FactorId split = splitFactor(op);
    bool passes = false;
    for (uint32_t i = 0; i < program_.operands(op).size(); ++i) {
      const ValueId operand = program_.operands(op)[i];
      if (subject_.rule(op).linearGroup(i) != group_[op.index()]) continue;
      const double passed = partialCost(operand, op);
      const bool must = mustPass(op, i, split);
      if (passed != kImpossible && (must || passed < completeCost(operand))) {
        demand_[operand.index()] = 1;
        passes = true;
      }
    }
    if (passes) passing_.push_back(op);
    return passes;
  }

  void apply(OpId op) {
    for (const ValueId operand : program_.operands(op)) {
      if (demand_[operand.index()] && onlyUse(operand).op == op) {
        flow_.passes[operand.index()].add(axis_);
      }
    }
    if (!isSplit(op)) return;
    splits_.giveUp(op, AxisSet{axis_});
    for (const ValueId operand : program_.operands(op)) {
      const OpId maker = program_.value(operand).definition;
      if (isSplit(maker) && isFree(operand)) splits_.giveUp(maker, AxisSet{axis_});
    }
    if (tables_.handling(op) == Handling::kCarry) giveUpZeros(program_.operands(op)[0]);
  }

  // Zeros that nothing reads split any more are made whole.
  void giveUpZeros(ValueId zeros) {
    const auto isWhole = [&](const TensorOf& use) {
      return !splits_.shown(use.op, use.tensor).contains(axis_);
    };
    while (std::ranges::all_of(tables_.uses(zeros), isWhole)) {
      const OpId maker = program_.value(zeros).definition;
      if (!isSplit(maker) || program::standsForAValue(program_.name(maker))) return;
      splits_.giveUp(maker, AxisSet{axis_});
      if (program_.operands(maker).empty()) return;
      zeros = program_.operands(maker)[0];
    }
  }

  const plan::Subject& subject_;
  const program::Program& program_;
  const ProgramTables& tables_;
  const mesh::Mesh& mesh_;
  const bool remakes_;
  const plan::Assignment& assignment_;
  Splits& splits_;
  Flow flow_;
  std::vector<OpId> pinned_;    // Sorted.
  std::vector<OpId> reducing_;  // Ops with a split reduction factor.

  uint32_t axis_ = 0;
  std::vector<double> complete_, partial_;  // Per value: bytes until its user has it so.
  std::vector<uint8_t> group_;              // Per op: the linear group that flows best.
  std::vector<char> demand_;                // Per value: whether its user takes it partial.
  std::vector<char> open_;                  // Per value: what it costs depends on an open carry.
  std::vector<uint64_t> pending_;           // A bit per op: yet to be priced.
  std::vector<OpId> priced_;                // In program order.
  std::vector<OpId> pricedCarries_;         // Of loops that may leave a partial sum (F5).
  std::vector<OpId> passing_;               // Ops that pass on a partial operand.
};

}  // namespace

Flow planFlow(const plan::Subject& subject, const ProgramTables& tables, const plan::Plan& plan,
              const plan::Assignment& assignment, Splits& splits) {
  return FlowPlanner(subject, tables, plan, assignment, splits).run();
}

}  // namespace shardwright::spmd
