#include "shardwright/spmd/give_up.h"

#include <algorithm>

#include "shardwright/analysis/union_find.h"

namespace shardwright::spmd {

using mesh::AxisList;
using program::OpId;
using program::ValueId;
using rules::FactorId;
using rules::FactorKind;
using rules::Rule;

bool isCheap(const Rule& rule) {
  const auto reduces = [](const rules::Factor& factor) {
    return factor.kind == FactorKind::kReduction;
  };
  return rule.flopsPerPoint() <= 1 && std::ranges::none_of(rule.factors(), reduces);
}

std::vector<FactorId> splitFactors(const program::Program& program,
                                   const plan::Assignment& assignment, uint32_t axis) {
  std::vector<FactorId> split(program.opCount());
  for (uint32_t i = 0; i < split.size(); ++i) {
    const auto axes = assignment.axes(OpId(i));
    for (uint32_t f = 0; f < axes.size(); ++f) {
      if (!axes[f].empty() && axes[f].contains(axis)) split[i] = FactorId(f);
    }
  }
  return split;
}

void giveUp(plan::Assignment& assignment, OpId op, FactorId factor, uint32_t axis) {
  const AxisList axes = assignment.axes(op, factor);
  AxisList kept;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != axis) kept.append(axes[i]);
  }
  assignment.set(op, factor, kept);
}

namespace {

// One axis.
class IdleSplits {
 public:
  IdleSplits(const plan::Subject& subject, const plan::Plan& plan, plan::Assignment& assignment,
             uint32_t axis)
      : subject_(subject),
        program_(subject.program),
        assignment_(assignment),
        axis_(axis),
        split_(splitFactors(program_, assignment, axis)),
        chain_(program_.opCount(), 0),
        needed_(program_.opCount(), 0),
        chains_(static_cast<uint32_t>(program_.opCount())) {
    findCheap();
    for (uint32_t i = 0; i < program_.opCount(); ++i) chain_[i] = canGiveUp(OpId(i));
    for (const plan::Pin& pin : plan.pins) chain_[pin.op.index()] = 0;
  }

  void run() {
    for (uint32_t i = 0; i < program_.opCount(); ++i) look(OpId(i));
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      if (needed_[i]) needed_[chains_.find(i)] = 1;
    }
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      if (chain_[i] && !needed_[chains_.find(i)]) giveUp(assignment_, OpId(i), split_[i], axis_);
    }
  }

 private:
  FactorId splitFactor(OpId op) const { return split_[op.index()]; }

  void findCheap() {
    cheap_.resize(program_.signatureCount());
    for (uint32_t i = 0; i < cheap_.size(); ++i) {
      const program::SignatureId id(i);
      cheap_[i] = isCheap(subject_.rules.rule(id)) && !program::standsForAValue(program_.name(id));
    }
  }

  bool canGiveUp(OpId op) const {
    return splitFactor(op).valid() && cheap_[program_.op(op).signature.index()];
  }

  bool shows(OpId op, size_t tensor) const {
    const FactorId split = splitFactor(op);
    if (!split.valid()) return false;
    const Rule& rule = subject_.rule(op);
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      if (rule.leading(tensor, d) == split) return true;
    }
    return false;
  }

  bool comesPartial(OpId op) const {
    const FactorId split = splitFactor(op);
    return split.valid() && subject_.rule(op).factor(split).kind == FactorKind::kReduction;
  }

  // Every value from one op to another: inside a chain both have the axis; at its ends neither may.
  void look(OpId user) {
    const auto operands = program_.operands(user);
    for (size_t i = 0; i < operands.size(); ++i) {
      const OpId maker = program_.value(operands[i]).definition;
      if (!chain_[maker.index()] && !chain_[user.index()]) continue;
      const size_t result = program_.operands(maker).size() + program_.resultIndex(operands[i]);
      const bool made = shows(maker, result) || comesPartial(maker), wanted = shows(user, i);
      if (chain_[maker.index()] && chain_[user.index()] && made && wanted) {
        chains_.join(maker.index(), user.index());
        continue;
      }
      if (chain_[user.index()] && made) needed_[user.index()] = 1;
      if (chain_[maker.index()] && wanted) needed_[maker.index()] = 1;
    }
  }

  const plan::Subject& subject_;
  const program::Program& program_;
  plan::Assignment& assignment_;
  uint32_t axis_;
  std::vector<FactorId> split_;  // Per op.
  std::vector<char> cheap_;      // Per signature.
  std::vector<char> chain_;      // Per op: whether it could give up its split.
  std::vector<char> needed_;     // Per op, then per chain: whether the split has a use.
  analysis::UnionFind chains_;
};

}  // namespace

void giveUpIdleSplits(const plan::Subject& subject, const plan::Plan& plan,
                      plan::Assignment& assignment) {
  for (uint32_t axis = 0; axis < plan.mesh.axes.size(); ++axis) {
    if (plan.mesh.axes[axis].size > 1) IdleSplits(subject, plan, assignment, axis).run();
  }
}

}  // namespace shardwright::spmd
