#include "shardwright/plan/names.h"

#include <algorithm>
#include <map>

#include "shardwright/plan/roles.h"

namespace shardwright::plan {

using analysis::Analysis;
using analysis::ClassId;
using analysis::ColorId;
using analysis::SetId;
using program::OpId;

std::string whereText(const program::Program& program, program::LocationId id) {
  std::string source = program.source(id).str();
  if (!source.empty()) return source;
  const program::NameId name = program.location(id).name;
  return name.valid() ? std::string(program.name(name)) : "unknown location";
}

std::string opText(const program::Program& program, OpId op) {
  std::string_view name = program.name(op);
  if (const size_t dot = name.find('.'); dot != std::string_view::npos) name = name.substr(dot + 1);
  return std::string(name) + " at " + whereText(program, program.op(op).location);
}

AnalysisNames::AnalysisNames(const program::Program& program, const rules::RuleTable& rules,
                             const Analysis& analysis)
    : program_(program), analysis_(analysis) {
  static constexpr int kRanks[] = {1, 2, 3, 0};  // By Role: inputs tell most, then parameters.
  for (const Role role : classifyArguments(program, rules))
    ranks_.push_back(kRanks[static_cast<size_t>(role)]);
  for (const program::Argument& argument : program.arguments()) {
    // `arg12` names nothing that copies could share.
    const bool unnamed = argument.path.starts_with("arg") &&
                         argument.path.find_first_not_of("0123456789", 3) == std::string::npos;
    patterns_.push_back(unnamed ? argument.path : analysis::pathPattern(argument.path));
  }
}

std::string AnalysisNames::ofColors(const std::vector<ColorId>& colors, size_t most) const {
  // Pattern and dim -> (rank, first argument), so that the order is the program's own.
  std::map<std::string, std::pair<int, uint32_t>> places;
  for (const ColorId color : colors) {
    for (const analysis::ArgumentDim& dim : analysis_.colors()[color].argumentDims) {
      places.try_emplace(patterns_[dim.argument] + "." + std::to_string(dim.dim),
                         ranks_[dim.argument], dim.argument);
    }
  }
  std::vector<std::pair<std::pair<int, uint32_t>, std::string>> order;
  for (const auto& [place, key] : places) order.push_back({key, place});
  std::ranges::sort(order);
  if (order.empty()) return opText(program_, analysis_.colors()[colors.front()].names.front().op);
  std::string text;
  for (size_t i = 0; i < std::min(most, order.size()); ++i)
    text += (i == 0 ? "" : ", ") + order[i].second;
  if (order.size() > most) text += ", …";
  return text;
}

std::string AnalysisNames::of(ClassId id, size_t most) const {
  return ofColors(analysis_.classes()[id].colors, most);
}

std::string AnalysisNames::of(SetId set) const {
  const analysis::CompatibilitySet& entry = analysis_.sets()[set];
  return of(entry.color) + " with itself, " +
         opText(program_, analysis_.conflicts()[entry.conflicts.front()].op);
}

}  // namespace shardwright::plan
