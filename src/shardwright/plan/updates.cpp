#include "shardwright/plan/updates.h"

#include <algorithm>
#include <unordered_set>

#include "shardwright/rules/work.h"

namespace shardwright::plan {

using program::OpId;
using program::ValueId;

// Walks back from `result` through elementwise ops only, so it sees little more than the update.
bool Updates::areElementwise(ValueId source, ValueId result) const {
  std::vector<ValueId> pending = {result};
  std::unordered_set<uint32_t> seen = {result.index()};
  while (!pending.empty()) {
    const ValueId value = pending.back();
    pending.pop_back();
    if (value == source) return true;
    const OpId op = program_.value(value).definition;
    if (program_.name(op) == program::kCarry) {
      // A loop passes on what its body makes of a value, not the value itself.
      const ValueId init = program_.operands(op)[0];
      const bool passed = value == program_.result(op, 2) && inBody(op);
      if (passed && seen.insert(init.index()).second) pending.push_back(init);
      continue;
    }
    const size_t output = program_.operands(op).size() + program_.resultIndex(value);
    for (size_t i = 0; i < program_.operands(op).size(); ++i) {
      const ValueId operand = program_.operands(op)[i];
      if (!tiesEveryDim(op, i, output) || !comesOf(source, op, i)) continue;
      if (seen.insert(operand.index()).second) pending.push_back(operand);
    }
  }
  return false;
}

// An op that writes over a part of its operand updates it if what is written comes of the source:
// rows of a table less their gradients. What has nothing to do with it is put into a cache.
bool Updates::comesOf(ValueId source, OpId op, size_t updated) const {
  const rules::Work work =
      rules::workOf(program_.name(op), program_.attributes(program_.op(op).signature));
  if (work.kind != rules::WorkKind::kUpdate || work.adds) return true;
  std::vector<ValueId> written(program_.operands(op).begin(), program_.operands(op).end());
  written.erase(written.begin() + static_cast<ptrdiff_t>(updated));
  return dependOn(source, std::move(written));
}

// Whether one of the values is made from the source, loops not followed round.
bool Updates::dependOn(ValueId source, std::vector<ValueId> pending) const {
  std::unordered_set<uint32_t> seen;
  while (!pending.empty()) {
    const ValueId value = pending.back();
    pending.pop_back();
    if (value == source) return true;
    const OpId op = program_.value(value).definition;
    const bool inLoop = program_.name(op) == program::kCarry && value != program_.result(op, 2);
    const auto operands = program_.operands(op);
    for (const ValueId operand : operands.first(inLoop ? 1 : operands.size())) {
      if (seen.insert(operand.index()).second) pending.push_back(operand);
    }
  }
  return false;
}

bool Updates::inBody(OpId carry) const {
  const auto known = inBody_.find(carry.index());
  if (known != inBody_.end()) return known->second;
  const bool updates = areElementwise(program_.result(carry, 1), program_.operands(carry)[1]);
  inBody_[carry.index()] = updates;
  return updates;
}

bool Updates::tiesEveryDim(OpId op, size_t input, size_t output) const {
  const rules::Rule& rule = subject_.rule(op);
  if (rule.rank(input) != rule.rank(output)) return false;
  for (size_t dim = 0; dim < rule.rank(input); ++dim) {
    if (!std::ranges::equal(rule.dim(input, dim), rule.dim(output, dim))) return false;
    for (const rules::FactorId factor : rule.dim(input, dim)) {
      if (rule.factor(factor).kind != rules::FactorKind::kParallel) return false;
    }
  }
  return true;
}

}  // namespace shardwright::plan
