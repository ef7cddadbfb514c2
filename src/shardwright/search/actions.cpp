#include "shardwright/search/actions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "shardwright/plan/names.h"
#include "shardwright/plan/strategies.h"
#include "shardwright/plan/structure.h"

namespace shardwright::search {

using analysis::ClassId;
using analysis::ColorId;
using analysis::SetClassId;
using analysis::SetId;

namespace {

// With more classes of conflicts than this not every combination of sides is an action.
constexpr size_t kMostFreeSides = 2;
// With more axes than this not every set of them is offered at once.
constexpr size_t kMostFreeAxes = 3;
// Dims of like-named arguments are given together if they are of so many classes.
constexpr size_t kLeastCoarseClasses = 3;
// Of more classes than this they are not taken apart again: paths would grow long, and walks would
// mostly move one class of many.
constexpr size_t kMostParts = 6;
// How many groups of parameters may be kept whole one at a time.
constexpr size_t kMostWholeGroups = 12;
constexpr size_t kMostWholeInputs = 4;
// Uses that lie no further apart share a gathered copy in any case; of the others a quarter, half
// or three quarters may.
constexpr uint32_t kShortGap = 16;
constexpr double kGapParts = 4;

using ArgumentGroup = std::pair<std::string, std::vector<uint32_t>>;

double argumentBytes(const plan::Subject& subject, uint32_t argument) {
  const auto type = subject.program.value(subject.program.arguments()[argument].value).type;
  return static_cast<double>(subject.program.types().bytes(type));
}

double allArgumentBytes(const plan::Subject& subject) {
  double bytes = 0;
  for (uint32_t i = 0; i < subject.program.arguments().size(); ++i)
    bytes += argumentBytes(subject, i);
  return bytes;
}

// Of the arguments that show one of the colours, each once.
double shownBytes(const plan::Subject& subject, const std::vector<ColorId>& colors) {
  std::set<uint32_t> arguments;
  for (const ColorId color : colors) {
    for (const analysis::ArgumentDim& dim : subject.analysis.colors()[color].argumentDims)
      arguments.insert(dim.argument);
  }
  double bytes = 0;
  for (const uint32_t argument : arguments) bytes += argumentBytes(subject, argument);
  return bytes;
}

// Whether the axis divides a factor of the colour that can be split.
bool dividesSomewhere(const plan::Subject& subject, ColorId color, int64_t parts) {
  const analysis::Color& entry = subject.analysis.colors()[color];
  if (entry.divisor > 0 && entry.divisor % parts == 0) return true;
  return std::ranges::any_of(entry.names, [&](const analysis::Name& name) {
    const rules::Rule& rule = subject.rule(name.op);
    return rule.factor(name.factor).size % parts == 0 && analysis::canSplit(rule, name.factor);
  });
}

bool dividesSomewhere(const plan::Subject& subject, const std::vector<ColorId>& colors,
                      int64_t parts) {
  return std::ranges::any_of(
      colors, [&](ColorId color) { return dividesSomewhere(subject, color, parts); });
}

// The sets of each class of sets that belong to the colours.
std::vector<std::vector<SetId>> setClassesOf(const plan::Subject& subject,
                                             const std::vector<ColorId>& colors) {
  const std::set<ColorId> mine(colors.begin(), colors.end());
  std::map<SetClassId, std::vector<SetId>> found;
  for (uint32_t i = 0; i < subject.analysis.sets().size(); ++i) {
    const analysis::CompatibilitySet& set = subject.analysis.sets()[SetId(i)];
    if (mine.contains(set.color)) found[set.classId].push_back(SetId(i));
  }
  std::vector<std::vector<SetId>> classes;
  for (auto& [id, sets] : found) classes.push_back(std::move(sets));
  return classes;
}

// Each resolution as the sets that go to their second side. Without conflicts there is one.
std::vector<std::vector<SetId>> resolutionsOf(const plan::Subject& subject,
                                              const std::vector<ColorId>& colors) {
  const std::vector<std::vector<SetId>> classes = setClassesOf(subject, colors);
  std::vector<std::vector<SetId>> choices = {{}};
  if (classes.size() <= kMostFreeSides) {
    for (const std::vector<SetId>& sets : classes) {
      const size_t before = choices.size();
      for (size_t i = 0; i < before; ++i) {
        choices.push_back(choices[i]);
        choices.back().insert(choices.back().end(), sets.begin(), sets.end());
      }
    }
    return choices;
  }
  std::vector<SetId> all;
  for (const std::vector<SetId>& sets : classes) all.insert(all.end(), sets.begin(), sets.end());
  std::ranges::sort(all);
  for (const std::vector<SetId>& choice :
       {all, plan::setsToTurn(subject, colors, plan::Side::kQuery),
        plan::setsToTurn(subject, colors, plan::Side::kKey)}) {
    if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(choice);
  }
  return choices;
}

// Which side of its conflicts the axis goes to; query and key where a colour meets itself in a
// product of data with data, as in attention.
std::string sideText(const plan::Structure& structure, const std::vector<ColorId>& colors,
                     const std::vector<SetId>& seconds) {
  const plan::Subject& subject = structure.subject();
  if (setClassesOf(subject, colors).empty()) return "";
  const bool attention = std::ranges::any_of(
      colors, [&](ColorId color) { return structure.use(color).meetsItselfInData; });
  const auto sorted = [](std::vector<SetId> sets) {
    std::ranges::sort(sets);
    return sets;
  };
  const std::vector<SetId> mine = sorted(seconds);
  const std::vector<SetId> query = sorted(plan::setsToTurn(subject, colors, plan::Side::kQuery));
  const std::vector<SetId> key = sorted(plan::setsToTurn(subject, colors, plan::Side::kKey));
  if (attention && query != key && mine == query) return ", query side";
  if (attention && query != key && mine == key) return ", key side";
  return mine.empty() ? ", first side" : ", second side";
}

// Colours that are given together, with what they touch.
struct Candidate {
  std::vector<ColorId> colors;
  std::string name;
  double share = 0;
};

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

// The largest share first; what stands below the cut is named.
void cut(std::vector<Candidate>& candidates, double leastShare, size_t most,
         std::vector<std::string>& leftOut) {
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::share);
  size_t kept = 0;
  while (kept < std::min(most, candidates.size()) && candidates[kept].share >= leastShare) ++kept;
  if (kept == candidates.size()) return;
  leftOut.push_back(
      std::to_string(candidates.size() - kept) + " of " + std::to_string(candidates.size()) +
      " classes are not searched; each touches at most " + percent(candidates[kept].share) +
      " of bytes, FLOPs and arguments; the largest is " + candidates[kept].name);
  candidates.resize(kept);
}

class SpaceBuilder {
 public:
  SpaceBuilder(const plan::Structure& structure, const mesh::Mesh& mesh)
      : structure_(structure), subject_(structure.subject()), mesh_(mesh) {}

