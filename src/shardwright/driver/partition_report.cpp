#include "shardwright/driver/partition_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "shardwright/driver/estimate_report.h"
#include "shardwright/driver/inspection.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/path_groups.h"
#include "shardwright/driver/plan_report.h"
#include "shardwright/driver/text_table.h"
#include "shardwright/plan/names.h"
#include "shardwright/plan/pattern.h"

namespace shardwright::driver {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;
using analysis::ColorId;

EstimateView estimateView(const PartitionView& view) {
  std::vector<std::string> remarks = estimateRemarks(view.subject.program, view.subject.rules);
  const std::vector<std::string>& notes = view.found.outcome.notes;
  remarks.insert(remarks.end(), notes.begin(), notes.end());
  for (const spmd::Note& note : view.found.spmd.notes) remarks.push_back(note.message);
  return {view.subject,        view.found.spmd,  view.target.device, view.target.topology,
          view.found.estimate, view.found.limit, std::move(remarks)};
}

// --- decisions in words ---

struct AxisWords {
  std::string axis;
  std::vector<std::string> classes;  // In order.
};

std::vector<AxisWords> axisWords(const PartitionView& view) {
  const plan::Plan& plan = view.found.outcome.plan;
  const plan::AnalysisNames names(view.subject.program, view.subject.rules, view.subject.analysis);
  std::vector<AxisWords> all;
  for (uint32_t axis = 0; axis < plan.mesh.axes.size(); ++axis) {
    AxisWords words{plan.mesh.axes[axis].name, {}};
    for (const plan::Decision& decision : plan.decisions) {
      if (decision.axis != axis) continue;
      const std::string copies =
          decision.colors.size() == 1 ? "" : " x" + std::to_string(decision.colors.size());
      words.classes.push_back(names.ofColors(decision.colors, 1) + copies);
    }
    all.push_back(std::move(words));
  }
  return all;
}

std::string decisionsText(const PartitionView& view) {
  Rows rows;
  for (const AxisWords& words : axisWords(view)) {
    std::string text;
    for (const std::string& name : words.classes) text += (text.empty() ? "" : ", then ") + name;
    rows.push_back({words.axis, text.empty() ? "nothing" : text});
  }
  std::string text = "what each axis splits\n" + textTable(rows);
  for (const std::string& words : view.found.outcome.words) text += "  " + words + "\n";
  return text;
}

std::string searchText(const PartitionView& view) {
  std::string text;
  if (view.found.searches.empty() && !view.options.tactics.empty())
    text = "nothing was searched: that takes a tactic auto(AXIS, …)\n";
  for (const SearchSummary& search : view.found.searches) {
    std::string axes;
    for (const std::string& axis : search.axes) axes += (axes.empty() ? "" : ", ") + axis;
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%llu evaluations in %.2f s",
                  static_cast<unsigned long long>(search.progress.evaluations),
                  search.progress.seconds);
    text += view.options.algorithm + " over " + axes + ": " + numbers + ", stopped by " +
            search::stopReasonName(search.stoppedBy) +
            (search.proved ? " (the best of all states)" : "") + "\n";
  }
  return text;
}

// --- comparison ---

struct ComparisonRow {
  std::string name;
  search::Score score;
};

// This plan, the program as it stands, pure data parallelism, and the best of the experts.
std::vector<ComparisonRow> comparisonRows(const PartitionView& view) {
  const Partitioned& found = view.found;
  std::vector<ComparisonRow> rows = {
      {"this plan",
       {found.estimate.step.value, found.estimate.memory.peak.value, found.limit.value}},
      {"replicated", found.replicated}};
  const auto isDp = [](const Comparison& expert) {
    return expert.name.find("zero") == std::string::npos && expert.name.find("dp(") == 0 &&
           expert.name.find("megatron") == std::string::npos &&
           expert.name.find("sequence") == std::string::npos &&
           expert.name.find("vocab") == std::string::npos &&
           expert.name.find("expert") == std::string::npos;
  };
  const auto dp = std::ranges::find_if(found.experts, isDp);
  if (dp != found.experts.end()) rows.push_back({dp->name, dp->score});
  if (!found.experts.empty() && dp != found.experts.begin())
    rows.push_back({found.experts[0].name, found.experts[0].score});
  return rows;
}

std::string comparisonText(const PartitionView& view) {
  Rows rows = {{"", "step", "memory", ""}};
  for (const ComparisonRow& row : comparisonRows(view)) {
    rows.push_back({row.name, secondsText(row.score.seconds),
                    bytesText(static_cast<double>(row.score.peakBytes)),
                    row.score.fits() ? "" : "does not fit"});
  }
  return "compared with\n" + textTable(rows);
}

