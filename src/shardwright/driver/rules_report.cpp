#include "shardwright/driver/rules_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "shardwright/driver/inspection.h"
#include "shardwright/driver/text_table.h"

namespace shardwright::driver {
namespace {

using program::OpId;
using program::SignatureId;

const char* sourceName(rules::RuleSource source) {
  static constexpr const char* kNames[] = {"family", "explicit", "whole"};
  return kNames[static_cast<size_t>(source)];
}

std::vector<uint32_t> indices(std::span<const program::ValueId> values) {
  std::vector<uint32_t> result;
  for (const program::ValueId value : values) result.push_back(value.index());
  return result;
}

}  // namespace

std::string rulesText(const program::Program& program, const rules::RuleTable& rules) {
  std::vector<uint32_t> counts(program.signatureCount(), 0);
  std::vector<OpId> firsts(program.signatureCount());
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const uint32_t signature = program.op(OpId(i)).signature.index();
    if (counts[signature]++ == 0) firsts[signature] = OpId(i);
  }
  std::vector<uint32_t> order(program.signatureCount());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return counts[a] > counts[b]; });
  std::vector<std::vector<std::string>> rows;
  for (const uint32_t i : order) {
    const SignatureId signature(i);
    if (counts[i] == 0) continue;
    std::string rule = rules.rule(signature).str();
    if (rules.source(signature) == rules::RuleSource::kWhole)
      rule += " (no rule: treated as whole)";
    rows.push_back({std::to_string(counts[i]), std::string(program.name(signature)),
                    std::move(rule), whereText(program, program.op(firsts[i]).location)});
  }
  return textTable(rows);
}

nlohmann::ordered_json rulesJson(const program::Program& program, const rules::RuleTable& rules) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const program::Op& op = program.op(OpId(i));
    entries.push_back({{"origin", op.origin},
                       {"op", std::string(program.name(op.signature))},
                       {"rule", rules.rule(op.signature).str()},
                       {"source", sourceName(rules.source(op.signature))},
                       {"operands", indices(program.operands(OpId(i)))},
                       {"results", program.resultCount(OpId(i))},
                       {"first_result", op.firstResult.index()},
                       {"location", whereText(program, op.location)}});
  }
  nlohmann::ordered_json aliases = nlohmann::ordered_json::array();
  for (const program::Argument& argument : program.arguments()) {
    if (!argument.aliasedResult) continue;
    aliases.push_back({{"argument", program.value(argument.value).definition.index()},
                       {"return", program.results()[*argument.aliasedResult].returnOp.index()}});
  }
  return {{"rules", std::move(entries)}, {"aliases", std::move(aliases)}};
}

}  // namespace shardwright::driver
