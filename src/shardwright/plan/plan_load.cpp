#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/json_reader.h"
#include "shardwright/plan/meetings.h"
#include "shardwright/plan/pattern.h"
#include "shardwright/plan/plan_file.h"
#include "shardwright/plan/tactic.h"

namespace shardwright::plan {
namespace {

using analysis::ColorId;
using program::OpId;
using Json = nlohmann::ordered_json;
using Node = JsonNode;

class Loader {
 public:
  Loader(const Subject& subject, const Json& json) : subject_(subject), root_{&json, ""} {}

  Result<PlanFile> run() {
    readHead();
    if (!in_.error()) checkProgram();
    if (!in_.error()) readPlan();
    if (in_.error()) return *in_.error();
    Status failure = checkPlan(subject_, file_.plan);
    if (failure && otherSizes_.empty()) return *failure;
    if (failure) refuse("arguments", otherSizes_ + "; " + failure->message);
    if (!in_.error() && !otherSizes_.empty()) checkSpecs();
    if (in_.error()) return *in_.error();
    return std::move(file_);
  }

 private:
  Plan& plan() { return file_.plan; }

  void readHead() {
    in_.onlyKeys(root_, {"version", "mesh", "device_ids", "program", "tactics", "decisions",
                         "resolutions", "turns", "pins", "remake_gap", "arguments"});
    const Node version = in_.member(root_, "version");
    if (in_.number(version) != kPlanFileVersion)
      in_.fail("version", "this program reads version " + std::to_string(kPlanFileVersion));
    std::set<std::string> seen;
    for (const Node& node : in_.list(in_.member(root_, "mesh"))) {
      in_.onlyKeys(node, {"axis", "size"});
      const std::string name = in_.text(in_.member(node, "axis"));
      if (!seen.insert(name).second)
        in_.fail(node.key + ".axis", "axis `" + name + "` stands twice");
      plan().mesh.axes.push_back({name, in_.number(in_.member(node, "size"), 1)});
    }
    checkMesh();
    const Node devices = in_.optional(root_, "device_ids");
    if (devices.json != nullptr) readDevices(devices);
    for (const Node& node : in_.list(in_.member(root_, "tactics"))) {
      in_.onlyKeys(node, {"tactic", "took"});
      file_.tactics.push_back(in_.text(in_.member(node, "tactic")));
      file_.words.push_back(in_.text(in_.member(node, "took")));
    }
  }

  void checkMesh() {
    if (plan().mesh.axes.empty()) in_.fail("mesh", "has no axes");
    if (in_.error()) return;
    const Result<mesh::Mesh> mesh = mesh::parseMesh(mesh::str(plan().mesh));
    if (!mesh) in_.fail("mesh", mesh.error().message);
  }

  void readDevices(const Node& devices) {
    for (const Node& node : in_.list(devices)) plan().mesh.deviceIds.push_back(in_.number(node));
    if (in_.error()) return;
    std::vector<int64_t> sorted = plan().mesh.deviceIds;
    std::ranges::sort(sorted);
    const int64_t count = mesh::deviceCount(plan().mesh);
    bool all = static_cast<int64_t>(sorted.size()) == count;
    for (int64_t i = 0; all && i < count; ++i) all = sorted[static_cast<size_t>(i)] == i;
    if (!all) {
      in_.fail(devices.key, "should name each device from 0 to " + std::to_string(count - 1) +
                                " once; the mesh is " + mesh::str(plan().mesh));
    }
  }

  // Says what the program and the one that the plan was made for differ in, unless it is sizes
  // alone.
  void checkProgram() {
    const Node program = in_.member(root_, "program");
    in_.onlyKeys(program, {"hash", "structure", "ops"});
    const std::string hash = in_.text(in_.member(program, "hash"));
    const std::string structure = in_.text(in_.optional(program, "structure"));
    const int64_t ops = in_.number(in_.member(program, "ops"));
    if (in_.error() || hash == hashText(programHash(subject_.program))) return;
    const std::string difference = argumentDifference();
    const auto count = static_cast<int64_t>(subject_.program.opCount());
    if (in_.error()) return;
    const bool alike = structure == hashText(structureHash(subject_));
    if (!difference.empty() && alike && sizesAloneDiffer()) {
      otherSizes_ = difference;
    } else if (!difference.empty()) {
      refuse("arguments", difference);
    } else if (ops != count) {
      refuse("program.ops",
             "it had " + std::to_string(ops) + " ops, this one has " + std::to_string(count));
    } else {
      refuse("program.hash", "arguments and number of ops (" + std::to_string(count) +
                                 ") agree, but ops or attributes differ");
    }
  }

  void refuse(const std::string& key, const std::string& difference) {
    std::string tactics;
    for (const std::string& tactic : file_.tactics)
      tactics += (tactics.empty() ? "" : ", ") + ("`" + tactic + "`");
    in_.fail(key, "the plan was made for another program: " + difference +
                      (tactics.empty() ? "; plan this one anew"
                                       : "; plan this one anew, by the same tactics: " + tactics));
  }