// --- what stays whole ---

struct WholeGroup {
  std::string pattern, type, why;
  size_t count = 0;
  double bytes = 0;
};

// What kept the axis that the colour was given to from splitting a dim; nothing if it was given to
// none.
std::optional<std::string> whyWhole(const PartitionView& view, ColorId color, int64_t size) {
  const plan::Plan& plan = view.found.outcome.plan;
  for (const plan::Decision& decision : plan.decisions) {
    if (std::ranges::find(decision.colors, color) == decision.colors.end()) continue;
    const mesh::Axis& axis = plan.mesh.axes[decision.axis];
    if (size % axis.size != 0)
      return std::to_string(size) + " is not divided by " + axis.name + "=" +
             std::to_string(axis.size);
    if (axis.size == 1) return axis.name + "=1 splits nothing";
    return "pinned";
  }
  const std::vector<ColorId>& cut = view.found.outcome.cut;
  if (std::ranges::find(cut, color) != cut.end()) return "dims that are cut out of it are split";
  return {};
}

// Whether some axis could split some dim.
bool divisible(const mesh::Mesh& mesh, std::span<const int64_t> shape) {
  return std::ranges::any_of(mesh.axes, [&](const mesh::Axis& axis) {
    return axis.size > 1 &&
           std::ranges::any_of(shape, [&](int64_t size) { return size % axis.size == 0; });
  });
}

// "no axis divides a dim: 7, 3 by data=4, model=2". Axes of size 1 divide all and split nothing.
std::string indivisibleText(const mesh::Mesh& mesh, std::span<const int64_t> shape) {
  std::string dims, axes;
  for (const int64_t size : shape) dims += (dims.empty() ? "" : ", ") + std::to_string(size);
  for (const mesh::Axis& axis : mesh.axes) {
    if (axis.size > 1)
      axes += (axes.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  }
  return "no axis divides a dim: " + dims + " by " + axes;
}

std::string whyArgumentWhole(const PartitionView& view, const program::Argument& argument) {
  const mesh::Mesh& mesh = view.found.outcome.plan.mesh;
  if (mesh::deviceCount(mesh) == 1) return "the mesh has one device";
  const program::OpId op = view.subject.program.value(argument.value).definition;
  const rules::Rule& rule = view.subject.rule(op);
  const auto shape = view.subject.program.shape(argument.value);
  bool splittable = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    for (const rules::FactorId factor : rule.dim(0, d)) {
      const ColorId color = view.subject.analysis.color({op, factor});
      if (!color.valid()) continue;
      // What was decided and did not work out says more than what was not decided.
      if (const auto why = whyWhole(view, color, shape[d])) return *why;
      splittable = true;
    }
  }
  if (!splittable) return "nothing to split";
  if (!divisible(mesh, shape)) return indivisibleText(mesh, shape);
  return view.found.searches.empty() ? "no tactic asks for it" : "not worth it";
}

std::vector<WholeGroup> wholeGroups(const PartitionView& view) {
  const program::Program& program = view.subject.program;
  std::map<std::tuple<std::string, program::TypeId, std::string>, size_t> places;
  std::vector<WholeGroup> groups;
  for (size_t i = 0; i < program.arguments().size(); ++i) {
    const program::Argument& argument = program.arguments()[i];
    const spmd::Local& local = view.found.spmd.locals[view.found.spmd.arguments[i]];
    if (!view.found.spmd.layouts.splitting(local.layout).empty()) continue;
    const std::string path = plan::normalPath(argument.path);
    const std::string why = whyArgumentWhole(view, argument);
    const program::TypeId type = program.value(argument.value).type;
    const auto [place, isNew] =
        places.try_emplace({withoutIndices(path), type, why}, groups.size());
    if (isNew) groups.push_back({path, program.types().str(type), why, 0, 0});
    groups[place->second].pattern = together(groups[place->second].pattern, path);
    groups[place->second].count += 1;
    groups[place->second].bytes += static_cast<double>(program.types().bytes(type));
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &WholeGroup::bytes);
  return groups;
}

std::string wholeText(const PartitionView& view, const PartitionTextOptions& options) {
  const size_t most = options.mostRows;
  const std::vector<WholeGroup> groups = wholeGroups(view);
  if (groups.empty()) return "";
  Rows rows;
  for (const WholeGroup& group : groups) {
    if (most > 0 && rows.size() == most) break;
    rows.push_back({bytesText(group.bytes), std::to_string(group.count) + " x", group.type,
                    group.pattern, group.why});
  }
  std::string text = "arguments that stay whole\n" + textTable(rows);
  if (rows.size() < groups.size())
    text += "  … and " + std::to_string(groups.size() - rows.size()) + " more (" + options.listAll +
            ")\n";
  return text + "\n";
}

