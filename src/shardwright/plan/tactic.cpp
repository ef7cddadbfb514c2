#include "shardwright/plan/tactic.h"

#include <algorithm>
#include <map>
#include <set>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/meetings.h"
#include "shardwright/plan/pattern.h"
#include "shardwright/plan/strategies.h"

namespace shardwright::plan {
namespace {

using analysis::ArgumentDim;
using analysis::ColorId;
using program::OpId;

class Applier {
 public:
  Applier(const Subject& subject, const TacticTables& tables, const mesh::Mesh& mesh,
          const TacticOptions& options)
      : subject_(subject), options_(options), tables_(tables) {
    outcome_.plan.mesh = mesh;
  }

  Result<TacticOutcome> run(const std::vector<Tactic>& tactics) {
    for (const Tactic& tactic : tactics) {
      tactic_ = &tactic;
      if (Status failure = apply(tactic)) return about(*failure);
      outcome_.tactics.push_back(tactic.text);
    }
    if (Status failure = finish()) return *failure;
    return std::move(outcome_);
  }

 private:
  struct NamedDim {
    ArgumentDim dim;
    uint32_t axis = 0;
    std::string tactic;
  };

  const mesh::Mesh& mesh() const { return outcome_.plan.mesh; }
  static Diagnostic error(std::string message) { return {std::move(message), {}, {}}; }
  Diagnostic about(Diagnostic diagnostic) const {
    diagnostic.message = "tactic `" + tactic_->text + "`: " + diagnostic.message;
    return diagnostic;
  }
  void say(const std::string& text) { outcome_.words.push_back(tactic_->text + ": " + text); }
  void note(const std::string& text) { outcome_.notes.push_back(tactic_->text + ": " + text); }

  Status apply(const Tactic& tactic) {
    axes_.clear();
    for (const std::string& name : tactic.axes) {
      const Result<uint32_t> axis = axisNumber(mesh(), name);
      if (!axis) return axis.error();
      if (std::ranges::find(axes_, *axis) != axes_.end())
        return error("axis `" + name + "` stands there twice");
      axes_.push_back(*axis);
    }
    switch (tactic.kind) {
      case TacticKind::kShard:
        return takeNamed("");
      case TacticKind::kPin:
        return pin();
      case TacticKind::kTurn:
        return turn();
      case TacticKind::kAuto:
        return search();
      case TacticKind::kRemake:
        return remake();
      case TacticKind::kDataParallel:
        return dataParallel();
      case TacticKind::kMegatron:
        return strategy(chooseMegatron, "hidden");
      case TacticKind::kSequence:
        return sequence();
      case TacticKind::kVocabulary:
        return strategy(chooseVocabulary, "vocabulary");
      case TacticKind::kExpert:
        return strategy(chooseExperts, "experts");
      case TacticKind::kZero3:
        return cover();
      case TacticKind::kZero2:
        return zero2();
    }
    SW_CHECK(false);
    return {};
  }

  // --- what is on which axis ---

  std::vector<ColorId> list(uint32_t axis) const {
    std::vector<ColorId> colors;
    for (const Decision& decision : outcome_.plan.decisions) {
      if (decision.axis == axis)
        colors.insert(colors.end(), decision.colors.begin(), decision.colors.end());
    }
    return colors;
  }

  // The devices over which `color` would be split, were `axis` given to it too.
  int64_t partsOf(ColorId color, uint32_t axis) const {
    int64_t parts = mesh().axes[axis].size;
    for (uint32_t other = 0; other < mesh().axes.size(); ++other) {
      if (other != axis && givenBy_.contains({other, color})) parts *= mesh().axes[other].size;
    }
    return parts;
  }

  // The tactic that put another axis on the colour, if this one alone would divide it.
  std::string crowdedBy(ColorId color, uint32_t axis) const {
    if (subject_.analysis.colors()[color].largest % mesh().axes[axis].size != 0) return "";
    for (uint32_t other = 0; other < mesh().axes.size(); ++other) {
      const auto given = givenBy_.find({other, color});
      if (other != axis && given != givenBy_.end()) return given->second;
    }
    return "";
  }

