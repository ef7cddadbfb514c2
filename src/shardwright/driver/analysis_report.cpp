#include "shardwright/driver/analysis_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "shardwright/driver/inspection.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/text_table.h"

namespace shardwright::driver {
namespace {

using analysis::Analysis;
using analysis::ClassId;
using analysis::ColorId;
using analysis::ConflictId;
using analysis::SetClassId;
using analysis::SetId;
using plan::opText;
using program::OpId;
using Json = nlohmann::ordered_json;

// Classes that touch less of all bytes than this are summed up in one line.
constexpr double kSmallShare = 0.01;

std::string percent(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
  return text;
}

// "1 op", "2 ops".
std::string plural(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::vector<SetClassId> setClassesOf(const AnalysisView& view, ClassId id) {
  std::vector<SetClassId> found;
  for (uint32_t i = 0; i < view.analysis.setClasses().size(); ++i) {
    const SetId first = view.analysis.setClasses()[SetClassId(i)].sets.front();
    const ColorId color = view.analysis.sets()[first].color;
    if (view.analysis.colors()[color].classId == id) found.push_back(SetClassId(i));
  }
  return found;
}

std::string sizesText(const AnalysisView& view, const analysis::ColorClass& colorClass) {
  std::set<int64_t> sizes;
  for (const ColorId color : colorClass.colors) sizes.insert(view.analysis.colors()[color].largest);
  std::string text = std::to_string(*sizes.begin());
  if (sizes.size() > 1) text += "…" + std::to_string(*sizes.rbegin());
  return text;
}

int64_t divisorOf(const AnalysisView& view, const analysis::ColorClass& colorClass) {
  int64_t divisor = 0;
  for (const ColorId color : colorClass.colors) {
    divisor = std::gcd(divisor, view.analysis.colors()[color].divisor);
  }
  return divisor;
}

// The conflict that tells most: of an op that computes, with the largest result.
ConflictId tellingConflict(const AnalysisView& view, SetId set) {
  const auto& conflicts = view.analysis.sets()[set].conflicts;
  ConflictId best = conflicts.front();
  double bestFlops = -1;
  for (const ConflictId id : conflicts) {
    const OpId op = view.analysis.conflicts()[id].op;
    const double flops =
        view.analysis.isTie(id) ? -0.5 : view.rules.rule(view.program.op(op).signature).flops();
    if (flops > bestFlops) {
      best = id;
      bestFlops = flops;
    }
  }
  return best;
}

// "dim 2 of the result" or "dim 0 of operand 1": where a person finds the factor.
std::string sideText(const AnalysisView& view, const analysis::Conflict& conflict,
                     rules::FactorId factor) {
  const rules::Rule& rule = view.rules.rule(view.program.op(conflict.op).signature);
  for (size_t i = rule.tensorCount(); i-- > 0;) {
    for (size_t dim = 0; dim < rule.rank(i); ++dim) {
      if (std::ranges::find(rule.dim(i, dim), factor) == rule.dim(i, dim).end()) continue;
      const std::string where =
          i >= rule.operandCount() ? "the result" : "operand " + std::to_string(i);
      const bool sum = rule.factor(factor).kind == rules::FactorKind::kReduction;
      return "dim " + std::to_string(dim) + " of " + where + (sum ? " (reduced)" : "");
    }
  }
  return "";
}

std::string resolutionText(const AnalysisView& view, SetClassId id) {
  const analysis::SetClass& setClass = view.analysis.setClasses()[id];
  const analysis::Conflict& conflict =
      view.analysis.conflicts()[tellingConflict(view, setClass.sets.front())];
  size_t ops = 0;
  for (const SetId set : setClass.sets) {
    for (const ConflictId c : view.analysis.sets()[set].conflicts)
      ops += view.analysis.isTie(c) ? 0 : 1;
  }
  return opText(view.program, conflict.op) + ": " + sideText(view, conflict, conflict.first) +
         ", or " + sideText(view, conflict, conflict.second) + "; settles " + plural(ops, "op") +
         " in " + plural(setClass.sets.size(), "set") +
         (setClass.sets.size() == 1 ? "" : " together");
}

// The sizes of the factors that can be split, largest first: how many there are, and the first op.
struct SizeUse {
  size_t factors = 0;
  OpId first;
};
std::map<int64_t, SizeUse, std::greater<>> sizesOf(const AnalysisView& view,
                                                   const std::vector<ColorId>& colors) {
  std::map<int64_t, SizeUse, std::greater<>> sizes;
  for (const ColorId color : colors) {
    for (const analysis::Name& name : view.analysis.colors()[color].names) {
      const rules::Rule& rule = view.rules.rule(view.program.op(name.op).signature);
      if (!analysis::canSplit(rule, name.factor)) continue;
      SizeUse& use = sizes[rule.factor(name.factor).size];
      if (use.factors++ == 0) use.first = name.op;
    }
  }
  return sizes;
}

Json sizesJson(const AnalysisView& view, ColorId color) {
  Json json = Json::array();
  for (const auto& [size, use] : sizesOf(view, {color})) {
    json.push_back({{"size", size}, {"factors", use.factors}, {"first_op", use.first.index()}});
  }
  return json;
}

// Where an axis that divides most of a class does not go: "size 8 at 350 factors; 4 at 12, first
// …". Empty if there is one size only.
std::string unevenText(const AnalysisView& view, const analysis::ColorClass& colorClass) {
  const auto sizes = sizesOf(view, colorClass.colors);
  if (sizes.size() < 2) return "";
  std::string text;
  for (const auto& [size, use] : sizes) {
    text += (text.empty() ? "" : "; ") + std::to_string(size) + " at " +
            plural(use.factors, "factor") + ", first " + opText(view.program, use.first);
  }
  return text;
}

Json argumentDimsJson(const AnalysisView& view, const analysis::Color& color) {
  Json dims = Json::array();
  for (const analysis::ArgumentDim& dim : color.argumentDims) {
    dims.push_back({{"path", view.program.arguments()[dim.argument].path}, {"dim", dim.dim}});
  }
  return dims;
}

template <typename Ids>
Json idsJson(const Ids& ids) {
  Json json = Json::array();
  for (const auto id : ids) json.push_back(id.index());
  return json;
}

Json colorsJson(const AnalysisView& view, const AnalysisNames& names) {
  Json json = Json::array();
  for (uint32_t i = 0; i < view.analysis.colors().size(); ++i) {
    const analysis::Color& color = view.analysis.colors()[ColorId(i)];
    json.push_back({{"id", i},
                    {"name", names.of(ColorId(i))},
                    {"class", color.classId.index()},
                    {"size", color.largest},
                    {"divisor", color.divisor},
                    {"sizes", sizesJson(view, ColorId(i))},
                    {"dims", color.dims},
                    {"factors", color.names.size()},
                    {"bytes", color.bytes},
                    {"flops", color.flops},
                    {"arguments", argumentDimsJson(view, color)}});
  }
  return json;
}

Json conflictsJson(const AnalysisView& view) {
  Json json = Json::array();
  for (uint32_t i = 0; i < view.analysis.conflicts().size(); ++i) {
    if (view.analysis.isTie(ConflictId(i))) continue;
    const analysis::Conflict& conflict = view.analysis.conflicts()[ConflictId(i)];
    json.push_back({{"id", i},
                    {"name", opText(view.program, conflict.op)},
                    {"op", conflict.op.index()},
                    {"factors", {conflict.first.index(), conflict.second.index()}},
                    {"color", conflict.color.index()},
                    {"compatibility_set", conflict.set.index()}});
  }
  return json;
}

Json setsJson(const AnalysisView& view, const AnalysisNames& names) {
  Json json = Json::array();
  for (uint32_t i = 0; i < view.analysis.sets().size(); ++i) {
    const analysis::CompatibilitySet& set = view.analysis.sets()[SetId(i)];
    Json conflicts = Json::array();
    for (const ConflictId id : set.conflicts) {
      if (!view.analysis.isTie(id)) conflicts.push_back(id.index());
    }
    json.push_back({{"id", i},
                    {"name", names.of(SetId(i))},
                    {"color", set.color.index()},
                    {"class", set.classId.index()},
                    {"conflicts", std::move(conflicts)}});
  }
  return json;
}

Json classesJson(const AnalysisView& view, const AnalysisNames& names) {
  Json json = Json::array();
  for (uint32_t i = 0; i < view.analysis.classes().size(); ++i) {
    const analysis::ColorClass& colorClass = view.analysis.classes()[ClassId(i)];
    Json resolutions = Json::array();
    for (const SetClassId id : setClassesOf(view, ClassId(i))) {
      resolutions.push_back({{"id", id.index()},
                             {"name", resolutionText(view, id)},
                             {"compatibility_sets", idsJson(view.analysis.setClasses()[id].sets)}});
    }
    json.push_back(
        {{"id", i},
         {"name", names.of(ClassId(i))},
         {"colors", idsJson(colorClass.colors)},
         {"dims", colorClass.dims},
         {"bytes", colorClass.bytes},
         {"share_of_bytes",
          view.analysis.totalBytes() > 0 ? colorClass.bytes / view.analysis.totalBytes() : 0},
         {"flops", colorClass.flops},
         {"divisor", divisorOf(view, colorClass)},
         {"resolutions", std::move(resolutions)}});
  }
  return json;
}

Json opsJson(const AnalysisView& view) {
  Json json = Json::array();
  for (uint32_t i = 0; i < view.program.opCount(); ++i) {
    const rules::Rule& rule = view.rules.rule(view.program.op(OpId(i)).signature);
    Json colors = Json::array();
    Json classes = Json::array();
    for (uint32_t f = 0; f < rule.factorCount(); ++f) {
      const ColorId color = view.analysis.color({OpId(i), rules::FactorId(f)});
      colors.push_back(color.valid() ? Json(color.index()) : Json());
      classes.push_back(color.valid() ? Json(view.analysis.colors()[color].classId.index())
                                      : Json());
    }
    json.push_back({{"id", i},
                    {"op", std::string(view.program.name(OpId(i)))},
                    {"rule", rule.str()},
                    {"colors", std::move(colors)},
                    {"classes", std::move(classes)},
                    {"location", whereText(view.program, view.program.op(OpId(i)).location)}});
  }
  return json;
}

Json unsupportedJson(const AnalysisView& view) {
  Json json = Json::array();
  for (const UnsupportedSummary& entry : inspect(view.program, view.rules).unsupported) {
    json.push_back({{"op", entry.op}, {"count", entry.count}, {"location", entry.location}});
  }
  return json;
}

}  // namespace

std::string analysisText(const AnalysisView& view) {
  const Analysis& analysis = view.analysis;
  const AnalysisNames names(view.program, view.rules, analysis);
  std::vector<std::vector<std::string>> rows = {
      {"class", "size", "divisor", "colours", "dims", "bytes", "FLOPs", "what"}};
  size_t small = 0;
  std::string resolutions, uneven;
  for (uint32_t i = 0; i < analysis.classes().size(); ++i) {
    const analysis::ColorClass& colorClass = analysis.classes()[ClassId(i)];
    if (i > 0 && colorClass.bytes < kSmallShare * analysis.totalBytes()) {
      ++small;
      continue;
    }
    rows.push_back({std::to_string(i), sizesText(view, colorClass),
                    std::to_string(divisorOf(view, colorClass)),
                    std::to_string(colorClass.colors.size()), std::to_string(colorClass.dims),
                    percent(colorClass.bytes, analysis.totalBytes()), countText(colorClass.flops),
                    names.of(ClassId(i), 3)});
    if (const std::string sizes = unevenText(view, colorClass); !sizes.empty()) {
      uneven += "  class " + std::to_string(i) + ": " + sizes + "\n";
    }
    for (const SetClassId id : setClassesOf(view, ClassId(i))) {
      resolutions += "  class " + std::to_string(i) + ": " + resolutionText(view, id) + "\n";
    }
  }
  if (analysis.classes().empty())
    return "nothing to shard: no dim is larger than 1 and free to be split\n";
  std::string text = plural(analysis.colors().size(), "colour") + " in " +
                     std::to_string(analysis.classes().size()) +
                     (analysis.classes().size() == 1 ? " class" : " classes") +
                     ", by share of all bytes touched\n" + textTable(rows);
  if (small > 0)
    text += "  … and " + std::to_string(small) +
            " classes that touch less than 1 % each (--json lists them)\n";
  if (!uneven.empty())
    text += "\nnot one size everywhere: an axis goes where it divides\n" + uneven;
  text += resolutions.empty() ? "\nno conflicts\n"
                              : "\nconflicts, each settled by one choice\n" + resolutions;
  if (analysis.oddCycles() > 0) {
    text += "  " + std::to_string(analysis.oddCycles()) +
            " meetings of a value with its own transpose: a reshard there, whatever is chosen\n";
  }
  return text;
}

std::string analysisOpsText(const AnalysisView& view) {
  std::string text;
  for (uint32_t i = 0; i < view.program.opCount(); ++i) {
    const OpId op(i);
    const rules::Rule& rule = view.rules.rule(view.program.op(op).signature);
    text += opText(view.program, op) + "  " + rule.str() + " ";
    for (uint32_t f = 0; f < rule.factorCount(); ++f) {
      const ColorId color = view.analysis.color({op, rules::FactorId(f)});
      text += (f == 0 ? " [" : ", ") +
              (color.valid() ? std::to_string(view.analysis.colors()[color].classId.index()) : "-");
    }
    text += rule.factorCount() > 0 ? "]\n" : "\n";
  }
  return text;
}

Json analysisJson(const AnalysisView& view, bool ops) {
  const AnalysisNames names(view.program, view.rules, view.analysis);
  Json json = {
      {"colors", colorsJson(view, names)},           {"conflicts", conflictsJson(view)},
      {"compatibility_sets", setsJson(view, names)}, {"classes", classesJson(view, names)},
      {"odd_cycles", view.analysis.oddCycles()},     {"unsupported", unsupportedJson(view)}};
  if (ops) json["ops"] = opsJson(view);
  return json;
}

}  // namespace shardwright::driver
