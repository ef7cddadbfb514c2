// Known strategies as paths of actions.
#include <algorithm>
#include <map>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/names.h"
#include "shardwright/search/plan_problem.h"

namespace shardwright::search {

using analysis::ColorId;
using analysis::SetId;

namespace {

bool contains(const std::vector<ColorId>& colors, ColorId color) {
  return std::ranges::find(colors, color) != colors.end();
}

bool containsAll(const std::vector<ColorId>& colors, const std::vector<ColorId>& others) {
  return std::ranges::all_of(others, [&](ColorId color) { return contains(colors, color); });
}

std::vector<SetId> sortedSeconds(const plan::Plan& plan, uint32_t axis) {
  std::vector<SetId> sets;
  for (const plan::Resolution& resolution : plan.resolutions) {
    if (resolution.axis == axis)
      sets.insert(sets.end(), resolution.sets.begin(), resolution.sets.end());
  }
  std::ranges::sort(sets);
  return sets;
}

}  // namespace

// Experts that actions can express become paths of them; the others are actions of their own.
void PlanProblem::addStarts(std::vector<Expert> experts) {
  const uint32_t slot = UINT32_MAX;
  for (const Expert& expert : experts) addSmallGives(expert.plan);
  for (Expert& expert : experts) {
    const int64_t bytes = argumentBytes(expert.plan);
    std::optional<Path> path = pathOf(expert.plan);
    if (!path) {
      Action action;
      action.kind = ActionKind::kStart;
      action.slot = slot;
      action.start = std::move(expert.plan);
      action.words = expert.name;
      path = Path{actions_.push(std::move(action))};
    }
    suggestions_.push_back({std::move(expert.name), std::move(*path), bytes});
  }
}

// What the arguments take on each device, at least.
int64_t PlanProblem::argumentBytes(const plan::Plan& plan) const {
  const plan::Assignment assignment = plan::assign(subject_, opPatterns_, plan);
  int64_t bytes = 0;
  for (const program::Argument& argument : subject_.program.arguments()) {
    const program::Value& value = subject_.program.value(argument.value);
    const int64_t parts = mesh::deviceCount(plan.mesh, assignment.used(value.definition));
    bytes += subject_.program.types().bytes(value.type) / parts;
  }
  return bytes;
}

// What a strategy gives and no action does: classes that touch too little to be searched. As
// actions that `legal` does not offer they can be taken from the strategy and be moved.
void PlanProblem::addSmallGives(const plan::Plan& plan) {
  for (size_t i = frame_.before.decisions.size(); i < plan.decisions.size(); ++i) {
    const plan::Decision& decision = plan.decisions[i];
    const Path there = findGives(decision, plan);
    std::map<analysis::ClassId, std::vector<ColorId>> missing;
    for (const ColorId color : decision.colors) {
      const auto gives = [&](ActionId id) { return contains(action(id).colors, color); };
      if (std::ranges::none_of(there, gives))
        missing[subject_.analysis.colors()[color].classId].push_back(color);
    }
    const std::vector<SetId> seconds = sortedSeconds(plan, decision.axis);
    for (auto& [id, colors] : missing) addSmallGive(decision.axis, std::move(colors), seconds);
  }
}

void PlanProblem::addSmallGive(uint32_t axis, std::vector<ColorId> colors,
                               const std::vector<SetId>& seconds) {
  Action give;
  give.axis = axis;
  std::ranges::copy_if(seconds, std::back_inserter(give.seconds), [&](SetId set) {
    return contains(colors, subject_.analysis.sets()[set].color);
  });
  const plan::AnalysisNames names(subject_.program, subject_.rules, subject_.analysis);
  give.words = names.ofColors(colors, 1) + " on " + frame_.before.mesh.axes[axis].name;
  give.colors = std::move(colors);
  give.slot = slotOf(give);
  actions_.push(std::move(give));
}

// That of what gives the same with other sides, or one that no action has.
uint32_t PlanProblem::slotOf(const Action& give) const {
  uint32_t next = 0;
  for (const Action& other : actions_) {
    if (other.kind == ActionKind::kGive && other.axis == give.axis && other.colors == give.colors)
      return other.slot;
    if (other.kind != ActionKind::kStart) next = std::max(next, other.slot + 1);
  }
  return next;
}

// Whether the action turns the same sets of its colours as a plan.
bool PlanProblem::agrees(const Action& give, const std::vector<SetId>& seconds) const {
  std::vector<SetId> mine, theirs = give.seconds;
  std::ranges::copy_if(seconds, std::back_inserter(mine), [&](SetId set) {
    return contains(give.colors, subject_.analysis.sets()[set].color);
  });
  std::ranges::sort(theirs);
  return mine == theirs;
}

// The action that gives what a decision does, or those that give parts of it.
Path PlanProblem::findGives(const plan::Decision& decision, const plan::Plan& plan) const {
  const std::vector<SetId> seconds = sortedSeconds(plan, decision.axis);
  Path parts;
  for (uint32_t i = 0; i < actions_.size(); ++i) {
    const ActionId id(i);
    const Action& give = action(id);
    const bool fits = give.kind == ActionKind::kGive && give.axis == decision.axis;
    if (!fits || !agrees(give, seconds)) continue;
    if (containsAll(give.colors, decision.colors)) return {id};
    if (containsAll(decision.colors, give.colors)) parts.push_back(id);
  }
  return parts;
}

std::optional<Path> PlanProblem::pathOf(const plan::Plan& plan) const {
  Path path;
  for (size_t i = frame_.before.decisions.size(); i < plan.decisions.size(); ++i) {
    for (const ActionId id : findGives(plan.decisions[i], plan)) {
      if (mayJoin(path, id)) path.push_back(id);
    }
  }
  if (plan.remakeGap && !frame_.before.remakeGap) {
    const auto same = [&](ActionId id) {
      return action(id).kind == ActionKind::kRemake && action(id).gap == *plan.remakeGap;
    };
    const auto found = std::ranges::find_if(tree_, same);
    if (found == tree_.end()) return {};
    path.push_back(*found);
  }
  if (!samePlan(searchedPlan(path), plan)) return {};
  return path;
}

// Plans that split every op alike and have the same pins.
bool PlanProblem::samePlan(const plan::Plan& a, const plan::Plan& b) const {
  if (a.pins.size() != b.pins.size() || a.turns.size() != b.turns.size()) return false;
  return a.remakeGap == b.remakeGap &&
         plan::assign(subject_, opPatterns_, a) == plan::assign(subject_, opPatterns_, b);
}

}  // namespace shardwright::search
