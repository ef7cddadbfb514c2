#include "shardwright/driver/plan_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "shardwright/analysis/analysis.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/path_groups.h"
#include "shardwright/driver/text_table.h"
#include "shardwright/plan/names.h"
#include "shardwright/plan/pattern.h"

namespace shardwright::driver {
namespace {

using analysis::ColorId;
using plan::Subject;
using plan::Unsplit;
using spmd::Kind;
using Json = nlohmann::ordered_json;

constexpr Kind kCollectives[] = {Kind::kAllReduce, Kind::kAllGather, Kind::kReduceScatter,
                                 Kind::kAllToAll, Kind::kCollectivePermute};

PlacedTensor placed(const Subject& subject, const spmd::SpmdProgram& spmd, const std::string& path,
                    spmd::LocalId id) {
  const spmd::Local& local = spmd.locals[id];
  return {path, subject.program.value(local.value).type,
          plan::specText(spmd.mesh, spmd.layouts.dims(local.layout)), spmd.bytes(id)};
}

double instructionBytes(const spmd::SpmdProgram& spmd, const spmd::Instruction& instruction) {
  int64_t in = 0, out = 0;
  for (const spmd::LocalId operand : spmd.operandsOf(instruction)) in += spmd.bytes(operand);
  for (size_t i = 0; i < instruction.resultCount; ++i)
    out += spmd.bytes(spmd.result(instruction, i));
  return static_cast<double>(std::max(in, out));
}

std::vector<std::pair<Kind, CollectiveTotal>> collectiveTotals(const Subject& subject,
                                                               const spmd::SpmdProgram& spmd) {
  std::vector<std::pair<Kind, CollectiveTotal>> totals;
  for (const Kind kind : kCollectives) totals.push_back({kind, {}});
  for (const spmd::Instruction& instruction : spmd.instructions) {
    if (!spmd::isCollective(instruction.kind)) continue;
    const double times = subject.program.region(instruction.region).weight;
    for (auto& [kind, total] : totals) {
      if (kind != instruction.kind) continue;
      total.count += times;
      total.bytes += times * instructionBytes(spmd, instruction);
    }
  }
  return totals;
}

// One entry per axis, class and reason, in order of first appearance.
std::vector<UnsplitGroup> unsplitGroups(const Subject& subject, const plan::Plan& plan,
                                        const plan::Assignment& assignment) {
  std::vector<UnsplitGroup> groups;
  std::map<std::tuple<uint32_t, analysis::ClassId, Unsplit::Reason>, size_t> places;
  for (const Unsplit& entry : plan::unsplit(subject, plan, assignment)) {
    const analysis::ClassId classId = subject.analysis.colors()[entry.color].classId;
    const auto [place, isNew] =
        places.try_emplace({entry.axis, classId, entry.reason}, groups.size());
    if (isNew) groups.push_back({entry.axis, {}, entry.reason, 0, entry.firstOp, entry.size});
    UnsplitGroup& group = groups[place->second];
    group.colors.push_back(entry.color);
    group.ops += entry.ops;
    if (entry.firstOp < group.firstOp) {
      group.firstOp = entry.firstOp;
      group.size = entry.size;
    }
  }
  return groups;
}

const char* reasonName(Unsplit::Reason reason) {
  switch (reason) {
    case Unsplit::Reason::kIndivisible:
      return "indivisible";
    case Unsplit::Reason::kTaken:
      return "taken";
    case Unsplit::Reason::kBlocked:
      return "blocked";
  }
  return "";
}

std::string reasonText(const mesh::Axis& axis, const UnsplitGroup& group) {
  const std::string size = "size " + std::to_string(group.size);
  switch (group.reason) {
    case Unsplit::Reason::kIndivisible:
      return size + " is not divided by " + axis.name + "=" + std::to_string(axis.size);
    case Unsplit::Reason::kTaken:
      return "another dim of the op has the axis";
    case Unsplit::Reason::kBlocked:
      return "the op needs it whole";
  }
  return "";
}

// Counts are whole numbers unless a trip count is a guess.
Json numberJson(double number) {
  const auto whole = static_cast<int64_t>(number);
  return static_cast<double>(whole) == number ? Json(whole) : Json(number);
}

std::string numberText(double count) {
  return count == static_cast<double>(static_cast<int64_t>(count))
             ? std::to_string(static_cast<int64_t>(count))
             : countText(count);
}

// Arguments that differ in nothing but indices in their path share a row.
std::string argumentsText(const Subject& subject, const std::vector<PlacedTensor>& arguments,
                          size_t most) {
  struct Row {
    const PlacedTensor* tensor;
    size_t count = 0;
    int64_t bytes = 0;
  };
  std::map<std::tuple<std::string, program::TypeId, std::string>, size_t> places;
  std::vector<std::pair<std::string, Row>> rows;
  for (const PlacedTensor& tensor : arguments) {
    const std::string path = plan::normalPath(tensor.path);
    const auto [place, isNew] =
        places.try_emplace({withoutIndices(path), tensor.type, tensor.spec}, rows.size());
    if (isNew) rows.push_back({path, {&tensor}});
    rows[place->second].first = together(rows[place->second].first, path);
    rows[place->second].second.count += 1;
    rows[place->second].second.bytes += tensor.bytesPerDevice;
  }
  std::vector<std::vector<std::string>> table = {{"argument", "", "type", "spec", "per device"}};
  const size_t shown = most == 0 ? rows.size() : std::min(most, rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const auto& [path, row] = rows[i];
    table.push_back({path, row.count > 1 ? "x" + std::to_string(row.count) : "",
                     subject.program.types().str(row.tensor->type), row.tensor->spec,
                     bytesText(static_cast<double>(row.bytes))});
  }
  std::string text = textTable(table);
  if (shown < rows.size())
    text += "  … and " + std::to_string(rows.size() - shown) + " more (--all lists them)\n";
  return text;
}

std::string collectivesText(const PlanReport& report) {
  std::vector<std::vector<std::string>> table;
  for (const auto& [kind, total] : report.collectives) {
    if (total.count > 0)
      table.push_back({spmd::kindName(kind), numberText(total.count), bytesText(total.bytes)});
  }
  return table.empty() ? "no collectives\n"
                       : "collectives of one step, and bytes on one device\n" + textTable(table);
}

std::string unsplitText(const Subject& subject, const plan::Plan& plan, const PlanReport& report) {
  const plan::AnalysisNames names(subject.program, subject.rules, subject.analysis);
  std::string text;
  for (const UnsplitGroup& group : report.unsplit) {
    const mesh::Axis& axis = plan.mesh.axes[group.axis];
    text += "  " + axis.name + ": " + names.ofColors(group.colors, 2) + " at " +
            std::to_string(group.ops) + (group.ops == 1 ? " op" : " ops") + ", first " +
            plan::opText(subject.program, group.firstOp) + ": " + reasonText(axis, group) + "\n";
  }
  return text.empty() ? "" : "\nnot split there\n" + text;
}

Json tensorsJson(const Subject& subject, const std::vector<PlacedTensor>& tensors) {
  Json json = Json::array();
  for (const PlacedTensor& tensor : tensors) {
    const auto shape = subject.program.types().shape(tensor.type);
    json.push_back({{"path", tensor.path},
                    {"shape", std::vector<int64_t>(shape.begin(), shape.end())},
                    {"dtype", std::string(dtypeName(subject.program.types().dtype(tensor.type)))},
                    {"spec", tensor.spec},
                    {"bytes_per_device", tensor.bytesPerDevice}});
  }
  return json;
}

Json unsplitJson(const Subject& subject, const plan::Plan& plan, const PlanReport& report) {
  const plan::AnalysisNames names(subject.program, subject.rules, subject.analysis);
  Json json = Json::array();
  for (const UnsplitGroup& group : report.unsplit) {
    json.push_back({{"axis", plan.mesh.axes[group.axis].name},
                    {"what", names.ofColors(group.colors, 2)},
                    {"reason", reasonName(group.reason)},
                    {"ops", group.ops},
                    {"first_op", group.firstOp.index()},
                    {"where", plan::opText(subject.program, group.firstOp)},
                    {"size", group.size}});
  }
  return json;
}

}  // namespace

PlanReport planReport(const Subject& subject, const plan::TacticOutcome& outcome,
                      const spmd::SpmdProgram& spmd) {
  PlanReport report;
  for (size_t i = 0; i < spmd.arguments.size(); ++i) {
    report.arguments.push_back(
        placed(subject, spmd, subject.program.arguments()[i].path, spmd.arguments[i]));
    report.argumentBytesPerDevice += report.arguments.back().bytesPerDevice;
  }
  for (size_t i = 0; i < spmd.results.size(); ++i) {
    report.results.push_back(
        placed(subject, spmd, subject.program.results()[i].path, spmd.results[i]));
  }
  report.collectives = collectiveTotals(subject, spmd);
  report.unsplit = unsplitGroups(subject, outcome.plan, spmd.assignment);
  report.notes = outcome.notes;
  for (const spmd::Note& note : spmd.notes)
    report.notes.push_back(plan::opText(subject.program, note.op) + ": " + note.message);
  return report;
}

std::string planText(const Subject& subject, const plan::TacticOutcome& outcome,
                     const PlanReport& report, const PlanTextOptions& options) {
  std::string text = "mesh " + mesh::str(outcome.plan.mesh) + "\n";
  for (const std::string& words : outcome.words) text += "  " + words + "\n";
  text += "\n" + argumentsText(subject, report.arguments, options.mostArguments);
  text += "arguments take " + bytesText(static_cast<double>(report.argumentBytesPerDevice)) +
          " on each device\n\n" + collectivesText(report) +
          unsplitText(subject, outcome.plan, report);
  if (!report.notes.empty()) text += "\nnotes\n";
  for (const std::string& note : report.notes) text += "  " + note + "\n";
  return text;
}

Json planJson(const Subject& subject, const plan::TacticOutcome& outcome,
              const PlanReport& report) {
  Json tactics = Json::array(), mesh = Json::array(), collectives = Json::object();
  for (size_t i = 0; i < outcome.tactics.size(); ++i) {
    tactics.push_back({{"tactic", outcome.tactics[i]},
                       {"took", i < outcome.words.size() ? outcome.words[i] : std::string()}});
  }
  for (const mesh::Axis& axis : outcome.plan.mesh.axes)
    mesh.push_back({{"axis", axis.name}, {"size", axis.size}});
  for (const auto& [kind, total] : report.collectives)
    collectives[spmd::kindName(kind)] = {{"count", numberJson(total.count)},
                                         {"bytes", numberJson(total.bytes)}};
  return {{"mesh", std::move(mesh)},
          {"tactics", std::move(tactics)},
          {"arguments", tensorsJson(subject, report.arguments)},
          {"results", tensorsJson(subject, report.results)},
          {"argument_bytes_per_device", report.argumentBytesPerDevice},
          {"collectives", std::move(collectives)},
          {"unsplit", unsplitJson(subject, outcome.plan, report)},
          {"notes", report.notes}};
}

}  // namespace shardwright::driver
