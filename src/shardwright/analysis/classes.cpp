#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>

#include "shardwright/analysis/builder.h"
#include "shardwright/base/interner.h"

namespace shardwright::analysis {

using program::OpId;
using rules::FactorId;

namespace {

// What one colour or set is made of: sorted keys with how often each occurs.
struct Profile {
  std::vector<uint64_t> words;  // key, count, key, count, …
  std::string place;            // Near-copies must agree in this (A8).
};

// How much of two profiles is common: 1 if equal, 0 if disjoint.
double similarity(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  uint64_t common = 0, all = 0;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j >= b.size() || (i < a.size() && a[i] < b[j])) {
      all += a[i + 1];
      i += 2;
    } else if (i >= a.size() || b[j] < a[i]) {
      all += b[j + 1];
      j += 2;
    } else {
      common += std::min(a[i + 1], b[j + 1]);
      all += std::max(a[i + 1], b[j + 1]);
      i += 2;
      j += 2;
    }
  }
  return all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
}

// The rim of a network lacks a few members (no input gradient in the first layer); different things
// share far less than this.
constexpr double kNearCopy = 0.75;
// Distinct profiles of one place that a new one is compared with.
constexpr size_t kMostCompared = 64;

std::vector<uint64_t> countKeys(std::vector<uint64_t>& keys) {
  std::ranges::sort(keys);
  std::vector<uint64_t> words;
  for (const uint64_t key : keys) {
    if (words.empty() || words[words.size() - 2] != key) {
      words.push_back(key);
      words.push_back(0);
    }
    ++words.back();
  }
  return words;
}

// Copies get one group: equal profiles first (A7), then near-copies join the largest (A8). Groups
// are numbered in order of first appearance.
std::vector<uint32_t> groupCopies(const std::vector<Profile>& profiles) {
  WordInterner exact;
  std::vector<uint32_t> exactOf;
  std::vector<uint32_t> first;  // Of each exact group.
  std::vector<uint32_t> count;
  for (uint32_t i = 0; i < profiles.size(); ++i) {
    const auto [id, isNew] = exact.intern(profiles[i].words);
    if (isNew) {
      first.push_back(i);
      count.push_back(0);
    }
    ++count[id];
    exactOf.push_back(id);
  }
  std::vector<uint32_t> order(first.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return count[a] > count[b]; });
  std::unordered_map<std::string, std::vector<uint32_t>> leadersOfPlace;
  std::vector<uint32_t> leader(first.size());
  for (const uint32_t group : order) {
    std::vector<uint32_t>& leaders = leadersOfPlace[profiles[first[group]].place];
    leader[group] = group;
    for (size_t i = 0; i < std::min(leaders.size(), kMostCompared); ++i) {
      if (similarity(profiles[first[group]].words, profiles[first[leaders[i]]].words) < kNearCopy)
        continue;
      leader[group] = leaders[i];
      break;
    }
    if (leader[group] == group) leaders.push_back(group);
  }
  std::vector<uint32_t> result;
  for (const uint32_t group : exactOf) result.push_back(leader[group]);
  return result;
}

// What near-copies without argument dims must share: their rarest-looking key.
std::string placeOfKeys(const std::vector<uint64_t>& words) {
  uint64_t smallest = UINT64_MAX;
  for (size_t i = 0; i < words.size(); i += 2)
    smallest = std::min(smallest, hashWords(std::span(&words[i], 1)));
  return "#" + std::to_string(smallest);
}

}  // namespace

std::string pathPattern(std::string_view path) {
  std::string pattern;
  bool quoted = false;
  for (size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (c == '\'' || c == '"') {
      quoted = !quoted;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      if (pattern.empty() || pattern.back() != '*') pattern += '*';
    } else if (!quoted && (c == '[' || c == '.')) {
      if (!pattern.empty() && pattern.back() != '/') pattern += '/';
    } else if (quoted || c != ']') {
      pattern += c;
    }
  }
  return pattern;
}

void AnalysisBuilder::findClasses() {
  classifyColors();
  classifySets();
}

void AnalysisBuilder::classifyColors() {
  std::vector<std::string> patterns;
  for (const program::Argument& argument : program_.arguments())
    patterns.push_back(pathPattern(argument.path));
  std::vector<Profile> profiles;
  std::vector<uint64_t> keys;
  for (const Color& color : analysis_.colors_) {
    keys.clear();
    for (const Name& name : color.names) {
      keys.push_back(uint64_t{program_.op(name.op).signature.index()} << 32 | name.factor.index());
    }
    Profile& profile = profiles.emplace_back();
    profile.words = countKeys(keys);
    std::vector<std::string> places;
    for (const ArgumentDim& dim : color.argumentDims) {
      places.push_back(patterns[dim.argument] + "." + std::to_string(dim.dim));
    }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const std::string& place : places) profile.place += place + " ";
    if (places.empty()) profile.place = placeOfKeys(profile.words);
  }
  std::vector<uint32_t> groups = groupCopies(profiles);
  separateCopiesThatMeet(groups);
  collectClasses(groups);
}