  void give(const Candidate& candidate, uint32_t axis, bool resolutions) {
    const mesh::Axis& target = mesh_.axes[axis];
    if (target.size == 1) return;
    if (!dividesSomewhere(subject_, candidate.colors, target.size)) {
      space_.leftOut.push_back(candidate.name + " has no size that " + target.name + "=" +
                               std::to_string(target.size) + " divides");
      return;
    }
    const uint32_t slot = slots_++;
    const auto choices = resolutions ? resolutionsOf(subject_, candidate.colors)
                                     : std::vector<std::vector<SetId>>{{}};
    for (const std::vector<SetId>& seconds : choices) {
      Action action;
      action.axis = axis;
      action.slot = slot;
      action.colors = candidate.colors;
      action.seconds = seconds;
      action.words = candidate.name + " on " + target.name +
                     (resolutions ? sideText(structure_, candidate.colors, seconds) : "");
      space_.actions.push_back(std::move(action));
    }
  }

  // Like-named arguments: the classes they are of, one action each. Where these are many, or one of
  // them is not searched, an action that is not taken apart.
  void giveCoarse(const Candidate& candidate, uint32_t axis) {
    const std::optional<std::vector<uint32_t>> parts = partsOf(candidate.colors, axis);
    if (!parts || parts->size() > kMostParts) return give(candidate, axis, false);
    if (parts->size() < 2) return;
    Action action;
    action.kind = ActionKind::kTogether;
    action.together = *parts;
    action.coarse = true;
    action.words = candidate.name + " on " + mesh_.axes[axis].name;
    coarse_[candidate.colors].push_back(static_cast<uint32_t>(space_.actions.size()));
    space_.actions.push_back(std::move(action));
  }

