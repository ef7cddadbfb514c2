#include "shardwright/driver/explanation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "shardwright/driver/path_groups.h"
#include "shardwright/plan/names.h"

namespace shardwright::driver {
namespace {

using analysis::ColorId;
using analysis::Name;
using plan::Pin;
using program::OpId;
using program::ValueId;
using rules::FactorId;
using spmd::Instruction;
using spmd::LocalId;

class Explainer {
 public:
  Explainer(const plan::Subject& subject, const plan::Plan& plan, const spmd::SpmdProgram& spmd)
      : subject_(subject),
        plan_(plan),
        spmd_(spmd),
        names_(subject.program, subject.rules, subject.analysis) {
    for (const Pin& pin : plan.pins) {
      if (pin.result == 0) pinOf_.emplace(pin.op, &pin);
    }
    for (const plan::Decision& decision : plan.decisions) addDecision(decision);
  }

  ExplainedArgument argument(size_t index) const {
    const program::Argument& argument = subject_.program.arguments()[index];
    const LocalId local = spmd_.arguments[index];
    ExplainedArgument explained{
        argument.path, typeText(argument.value), layoutText(local), spmd_.bytes(local), {}};
    for (uint32_t axis = 0; axis < plan_.mesh.axes.size(); ++axis) {
      if (plan_.mesh.axes[axis].size > 1) explained.why.push_back(whyArgument(local, axis));
    }
    return explained;
  }

  ExplainedCollective collective(const Instruction& instruction) const {
    const LocalId operand = spmd_.operandsOf(instruction)[0], result = spmd_.result(instruction);
    const ValueId value = spmd_.locals[operand].value;
    return {spmd::kindName(instruction.kind),
            mesh::str(plan_.mesh, instruction.axes),
            typeText(value),
            layoutText(operand),
            layoutText(result),
            placeText(subject_.program.value(value).definition),
            placeText(instruction.op),
            whyMoved(instruction),
            0,
            0,
            0};
  }

 private:
  // How the list of an axis calls a colour, and its place there.
  struct Listed {
    size_t place = 0;
    std::string name;
  };

  void addDecision(const plan::Decision& decision) {
    const std::string copies =
        decision.colors.size() == 1 ? "" : " x" + std::to_string(decision.colors.size());
    const std::string name = names_.ofColors(decision.colors, 1) + copies;
    for (const ColorId color : decision.colors)
      listed_.try_emplace({decision.axis, color}, Listed{listed_.size(), name});
  }

  const Listed* listed(uint32_t axis, ColorId color) const {
    const auto found = color.valid() ? listed_.find({axis, color}) : listed_.end();
    return found == listed_.end() ? nullptr : &found->second;
  }

  std::string nameOf(uint32_t axis, ColorId color) const {
    if (const Listed* entry = listed(axis, color)) return entry->name;
    return color.valid() ? names_.of(color) : "a dim";
  }

  // --- words ---

  const std::string& axisName(uint32_t axis) const { return plan_.mesh.axes[axis].name; }

  std::string typeText(ValueId value) const {
    return subject_.program.types().str(subject_.program.value(value).type);
  }

  std::string layoutText(LocalId id) const {
    const mesh::LayoutId layout = spmd_.locals[id].layout;
    if (!spmd_.layouts.partial(layout).empty()) return spmd_.layouts.str(plan_.mesh, layout);
    return plan::specText(plan_.mesh, spmd_.layouts.dims(layout));
  }

  // "argument `x`", "result `y`", "dot_general at model.py:3:7".
  std::string placeText(OpId op) const {
    for (const program::Argument& argument : subject_.program.arguments()) {
      if (subject_.program.value(argument.value).definition == op)
        return "argument `" + argument.path + "`";
    }
    for (const program::ProgramResult& result : subject_.program.results()) {
      if (result.returnOp == op) return "result `" + result.path + "`";
    }
    return plan::opText(subject_.program, op);
  }

  // --- arguments ---

