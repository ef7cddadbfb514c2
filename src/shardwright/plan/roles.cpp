#include "shardwright/plan/roles.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace shardwright::plan {
namespace {

using program::OpId;
using program::Program;
using program::ValueId;

// What follows the first name: `['w']` of `state['w']`, `.w` of `state.w`. Empty for a bare name.
std::string_view behindFirstName(std::string_view path) {
  const size_t start = path.find_first_of("[.");
  return start == std::string_view::npos ? std::string_view() : path.substr(start);
}

class Classifier {
 public:
  Classifier(const Program& program, const rules::RuleTable& rules)
      : program_(program), rules_(rules), summed_(program.valueCount(), false) {
    findSummed();
    for (size_t i = 0; i < program.results().size(); ++i) {
      const std::string_view suffix = behindFirstName(program.results()[i].path);
      // `result[0]['w']`: the tuple index of the state is not part of the argument's path.
      for (size_t at = 0; at != std::string_view::npos; at = suffix.find_first_of("[.", at + 1)) {
        if (at < suffix.size()) resultsBySuffix_[std::string(suffix.substr(at))].push_back(i);
      }
    }
  }

  std::vector<Role> run() {
    const std::vector<std::optional<uint32_t>> next = nextValues();
    std::vector<Role> roles;
    for (size_t i = 0; i < next.size(); ++i)
      roles.push_back(roleOf(program_.arguments()[i], next[i]));
    const auto isState = [](Role role) { return role != Role::kInput; };
    if (std::ranges::none_of(roles, isState)) nameParameters(roles);
    return roles;
  }

  std::vector<std::optional<uint32_t>> nextValues() const {
    std::vector<std::optional<uint32_t>> next;
    for (const program::Argument& argument : program_.arguments())
      next.push_back(resultOf(argument));
    const auto found = [](const std::optional<uint32_t>& result) { return result.has_value(); };
    if (std::ranges::none_of(next, found)) matchByPosition(next);
    return next;
  }

