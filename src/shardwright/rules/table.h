// Which op has which rule.
#pragma once

#include <string_view>
#include <vector>

#include "shardwright/rules/rule.h"

namespace shardwright::rules {

using RuleFunction = Result<Rule> (*)(const OpView&);

// Where an op's rule came from. Everything but kFamily is reported to the user.
enum class RuleSource : uint8_t {
  kFamily,    // A rule of this folder.
  kExplicit,  // Came with the op (`sdy.sharding_rule`).
  kWhole,     // No rule for this op: every dim is blocked.
};

struct OpRule {
  Rule rule;
  RuleSource source = RuleSource::kFamily;
};

// The rule function of an op name such as "stablehlo.add"; null if there is none.
RuleFunction findRule(std::string_view opName);

// All names that have a rule, sorted.
std::vector<std::string_view> opsWithRules();

// The rule of one signature. A Diagnostic means that the op's shapes or attributes contradict each
// other; an op without a rule is no error: all its dims are blocked.
Result<OpRule> makeRule(const program::Program& program, program::SignatureId signature);

// The rule of each signature, in order of SignatureId.
class RuleTable {
 public:
  // The diagnostic points at the first op with the offending signature.
  static Result<RuleTable> make(const program::Program& program);

  const Rule& rule(program::SignatureId id) const { return rules_[id].rule; }
  RuleSource source(program::SignatureId id) const { return rules_[id].source; }
  size_t size() const { return rules_.size(); }

 private:
  IdVector<program::SignatureId, OpRule> rules_;
};

}  // namespace shardwright::rules