  std::string whyArgument(LocalId local, uint32_t axis) const {
    const OpId op = subject_.program.value(spmd_.locals[local].value).definition;
    const mesh::LayoutId layout = spmd_.locals[local].layout;
    const bool pinned = pinOf_.contains(op);
    for (size_t d = 0; d < spmd_.layouts.rank(layout); ++d) {
      if (!spmd_.layouts.dim(layout, d).contains(axis)) continue;
      const std::string dim = "dim " + std::to_string(d) + ": " + axisName(axis);
      return pinned ? dim + ", pinned" : dim + " splits " + behindText(op, axis, d);
    }
    const std::string whole = "whole along " + axisName(axis) + ": ";
    return whole + (pinned ? "pinned" : whyWhole(op, axis));
  }

  // "params/w1.0, behind batch/x.0": what stands before it in the list has no dim here.
  std::string behindText(OpId op, uint32_t axis, size_t dim) const {
    const FactorId factor = subject_.rule(op).leading(0, dim);
    const ColorId color = subject_.analysis.color({op, factor});
    const Listed* entry = listed(axis, color);
    std::string before;
    std::set<std::string> said = {nameOf(axis, color)};
    for (const plan::Decision& decision : plan_.decisions) {
      if (decision.axis != axis || decision.colors.empty()) continue;
      const Listed* other = listed(axis, decision.colors.front());
      if (entry == nullptr || other->place >= entry->place || !said.insert(other->name).second)
        continue;
      before += (before.empty() ? "" : ", ") + other->name;
    }
    return nameOf(axis, color) + (before.empty() ? "" : ", which comes after " + before);
  }

  // Of a value that the op makes: what keeps the axis from splitting it.
  std::string whyWhole(OpId op, uint32_t axis) const {
    const rules::Rule& rule = subject_.rule(op);
    const size_t tensor = rule.operandCount();
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      if (const auto why = whyUnsplit(op, axis, rule.leading(tensor, d))) return *why;
    }
    return axisName(axis) + " splits none of its dims";
  }

  // Why an axis that lists a factor's colour does not split it there. Nothing if none does.
  std::optional<std::string> whyUnsplit(OpId op, uint32_t axis, FactorId factor) const {
    if (!factor.valid()) return {};
    const ColorId color = subject_.analysis.color({op, factor});
    if (listed(axis, color) == nullptr) return {};
    const rules::Rule& rule = subject_.rule(op);
    int64_t left = rule.factor(factor).size;
    for (const uint32_t other : axesOf(op, factor)) left /= plan_.mesh.axes[other].size;
    const int64_t size = plan_.mesh.axes[axis].size;
    if (left % size != 0) {
      return "a dim of " + std::to_string(left) + " is not divided by " + axisName(axis) + "=" +
             std::to_string(size);
    }
    if (!rule.canSplit(factor)) return "the op needs that dim whole";
    return "nothing near it gains by the split, so it is given up";
  }

  std::vector<uint32_t> axesOf(OpId op, FactorId factor) const {
    const mesh::AxisList axes = spmd_.assignment.axes(op, factor);
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < axes.size(); ++i) numbers.push_back(axes[i]);
    return numbers;
  }

  // --- collectives ---

  std::string whyMoved(const Instruction& instruction) const {
    const bool sums = instruction.kind == spmd::Kind::kAllReduce ||
                      instruction.kind == spmd::Kind::kReduceScatter;
    // Axes with one reason share a sentence.
    std::vector<std::pair<std::string, std::string>> sentences;
    for (uint32_t i = 0; i < instruction.axes.size(); ++i) {
      const uint32_t axis = instruction.axes[i];
      const auto [before, after] = sums ? whySummed(instruction, axis) : whyHere(instruction, axis);
      std::string sentence = before;
      sentence.append("\n").append(after);
      const auto known =
          std::ranges::find(sentences, sentence, &std::pair<std::string, std::string>::second);
      if (known == sentences.end())
        sentences.emplace_back(axisName(axis), sentence);
      else
        known->first += "+" + axisName(axis);
    }
    std::string text;
    for (const auto& [axes, sentence] : sentences) {
      std::string whole = sentence;
      text += (text.empty() ? "" : "; ") + whole.replace(whole.find('\n'), 1, axes);
    }
    return text;
  }