  // Whether the arguments are the same but for sizes.
  bool sizesAloneDiffer() {
    const std::vector<Node> stated = in_.list(in_.member(root_, "arguments"));
    const auto& arguments = subject_.program.arguments();
    if (stated.size() != arguments.size()) return false;
    for (size_t i = 0; i < stated.size(); ++i) {
      const auto type = subject_.program.value(arguments[i].value).type;
      const std::string dtype(dtypeName(subject_.program.types().dtype(type)));
      if (in_.text(in_.member(stated[i], "path")) != arguments[i].path ||
          in_.text(in_.member(stated[i], "dtype")) != dtype ||
          in_.list(in_.member(stated[i], "shape")).size() !=
              subject_.program.types().shape(type).size()) {
        return false;
      }
    }
    return true;
  }

  // A plan that is carried over must split every argument as it did: an axis that does not divide
  // the new size would leave it whole without a word.
  void checkSpecs() {
    const std::vector<Node> stated = in_.list(in_.member(root_, "arguments"));
    const std::vector<std::string> specs = argumentSpecs(subject_, plan());
    for (size_t i = 0; i < specs.size(); ++i) {
      const std::string before = in_.text(in_.member(stated[i], "spec"));
      if (in_.error() || specs[i] == before) continue;
      const program::Argument& argument = subject_.program.arguments()[i];
      refuse("arguments", otherSizes_ + "; `" + argument.path + "` lay as " + before +
                              ", and with this size the plan leaves it as " + specs[i]);
    }
    file_.notes.push_back("the plan was made for other sizes: " + otherSizes_);
  }

  // The first argument that is not as it was; of sizes how many more differ.
  std::string argumentDifference() {
    const std::vector<Node> stated = in_.list(in_.member(root_, "arguments"));
    const auto& arguments = subject_.program.arguments();
    std::string first;
    size_t more = 0;
    for (size_t i = 0; i < std::max(stated.size(), arguments.size()); ++i) {
      if (i >= stated.size()) return "argument `" + arguments[i].path + "` is new";
      const std::string path = in_.text(in_.member(stated[i], "path"));
      if (i >= arguments.size() || arguments[i].path != path)
        return otherPlace(path, i, stated.size());
      const std::string type = typeText(stated[i]);
      const std::string now =
          subject_.program.types().str(subject_.program.value(arguments[i].value).type);
      if (now == type) continue;
      if (!first.empty()) {
        ++more;
        continue;
      }
      first.append("argument `").append(path).append("` was ").append(type);
      first.append(" and is ").append(now);
    }
    return first + (more == 0 ? "" : " (and " + std::to_string(more) + " more differ)");
  }

  std::string otherPlace(const std::string& path, size_t before, size_t stated) const {
    const auto& arguments = subject_.program.arguments();
    const auto same = std::ranges::find(arguments, path, &program::Argument::path);
    if (same == arguments.end()) return "argument `" + path + "` is missing" + leftOut(stated);
    return "argument `" + path + "` stands elsewhere (number " + std::to_string(before) +
           " before, " + std::to_string(same - arguments.begin()) + " now)";
  }

  // jax.jit leaves arguments that are not used out of the modules that it lowers.
  std::string leftOut(size_t stated) const {
    if (stated <= subject_.program.arguments().size()) return "";
    return "; if the function does not use it, lower with jax.jit(…, keep_unused=True)";
  }

  // "f32[16,64]".
  std::string typeText(const Node& argument) {
    std::string text;
    for (const Node& size : in_.list(in_.member(argument, "shape")))
      text += (text.empty() ? "" : ",") + std::to_string(in_.number(size));
    return in_.text(in_.member(argument, "dtype")) + "[" + text + "]";
  }

  void readPlan() {
    for (const Node& node : in_.list(in_.member(root_, "decisions"))) readDecision(node);
    for (const Node& node : in_.list(in_.member(root_, "resolutions"))) readResolution(node);
    for (const Node& node : in_.list(in_.member(root_, "turns"))) readTurn(node);
    for (const Node& node : in_.list(in_.member(root_, "pins"))) readPin(node);
    const Node gap = in_.optional(root_, "remake_gap");
    if (gap.json != nullptr)
      plan().remakeGap = static_cast<uint32_t>(in_.number(gap, 0, UINT32_MAX));
  }

  uint32_t readAxis(const Node& node) {
    const Node axis = in_.member(node, "axis");
    const Result<uint32_t> number = axisNumber(plan().mesh, in_.text(axis));
    if (!number) in_.fail(axis.key, number.error().message);
    return number ? *number : 0;
  }

  ColorId readColor(const Node& node) {
    in_.onlyKeys(node, {"id", "name"});
    return ColorId(in_.index(in_.member(node, "id"), subject_.analysis.colors().size(), "colour"));
  }