  // Each candidate, with each resolution, on each set of two or more axes.
  void giveTogether() {
    std::map<std::pair<std::vector<ColorId>, std::vector<SetId>>, std::vector<uint32_t>> alike;
    std::vector<const std::vector<uint32_t>*> inOrder;
    for (uint32_t i = 0; i < space_.actions.size(); ++i) {
      const Action& action = space_.actions[i];
      if (action.kind != ActionKind::kGive) continue;
      const auto [entry, isNew] = alike.try_emplace({action.colors, action.seconds});
      entry->second.push_back(i);
      if (isNew) inOrder.push_back(&entry->second);
    }
    for (const std::vector<uint32_t>* places : inOrder) addSubsets(*places);
    for (const auto& [colors, places] : coarse_) addSubsets(places);
  }

  ActionSpace finish() && { return std::move(space_); }
  std::vector<std::string>& leftOut() { return space_.leftOut; }

 private:
  // The actions that give these colours to the axis, whole classes each and nothing else; nothing
  // if there are none such. Classes that the axis divides nowhere need none.
  std::optional<std::vector<uint32_t>> partsOf(std::vector<ColorId> colors, uint32_t axis) const {
    std::vector<uint32_t> places;
    for (uint32_t i = 0; i < space_.actions.size(); ++i) {
      const Action& action = space_.actions[i];
      if (action.kind != ActionKind::kGive || action.axis != axis || !action.seconds.empty())
        continue;
      const auto erased = std::erase_if(colors, [&](ColorId color) {
        return std::ranges::find(action.colors, color) != action.colors.end();
      });
      if (erased == 0) continue;
      if (erased != action.colors.size()) return {};
      places.push_back(i);
    }
    if (dividesSomewhere(subject_, colors, mesh_.axes[axis].size)) return {};
    return places;
  }

  // With many axes only all of them together, and pairs.
  void addSubsets(const std::vector<uint32_t>& places) {
    const size_t count = places.size();
    for (uint32_t bits = 1; bits < (1u << count); ++bits) {
      const auto chosen = static_cast<size_t>(std::popcount(bits));
      if (chosen < 2 || (count > kMostFreeAxes && chosen > 2 && chosen < count)) continue;
      Action action;
      action.kind = ActionKind::kTogether;
      for (size_t i = 0; i < count; ++i) {
        if ((bits >> i & 1) != 0) join(action, places[i]);
      }
      space_.actions.push_back(std::move(action));
    }
  }

  void join(Action& action, uint32_t place) const {
    const Action& part = space_.actions[place];
    action.words += (action.words.empty() ? "" : ", ") + part.words;
    action.coarse = part.coarse;
    if (part.kind == ActionKind::kGive) action.together.push_back(place);
    action.together.insert(action.together.end(), part.together.begin(), part.together.end());
  }