  bool leavesRoom(ColorId color, uint32_t axis) const {
    for (uint32_t other = 0; other < mesh().axes.size(); ++other) {
      if (other == axis || givenBy_.contains({other, color})) continue;
      const int64_t parts = partsOf(color, axis) * mesh().axes[other].size;
      if (subject_.analysis.colors()[color].largest % parts != 0) return false;
    }
    return true;
  }

  // One decision per class, in the order of the colours; those that the axis has already are left.
  void give(uint32_t axis, const std::vector<ColorId>& colors) {
    std::vector<Decision> decisions;
    std::map<analysis::ClassId, size_t> byClass;
    for (const ColorId color : colors) {
      if (!givenBy_.try_emplace({axis, color}, tactic_->text).second) continue;
      const auto [entry, isNew] =
          byClass.try_emplace(subject_.analysis.colors()[color].classId, decisions.size());
      if (isNew) decisions.push_back({axis, {}});
      decisions[entry->second].colors.push_back(color);
    }
    for (Decision& decision : decisions) outcome_.plan.decisions.push_back(std::move(decision));
  }

  std::string groupText(const std::string& label, const std::vector<ColorId>& colors) const {
    if (!options_.words) return label;
    const std::string what =
        tables_.names.ofColors(colors, 2) +
        (colors.size() == 1 ? "" : "; " + std::to_string(colors.size()) + " colours");
    return label.empty() ? what : label + " (" + what + ")";
  }

  // --- dims that the user names ---

  Result<std::vector<ArgumentDim>> namedDims(const DimPattern& pattern) const {
    const std::vector<uint32_t> found = matchingArguments(subject_.program, pattern.path);
    if (found.empty()) return nothingMatches(pattern.path);
    std::vector<ArgumentDim> dims;
    for (const uint32_t argument : found) {
      const auto rank = static_cast<int64_t>(shape(argument).size());
      const int64_t dim = pattern.dim < 0 ? rank + pattern.dim : pattern.dim;
      if (dim < 0 || dim >= rank) {
        return error(argumentText(argument) + " has " + std::to_string(rank) +
                     (rank == 1 ? " dim" : " dims") + ", so there is no dim " +
                     std::to_string(pattern.dim));
      }
      dims.push_back({argument, static_cast<uint32_t>(dim)});
    }
    return dims;
  }

  Diagnostic nothingMatches(const std::string& pattern) const {
    std::string text;
    for (const std::string& near : nearPatterns(subject_.program, pattern))
      text += (text.empty() ? "; did you mean `" : " or `") + near + "`";
    return error("`" + pattern + "` matches no argument" + text + (text.empty() ? "" : "?"));
  }

  std::span<const int64_t> shape(uint32_t argument) const {
    return subject_.program.shape(subject_.program.arguments()[argument].value);
  }
  std::string argumentText(uint32_t argument) const {
    const program::Argument& entry = subject_.program.arguments()[argument];
    return "argument `" + entry.path + "` " +
           subject_.program.types().str(subject_.program.value(entry.value).type);
  }

  // The colours of dims that the axis must divide.
  Result<std::vector<ColorId>> namedColors(const DimPattern& pattern, uint32_t axis) {
    const Result<std::vector<ArgumentDim>> dims = namedDims(pattern);
    if (!dims) return dims.error();
    std::vector<ColorId> colors;
    for (const ArgumentDim& dim : *dims) {
      const ColorId color = tables_.structure.color(dim);
      const int64_t size = shape(dim.argument)[dim.dim];
      const int64_t parts = color.valid() ? partsOf(color, axis) : mesh().axes[axis].size;
      if (!color.valid() || size % parts != 0) return indivisible(dim, axis, parts);
      if (std::ranges::find(colors, color) == colors.end()) colors.push_back(color);
      namedDims_.push_back({dim, axis, tactic_->text});
    }
    return colors;
  }

