#include "shardwright/driver/plan_diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "shardwright/driver/path_groups.h"
#include "shardwright/driver/text_table.h"
#include "shardwright/plan/json_reader.h"
#include "shardwright/plan/plan_file.h"

namespace shardwright::driver {
namespace {

using Json = nlohmann::ordered_json;
using plan::JsonNode;
using Texts = std::vector<std::string>;

class WordsReader {
 public:
  WordsReader(std::string file, const Json& json) : root_{&json, ""} {
    words_.file = std::move(file);
  }

  Result<PlanWords> run() {
    readHead();
    for (const JsonNode& node : members(root_, "decisions")) readDecision(node);
    for (const JsonNode& node : members(root_, "resolutions")) readResolution(node);
    for (const JsonNode& node : members(root_, "turns")) readTurn(node);
    for (const JsonNode& node : members(root_, "pins")) words_.pins.push_back(pinText(node));
    for (const JsonNode& node : members(root_, "arguments")) readArgument(node);
    const JsonNode gap = in_.optional(root_, "remake_gap");
    if (gap.json != nullptr)
      words_.remake =
          "gathered copies are made again after " + std::to_string(in_.number(gap)) + " ops";
    if (!in_.error()) return std::move(words_);
    Diagnostic diagnostic = *in_.error();
    diagnostic.location.file = words_.file;
    return diagnostic;
  }

 private:
  std::vector<JsonNode> members(const JsonNode& node, const char* name) {
    return in_.list(in_.member(node, name));
  }
  std::string text(const JsonNode& node, const char* name) {
    return in_.text(in_.member(node, name));
  }

  void readHead() {
    if (in_.number(in_.member(root_, "version")) != plan::kPlanFileVersion)
      in_.fail("version", "this program reads version " + std::to_string(plan::kPlanFileVersion));
    for (const JsonNode& node : members(root_, "mesh")) {
      const std::string axis = text(node, "axis");
      words_.mesh += (words_.mesh.empty() ? "" : ",") + axis + "=" +
                     std::to_string(in_.number(in_.member(node, "size"), 1));
      words_.axes.push_back({axis, {}});
    }
    const JsonNode program = in_.member(root_, "program");
    words_.program = text(program, "hash");
    words_.ops = in_.number(in_.member(program, "ops"));
    for (const JsonNode& node : members(root_, "tactics"))
      words_.tactics.push_back(text(node, "tactic"));
  }

  void readDecision(const JsonNode& node) {
    const std::string axis = text(node, "axis");
    const std::vector<JsonNode> colors = members(node, "colors");
    if (colors.empty()) return;
    const std::string copies = colors.size() == 1 ? "" : " x" + std::to_string(colors.size());
    const auto place = std::ranges::find(words_.axes, axis, &PlanWords::Axis::name);
    if (place == words_.axes.end())
      return in_.fail(node.key + ".axis", "the mesh has no axis `" + axis + "`");
    place->splits.push_back(text(colors[0], "name") + copies);
  }

  void readResolution(const JsonNode& node) {
    for (const JsonNode& set : members(node, "sets"))
      words_.resolutions.push_back("on " + text(node, "axis") + ": " + text(set, "name"));
  }

  void readTurn(const JsonNode& node) {
    const std::string winner = text(in_.member(node, "winner"), "name");
    const JsonNode loser = in_.optional(node, "loser");
    const std::string what = loser.json == nullptr ? "all others" : text(loser, "name");
    const JsonNode first = in_.optional(node, "first_op");
    const std::string where =
        first.json == nullptr ? "some ops" : "op " + std::to_string(in_.number(first));
    words_.turns.push_back("on " + text(node, "axis") + ": " + winner + " before " + what +
                           ", from " + where + " on");
  }

  std::string pinText(const JsonNode& node) {
    const JsonNode argument = in_.optional(node, "argument");
    const JsonNode path = in_.optional(node, "path"), name = in_.optional(node, "name");
    const std::string place = argument.json != nullptr ? "argument `" + in_.text(argument) + "`"
                              : path.json != nullptr   ? "result `" + in_.text(path) + "`"
                              : name.json != nullptr   ? in_.text(name)
                                                       : "a value";
    return place + ": " + text(node, "spec");
  }