 private:
  // summed_[v]: something computed from v is reduced. Backwards over the ops; loops feed back, so
  // until nothing changes (twice for all but nested loops).
  void findSummed() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = program_.opCount(); i-- > 0;) {
        const OpId op(i);
        if (!leadsToSum(op)) continue;
        for (const ValueId operand : program_.operands(op)) {
          changed |= !summed_[operand.index()];
          summed_[operand.index()] = true;
        }
      }
    }
  }

  bool leadsToSum(OpId op) const {
    const rules::Rule& rule = rules_.rule(program_.op(op).signature);
    const auto isReduction = [](const rules::Factor& factor) {
      return factor.kind == rules::FactorKind::kReduction && factor.size > 1;
    };
    if (std::ranges::any_of(rule.factors(), isReduction)) return true;
    for (uint32_t i = 0; i < program_.resultCount(op); ++i) {
      if (summed_[program_.result(op, i).index()]) return true;
    }
    return false;
  }

  Role roleOf(const program::Argument& argument, std::optional<uint32_t> result) const {
    if (!result) return Role::kInput;
    const OpId returnOp = program_.results()[*result].returnOp;
    if (!updatedElementwise(argument.value, program_.operands(returnOp)[0])) return Role::kState;
    return summed_[argument.value.index()] ? Role::kParameter : Role::kOptimizerState;
  }

  // The longest run along the diagonals of (argument, result); the first of equal ones.
  void matchByPosition(std::vector<std::optional<uint32_t>>& next) const {
    const size_t results = program_.results().size();
    std::vector<size_t> above(results + 1, 0), row(results + 1, 0);  // Run lengths that end here.
    size_t best = 1, bestArgument = 0, bestResult = 0;
    for (size_t i = 0; i < next.size(); ++i) {
      for (size_t r = 0; r < results; ++r) {
        row[r + 1] = mayBeNext(i, r) ? above[r] + 1 : 0;
        if (row[r + 1] <= best) continue;
        best = row[r + 1];
        bestArgument = i;
        bestResult = r;
      }
      std::swap(above, row);
    }
    for (size_t k = 0; best > 1 && k < best; ++k)
      next[bestArgument - k] = static_cast<uint32_t>(bestResult - k);
  }

  bool mayBeNext(size_t argument, size_t result) const {
    const ValueId before = program_.arguments()[argument].value;
    const ValueId after = program_.operands(program_.results()[result].returnOp)[0];
    return program_.value(before).type == program_.value(after).type && before != after &&
           updatedElementwise(before, after);
  }

  std::optional<uint32_t> resultOf(const program::Argument& argument) const {
    if (argument.aliasedResult) return argument.aliasedResult;
    const auto found = resultsBySuffix_.find(std::string(behindFirstName(argument.path)));
    if (found == resultsBySuffix_.end()) return {};
    for (const size_t result : found->second) {
      const ValueId returned = program_.operands(program_.results()[result].returnOp)[0];
      if (program_.value(returned).type == program_.value(argument.value).type)
        return static_cast<uint32_t>(result);
    }
    return {};
  }

  // Walks back from `result` through elementwise ops only, so it sees little more than the update.
  bool updatedElementwise(ValueId source, ValueId result) const {
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
        const bool passed = value == program_.result(op, 2) && bodyUpdatesElementwise(op);
        if (passed && seen.insert(init.index()).second) pending.push_back(init);
        continue;
      }
      const size_t output = program_.operands(op).size() + program_.resultIndex(value);
      for (size_t i = 0; i < program_.operands(op).size(); ++i) {
        const ValueId operand = program_.operands(op)[i];
        if (tiesEveryDim(op, i, output) && seen.insert(operand.index()).second)
          pending.push_back(operand);
      }
    }
    return false;
  }

  bool bodyUpdatesElementwise(OpId carry) const {
    const auto known = bodyUpdates_.find(carry.index());
    if (known != bodyUpdates_.end()) return known->second;
    const bool updates = updatedElementwise(program_.result(carry, 1), program_.operands(carry)[1]);
    bodyUpdates_[carry.index()] = updates;
    return updates;
  }

  bool tiesEveryDim(OpId op, size_t input, size_t output) const {
    const rules::Rule& rule = rules_.rule(program_.op(op).signature);
    if (rule.rank(input) != rule.rank(output)) return false;
    for (size_t dim = 0; dim < rule.rank(input); ++dim) {
      if (!std::ranges::equal(rule.dim(input, dim), rule.dim(output, dim))) return false;
      for (const rules::FactorId factor : rule.dim(input, dim)) {
        if (rule.factor(factor).kind != rules::FactorKind::kParallel) return false;
      }
    }
    return true;
  }

  void nameParameters(std::vector<Role>& roles) const {
    for (size_t i = 0; i < roles.size(); ++i) {
      std::string path = program_.arguments()[i].path;
      std::ranges::transform(path, path.begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (path.find("param") != std::string::npos || path.find("weight") != std::string::npos) {
        roles[i] = Role::kParameter;
      }
    }
  }

  const Program& program_;
  const rules::RuleTable& rules_;
  std::vector<char> summed_;
  std::unordered_map<std::string, std::vector<size_t>> resultsBySuffix_;
  mutable std::unordered_map<uint32_t, bool> bodyUpdates_;  // Of carries asked for so far.
};

}  // namespace

const char* roleName(Role role) {
  static constexpr const char* kNames[] = {"parameter", "optimizer_state", "state", "input"};
  return kNames[static_cast<size_t>(role)];
}

std::vector<Role> classifyArguments(const program::Program& program,
                                    const rules::RuleTable& rules) {
  return Classifier(program, rules).run();
}

std::vector<std::optional<uint32_t>> stateResults(const program::Program& program,
                                                  const rules::RuleTable& rules) {
  return Classifier(program, rules).nextValues();
}

}  // namespace shardwright::plan