  Diagnostic indivisible(const ArgumentDim& dim, uint32_t axis, int64_t parts) const {
    const int64_t axisSize = mesh().axes[axis].size;
    const std::string others = parts == axisSize ? ""
                                                 : " together with those that split it already (" +
                                                       std::to_string(parts) + " parts)";
    return error(argumentText(dim.argument) + ": dim " + std::to_string(dim.dim) + " has size " +
                 std::to_string(shape(dim.argument)[dim.dim]) + ", which axis `" +
                 mesh().axes[axis].name + "` of size " + std::to_string(axisSize) + others +
                 " does not divide");
  }

  Status takeNamed(const std::string& label) {
    if (!std::ranges::is_sorted(axes_)) return otherOrder();
    for (const uint32_t axis : axes_) {
      if (Status failure = giveNamed(axis)) return failure;
    }
    say(groupText(label, taken_));
    return {};
  }

  // Decisions put axes on a dim in the order of the mesh, whatever came first.
  Diagnostic otherOrder() const {
    std::string ordered;
    std::vector<uint32_t> axes = axes_;
    std::ranges::sort(axes);
    for (const uint32_t axis : axes)
      ordered += (ordered.empty() ? "" : "+") + mesh().axes[axis].name;
    return error("axes split a dim in the order of the mesh, " + mesh::str(mesh()) + ": write " +
                 ordered + ", or pin(PATTERN, SPEC) for another order");
  }

  Status giveNamed(uint32_t axis) {
    std::vector<ColorId> colors;
    for (const DimPattern& pattern : tactic_->dims) {
      const Result<std::vector<ColorId>> found = namedColors(pattern, axis);
      if (!found) return found.error();
      for (const ColorId color : *found) {
        const auto given = givenBy_.find({axis, color});
        if (given != givenBy_.end()) {
          return error("`" + pattern.path + "` dim " + std::to_string(pattern.dim) +
                       " is on axis `" + mesh().axes[axis].name + "` already, by `" +
                       given->second + "`");
        }
        if (std::ranges::find(colors, color) == colors.end()) colors.push_back(color);
      }
    }
    give(axis, colors);
    taken_ = std::move(colors);
    return {};
  }

  // --- named strategies ---

  Status strategy(Result<Choice> (*choose)(const StrategyView&), const std::string& label) {
    if (!tactic_->dims.empty()) return takeNamed(label);
    taken_.clear();
    const Result<Choice> choice = choiceOf(choose);
    if (!choice) return choice.error();
    return takeChoice(*choice, axes_[0], "");
  }

  Status dataParallel() {
    if (tactic_->dims.empty()) return strategy(chooseBatch, "batch");
    if (Status failure = giveNamed(axes_[0])) return failure;
    return takeChoice(*choiceOf(chooseJoined), axes_[0], groupText("batch", taken_));
  }

  Result<Choice> choiceOf(Result<Choice> (*choose)(const StrategyView&)) const {
    const uint32_t axis = axes_[0];
    const auto divides = [&, axis](ColorId color, int64_t size) {
      return size > 0 && size % partsOf(color, axis) == 0;
    };
    const auto crowded = [&, axis](ColorId color) { return crowdedBy(color, axis); };
    const auto room = [&, axis](ColorId color) { return leavesRoom(color, axis); };
    return choose({tables_.structure, tables_.names, list(axis), divides, crowded, room});
  }

