#include <algorithm>
#include <nlohmann/json.hpp>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/meetings.h"
#include "shardwright/plan/names.h"
#include "shardwright/plan/plan_file.h"
#include "shardwright/plan/tactic.h"

namespace shardwright::plan {
namespace {

using analysis::ColorId;
using program::OpId;
using Json = nlohmann::ordered_json;

class Saver {
 public:
  Saver(const Subject& subject, const PlanFile& file)
      : subject_(subject),
        file_(file),
        plan_(file.plan),
        names_(subject.program, subject.rules, subject.analysis) {}

  Json run() const {
    Json json = {{"version", kPlanFileVersion}, {"mesh", mesh()}};
    if (!plan_.mesh.deviceIds.empty()) json["device_ids"] = plan_.mesh.deviceIds;
    json.update({{"program",
                  {{"hash", hashText(programHash(subject_.program))},
                   {"structure", hashText(structureHash(subject_))},
                   {"ops", subject_.program.opCount()}}},
                 {"tactics", tactics()},
                 {"decisions", decisions()},
                 {"resolutions", resolutions()},
                 {"turns", turns()},
                 {"pins", pins()}});
    if (plan_.remakeGap) json["remake_gap"] = *plan_.remakeGap;
    json["arguments"] = arguments();
    return json;
  }

 private:
  const std::string& axisName(uint32_t axis) const { return plan_.mesh.axes[axis].name; }
  Json color(ColorId id) const { return {{"id", id.index()}, {"name", names_.of(id)}}; }

  Json mesh() const {
    Json json = Json::array();
    for (const mesh::Axis& axis : plan_.mesh.axes)
      json.push_back({{"axis", axis.name}, {"size", axis.size}});
    return json;
  }

  Json tactics() const {
    Json json = Json::array();
    for (size_t i = 0; i < file_.tactics.size(); ++i) {
      json.push_back({{"tactic", file_.tactics[i]},
                      {"took", i < file_.words.size() ? file_.words[i] : std::string()}});
    }
    return json;
  }

  Json decisions() const {
    Json json = Json::array();
    for (const Decision& decision : plan_.decisions) {
      Json colors = Json::array(), classes = Json::array();
      for (const ColorId id : decision.colors) {
        colors.push_back(color(id));
        const Json number = subject_.analysis.colors()[id].classId.index();
        if (std::ranges::find(classes, number) == classes.end()) classes.push_back(number);
      }
      json.push_back({{"axis", axisName(decision.axis)},
                      {"colors", std::move(colors)},
                      {"classes", std::move(classes)}});
    }
    return json;
  }

  Json resolutions() const {
    Json json = Json::array();
    for (const Resolution& resolution : plan_.resolutions) {
      Json sets = Json::array();
      for (const analysis::SetId set : resolution.sets)
        sets.push_back({{"id", set.index()}, {"name", names_.of(set)}});
      json.push_back({{"axis", axisName(resolution.axis)}, {"sets", std::move(sets)}});
    }
    return json;
  }

  // Each turn in meeting sets; ops that make up no such set are listed one by one.
  Json turns() const {
    Json json = Json::array();
    if (plan_.turns.empty()) return json;
    const Meetings meetings(subject_);
    for (const Turn& turn : plan_.turns) addTurn(meetings, turn, json);
    return json;
  }

  void addTurn(const Meetings& meetings, const Turn& turn, Json& json) const {
    std::vector<OpId> rest = turn.ops;
    std::ranges::sort(rest);
    for (const ColorId other : listed(turn.axis)) {
      if (other == turn.winner) continue;
      for (const MeetingSet* set : meetings.between(turn.winner, other)) {
        if (!std::ranges::includes(rest, set->ops)) continue;
        json.push_back({{"axis", axisName(turn.axis)},
                        {"winner", color(turn.winner)},
                        {"loser", color(other)},
                        {"first_op", set->ops.front().index()}});
        std::erase_if(rest, [&](OpId op) { return std::ranges::binary_search(set->ops, op); });
      }
    }
    if (rest.empty()) return;
    Json ops = Json::array();
    for (const OpId op : rest) ops.push_back(op.index());
    json.push_back(
        {{"axis", axisName(turn.axis)}, {"winner", color(turn.winner)}, {"ops", std::move(ops)}});
  }

  std::vector<ColorId> listed(uint32_t axis) const {
    std::vector<ColorId> colors;
    for (const Decision& decision : plan_.decisions) {
      if (decision.axis == axis)
        colors.insert(colors.end(), decision.colors.begin(), decision.colors.end());
    }
    return colors;
  }

  Json pins() const {
    Json json = Json::array();
    for (const Pin& pin : plan_.pins) {
      Json entry = place(pin);
      entry["spec"] = specText(plan_.mesh, pin);
      json.push_back(std::move(entry));
    }
    return json;
  }

  // Arguments and results by path, other values by the number of their op.
  Json place(const Pin& pin) const {
    for (const program::Argument& argument : subject_.program.arguments()) {
      if (subject_.program.value(argument.value).definition == pin.op)
        return {{"argument", argument.path}};
    }
    for (uint32_t i = 0; i < subject_.program.results().size(); ++i) {
      const program::ProgramResult& result = subject_.program.results()[i];
      if (result.returnOp == pin.op) return {{"result", i}, {"path", result.path}};
    }
    return {
        {"op", pin.op.index()}, {"value", pin.result}, {"name", opText(subject_.program, pin.op)}};
  }

  Json arguments() const {
    const std::vector<std::string> specs = argumentSpecs(subject_, plan_);
    Json json = Json::array();
    for (size_t i = 0; i < specs.size(); ++i) {
      const program::Argument& argument = subject_.program.arguments()[i];
      const auto type = subject_.program.value(argument.value).type;
      const auto shape = subject_.program.types().shape(type);
      json.push_back({{"path", argument.path},
                      {"shape", std::vector<int64_t>(shape.begin(), shape.end())},
                      {"dtype", std::string(dtypeName(subject_.program.types().dtype(type)))},
                      {"spec", specs[i]}});
    }
    return json;
  }

  const Subject& subject_;
  const PlanFile& file_;
  const Plan& plan_;
  const AnalysisNames names_;
};

}  // namespace

std::vector<std::string> argumentSpecs(const Subject& subject, const Plan& plan) {
  const Assignment assignment = assign(subject, plan);
  std::vector<std::string> specs;
  for (const program::Argument& argument : subject.program.arguments()) {
    const OpId op = subject.program.value(argument.value).definition;
    std::vector<mesh::AxisList> dims;
    for (size_t d = 0; d < subject.program.shape(argument.value).size(); ++d)
      dims.push_back(dimAxes(subject.rule(op), assignment.axes(op), 0, d));
    specs.push_back(specText(plan.mesh, dims));
  }
  return specs;
}

std::string savePlan(const Subject& subject, const PlanFile& file) {
  return Saver(subject, file).run().dump(1) + "\n";
}

}  // namespace shardwright::plan