std::string leftOutText(const PartitionView& view, const PartitionTextOptions& options) {
  const size_t most = options.mostRows;
  std::string text;
  size_t lines = 0, all = 0;
  for (const SearchSummary& search : view.found.searches) {
    for (const std::string& words : search.leftOut) {
      ++all;
      if (most > 0 && lines == most) continue;
      text += "  " + words + "\n";
      ++lines;
    }
  }
  if (all > lines)
    text += "  … and " + std::to_string(all - lines) + " more (" + options.listAll + ")\n";
  return text.empty() ? "" : "not searched\n" + text + "\n";
}

// --- JSON ---

Json scoreJson(const std::string& name, const search::Score& score) {
  return {{"name", name},
          {"step_seconds", score.seconds},
          {"peak_bytes", score.peakBytes},
          {"fits", score.fits()}};
}

Json improvementsJson(const search::Trace& trace) {
  Json json = Json::array();
  for (const search::Improvement& improvement : trace.improvements) {
    json.push_back({{"evaluation", improvement.evaluation},
                    {"step_seconds", improvement.score.seconds},
                    {"peak_bytes", improvement.score.peakBytes},
                    {"seconds", improvement.seconds}});
  }
  return json;
}

Json searchJson(const PartitionView& view, const SearchSummary& search) {
  char hash[24];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(search.trace.hash));
  return {{"algorithm", view.options.algorithm},
          {"axes", search.axes},
          {"actions", search.actions},
          {"evaluations", search.progress.evaluations},
          {"seconds", search.progress.seconds},
          {"seed", view.options.seed},
          {"threads", view.options.threads},
          {"stopped_by", search::stopReasonName(search.stoppedBy)},
          {"proved", search.proved},
          {"trace", hash},
          {"improvements", improvementsJson(search.trace)},
          {"taken", search.taken},
          {"left_out", search.leftOut}};
}

}  // namespace

std::string partitionText(const PartitionView& view, const PartitionTextOptions& options) {
  return decisionsText(view) + "\n" + searchText(view) + "\n" + comparisonText(view) + "\n" +
         estimateText(estimateView(view), {options.mostRows, options.listAll}) + "\n" +
         wholeText(view, options) + leftOutText(view, options);
}

std::string remedyText(const PartitionView& view) {
  if (view.found.fits()) return {};
  const program::Program& program = view.subject.program;
  const cost::Memory& memory = view.found.estimate.memory;
  double arguments = 0;
  for (const program::Argument& argument : program.arguments())
    arguments += static_cast<double>(program.types().bytes(program.value(argument.value).type));
  const double devices = std::ceil(arguments / static_cast<double>(view.found.limit.value));
  if (devices > static_cast<double>(mesh::deviceCount(view.found.outcome.plan.mesh)))
    return "the arguments alone take " + bytesText(arguments) + ", which at least " +
           std::to_string(static_cast<int64_t>(devices)) + " such devices can hold";
  if (2 * memory.temporaries.value > memory.peak.value)
    return "most of the peak are temporaries: a smaller batch needs less, and so does "
           "jax.checkpoint around what keeps them for the backward pass";
  return {};
}

Json partitionJson(const PartitionView& view) {
  Json json = estimateJson(estimateView(view));
  Json searches = Json::array(), plan = Json::object(), comparisons = Json::array();
  for (const SearchSummary& search : view.found.searches)
    searches.push_back(searchJson(view, search));
  for (const AxisWords& words : axisWords(view)) plan[words.axis] = words.classes;
  comparisons.push_back(scoreJson("replicated", view.found.replicated));
  for (const Comparison& expert : view.found.experts)
    comparisons.push_back(scoreJson(expert.name, expert.score));
  Json unsharded = Json::array();
  for (const WholeGroup& group : wholeGroups(view)) {
    unsharded.push_back({{"pattern", group.pattern},
                         {"type", group.type},
                         {"count", group.count},
                         {"bytes", group.bytes},
                         {"why", group.why}});
  }
  json["fits"] = view.found.fits();
  if (const std::string remedy = remedyText(view); !remedy.empty()) json["remedy"] = remedy;
  json["search"] = searches.empty() ? Json::object() : searches.back();
  json["searches"] = std::move(searches);
  json["plan"] = std::move(plan);
  json["tactics"] = view.found.outcome.tactics;
  json["words"] = view.found.outcome.words;
  json["comparisons"] = std::move(comparisons);
  json["unsharded"] = std::move(unsharded);
  return json;
}

}  // namespace shardwright::driver