  // In addition to what is taken already, which `words` name.
  Status takeChoice(const Choice& choice, uint32_t axis, std::string words) {
    std::string refused;
    for (const Choice::Group& group : choice.groups) {
      std::vector<ColorId> colors;
      for (const ColorId color : group.colors) {
        const std::string why = whyNot(color, axis);
        if (why.empty()) colors.push_back(color);
        if (!why.empty() && refused.empty()) refused = why;
        if (!why.empty()) note(why);
      }
      if (colors.empty()) continue;
      words += (words.empty() ? "" : ", ") + groupText(group.label, colors);
      give(axis, colors);
      taken_.insert(taken_.end(), colors.begin(), colors.end());
    }
    for (const std::string& text : choice.notes) note(text);
    outcome_.cut.insert(outcome_.cut.end(), choice.cut.begin(), choice.cut.end());
    if (taken_.empty() && refused.empty()) return error("there is nothing to take");
    if (taken_.empty())
      return error(refused + "; if another dim is meant, name it, as in PATTERN:1");
    say(words);
    return {};
  }

  // Empty if the axis can take the colour.
  std::string whyNot(ColorId color, uint32_t axis) const {
    const std::string axisText =
        "axis `" + mesh().axes[axis].name + "` of size " + std::to_string(mesh().axes[axis].size);
    const auto given = givenBy_.find({axis, color});
    if (given != givenBy_.end())
      return tables_.names.of(color) + " is on " + axisText + " already, by `" + given->second +
             "`";
    const analysis::Color& entry = subject_.analysis.colors()[color];
    const int64_t parts = partsOf(color, axis);
    for (const ArgumentDim& dim : entry.argumentDims) {
      if (shape(dim.argument)[dim.dim] % parts == 0) return "";
    }
    if (entry.largest % parts == 0) return "";
    if (!entry.argumentDims.empty()) return indivisible(entry.argumentDims[0], axis, parts).message;
    return tables_.names.of(color) + " has size " + std::to_string(entry.largest) + ", which " +
           axisText + " does not divide";
  }

  Status sequence() {
    if (Status failure = strategy(chooseSequence, "sequence")) return failure;
    const Side side = tactic_->side.value_or(Side::kQuery);
    const std::vector<analysis::SetId> sets = setsToTurn(subject_, taken_, side);
    if (!sets.empty()) outcome_.plan.resolutions.push_back({axes_[0], sets});
    size_t all = 0;
    for (const analysis::CompatibilitySet& set : subject_.analysis.sets())
      all += std::ranges::find(taken_, set.color) != taken_.end() ? 1 : 0;
    if (all > 0) {
      outcome_.words.back() +=
          std::string(", attention on the ") + (side == Side::kQuery ? "query" : "key") + " side";
    } else if (tactic_->side) {
      note("the sequence does not meet itself, so there is no side to choose");
    }
    return {};
  }

  // Named dims of inputs are the batch, and the state is found all the same; named dims of state
  // alone are all that is split.
  Status cover() {
    if (tactic_->dims.empty()) return strategy(chooseCover, "state");
    if (!namesAnInput()) return takeNamed("state");
    if (Status failure = giveNamed(axes_[0])) return failure;
    const std::string words = groupText("batch", taken_);
    Choice choice = *choiceOf(chooseJoined);
    const Result<Choice> state = choiceOf(chooseCover);
    if (!state) note(state.error().message);
    if (state)
      choice.groups.insert(choice.groups.end(), state->groups.begin(), state->groups.end());
    if (state) choice.notes = state->notes;
    return takeChoice(choice, axes_[0], words);
  }

  bool namesAnInput() const {
    for (const DimPattern& pattern : tactic_->dims) {
      for (const uint32_t argument : matchingArguments(subject_.program, pattern.path)) {
        if (!tables_.structure.isModelState(argument)) return true;
      }
    }
    return false;
  }

  Status zero2() {
    if (Status failure = cover()) return failure;
    wholeAxes_.add(axes_[0]);
    outcome_.words.back() += "; parameters whole along it between steps";
    return {};
  }

  // --- the rest ---

  Status remake() {
    outcome_.plan.remakeGap = tactic_->gap;
    say("gathered copies are made again when more than " + std::to_string(tactic_->gap) +
        " ops lie between two uses");
    return {};
  }