  const plan::Structure& structure_;
  const plan::Subject& subject_;
  const mesh::Mesh& mesh_;
  ActionSpace space_;
  std::map<std::vector<ColorId>, std::vector<uint32_t>> coarse_;  // Places of those, by axis.
  uint32_t slots_ = 0;
};

double totalFlops(const plan::Subject& subject) {
  double flops = 0;
  for (uint32_t i = 0; i < subject.program.opCount(); ++i) {
    const program::OpId op(i);
    flops +=
        subject.rule(op).flops() * subject.program.region(subject.program.op(op).region).weight;
  }
  return flops;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::vector<Candidate> classCandidates(const plan::Subject& subject) {
  const plan::AnalysisNames names(subject.program, subject.rules, subject.analysis);
  const double flops = totalFlops(subject), arguments = allArgumentBytes(subject);
  std::vector<Candidate> candidates;
  for (uint32_t i = 0; i < subject.analysis.classes().size(); ++i) {
    const analysis::ColorClass& entry = subject.analysis.classes()[ClassId(i)];
    const double share =
        std::max({ratio(entry.bytes, subject.analysis.totalBytes()), ratio(entry.flops, flops),
                  ratio(shownBytes(subject, entry.colors), arguments)});
    candidates.push_back({entry.colors, names.of(ClassId(i), 1), share});
  }
  return candidates;
}

// One for each dim of arguments whose names differ in numbers only.
std::vector<Candidate> argumentCandidates(const plan::Structure& structure) {
  const plan::Subject& subject = structure.subject();
  const double arguments = allArgumentBytes(subject);
  std::map<std::pair<std::string, uint32_t>, size_t> places;
  std::vector<Candidate> candidates;
  for (uint32_t i = 0; i < subject.program.arguments().size(); ++i) {
    const program::Argument& argument = subject.program.arguments()[i];
    const std::string pattern = analysis::pathPattern(argument.path);
    for (uint32_t d = 0; d < subject.program.shape(argument.value).size(); ++d) {
      const ColorId color = structure.color({i, d});
      if (!color.valid()) continue;
      const auto [place, isNew] = places.try_emplace({pattern, d}, candidates.size());
      if (isNew) candidates.push_back({{}, pattern + "." + std::to_string(d), 0});
      Candidate& candidate = candidates[place->second];
      if (std::ranges::find(candidate.colors, color) == candidate.colors.end())
        candidate.colors.push_back(color);
      // Ranked by what the colour touches, so that small inputs (tokens) count for what they feed.
      candidate.share =
          std::max(candidate.share + ratio(argumentBytes(subject, i), arguments),
                   ratio(subject.analysis.colors()[color].bytes, subject.analysis.totalBytes()));
    }
  }
  return candidates;
}

// Dims of like-named arguments that are of many classes: the channels of all convolutions, which
// one class at a time would take many steps to split.
std::vector<Candidate> coarseCandidates(const plan::Structure& structure) {
  std::vector<Candidate> candidates = argumentCandidates(structure);
  const auto& colors = structure.subject().analysis.colors();
  std::set<std::set<ColorId>> seen;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    std::set<ClassId> classes;
    for (const ColorId color : candidate.colors) classes.insert(colors[color].classId);
    return classes.size() < kLeastCoarseClasses ||
           !seen.emplace(candidate.colors.begin(), candidate.colors.end()).second;
  });
  return candidates;
}

}  // namespace

ActionSpace classActions(const plan::Structure& structure, const mesh::Mesh& mesh,
                         const ActionOptions& options) {
  std::vector<Candidate> candidates = classCandidates(structure.subject());
  std::vector<Candidate> coarse = coarseCandidates(structure);
  SpaceBuilder builder(structure, mesh);
  cut(candidates, options.leastShare, options.mostClasses, builder.leftOut());
  cut(coarse, options.leastShare, options.mostArgumentDims, builder.leftOut());
  for (const Candidate& candidate : candidates) {
    for (const uint32_t axis : options.axes) builder.give(candidate, axis, true);
  }
  for (const Candidate& candidate : coarse) {
    for (const uint32_t axis : options.axes) builder.giveCoarse(candidate, axis);
  }
  builder.giveTogether();
  return std::move(builder).finish();
}

ActionSpace argumentActions(const plan::Structure& structure, const mesh::Mesh& mesh,
                            const ActionOptions& options) {
  std::vector<Candidate> candidates = argumentCandidates(structure);
  SpaceBuilder builder(structure, mesh);
  cut(candidates, 0, options.mostArgumentDims, builder.leftOut());
  for (const Candidate& candidate : candidates) {
    for (const uint32_t axis : options.axes) builder.give(candidate, axis, false);
  }
  return std::move(builder).finish();
}