  void readArgument(const JsonNode& node) {
    std::string sizes;
    for (const JsonNode& size : members(node, "shape"))
      sizes += (sizes.empty() ? "" : ",") + std::to_string(in_.number(size));
    words_.arguments.push_back(
        {text(node, "path"), text(node, "dtype") + "[" + sizes + "]", text(node, "spec")});
  }

  JsonNode root_;
  plan::JsonReader in_;
  PlanWords words_;
};

// What only one of two lists has.
struct Only {
  Texts a, b;
  bool empty() const { return a.empty() && b.empty(); }
};
Only only(Texts a, Texts b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  Only rest;
  std::ranges::set_difference(a, b, std::back_inserter(rest.a));
  std::ranges::set_difference(b, a, std::back_inserter(rest.b));
  return rest;
}

Texts remakeOf(const PlanWords& words) {
  return words.remake.empty() ? Texts() : Texts{words.remake};
}

struct Topic {
  const char* key;
  const char* title;
  Only only;
};
std::array<Topic, 4> topics(const PlanWords& a, const PlanWords& b) {
  return {Topic{"resolutions", "second sides", only(a.resolutions, b.resolutions)},
          Topic{"turns", "turns", only(a.turns, b.turns)},
          Topic{"pins", "pins", only(a.pins, b.pins)},
          Topic{"remake", "copies", only(remakeOf(a), remakeOf(b))}};
}

Texts splitsOf(const PlanWords& words, const std::string& axis) {
  const auto found = std::ranges::find(words.axes, axis, &PlanWords::Axis::name);
  return found == words.axes.end() ? Texts() : found->splits;
}

struct AxisDifference {
  std::string axis;
  Texts a, b;
};
std::vector<AxisDifference> axisDifferences(const PlanWords& a, const PlanWords& b) {
  Texts names;
  for (const PlanWords* words : {&a, &b}) {
    for (const PlanWords::Axis& axis : words->axes) {
      if (std::ranges::find(names, axis.name) == names.end()) names.push_back(axis.name);
    }
  }
  std::vector<AxisDifference> all;
  for (const std::string& name : names) {
    AxisDifference one{name, splitsOf(a, name), splitsOf(b, name)};
    if (one.a != one.b) all.push_back(std::move(one));
  }
  return all;
}

struct ArgumentDifference {
  std::string path, type, a, b;
};
std::vector<ArgumentDifference> argumentDifferences(const PlanWords& a, const PlanWords& b) {
  std::map<std::string, const PlanWords::Argument*> there;
  for (const PlanWords::Argument& argument : b.arguments) there[argument.path] = &argument;
  std::vector<ArgumentDifference> all;
  for (const PlanWords::Argument& argument : a.arguments) {
    const PlanWords::Argument& other = *there.at(argument.path);
    if (argument.spec != other.spec)
      all.push_back({argument.path, argument.type, argument.spec, other.spec});
  }
  return all;
}

bool same(const PlanWords& a, const PlanWords& b) {
  const auto all = topics(a, b);
  return a.mesh == b.mesh && axisDifferences(a, b).empty() && argumentDifferences(a, b).empty() &&
         std::ranges::all_of(all, [](const Topic& topic) { return topic.only.empty(); });
}

// --- text ---

std::string joined(const Texts& texts, const char* between, const char* none) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : between) + one;
  return text.empty() ? none : text;
}

std::string headText(const PlanWords& words) {
  return words.file + ": " + words.mesh + ", by " + joined(words.tactics, ", ", "hand") + "\n";
}

std::string axesText(const PlanWords& a, const PlanWords& b) {
  std::string text;
  for (const AxisDifference& one : axisDifferences(a, b)) {
    text += "  " + one.axis + "\n    " + joined(one.a, ", then ", "nothing") + "\n    -> " +
            joined(one.b, ", then ", "nothing") + "\n";
  }
  return text.empty() ? "" : "\nwhat the axes split\n" + text;
}

std::string more(size_t count, size_t shown) {
  return count == shown ? ""
                        : "  … and " + std::to_string(count - shown) + " more (--all lists them)\n";
}