  Status search() {
    if (!options_.search)
      return error("needs a search; name the dims, or use a command that searches");
    Result<std::string> words = options_.search(subject_, outcome_.plan, axes_);
    if (!words) return words.error();
    for (const Decision& decision : outcome_.plan.decisions) {
      for (const ColorId color : decision.colors)
        givenBy_.try_emplace({decision.axis, color}, tactic_->text);
    }
    say(*words);
    return {};
  }

  Status turn() {
    const uint32_t axis = axes_[0];
    std::vector<ColorId> sides[2];
    for (size_t i = 0; i < 2; ++i) {
      const Result<std::vector<ArgumentDim>> dims = namedDims(tactic_->dims[i]);
      if (!dims) return dims.error();
      for (const ArgumentDim& dim : *dims) {
        const ColorId color = tables_.structure.color(dim);
        const bool listed = std::ranges::find(sides[i], color) != sides[i].end();
        if (color.valid() && !listed && givenBy_.contains({axis, color})) sides[i].push_back(color);
      }
      if (sides[i].empty()) {
        return error("no dim of `" + tactic_->dims[i].path + "` is on axis `" +
                     mesh().axes[axis].name +
                     "` yet; a turn comes after the tactics that put it there");
      }
    }
    return turnBetween(axis, sides[0], sides[1]);
  }

  Status turnBetween(uint32_t axis, const std::vector<ColorId>& winners,
                     const std::vector<ColorId>& losers) {
    size_t ops = 0;
    const Meetings meetings(subject_);
    for (const ColorId winner : winners) {
      for (const ColorId loser : losers) {
        for (const MeetingSet* set : meetings.between(winner, loser)) {
          ops += set->ops.size();
          outcome_.plan.turns.push_back({axis, winner, set->ops});
        }
      }
    }
    if (ops == 0) return error("the two dims do not meet in any op");
    say(groupText("", winners) + " before " + groupText("", losers) + " at " + std::to_string(ops) +
        " ops");
    return {};
  }

  Status pin() {
    const std::vector<uint32_t> arguments = matchingArguments(subject_.program, tactic_->pinned);
    const std::vector<uint32_t> results = matchingResults(subject_.program, tactic_->pinned);
    if (arguments.empty() && results.empty()) return nothingMatches(tactic_->pinned);
    for (const uint32_t i : arguments) {
      const program::Argument& argument = subject_.program.arguments()[i];
      const OpId op = subject_.program.value(argument.value).definition;
      if (Status failure = pinOp(op, argument.value, argumentText(i))) return failure;
    }
    for (const uint32_t i : results) {
      const program::ProgramResult& result = subject_.program.results()[i];
      const program::ValueId value = subject_.program.operands(result.returnOp)[0];
      const std::string text = "result `" + result.path + "`";
      if (Status failure = pinOp(result.returnOp, value, text)) return failure;
    }
    say(std::to_string(arguments.size() + results.size()) +
        (arguments.size() + results.size() == 1 ? " value" : " values"));
    return {};
  }

  Status pinOp(OpId op, program::ValueId value, const std::string& what) {
    Result<std::vector<mesh::AxisList>> dims =
        resolveSpec(mesh(), tactic_->spec, subject_.program.shape(value).size());
    if (!dims) return error(what + ": " + dims.error().message);
    const Pin pin{op, 0, std::move(*dims), tactic_->spec.open};
    const auto [entry, isNew] = pinnedBy_.try_emplace(op, tactic_->text, pin);
    if (!entry->second.second.agrees(pin)) {
      return error(what + " is pinned to " + specText(mesh(), entry->second.second) + " by `" +
                   entry->second.first + "` and to " + specText(mesh(), pin) + " here");
    }
    if (isNew) outcome_.plan.pins.push_back(pin);
    return {};
  }

  // --- once all tactics are there ---