  // A sentence in two parts; the axis stands between them.
  using Sentence = std::pair<std::string, std::string>;

  Sentence whySummed(const Instruction& instruction, uint32_t axis) const {
    const std::optional<Name> name = summedAt(spmd_.operandsOf(instruction)[0], axis);
    if (!name) return {"devices along ", " hold parts of a sum"};
    return {placeText(name->op) + " sums over " + nameOf(axis, subject_.analysis.color(*name)) +
                ", which ",
            " splits"};
  }

  // The split factor whose terms a partial value still is, passed on by ops that are linear.
  std::optional<Name> summedAt(LocalId local, uint32_t axis) const {
    std::vector<LocalId> open = {local};
    std::set<LocalId> seen = {local};
    while (!open.empty()) {
      const LocalId id = open.back();
      open.pop_back();
      const spmd::InstructionId definition = spmd_.locals[id].definition;
      if (!definition.valid()) continue;
      const Instruction& instruction = spmd_.instructions[definition];
      if (instruction.kind == spmd::Kind::kCompute) {
        if (const auto factor = summedFactor(instruction.op, axis))
          return Name{instruction.op, *factor};
      }
      for (const LocalId operand : spmd_.operandsOf(instruction)) {
        if (spmd_.layouts.partial(spmd_.locals[operand].layout).contains(axis) &&
            seen.insert(operand).second)
          open.push_back(operand);
      }
    }
    return {};
  }

  std::optional<FactorId> summedFactor(OpId op, uint32_t axis) const {
    const rules::Rule& rule = subject_.rule(op);
    for (uint32_t f = 0; f < rule.factorCount(); ++f) {
      if (rule.factor(FactorId(f)).kind == rules::FactorKind::kReduction &&
          spmd_.assignment.axes(op, FactorId(f)).contains(axis))
        return FactorId(f);
    }
    return {};
  }

  // Why the op for which a value is moved does not take it as it is.
  Sentence whyHere(const Instruction& instruction, uint32_t axis) const {
    const OpId user = instruction.op;
    if (const auto pin = pinOf_.find(user); pin != pinOf_.end())
      return {"that is pinned to " + plan::specText(plan_.mesh, *pin->second) + ", whatever ",
              " splits"};
    const FactorId wanted = factorOf(instruction, user);
    if (const auto factor = splitFactor(user, axis)) {
      if (*factor == wanted)
        return {"", " splits the dim inside an axis that goes, and again afterwards"};
      return {"there ", " splits " + winnerText(user, axis, *factor, wanted)};
    }
    if (wanted.valid() && !subject_.rule(user).canSplit(wanted))
      return {"the op needs dim " + std::to_string(instruction.dim) + " whole, and ",
              " splits it before"};
    const auto why = whyUnsplit(user, axis, wanted);
    return why ? Sentence{"there ", " splits nothing: " + *why}
               : Sentence{"there ", " splits nothing that it lists"};
  }

  // "batch/x.0, which comes before params/w1.0".
  std::string winnerText(OpId op, uint32_t axis, FactorId winner, FactorId loser) const {
    const ColorId won = subject_.analysis.color({op, winner});
    const ColorId lost = loser.valid() ? subject_.analysis.color({op, loser}) : ColorId();
    std::string name = nameOf(axis, won);
    const Listed *first = listed(axis, won), *second = listed(axis, lost);
    if (first == nullptr || second == nullptr) return name;
    if (won == lost) return "the other side of " + name;
    return name + (first->place < second->place ? ", which comes before " : ", by a turn before ") +
           second->name;
  }

  std::optional<FactorId> splitFactor(OpId op, uint32_t axis) const {
    for (uint32_t f = 0; f < subject_.rule(op).factorCount(); ++f) {
      if (spmd_.assignment.axes(op, FactorId(f)).contains(axis)) return FactorId(f);
    }
    return {};
  }

