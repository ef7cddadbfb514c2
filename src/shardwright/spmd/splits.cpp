#include "shardwright/spmd/splits.h"

namespace shardwright::spmd {

using mesh::AxisList;
using mesh::AxisSet;
using plan::SplitId;
using program::OpId;
using rules::Rule;

void Splits::findFacts() {
  for (size_t n = facts_.size(); n < assignment_.splitCount(); ++n) {
    facts_.push(factsOf(SplitId(n)));
    givenUp_.push({});
  }
}

SplitFacts Splits::factsOf(SplitId id) {
  const Rule& rule = subject_.rules.rule(assignment_.signature(id));
  const auto axes = assignment_.axes(id);
  SplitFacts facts;
  for (uint32_t f = 0; f < axes.size(); ++f) {
    if (axes[f].empty()) continue;
    facts.used = facts.used | axes[f].set();
    const rules::Factor& factor = rule.factors()[f];
    if (factor.kind != rules::FactorKind::kReduction) continue;
    if (facts.reduced.empty()) facts.combiner = factor.combiner;
    facts.reduced = facts.reduced | axes[f].set();
  }
  if (tables_.givesUp(assignment_.signature(id))) facts.optional = facts.used;
  facts.firstTensor = static_cast<uint32_t>(shown_.size());
  shown_.resize(shown_.size() + rule.tensorCount());
  for (size_t t = 0; !facts.used.empty() && t < rule.tensorCount(); ++t) {
    AxisSet& shown = shown_[facts.firstTensor + t];
    for (size_t d = 0; d < rule.rank(t); ++d) {
      shown = shown | plan::dimAxes(rule, axes, t, d).set();
    }
  }
  return facts;
}

void Splits::giveUp(OpId op, AxisSet axes) {
  const SplitId id = assignment_.split(op);
  if (!givenUp_[id].left.valid() || givenUp_[id].axes != axes) {
    const SplitId left = without(id, axes);  // Moves the table.
    givenUp_[id] = {axes, left};
  }
  assignment_.set(op, givenUp_[id].left);
}

SplitId Splits::without(SplitId id, AxisSet axes) {
  const auto before = assignment_.axes(id);
  std::vector<AxisList> kept(before.size());
  for (size_t f = 0; f < before.size(); ++f) {
    for (uint32_t i = 0; i < before[f].size(); ++i) {
      if (!axes.contains(before[f][i])) kept[f].append(before[f][i]);
    }
  }
  const SplitId left = assignment_.intern(assignment_.signature(id), kept);
  findFacts();
  return left;
}

}  // namespace shardwright::spmd