std::string argumentsText(const PlanWords& a, const PlanWords& b, size_t most) {
  const std::vector<ArgumentDifference> all = argumentDifferences(a, b);
  if (all.empty()) return "\nevery argument lies alike\n";
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> places;
  std::vector<std::pair<ArgumentDifference, size_t>> groups;
  for (const ArgumentDifference& one : all) {
    const auto [place, isNew] =
        places.try_emplace({withoutIndices(one.path), one.type, one.a, one.b}, groups.size());
    if (isNew) groups.push_back({one, 0});
    auto& [first, count] = groups[place->second];
    if (count++ > 0) first.path = together(first.path, one.path);
  }
  std::vector<Texts> rows;
  for (const auto& [one, count] : groups) {
    if (most > 0 && rows.size() == most) break;
    rows.push_back({std::to_string(count) + " x", one.path, one.type, one.a, "->", one.b});
  }
  return "\n" + std::to_string(all.size()) + " of " + std::to_string(a.arguments.size()) +
         " arguments lie elsewhere\n" + textTable(rows) + more(groups.size(), rows.size());
}

std::string topicText(const Topic& topic, size_t most) {
  if (topic.only.empty()) return "";
  std::string text = std::string("\n") + topic.title + "\n";
  size_t shown = 0;
  for (const auto& [texts, where] :
       {std::pair(&topic.only.a, "first"), {&topic.only.b, "second"}}) {
    for (const std::string& one : *texts) {
      if (most > 0 && shown == most) continue;
      text += std::string("  only in the ") + where + "  " + one + "\n";
      ++shown;
    }
  }
  return text + more(topic.only.a.size() + topic.only.b.size(), shown);
}

}  // namespace

Result<PlanWords> planWords(const std::string& file, std::string_view text) {
  const Result<Json> json = plan::parsePlanJson(text);
  if (json) return WordsReader(file, *json).run();
  Diagnostic diagnostic = json.error();
  diagnostic.location.file = file;
  return diagnostic;
}

Status checkComparable(const PlanWords& a, const PlanWords& b) {
  const auto differ = [&](const std::string& what) {
    return Diagnostic{
        a.file + " and " + b.file + " are plans of different programs: " + what, {}, {}};
  };
  std::map<std::string, std::string> here, there;
  for (const PlanWords::Argument& argument : a.arguments) here[argument.path] = argument.type;
  for (const PlanWords::Argument& argument : b.arguments) there[argument.path] = argument.type;
  for (const PlanWords::Argument& argument : a.arguments) {
    const auto other = there.find(argument.path);
    if (other == there.end()) return differ("`" + argument.path + "` is only in the first");
    if (other->second != argument.type) {
      return differ("`" + argument.path + "` is " + argument.type + " in the first and " +
                    other->second + " in the second");
    }
  }
  for (const PlanWords::Argument& argument : b.arguments) {
    if (!here.contains(argument.path))
      return differ("`" + argument.path + "` is only in the second");
  }
  return {};
}

std::string diffText(const PlanWords& a, const PlanWords& b, size_t mostRows) {
  std::string text = headText(a) + headText(b);
  if (a.program != b.program) {
    text += "the programs differ inside: " + std::to_string(a.ops) + " ops in the first, " +
            std::to_string(b.ops) + " in the second\n";
  }
  if (same(a, b)) return text + "\nthe plans say the same\n";
  text += axesText(a, b) + argumentsText(a, b, mostRows);
  for (const Topic& topic : topics(a, b)) text += topicText(topic, mostRows);
  return text;
}

Json diffJson(const PlanWords& a, const PlanWords& b) {
  Json axes = Json::array(), arguments = Json::array();
  for (const AxisDifference& one : axisDifferences(a, b))
    axes.push_back({{"axis", one.axis}, {"a", one.a}, {"b", one.b}});
  for (const ArgumentDifference& one : argumentDifferences(a, b))
    arguments.push_back({{"path", one.path}, {"type", one.type}, {"a", one.a}, {"b", one.b}});
  Json json = {{"same", same(a, b)},
               {"programs_differ", a.program != b.program},
               {"mesh", {{"a", a.mesh}, {"b", b.mesh}}},
               {"tactics", {{"a", a.tactics}, {"b", b.tactics}}},
               {"axes", std::move(axes)},
               {"arguments", std::move(arguments)}};
  for (const Topic& topic : topics(a, b))
    json[topic.key] = {{"only_a", topic.only.a}, {"only_b", topic.only.b}};
  return json;
}

}  // namespace shardwright::driver