  Status finish() {
    if (options_.keepStated) {
      if (Status failure = addStated()) return failure;
    }
    if (Status failure = checkPlan(subject_, outcome_.plan)) return failure;
    keepParametersWhole();
    for (const NamedDim& named : namedDims_) {
      if (Status failure = checkAgainstPins(named)) return failure;
    }
    if (Status failure = checkPlan(subject_, outcome_.plan)) return failure;
    noteNamedDimsThatStayWhole();
    return {};
  }

  Status addStated() {
    Result<std::vector<StatedPin>> stated = statedPins(subject_, mesh());
    if (!stated) return stated.error();
    std::vector<std::string> kept;
    for (auto& [pin, what] : *stated) {
      if (pin.result == 0 && (pinnedBy_.contains(pin.op) || yields(pin))) continue;
      if (pin.result == 0) pinnedBy_.try_emplace(pin.op, "the module's own sharding", pin);
      outcome_.plan.pins.push_back(std::move(pin));
      if (!what.empty()) kept.push_back(what);
    }
    if (!kept.empty()) outcome_.notes.push_back(keptText(kept));
    return {};
  }

  // "3 shardings that the module states are kept: argument `x`, argument `y`, …".
  static std::string keptText(const std::vector<std::string>& kept) {
    static constexpr size_t kMost = 2;
    std::string text = kept.size() == 1 ? "1 sharding that the module states is kept: "
                                        : std::to_string(kept.size()) +
                                              " shardings that the module states are kept: ";
    for (size_t i = 0; i < std::min(kMost, kept.size()); ++i)
      text += (i == 0 ? "" : ", ") + kept[i];
    return text + (kept.size() > kMost ? ", …" : "");
  }

  // A constraint behind an argument says how it goes on. How it comes is for tactics to say.
  bool yields(const Pin& pin) const {
    return std::ranges::any_of(namedDims_, [&](const NamedDim& named) {
      const program::Argument& argument = subject_.program.arguments()[named.dim.argument];
      return !argument.sharding && subject_.program.value(argument.value).definition == pin.op &&
             !mayHave(pin, named.dim.dim, named.axis);
    });
  }

  // The law's layout of each parameter and of its next value, less the axes of zero2. Frozen
  // vectors have the state's dims as well, and would be gathered at each step.
  void keepParametersWhole() {
    if (wholeAxes_.empty()) return;
    const Assignment assignment = assign(subject_, tables_.patterns, outcome_.plan);
    const auto& next = tables_.nextValues;
    for (uint32_t i = 0; i < next.size(); ++i) {
      const OpId op = subject_.program.value(subject_.program.arguments()[i].value).definition;
      const bool keep = tables_.structure.isWeight(i) || tables_.structure.isFrozenVector(i);
      if (!keep || pinnedBy_.contains(op)) continue;
      const std::vector<mesh::AxisList> dims = lessWholeAxes(assignment, op);
      setPin(op, dims);
      if (next[i]) setPin(subject_.program.results()[*next[i]].returnOp, dims);
    }
  }

  std::vector<mesh::AxisList> lessWholeAxes(const Assignment& assignment, OpId op) const {
    std::vector<mesh::AxisList> dims(subject_.rule(op).rank(0));
    for (size_t d = 0; d < dims.size(); ++d) {
      const mesh::AxisList axes = dimAxes(subject_.rule(op), assignment.axes(op), 0, d);
      for (uint32_t i = 0; i < axes.size(); ++i) {
        if (!wholeAxes_.contains(axes[i])) dims[d].append(axes[i]);
      }
    }
    return dims;
  }

  void setPin(OpId op, const std::vector<mesh::AxisList>& dims) {
    const Pin pin{op, 0, dims};
    if (pinnedBy_.try_emplace(op, "zero2", pin).second) outcome_.plan.pins.push_back(pin);
  }

