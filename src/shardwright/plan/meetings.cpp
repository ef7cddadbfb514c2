#include "shardwright/plan/meetings.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "shardwright/analysis/edges.h"
#include "shardwright/analysis/union_find.h"

namespace shardwright::plan {

using analysis::ColorId;
using program::OpId;
using rules::FactorId;

namespace {

bool hasSplittable(const Subject& subject, OpId op, ColorId color) {
  const rules::Rule& rule = subject.rule(op);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    if (subject.analysis.color({op, FactorId(f)}) == color &&
        analysis::canSplit(rule, FactorId(f))) {
      return true;
    }
  }
  return false;
}

// Whether the value between the two ops carries a dim of this colour.
bool carries(const Subject& subject, OpId from, size_t fromTensor, OpId to, size_t toTensor,
             ColorId color) {
  bool found = false;
  const rules::Rule& a = subject.rule(from);
  const rules::Rule& b = subject.rule(to);
  for (size_t dim = 0; dim < a.rank(fromTensor); ++dim) {
    analysis::forEachJoin(
        a, a.dim(fromTensor, dim), b, b.dim(toTensor, dim),
        [&](FactorId x, FactorId) { found = found || subject.analysis.color({from, x}) == color; });
  }
  return found;
}

}  // namespace

std::vector<MeetingSet> meetings(const Subject& subject, ColorId a, ColorId b) {
  std::vector<OpId> ops;
  for (const analysis::Name& name : subject.analysis.colors()[a].names) {
    const bool listed = !ops.empty() && ops.back() == name.op;
    if (!listed && hasSplittable(subject, name.op, a) && hasSplittable(subject, name.op, b)) {
      ops.push_back(name.op);
    }
  }
  std::unordered_map<uint32_t, uint32_t> place;
  for (uint32_t i = 0; i < ops.size(); ++i) place[ops[i].index()] = i;
  analysis::UnionFind sets(static_cast<uint32_t>(ops.size()));
  if (!ops.empty()) {
    analysis::forEachEdge(subject.program, [&](OpId from, size_t t, OpId to, size_t u) {
      const auto x = place.find(from.index()), y = place.find(to.index());
      if (x == place.end() || y == place.end()) return;
      if (carries(subject, from, t, to, u, a) && carries(subject, from, t, to, u, b)) {
        sets.join(x->second, y->second);
      }
    });
  }
  std::map<uint32_t, MeetingSet> byFirst;  // The representative is the first of its set.
  for (uint32_t i = 0; i < ops.size(); ++i) byFirst[sets.find(i)].ops.push_back(ops[i]);
  std::vector<MeetingSet> result;
  for (auto& [first, set] : byFirst) result.push_back(std::move(set));
  return result;
}

}  // namespace shardwright::plan