  void readDecision(const Node& node) {
    in_.onlyKeys(node, {"axis", "colors", "classes"});
    Decision decision{readAxis(node), {}};
    for (const Node& color : in_.list(in_.member(node, "colors"))) {
      decision.colors.push_back(readColor(color));
      if (!given_.insert({decision.axis, decision.colors.back()}).second)
        in_.fail(color.key,
                 "this colour is on axis `" + plan().mesh.axes[decision.axis].name + "` already");
    }
    plan().decisions.push_back(std::move(decision));
  }

  void readResolution(const Node& node) {
    in_.onlyKeys(node, {"axis", "sets"});
    Resolution resolution{readAxis(node), {}};
    for (const Node& set : in_.list(in_.member(node, "sets"))) {
      in_.onlyKeys(set, {"id", "name"});
      resolution.sets.push_back(analysis::SetId(
          in_.index(in_.member(set, "id"), subject_.analysis.sets().size(), "compatibility set")));
    }
    plan().resolutions.push_back(std::move(resolution));
  }

  void readTurn(const Node& node) {
    in_.onlyKeys(node, {"axis", "winner", "loser", "first_op", "ops"});
    Turn turn{readAxis(node), readColor(in_.member(node, "winner")), {}};
    const Node ops = in_.optional(node, "ops");
    if (ops.json != nullptr) {
      for (const Node& op : in_.list(ops)) turn.ops.push_back(readOp(op));
    } else {
      const ColorId loser = readColor(in_.member(node, "loser"));
      const Node first = in_.member(node, "first_op");
      const OpId firstOp = readOp(first);
      if (!in_.error()) turn.ops = meetingSet(turn.winner, loser, firstOp);
      if (!in_.error() && turn.ops.empty())
        in_.fail(first.key, "winner and loser have no set of meetings that begins there");
    }
    plan().turns.push_back(std::move(turn));
  }

  OpId readOp(const Node& node) { return OpId(in_.index(node, subject_.program.opCount(), "op")); }

  std::vector<OpId> meetingSet(ColorId winner, ColorId loser, OpId first) {
    if (!meetings_) meetings_.emplace(subject_);
    for (const MeetingSet* set : meetings_->between(winner, loser)) {
      if (set->ops.front() == first) return set->ops;
    }
    return {};
  }

  void readPin(const Node& node) {
    in_.onlyKeys(node, {"argument", "result", "path", "op", "value", "name", "spec"});
    Pin pin;
    pin.op = readPlace(node, pin.result);
    const Node text = in_.member(node, "spec");
    const Result<PinSpec> spec = parseSpec(in_.text(text));
    if (!spec) in_.fail(text.key, spec.error().message);
    if (in_.error()) return;
    const program::Program& program = subject_.program;
    const bool defines = program.resultCount(pin.op) > pin.result;
    if (!defines && program.operands(pin.op).empty())
      return in_.fail(node.key, "op " + std::to_string(pin.op.index()) + " has no such value");
    const auto value = defines ? program.result(pin.op, pin.result) : program.operands(pin.op)[0];
    Result<std::vector<mesh::AxisList>> dims =
        resolveSpec(plan().mesh, *spec, program.shape(value).size());
    if (!dims) return in_.fail(text.key, dims.error().message);
    pin.dims = std::move(*dims);
    pin.open = spec->open;
    plan().pins.push_back(std::move(pin));
  }

  std::string nearText(const std::string& path) const {
    const std::vector<std::string> near = nearPatterns(subject_.program, path, 1);
    return near.empty() ? "" : "; did you mean `" + near[0] + "`?";
  }

  OpId readPlace(const Node& node, uint32_t& value) {
    const Node argument = in_.optional(node, "argument"), result = in_.optional(node, "result");
    if (argument.json != nullptr) {
      const std::string path = in_.text(argument);
      for (const program::Argument& entry : subject_.program.arguments()) {
        if (entry.path == path || normalPath(entry.path) == normalPath(path))
          return subject_.program.value(entry.value).definition;
      }
      in_.fail(argument.key, "the program has no argument `" + path + "`" + nearText(path));
      return OpId(0u);
    }
    if (result.json != nullptr) {
      const auto& results = subject_.program.results();
      const uint32_t number = in_.index(result, results.size(), "result");
      return results.empty() ? OpId(0u) : results[number].returnOp;
    }
    value = static_cast<uint32_t>(in_.number(in_.member(node, "value"), 0, UINT32_MAX));
    return readOp(in_.member(node, "op"));
  }

  const Subject& subject_;
  Node root_;
  JsonReader in_;
  PlanFile file_;
  std::string otherSizes_;  // What differs, of a program that differs in sizes alone.
  std::set<std::pair<uint32_t, ColorId>> given_;
  std::optional<Meetings> meetings_;  // Found when a turn needs them.
};

}  // namespace

Result<PlanFile> loadPlan(const Subject& subject, std::string_view text) {
  const Result<Json> json = parsePlanJson(text);
  if (!json) return json.error();
  return Loader(subject, *json).run();
}

}  // namespace shardwright::plan