  static bool mayHave(const Pin& pin, size_t dim, uint32_t axis) {
    if (pin.dims[dim].contains(axis)) return true;
    return pin.isOpen(dim) &&
           std::ranges::none_of(pin.dims, [&](mesh::AxisList of) { return of.contains(axis); });
  }

  Status checkAgainstPins(const NamedDim& named) const {
    const program::ValueId value = subject_.program.arguments()[named.dim.argument].value;
    const auto pin = pinnedBy_.find(subject_.program.value(value).definition);
    if (pin == pinnedBy_.end() || mayHave(pin->second.second, named.dim.dim, named.axis)) return {};
    return error("tactics `" + named.tactic + "` and `" + pin->second.first +
                 "` contradict each other: " + argumentText(named.dim.argument) + " dim " +
                 std::to_string(named.dim.dim) + " is given to axis `" +
                 mesh().axes[named.axis].name + "` by the first and pinned to " +
                 specText(mesh(), pin->second.second) + " by the second");
  }

  // An axis splits one dim of an argument. Where two are named, the second still says where the
  // axis goes at ops that lack the first, but not what its tactic seems to say.
  void noteNamedDimsThatStayWhole() {
    if (namedDims_.empty()) return;
    const Assignment assignment = assign(subject_, tables_.patterns, outcome_.plan);
    std::vector<std::pair<std::string, size_t>> notes;  // One per tactic, and for how many more.
    std::set<std::string> said;
    for (const NamedDim& named : namedDims_) {
      const std::optional<uint32_t> other = dimWithAxis(assignment, named.dim.argument, named.axis);
      if (!other || *other == named.dim.dim) continue;
      const std::string& axis = mesh().axes[named.axis].name;
      if (!said.insert(named.tactic + "/" + axis).second) {
        ++notes.back().second;
        continue;
      }
      notes.emplace_back("`" + named.tactic + "`: " + argumentText(named.dim.argument) + " dim " +
                             std::to_string(named.dim.dim) + " stays whole along `" + axis +
                             "`: dim " + std::to_string(*other) + " has it",
                         0);
    }
    for (const auto& [note, more] : notes) {
      outcome_.notes.push_back(
          more == 0 ? note : note + " (and so do " + std::to_string(more) + " other dims)");
    }
  }

  std::optional<uint32_t> dimWithAxis(const Assignment& assignment, uint32_t argument,
                                      uint32_t axis) const {
    const program::ValueId value = subject_.program.arguments()[argument].value;
    const OpId op = subject_.program.value(value).definition;
    const rules::Rule& rule = subject_.rule(op);
    for (uint32_t d = 0; d < rule.rank(0); ++d) {
      if (dimAxes(rule, assignment.axes(op), 0, d).contains(axis)) return d;
    }
    return {};
  }

  const Subject& subject_;
  const TacticOptions& options_;
  const TacticTables& tables_;
  TacticOutcome outcome_;
  const Tactic* tactic_ = nullptr;
  std::vector<uint32_t> axes_;                                   // Of the tactic at hand.
  std::vector<ColorId> taken_;                                   // By the tactic at hand.
  std::map<std::pair<uint32_t, ColorId>, std::string> givenBy_;  // (axis, colour) -> tactic.
  std::map<OpId, std::pair<std::string, Pin>> pinnedBy_;
  std::vector<NamedDim> namedDims_;
  mesh::AxisSet wholeAxes_;  // Of zero2.
};

}  // namespace

Result<TacticOutcome> applyTactics(const Subject& subject, const mesh::Mesh& mesh,
                                   const std::vector<Tactic>& tactics,
                                   const TacticOptions& options) {
  return applyTactics(subject, TacticTables(subject), mesh, tactics, options);
}

Result<TacticOutcome> applyTactics(const Subject& subject, const TacticTables& tables,
                                   const mesh::Mesh& mesh, const std::vector<Tactic>& tactics,
                                   const TacticOptions& options) {
  return Applier(subject, tables, mesh, options).run(tactics);
}

}  // namespace shardwright::plan