namespace {

// Arguments that are copies of one another, by the pattern of their paths; the largest groups
// first.
std::vector<ArgumentGroup> largestGroups(const plan::Subject& subject,
                                         const std::vector<uint32_t>& arguments) {
  std::map<std::string, std::vector<uint32_t>> byPattern;
  for (const uint32_t i : arguments)
    byPattern[analysis::pathPattern(subject.program.arguments()[i].path)].push_back(i);
  std::vector<ArgumentGroup> groups(byPattern.begin(), byPattern.end());
  const auto bytes = [&](const ArgumentGroup& group) {
    double sum = 0;
    for (const uint32_t argument : group.second) sum += argumentBytes(subject, argument);
    return sum;
  };
  std::ranges::stable_sort(groups, std::ranges::greater(), bytes);
  return groups;
}

// Whether the op cannot be split along some dim of its operand: it takes a part of it.
bool takesAPart(const rules::Rule& rule, size_t operand) {
  for (size_t d = 0; d < rule.rank(operand); ++d) {
    for (const rules::FactorId factor : rule.dim(operand, d)) {
      if (rule.factor(factor).size > 1 && !analysis::canSplit(rule, factor)) return true;
    }
  }
  return false;
}

// Inputs of whole numbers from which parts are taken several times. What else a step reads would
// have to be brought to every device anew, and saves no more than one gather.
std::vector<uint32_t> indices(const plan::Structure& structure) {
  const program::Program& program = structure.subject().program;
  std::vector<uint32_t> parts(program.valueCount(), 0);
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const auto operands = program.operands(program::OpId(i));
    for (size_t t = 0; t < operands.size(); ++t)
      parts[operands[t].index()] += takesAPart(structure.subject().rule(program::OpId(i)), t);
  }
  std::vector<uint32_t> found = structure.inputs();
  std::erase_if(found, [&](uint32_t i) {
    const program::ValueId value = program.arguments()[i].value;
    return parts[value.index()] < 2 ||
           program::isFloat(program.types().dtype(program.value(value).type));
  });
  return found;
}

// All of these arguments together, and the largest groups one at a time.
void addWhole(const plan::Subject& subject, const std::vector<uint32_t>& arguments, size_t most,
              const std::string& what, ActionSpace& space, std::vector<ArgumentGroup>& wanted) {
  if (arguments.empty()) return;
  std::vector<ArgumentGroup> groups = largestGroups(subject, arguments);
  if (groups.size() > most) {
    space.leftOut.push_back(std::to_string(groups.size() - most) + " groups of " + what +
                            " are not tried whole one at a time");
    groups.resize(most);
  }
  if (groups.size() > 1) wanted.push_back({"all " + what, arguments});
  std::ranges::move(groups, std::back_inserter(wanted));
}

}  // namespace

ActionSpace wholeActions(const plan::Structure& structure, const mesh::Mesh& mesh,
                         const ActionOptions& options) {
  const plan::Subject& subject = structure.subject();
  std::vector<uint32_t> weights;
  for (uint32_t i = 0; i < subject.program.arguments().size(); ++i) {
    if (structure.isWeight(i)) weights.push_back(i);
  }
  ActionSpace space;
  std::vector<ArgumentGroup> groups;
  addWhole(subject, weights, kMostWholeGroups, "parameters", space, groups);
  const size_t parameters = groups.size();
  addWhole(subject, indices(structure), kMostWholeInputs, "indices", space, groups);
  for (const uint32_t axis : options.axes) {
    for (size_t n = 0; n < groups.size(); ++n) {
      Action action;
      action.kind = ActionKind::kWhole;
      action.axis = axis;
      action.arguments = groups[n].second;
      action.words = groups[n].first + " whole along " + mesh.axes[axis].name +
                     (n < parameters ? " between steps" : "");
      space.actions.push_back(std::move(action));
    }
  }
  return space;
}

std::vector<uint32_t> remakeGaps(const plan::Subject& subject) {
  const program::Program& program = subject.program;
  std::vector<std::pair<uint32_t, double>> gaps;  // Between uses of a value, and its bytes.
  std::vector<uint32_t> lastUse(program.valueCount(), 0);
  double all = 0;
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    if (program.op(program::OpId(i)).region != program.entry()) continue;
    for (const program::ValueId value : program.operands(program::OpId(i))) {
      const uint32_t before = std::exchange(lastUse[value.index()], i);
      if (before == 0 || i - before <= kShortGap) continue;
      gaps.push_back(
          {i - before, static_cast<double>(program.types().bytes(program.value(value).type))});
      all += gaps.back().second;
    }
  }
  std::ranges::sort(gaps);
  std::vector<uint32_t> found = {kShortGap};
  double sum = 0;
  for (const auto& [gap, bytes] : gaps) {
    const double before = std::exchange(sum, sum + bytes);
    const bool crosses = std::floor(before / all * kGapParts) < std::floor(sum / all * kGapParts);
    if (crosses && gap > found.back() && sum < all) found.push_back(gap);
  }
  return found;
}

}  // namespace shardwright::search
