#include <algorithm>

#include "shardwright/analysis/builder.h"
#include "shardwright/analysis/union_find.h"

namespace shardwright::analysis {

using program::OpId;
using rules::FactorId;
using rules::Rule;

namespace {

// A factor is paired with at most this many later ones of its colour. No real op has so many; the
// bound keeps odd programs from costing quadratic memory.
constexpr size_t kMostPartners = 16;

// Where factor `from` of one rule lands in the other across a value, per forEachJoin; invalid if
// nowhere.
FactorId carried(const Rule& a, size_t aTensor, const Rule& b, size_t bTensor, FactorId from) {
  FactorId to;
  for (size_t dim = 0; dim < a.rank(aTensor) && !to.valid(); ++dim) {
    forEachJoin(a, a.dim(aTensor, dim), b, b.dim(bTensor, dim), [&](FactorId x, FactorId y) {
      if (x == from) to = y;
    });
  }
  return to;
}

}  // namespace

void AnalysisBuilder::findConflicts() {
  firstConflict_.push_back(0);
  for (uint32_t i = 0; i < program_.opCount(); ++i) {
    addConflicts(OpId(i));
    firstConflict_.push_back(static_cast<uint32_t>(analysis_.conflicts_.size()));
  }
  SidedUnionFind sets(analysis_.conflicts_.size());
  joinConflicts(sets);
  collectSets(sets);
}

// A5. Pairs come in order of their first factor, then of their second.
void AnalysisBuilder::addConflicts(OpId op) {
  const Rule& opRule = rule(op);
  const bool tie = program::standsForAValue(program_.name(op));
  const auto count = static_cast<uint32_t>(opRule.factorCount());
  std::vector<uint32_t> alike;  // Later factors of the colour of `a` that can be split.
  for (uint32_t a = 0; a + 1 < count; ++a) {
    const ColorId color = analysis_.colorOfName_[nameIndex(op, FactorId(a))];
    if (!color.valid() || !canSplit(opRule, FactorId(a))) continue;
    alike.clear();
    for (uint32_t b = a + 1; b < count && alike.size() < kMostPartners; ++b) {
      const bool same = analysis_.colorOfName_[nameIndex(op, FactorId(b))] == color;
      if (same && canSplit(opRule, FactorId(b))) alike.push_back(b);
    }
    for (const uint32_t b : alike) {
      analysis_.conflicts_.push({op, FactorId(a), FactorId(b), color, {}});
      analysis_.ties_.push_back(tie);
    }
  }
}

// A6.
void AnalysisBuilder::joinConflicts(SidedUnionFind& sets) {
  forEachEdge(program_, [&](OpId from, size_t fromTensor, OpId to, size_t toTensor) {
    const bool both = firstConflict_[from.index()] != firstConflict_[from.index() + 1] &&
                      firstConflict_[to.index()] != firstConflict_[to.index() + 1];
    if (both) joinAcross(from, fromTensor, to, toTensor, sets);
  });
}

void AnalysisBuilder::joinAcross(OpId from, size_t fromTensor, OpId to, size_t toTensor,
                                 SidedUnionFind& sets) {
  for (uint32_t i = firstConflict_[from.index()]; i < firstConflict_[from.index() + 1]; ++i) {
    const Conflict& a = analysis_.conflicts_[ConflictId(i)];
    const FactorId first = carried(rule(from), fromTensor, rule(to), toTensor, a.first);
    const FactorId second = carried(rule(from), fromTensor, rule(to), toTensor, a.second);
    if (!first.valid() || !second.valid()) continue;
    for (uint32_t j = firstConflict_[to.index()]; j < firstConflict_[to.index() + 1]; ++j) {
      const Conflict& b = analysis_.conflicts_[ConflictId(j)];
      const bool straight = b.first == first && b.second == second;
      const bool swapped = b.first == second && b.second == first;
      if ((straight || swapped) && !sets.join(i, j, swapped)) ++analysis_.oddCycles_;
    }
  }
}

void AnalysisBuilder::collectSets(SidedUnionFind& sets) {
  std::vector<SetId> setOfRoot(analysis_.conflicts_.size());
  for (uint32_t i = 0; i < analysis_.conflicts_.size(); ++i) {
    Conflict& conflict = analysis_.conflicts_[ConflictId(i)];
    const auto [root, otherSide] = sets.find(i);
    if (!setOfRoot[root].valid()) setOfRoot[root] = analysis_.sets_.push({{}, conflict.color, {}});
    if (otherSide) std::swap(conflict.first, conflict.second);
    conflict.set = setOfRoot[root];
    analysis_.sets_[conflict.set].conflicts.push_back(ConflictId(i));
  }
}

}  // namespace shardwright::analysis
