#include "shardwright/plan/names.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "shardwright/plan/pattern.h"
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

namespace {

// `layers/3/w1` -> `layers/*/w1`.
std::string listPatternOf(std::string_view path) {
  std::string pattern;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view key = path.substr(begin, end - begin);
    const bool number = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
      return std::isdigit(c) != 0;
    });
    pattern += (begin == 0 ? "" : "/") + std::string(number ? "*" : key);
    begin = end + 1;
  }
  return pattern;
}

// With a star for the first `count` numbers, digits inside a key among them: for 1,
// `Block_3/Dense_0/kernel` -> `Block_*/Dense_0/kernel`.
std::string starred(std::string_view path, size_t count) {
  std::string pattern;
  for (size_t i = 0; i < path.size();) {
    const size_t end = std::min(path.find_first_not_of("0123456789", i), path.size());
    if (end == i) {
      pattern += path[i++];
      continue;
    }
    pattern += count > 0 ? "*" : path.substr(i, end - i);
    count -= count > 0 ? 1 : 0;
    i = end;
  }
  return pattern;
}

// How an argument may be named together with its copies, the widest spelling first: outer numbers
// (of layers) say copies before inner ones (of the parts of a layer) do.
std::vector<std::string> patternsOf(const std::string& path) {
  static constexpr size_t kMostNumbers = 6;
  std::vector<std::string> patterns;
  const auto add = [&](std::string pattern) {
    if (pattern != path && std::ranges::find(patterns, pattern) == patterns.end())
      patterns.push_back(std::move(pattern));
  };
  add(starred(path, path.size()));
  add(listPatternOf(path));
  for (size_t count = kMostNumbers; count > 0; --count) add(starred(path, count));
  return patterns;
}

}  // namespace

AnalysisNames::AnalysisNames(const program::Program& program, const rules::RuleTable& rules,
                             const Analysis& analysis)
    : program_(program), analysis_(analysis) {
  static constexpr int kRanks[] = {1, 2, 3, 0};  // By Role: inputs tell most, then parameters.
  for (const Role role : classifyArguments({program, rules, analysis}))
    ranks_.push_back(kRanks[static_cast<size_t>(role)]);
  for (const program::Argument& argument : program.arguments()) {
    // `arg12` names nothing that copies could share.
    const bool unnamed = argument.path.starts_with("arg") &&
                         argument.path.find_first_not_of("0123456789", 3) == std::string::npos;
    const std::string path = normalPath(argument.path);
    spellings_.push_back({unnamed ? std::vector<std::string>{} : patternsOf(path), path});
  }
}

const std::vector<uint32_t>& AnalysisNames::matches(const std::string& pattern) const {
  const auto [entry, isNew] = matches_.try_emplace(pattern);
  if (!isNew) return entry->second;
  for (uint32_t i = 0; i < spellings_.size(); ++i) {
    if (matchesGlob(pattern, spellings_[i].path)) entry->second.push_back(i);
  }
  return entry->second;
}

// The dims of arguments that some colours have.
class AnalysisNames::Shown {
 public:
  Shown(const AnalysisNames& names, const std::vector<ColorId>& colors) : names_(names) {
    for (const ColorId color : colors) {
      for (const analysis::ArgumentDim& dim : names.analysis_.colors()[color].argumentDims)
        dims_.insert({dim.argument, dim.dim});
    }
  }

  const std::set<std::pair<uint32_t, uint32_t>>& dims() const { return dims_; }

  // The widest spelling that names no argument without the dim.
  std::string name(uint32_t argument, uint32_t dim) {
    const Spelling& spelling = names_.spellings_[argument];
    const auto found = std::ranges::find_if(
        spelling.patterns, [&](const std::string& pattern) { return isTrue(pattern, dim); });
    return (found == spelling.patterns.end() ? spelling.path : *found) + "." + std::to_string(dim);
  }

 private:
  bool isTrue(const std::string& pattern, uint32_t dim) {
    const auto [entry, isNew] = known_.try_emplace({pattern, dim}, true);
    if (!isNew) return entry->second;
    for (const uint32_t argument : names_.matches(pattern))
      entry->second = entry->second && dims_.contains({argument, dim});
    return entry->second;
  }

  const AnalysisNames& names_;
  std::set<std::pair<uint32_t, uint32_t>> dims_;  // Argument and dim.
  std::map<std::pair<std::string, uint32_t>, bool> known_;
};

std::string AnalysisNames::ofColors(const std::vector<ColorId>& colors, size_t most) const {
  Shown shown(*this, colors);
  // Name -> (rank, first argument), so that the order is the program's own.
  std::map<std::string, std::pair<int, uint32_t>> places;
  for (const auto& [argument, dim] : shown.dims())
    places.try_emplace(shown.name(argument, dim), ranks_[argument], argument);
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
