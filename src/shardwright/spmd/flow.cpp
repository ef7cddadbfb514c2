#include "shardwright/spmd/flow.h"

#include <algorithm>
#include <limits>

#include "shardwright/spmd/give_up.h"

namespace shardwright::spmd {

using mesh::AxisList;
using mesh::AxisSet;
using program::Combiner;
using program::OpId;
using program::ValueId;
using rules::FactorId;
using rules::FactorKind;
using rules::Rule;

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

// What the decisions of all axes share.
class FlowPlanner {
 public:
  FlowPlanner(const plan::Subject& subject, const plan::Plan& plan, plan::Assignment& assignment)
      : subject_(subject), program_(subject.program), mesh_(plan.mesh), assignment_(assignment) {
    flow_.passes.resize(program_.valueCount());
    findUsers();
    for (const plan::Pin& pin : plan.pins) {
      for (uint32_t i = 0; i < program_.resultCount(pin.op); ++i) {
        users_[program_.result(pin.op, i).index()] = {};
      }
    }
  }

  Flow run() {
    for (axis_ = 0; axis_ < mesh_.axes.size(); ++axis_) {
      if (mesh_.axes[axis_].size == 1) continue;
      split_ = splitFactors(program_, assignment_, axis_);
      if (anyPartial()) decide();
    }
    return std::move(flow_);
  }

 private:
  // The only use of a value; `op` is invalid if there are none, several, or one that is no operand.
  struct User {
    OpId op;
    uint32_t operand = 0;
  };

  void findUsers() {
    users_.resize(program_.valueCount());
    std::vector<char> seen(program_.valueCount(), 0);
    const auto use = [&](ValueId value, User user) {
      char& count = seen[value.index()];
      users_[value.index()] = count == 0 ? user : User{};
      count = 1;
    };
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      const auto operands = program_.operands(OpId(i));
      for (uint32_t k = 0; k < operands.size(); ++k) use(operands[k], {OpId(i), k});
    }
    for (uint32_t r = 0; r < program_.regionCount(); ++r) {
      const program::Region& region = program_.region(program::RegionId(r));
      if (region.kind != program::RegionKind::kCondition) continue;
      for (const ValueId value : region.yields) use(value, {});
    }
  }

  FactorId splitFactor(OpId op) const { return split_[op.index()]; }

  bool leavesPartial(OpId op) const {
    const FactorId split = splitFactor(op);
    return split.valid() && subject_.rule(op).factor(split).kind == FactorKind::kReduction;
  }

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

