#include "shardwright/driver/explanation_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "shardwright/driver/estimate_report.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/path_groups.h"

namespace shardwright::driver {
namespace {

using Json = nlohmann::ordered_json;

// Arguments that differ in nothing but indices in their path.
struct ArgumentGroup {
  ExplainedArgument first;
  size_t count = 0;
  double bytes = 0;
};

std::vector<ArgumentGroup> argumentGroups(const std::vector<ExplainedArgument>& arguments) {
  std::map<std::tuple<std::string, std::string, std::string, std::vector<std::string>>, size_t>
      places;
  std::vector<ArgumentGroup> groups;
  for (const ExplainedArgument& argument : arguments) {
    const auto key =
        std::tuple(withoutIndices(argument.path), argument.type, argument.spec, argument.why);
    const auto [place, isNew] = places.try_emplace(key, groups.size());
    if (isNew) groups.push_back({argument, 0, 0});
    ArgumentGroup& group = groups[place->second];
    if (!isNew) group.first.path = together(group.first.path, argument.path);
    group.count += 1;
    group.bytes += static_cast<double>(argument.bytes);
  }
  std::ranges::stable_sort(groups, std::greater(), &ArgumentGroup::bytes);
  return groups;
}

size_t shownOf(size_t count, size_t most) { return most == 0 ? count : std::min(count, most); }

std::string moreText(size_t count, size_t shown, const ExplanationTextOptions& options) {
  if (shown == count) return "";
  return "  … and " + std::to_string(count - shown) + " more (" + options.listAll + ")\n";
}

std::string argumentsText(const ExplanationView& view, const ExplanationTextOptions& options) {
  const std::vector<ArgumentGroup> groups = argumentGroups(view.explanation.arguments);
  const size_t shown = shownOf(groups.size(), options.mostRows);
  std::string text = "arguments, and bytes on one device\n";
  for (size_t i = 0; i < shown; ++i) {
    const ExplainedArgument& argument = groups[i].first;
    text += "  " + bytesText(groups[i].bytes) + "  " + std::to_string(groups[i].count) + " x  " +
            argument.path + "  " + argument.type + "  " + argument.spec + "\n";
    for (const std::string& why : argument.why) text += "      " + why + "\n";
  }
  return text + moreText(groups.size(), shown, options);
}

std::string collectivesText(const ExplanationView& view, const ExplanationTextOptions& options) {
  const std::vector<ExplainedCollective>& all = view.explanation.collectives;
  if (all.empty()) return "no collectives\n";
  const size_t shown = shownOf(all.size(), options.mostRows);
  std::string text = "collectives of one step\n";
  for (size_t i = 0; i < shown; ++i) {
    const ExplainedCollective& c = all[i];
    text += "  " + (view.explanation.timed ? secondsText(c.seconds) + "  " : std::string()) +
            bytesText(c.bytes) + "  " + countText(c.count) + " x  " + c.kind + " over " + c.axes +
            "  " + c.type + "  " + c.from + " -> " + c.to + "\n";
    text += "      of   " + c.of + "\n      for  " + c.user + "\n      why  " + c.why + "\n";
  }
  return text + moreText(all.size(), shown, options);
}

}  // namespace

std::string explanationText(const ExplanationView& view, const ExplanationTextOptions& options) {
  std::string text = "mesh " + mesh::str(view.outcome.plan.mesh) + "\n";
  for (const std::string& words : view.outcome.words) text += "  " + words + "\n";
  text += "\n" + argumentsText(view, options) + "\n" + collectivesText(view, options);
  if (!view.outcome.notes.empty()) text += "\nnotes\n";
  for (const std::string& note : view.outcome.notes) text += "  " + note + "\n";
  return text;
}

Json explanationJson(const ExplanationView& view) {
  Json arguments = Json::array(), collectives = Json::array(), tactics = Json::array();
  for (size_t i = 0; i < view.outcome.tactics.size(); ++i) {
    const auto& words = view.outcome.words;
    tactics.push_back({{"tactic", view.outcome.tactics[i]},
                       {"took", i < words.size() ? words[i] : std::string()}});
  }
  for (const ExplainedArgument& argument : view.explanation.arguments) {
    arguments.push_back({{"path", argument.path},
                         {"type", argument.type},
                         {"spec", argument.spec},
                         {"bytes", argument.bytes},
                         {"why", argument.why}});
  }
  for (const ExplainedCollective& c : view.explanation.collectives) {
    collectives.push_back({{"kind", c.kind},
                           {"axes", c.axes},
                           {"type", c.type},
                           {"from", c.from},
                           {"to", c.to},
                           {"of", c.of},
                           {"for", c.user},
                           {"why", c.why},
                           {"count", c.count},
                           {"bytes", c.bytes}});
    if (view.explanation.timed) collectives.back()["seconds"] = c.seconds;
  }
  return {{"mesh", mesh::str(view.outcome.plan.mesh)},
          {"tactics", std::move(tactics)},
          {"arguments", std::move(arguments)},
          {"collectives", std::move(collectives)},
          {"notes", view.outcome.notes}};
}

}  // namespace shardwright::driver