  // The factor that the moved dim is to the op which reads the value; invalid if it is none there.
  FactorId factorOf(const Instruction& instruction, OpId user) const {
    const ValueId value = spmd_.locals[spmd_.operandsOf(instruction)[0]].value;
    const auto operands = subject_.program.operands(user);
    const auto found = std::ranges::find(operands, value);
    const rules::Rule& rule = subject_.rule(user);
    const auto tensor = static_cast<size_t>(found - operands.begin());
    if (found == operands.end() || tensor >= rule.operandCount() ||
        instruction.dim >= rule.rank(tensor))
      return {};
    return rule.leading(tensor, instruction.dim);
  }

  const plan::Subject& subject_;
  const plan::Plan& plan_;
  const spmd::SpmdProgram& spmd_;
  const plan::AnalysisNames names_;
  std::map<OpId, const Pin*> pinOf_;
  std::map<std::pair<uint32_t, ColorId>, Listed> listed_;
};

int64_t movedBytes(const spmd::SpmdProgram& spmd, const Instruction& instruction) {
  return std::max(spmd.bytes(spmd.operandsOf(instruction)[0]),
                  spmd.bytes(spmd.result(instruction)));
}

// Arguments and results of layers are one; ops are told apart by source line.
std::string patternOf(const std::string& place) {
  return place.ends_with('`') ? withoutIndices(place) : place;
}

// Adds a collective to those that it agrees with.
class Groups {
 public:
  void add(ExplainedCollective one) {
    const auto key = std::tuple(one.kind, one.axes, one.type, one.from, one.to, patternOf(one.of),
                                patternOf(one.user), one.why);
    const auto [place, isNew] = places_.try_emplace(key, groups_.size());
    if (isNew) return groups_.push_back(std::move(one));
    ExplainedCollective& group = groups_[place->second];
    if (group.of != one.of) group.of = together(group.of, one.of);
    if (group.user != one.user) group.user = together(group.user, one.user);
    group.count += one.count;
    group.bytes += one.bytes;
    group.seconds += one.seconds;
  }

  std::vector<ExplainedCollective> sorted() && {
    std::ranges::stable_sort(groups_, [](const auto& a, const auto& b) {
      return std::pair(a.seconds, a.bytes) > std::pair(b.seconds, b.bytes);
    });
    return std::move(groups_);
  }

 private:
  using Text = std::string;
  std::map<std::tuple<Text, Text, Text, Text, Text, Text, Text, Text>, size_t> places_;
  std::vector<ExplainedCollective> groups_;
};

}  // namespace

Explanation explain(const plan::Subject& subject, const plan::Plan& plan,
                    const spmd::SpmdProgram& spmd, const cost::Estimate* estimate) {
  const Explainer explainer(subject, plan, spmd);
  Explanation explanation{{}, {}, estimate != nullptr};
  for (size_t i = 0; i < spmd.arguments.size(); ++i)
    explanation.arguments.push_back(explainer.argument(i));
  std::map<spmd::InstructionId, double> seconds;
  if (estimate != nullptr) {
    for (const cost::Event& event : estimate->events)
      seconds[event.instruction] = (event.end - event.start).value;
  }
  Groups groups;
  for (uint32_t i = 0; i < spmd.instructions.size(); ++i) {
    const Instruction& instruction = spmd.instructions[spmd::InstructionId(i)];
    if (!spmd::isCollective(instruction.kind)) continue;
    const double weight = subject.program.region(instruction.region).weight;
    ExplainedCollective one = explainer.collective(instruction);
    one.count = weight;
    one.bytes = weight * static_cast<double>(movedBytes(spmd, instruction));
    one.seconds = weight * seconds[spmd::InstructionId(i)];
    groups.add(std::move(one));
  }
  explanation.collectives = std::move(groups).sorted();
  return explanation;
}

}  // namespace shardwright::driver
