#include "shardwright/plan/roles.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "shardwright/plan/gradients.h"
#include "shardwright/plan/structure.h"
#include "shardwright/plan/updates.h"

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
  explicit Classifier(const Subject& subject)
      : subject_(subject),
        program_(subject.program),
        updates_(subject),
        summed_(subject.program.valueCount(), false) {
    findSummed();
    for (uint32_t i = 0; i < program_.results().size(); ++i) {
      const std::string_view suffix = behindFirstName(program_.results()[i].path);
      // `result[0]['w']`: the tuple index of the state is not part of the argument's path.
      for (size_t at = 0; at != std::string_view::npos; at = suffix.find_first_of("[.", at + 1)) {
        if (at < suffix.size()) resultsBySuffix_[std::string(suffix.substr(at))].push_back(i);
      }
    }
  }

  void run() {
    findNextValues();
    for (size_t i = 0; i < next_.size(); ++i)
      roles_.push_back(roleOf(program_.arguments()[i], next_[i]));
    dropMoments();
    findGradients();
    const auto isState = [](Role role) { return role != Role::kInput; };
    if (std::ranges::none_of(roles_, isState)) nameParameters();
  }

  const std::vector<Role>& roles() const { return roles_; }
  const std::vector<std::optional<uint32_t>>& nextValues() const { return next_; }

 private:
  void findNextValues() {
    next_.resize(program_.arguments().size());
    takenBy_.assign(program_.results().size(), kNobody);
    for (const bool elementwise : {true, false}) matchCandidates(elementwise);
    const auto found = [](const std::optional<uint32_t>& result) { return result.has_value(); };
    if (std::ranges::none_of(next_, found)) matchByPosition();
  }

  // Each result is the next value of one argument: of `a['w']` and `b['w']` each has its own. Those
  // that are updated elementwise come first, by a matching that leaves as few as can be without a
  // result (a moving average of parameters is an elementwise update of the parameters, too); the
  // others take what is left in order.
  void matchCandidates(bool elementwise) {
    for (uint32_t i = 0; i < next_.size(); ++i) {
      std::unordered_set<uint32_t> tried;
      if (!next_[i]) findResult(i, elementwise, tried);
    }
  }

  // Gives the argument a result, if need be one that its owner can exchange for another.
  bool findResult(uint32_t argument, bool elementwise, std::unordered_set<uint32_t>& tried) {
    for (const uint32_t result : candidates(argument, elementwise)) {
      if (!tried.insert(result).second) continue;
      const uint32_t owner = takenBy_[result];
      const bool free = owner == kNobody || (elementwise && findResult(owner, elementwise, tried));
      if (!free) continue;
      takenBy_[result] = argument;
      next_[argument] = result;
      return true;
    }
    return false;
  }

  // Results of the argument's type: the one that it is aliased to (any of its type, as JAX has it),
  // and those whose path ends as its own does.
  std::vector<uint32_t> candidates(uint32_t argument, bool elementwise) const {
    const program::Argument& entry = program_.arguments()[argument];
    std::vector<uint32_t> found;
    if (entry.aliasedResult) found.push_back(*entry.aliasedResult);
    const auto named = resultsBySuffix_.find(std::string(behindFirstName(entry.path)));
    if (named != resultsBySuffix_.end())
      found.insert(found.end(), named->second.begin(), named->second.end());
    std::erase_if(found, [&](uint32_t result) {
      const ValueId returned = program_.operands(program_.results()[result].returnOp)[0];
      return program_.value(returned).type != program_.value(entry.value).type ||
             (elementwise && !updates_.areElementwise(entry.value, returned));
    });
    return found;
  }

  void findGradients() {
    const auto has = [&](Role role) { return std::ranges::find(roles_, role) != roles_.end(); };
    if (!has(Role::kState) && has(Role::kParameter)) return;
    const auto isUpdate = [this](uint32_t argument, uint32_t result) {
      const OpId returnOp = program_.results()[result].returnOp;
      return updates_.areElementwise(program_.arguments()[argument].value,
                                     program_.operands(returnOp)[0]);
    };
    std::vector<std::optional<uint32_t>> paired(next_.size());
    if (has(Role::kState)) paired = next_;  // Else they stand at other places, if there are any.
    const std::vector<std::optional<uint32_t>> gradients =
        gradientResults(subject_, paired, isUpdate);
    for (size_t i = 0; i < gradients.size(); ++i) {
      const bool open = roles_[i] == Role::kState || roles_[i] == Role::kInput;
      if (!gradients[i] || !open) continue;
      roles_[i] = Role::kParameter;
      next_[i].reset();
    }
  }

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
    const rules::Rule& rule = subject_.rule(op);
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
    if (!updates_.areElementwise(argument.value, program_.operands(returnOp)[0]))
      return Role::kState;
    if (!summed_[argument.value.index()]) return Role::kOptimizerState;
    return hasDerivatives(argument.value) ? Role::kParameter : Role::kState;
  }

  // What no sum over a dim of the data is made from has no part in the loss: moments whose norm an
  // optimizer takes. Without such sums (one example of one point) there is nothing to tell by.
  void dropMoments() {
    const std::vector<char> used = madeInto(sumsOfData());
    const auto isParameter = [](Role role) { return role == Role::kParameter; };
    const auto isUsed = [&](size_t i) { return used[program_.arguments()[i].value.index()] != 0; };
    bool any = false;
    for (size_t i = 0; i < roles_.size(); ++i) any = any || (isParameter(roles_[i]) && isUsed(i));
    for (size_t i = 0; any && i < roles_.size(); ++i) {
      if (isParameter(roles_[i]) && !isUsed(i)) roles_[i] = Role::kOptimizerState;
    }
  }

  // Results of ops that sum over a dim that nothing which is updated elementwise shows.
  std::vector<ValueId> sumsOfData() const {
    std::set<analysis::ColorId> ofState;
    for (size_t i = 0; i < roles_.size(); ++i) {
      const ValueId value = program_.arguments()[i].value;
      const bool updated = roles_[i] == Role::kParameter || roles_[i] == Role::kOptimizerState;
      for (size_t d = 0; updated && d < program_.shape(value).size(); ++d)
        ofState.insert(colorOfDim(subject_, value, d));
    }
    std::vector<ValueId> found;
    for (uint32_t i = 0; i < program_.opCount(); ++i) {
      const OpId op(i);
      if (sumsOver(op, ofState)) found.push_back(program_.result(op, 0));
    }
    return found;
  }

  // Over a dim of another colour than these.
  bool sumsOver(OpId op, const std::set<analysis::ColorId>& others) const {
    const rules::Rule& rule = subject_.rule(op);
    if (program_.resultCount(op) == 0) return false;
    for (uint32_t f = 0; f < rule.factorCount(); ++f) {
      const rules::FactorId factor(f);
      if (rule.factor(factor).kind != rules::FactorKind::kReduction) continue;
      const analysis::ColorId color = subject_.analysis.color({op, factor});
      if (color.valid() && !others.contains(color)) return true;
    }
    return false;
  }

  // Per value: whether one of these is made from it. Loops are not followed round: what a turn is
  // given is what the first one is, else all that a loop trains would be made of its moments.
  std::vector<char> madeInto(std::vector<ValueId> pending) const {
    std::vector<char> seen(program_.valueCount(), false);
    while (!pending.empty()) {
      const ValueId value = pending.back();
      pending.pop_back();
      if (seen[value.index()]) continue;
      seen[value.index()] = true;
      const OpId op = program_.value(value).definition;
      const bool inLoop = program_.name(op) == program::kCarry && value != program_.result(op, 2);
      const auto operands = program_.operands(op);
      const auto from = operands.first(inLoop ? 1 : operands.size());
      pending.insert(pending.end(), from.begin(), from.end());
    }
    return seen;
  }

  // Whole numbers that a step moves on say where things are: places in a cache.
  bool hasDerivatives(ValueId value) const {
    const program::DType dtype = program_.types().dtype(program_.value(value).type);
    return program::isFloat(dtype) || dtype == program::DType::kC64 ||
           dtype == program::DType::kC128;
  }

  // The longest run along the diagonals of (argument, result); the first of equal ones.
  void matchByPosition() {
    const size_t results = program_.results().size();
    std::vector<size_t> above(results + 1, 0), row(results + 1, 0);  // Run lengths that end here.
    size_t best = 1, bestArgument = 0, bestResult = 0;
    for (size_t i = 0; i < next_.size(); ++i) {
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
      next_[bestArgument - k] = static_cast<uint32_t>(bestResult - k);
  }

  bool mayBeNext(size_t argument, size_t result) const {
    const ValueId before = program_.arguments()[argument].value;
    const ValueId after = program_.operands(program_.results()[result].returnOp)[0];
    return program_.value(before).type == program_.value(after).type && before != after &&
           updates_.areElementwise(before, after);
  }

  void nameParameters() {
    for (size_t i = 0; i < roles_.size(); ++i) {
      if (saysParameter(program_.arguments()[i].path)) roles_[i] = Role::kParameter;
    }
  }

  static constexpr uint32_t kNobody = UINT32_MAX;

  const Subject& subject_;
  const Program& program_;
  Updates updates_;
  std::vector<Role> roles_;                    // Per argument.
  std::vector<std::optional<uint32_t>> next_;  // Per argument.
  std::vector<uint32_t> takenBy_;              // Per result: the argument it is the next value of.
  std::vector<char> summed_;
  std::unordered_map<std::string, std::vector<uint32_t>> resultsBySuffix_;
};

}  // namespace

const char* roleName(Role role) {
  static constexpr const char* kNames[] = {"parameter", "optimizer_state", "state", "input"};
  return kNames[static_cast<size_t>(role)];
}

std::vector<Role> classifyArguments(const Subject& subject) {
  Classifier classifier(subject);
  classifier.run();
  return classifier.roles();
}

std::vector<std::optional<uint32_t>> stateResults(const Subject& subject) {
  Classifier classifier(subject);
  classifier.run();
  return classifier.nextValues();
}

}  // namespace shardwright::plan