  bool anyPartial() const {
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      if (leavesPartial(OpId(i))) return true;
    }
    return false;
  }

  // --- one axis ---

  void decide() {
    complete_.assign(program_.valueCount(), 0);
    partial_.assign(program_.valueCount(), kImpossible);
    group_.assign(program_.opCount(), 0);
    findScattered();
    for (uint32_t i = 0; i < program_.opCount(); ++i) price(OpId(i));
    demand_.assign(program_.valueCount(), 0);
    for (uint32_t i = static_cast<uint32_t>(program_.opCount()); i-- > 0;) choose(OpId(i));
    for (uint32_t i = 0; i < program_.opCount(); ++i) apply(OpId(i));
  }

  // What it costs to hand an operand on, given that only this op uses it; shared values are paid
  // for where they are made.
  double completeCost(ValueId value) const {
    return users_[value.index()].op.valid() ? complete_[value.index()] : 0;
  }
  double partialCost(ValueId value, OpId user) const {
    const User& only = users_[value.index()];
    const OpId definition = program_.value(value).definition;
    const bool passes =
        only.op == user && program_.op(definition).region == program_.op(user).region;
    return passes ? partial_[value.index()] : kImpossible;
  }

  double normalCost(OpId op) const {
    double cost = 0;
    for (const ValueId operand : program_.operands(op)) cost += completeCost(operand);
    return cost;
  }

  // F2.
  void price(OpId op) {
    if (program_.resultCount(op) != 1) return;
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
      // F4: what shows the split factor comes partial, or the op keeps its split.
      const bool mustPass = split.valid() && shows(op, i, split);
      cost += mustPass ? passed : std::min(complete, passed);
    }
    return cost;
  }

  bool shows(OpId op, size_t tensor, FactorId factor) const {
    const Rule& rule = subject_.rule(op);
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      if (std::ranges::find(rule.dim(tensor, d), factor) != rule.dim(tensor, d).end()) return true;
    }
    return false;
  }

  // Bytes that each device sends to complete the value: reduced and scattered if that is how it is
  // used.
  double reduceCost(ValueId value) const {
    const OpId op = program_.value(value).definition;
    const Rule& rule = subject_.rule(op);
    const size_t tensor = rule.operandCount() + program_.resultIndex(value);
    AxisSet splitting;
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      splitting = splitting | plan::dimAxes(rule, assignment_.axes(op), tensor, d).set();
    }
    splitting.remove(axis_);
    const auto n = static_cast<double>(mesh_.axes[axis_].size);
    // Nothing at all costs something too, or reducing early and late would be the same.
    const int64_t whole = std::max<int64_t>(1, program_.types().bytes(program_.value(value).type));
    const double bytes = static_cast<double>(whole) *
                         program_.region(program_.op(op).region).weight /
                         static_cast<double>(mesh::deviceCount(mesh_, splitting));
    return (scattered_[value.index()] ? 1 : 2) * (n - 1) / n * bytes;
  }

  // Which values all users split over this axis, so that they are scattered and not reduced whole.
  void findScattered() {
    scattered_.assign(program_.valueCount(), 0);
    std::vector<char> whole(program_.valueCount(), 0);
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      const auto operands = program_.operands(OpId(i));
      for (size_t k = 0; k < operands.size(); ++k) {
        (splits(OpId(i), k) ? scattered_ : whole)[operands[k].index()] = 1;
      }
    }
    for (size_t v = 0; v < whole.size(); ++v) scattered_[v] = scattered_[v] && !whole[v];
  }

  bool splits(OpId op, size_t tensor) const {
    const FactorId split = splitFactor(op);
    if (!split.valid()) return false;
    const Rule& rule = subject_.rule(op);
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      if (rule.leading(tensor, d) == split) return true;
    }
    return false;
  }

  // F3: what the op asks of its operands, given what is asked of its result.
  void choose(OpId op) {
    if (program_.resultCount(op) != 1 || leavesPartial(op)) return;
    const ValueId result = program_.result(op, 0);
    const bool wanted = demand_[result.index()] != 0;
    const double flowing = partial_[result.index()];
    if (flowing == kImpossible) return;
    // Early where it costs the same: strictly less, with room for rounding.
    const double late = flowing + reduceCost(result);
    if (!wanted && !(late < normalCost(op) * (1 - 1e-9))) return;
    pass(op);
  }

  void pass(OpId op) {
    const FactorId split = splitFactor(op);
    for (uint32_t i = 0; i < program_.operands(op).size(); ++i) {
      const ValueId operand = program_.operands(op)[i];
      if (subject_.rule(op).linearGroup(i) != group_[op.index()]) continue;
      const double passed = partialCost(operand, op);
      const bool mustPass = split.valid() && shows(op, i, split);
      if (passed != kImpossible && (mustPass || passed < completeCost(operand))) {
        demand_[operand.index()] = 1;
      }
    }
  }

  void apply(OpId op) {
    bool passes = false;
    for (const ValueId operand : program_.operands(op)) {
      if (!demand_[operand.index()] || users_[operand.index()].op != op) continue;
      flow_.passes[operand.index()].add(axis_);
      passes = true;
    }
    const FactorId split = splitFactor(op);
    if (passes && split.valid()) giveUp(assignment_, op, split, axis_);
  }

  const plan::Subject& subject_;
  const program::Program& program_;
  const mesh::Mesh& mesh_;
  plan::Assignment& assignment_;
  Flow flow_;
  std::vector<User> users_;

  uint32_t axis_ = 0;
  std::vector<FactorId> split_;             // Per op.
  std::vector<double> complete_, partial_;  // Per value: bytes until its user has it so.
  std::vector<uint8_t> group_;              // Per op: the linear group that flows best.
  std::vector<char> demand_;                // Per value: whether its user takes it partial.
  std::vector<char> scattered_;             // Per value: whether all users split it.
};

}  // namespace

Flow planFlow(const plan::Subject& subject, const plan::Plan& plan, plan::Assignment& assignment) {
  return FlowPlanner(subject, plan, assignment).run();
}

}  // namespace shardwright::spmd