// A9. Greedy: each colour takes the first part of its group that no colour it meets has taken.
void AnalysisBuilder::separateCopiesThatMeet(std::vector<uint32_t>& groupOfColor) {
  std::map<ColorId, std::vector<ColorId>> meets;
  for (uint32_t i = 0; i < program_.opCount(); ++i) {
    const rules::Rule& opRule = rule(OpId(i));
    for (uint32_t a = 0; a < opRule.factorCount(); ++a) {
      const ColorId colorA = analysis_.colorOfName_[nameIndex(OpId(i), FactorId(a))];
      for (uint32_t b = a + 1; colorA.valid() && b < opRule.factorCount(); ++b) {
        const ColorId colorB = analysis_.colorOfName_[nameIndex(OpId(i), FactorId(b))];
        if (!colorB.valid() || colorA == colorB) continue;
        if (groupOfColor[colorA.index()] != groupOfColor[colorB.index()]) continue;
        meets[std::max(colorA, colorB)].push_back(std::min(colorA, colorB));
      }
    }
  }
  std::vector<uint32_t> partOfColor(groupOfColor.size(), 0);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> groupOfPart;
  auto nextGroup = static_cast<uint32_t>(groupOfColor.size());
  for (const auto& [color, earlier] : meets) {
    std::vector<uint32_t> taken;
    for (const ColorId other : earlier) taken.push_back(partOfColor[other.index()]);
    uint32_t& part = partOfColor[color.index()];
    while (std::ranges::find(taken, part) != taken.end()) ++part;
  }
  for (uint32_t i = 0; i < groupOfColor.size(); ++i) {
    if (partOfColor[i] == 0) continue;
    const auto [entry, isNew] =
        groupOfPart.try_emplace({groupOfColor[i], partOfColor[i]}, nextGroup);
    if (isNew) ++nextGroup;
    groupOfColor[i] = entry->second;
  }
}

void AnalysisBuilder::collectClasses(const std::vector<uint32_t>& groupOfColor) {
  std::unordered_map<uint32_t, size_t> indexOfGroup;
  std::vector<ColorClass> classes;
  for (uint32_t i = 0; i < groupOfColor.size(); ++i) {
    const auto [entry, isNew] = indexOfGroup.try_emplace(groupOfColor[i], classes.size());
    if (isNew) classes.emplace_back();
    ColorClass& colorClass = classes[entry->second];
    const Color& color = analysis_.colors_[ColorId(i)];
    colorClass.colors.push_back(ColorId(i));
    colorClass.bytes += color.bytes;
    colorClass.flops += color.flops;
    colorClass.dims += color.dims;
  }
  std::ranges::stable_sort(
      classes, [](const ColorClass& a, const ColorClass& b) { return a.bytes > b.bytes; });
  for (ColorClass& colorClass : classes) {
    const ClassId id = analysis_.classes_.push(std::move(colorClass));
    for (const ColorId color : analysis_.classes_[id].colors) analysis_.colors_[color].classId = id;
  }
}

void AnalysisBuilder::classifySets() {
  std::vector<Profile> profiles;
  std::vector<uint64_t> keys;
  for (const CompatibilitySet& set : analysis_.sets_) {
    keys.clear();
    for (const ConflictId id : set.conflicts) {
      const Conflict& conflict = analysis_.conflicts_[id];
      // Copies may have been found from either side, so a key does not say which is first.
      const uint32_t low = std::min(conflict.first, conflict.second).index();
      const uint32_t high = std::max(conflict.first, conflict.second).index();
      keys.push_back(uint64_t{program_.op(conflict.op).signature.index()} << 32 | low << 16 |
                     (high & 0xffff));
    }
    // Sets of one class belong to colours of one class, so that is part of what a set is.
    const uint32_t colorClass = analysis_.colors_[set.color].classId.index();
    keys.push_back(UINT64_MAX - colorClass);
    Profile& profile = profiles.emplace_back();
    profile.words = countKeys(keys);
    profile.place = std::to_string(colorClass);
  }
  const std::vector<uint32_t> groups = groupCopies(profiles);
  std::unordered_map<uint32_t, SetClassId> classOfGroup;
  for (uint32_t i = 0; i < groups.size(); ++i) {
    const auto [entry, isNew] = classOfGroup.try_emplace(groups[i]);
    if (isNew) entry->second = analysis_.setClasses_.push({});
    analysis_.setClasses_[entry->second].sets.push_back(SetId(i));
    analysis_.sets_[SetId(i)].classId = entry->second;
  }
}

}  // namespace shardwright::analysis
