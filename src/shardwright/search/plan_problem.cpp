#include "shardwright/search/plan_problem.h"

#include <algorithm>
#include <bit>
#include <map>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/names.h"
#include "shardwright/plan/roles.h"
#include "shardwright/search/neighbours.h"

namespace shardwright::search {

using analysis::ColorId;
using analysis::SetId;
using program::OpId;

namespace {

// Of the places where classes meet, so many of the largest may be turned.
constexpr size_t kMostMeetings = 64;

bool isListed(const plan::Plan& plan, uint32_t axis, ColorId color) {
  return std::ranges::any_of(plan.decisions, [&](const plan::Decision& decision) {
    return decision.axis == axis &&
           std::ranges::find(decision.colors, color) != decision.colors.end();
  });
}

// Adds a decision, less what the axis has already.
void give(plan::Plan& plan, uint32_t axis, const std::vector<ColorId>& colors) {
  plan::Decision decision{axis, {}};
  std::ranges::copy_if(colors, std::back_inserter(decision.colors),
                       [&](ColorId color) { return !isListed(plan, axis, color); });
  if (!decision.colors.empty()) plan.decisions.push_back(std::move(decision));
}

// Each text once, in the order of their first places, with how often it is there.
std::vector<std::string> counted(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  std::map<std::string, size_t> counts;
  for (const std::string& text : texts) {
    if (++counts[text] == 1) result.push_back(text);
  }
  for (std::string& text : result) {
    if (const size_t count = counts[text]; count > 1)
      text += " (" + std::to_string(count) + " classes)";
  }
  return result;
}

void append(plan::Plan& plan, const plan::Plan& more) {
  for (const plan::Decision& decision : more.decisions) give(plan, decision.axis, decision.colors);
  plan.resolutions.insert(plan.resolutions.end(), more.resolutions.begin(), more.resolutions.end());
  plan.turns.insert(plan.turns.end(), more.turns.begin(), more.turns.end());
  plan.pins.insert(plan.pins.end(), more.pins.begin(), more.pins.end());
  if (more.remakeGap) plan.remakeGap = more.remakeGap;
}

}  // namespace

PlanProblem::PlanProblem(const plan::Subject& subject, Frame frame, std::vector<Expert> experts,
                         const PlanEvaluator& evaluator, const ProblemOptions& options)
    : subject_(subject),
      opPatterns_(subject),
      frame_(std::move(frame)),
      evaluator_(evaluator),
      nextValues_(plan::stateResults(subject)) {
  addActions(options);
  addStarts(std::move(experts));
  makePatterns();
  findMeetings();
  findRelatives();
}

void PlanProblem::addActions(const ProblemOptions& options) {
  const mesh::Mesh& mesh = frame_.before.mesh;
  const auto make = options.argumentActions ? argumentActions : classActions;
  const plan::Structure structure(subject_);
  ActionSpace space = make(structure, mesh, options.actions);
  leftOut_ = counted(space.leftOut);
  uint32_t slots = 0;
  for (Action& action : space.actions) {
    if (action.kind == ActionKind::kGive) slots = std::max(slots, action.slot + 1);
    tree_.push_back(actions_.push(std::move(action)));
  }
  if (options.argumentActions) return;
  if (!frame_.before.remakeGap && !frame_.after.remakeGap) addRemakes(slots++);
  for (Action& action : wholeActions(structure, mesh, options.actions).actions) {
    action.slot = slots++;
    variants_.push_back(actions_.push(std::move(action)));
  }
  if (options.turns) addTurns(options.actions.axes, slots);
}

// The tree has the one that saves most memory; refinement and walks exchange it for others.
void PlanProblem::addRemakes(uint32_t slot) {
  for (const uint32_t gap : remakeGaps(subject_)) {
    Action action;
    action.kind = ActionKind::kRemake;
    action.slot = slot;
    action.gap = gap;
    action.words = "gathered copies are made again after " + std::to_string(gap) + " ops";
    std::vector<ActionId>& list = remakes_.empty() ? tree_ : variants_;
    remakes_.push_back(actions_.push(std::move(action)));
    list.push_back(remakes_.back());
  }
}

void PlanProblem::addTurns(const std::vector<uint32_t>& axes, uint32_t firstSlot) {
  meetings_ = meetingClasses(subject_);
  if (meetings_.size() > kMostMeetings) {
    leftOut_.push_back(std::to_string(meetings_.size() - kMostMeetings) + " of " +
                       std::to_string(meetings_.size()) +
                       " places where classes meet are not turned");
    meetings_.resize(kMostMeetings);
  }
  findSharedOps();
  const plan::AnalysisNames names(subject_.program, subject_.rules, subject_.analysis);
  for (uint32_t i = 0; i < meetings_.size(); ++i) {
    for (const uint32_t axis : axes) {
      const uint32_t slot = firstSlot++;
      for (const bool firstWins : {true, false}) {
        const MeetingClass& meeting = meetings_[i];
        Action action;
        action.kind = ActionKind::kTurn;
        action.axis = axis;
        action.slot = slot;
        action.meeting = i;
        action.firstWins = firstWins;
        action.words = names.of(firstWins ? meeting.first : meeting.second, 1) + " before " +
                       names.of(firstWins ? meeting.second : meeting.first, 1) + " on " +
                       frame_.before.mesh.axes[axis].name + " at " +
                       plan::opText(subject_.program, meeting.sets[0].ops[0]);
        if (!contradictsFrame(action)) variants_.push_back(actions_.push(std::move(action)));
      }
    }
  }
}

std::optional<size_t> PlanProblem::placeOf(const Path& path, uint32_t axis,
                                           analysis::ClassId id) const {
  for (size_t i = 0; i < path.size(); ++i) {
    const Action& step = action(path[i]);
    if (step.kind != ActionKind::kGive || step.axis != axis) continue;
    if (subject_.analysis.colors()[step.colors[0]].classId == id) return i;
  }
  return {};
}

analysis::ClassId PlanProblem::winner(const Action& turn) const {
  const MeetingClass& meeting = meetings_[turn.meeting];
  return turn.firstWins ? meeting.first : meeting.second;
}

void PlanProblem::findSharedOps() {
  std::map<OpId, std::vector<size_t>> meetingsAt;
  for (size_t i = 0; i < meetings_.size(); ++i) {
    for (const plan::MeetingSet& set : meetings_[i].sets) {
      for (const OpId op : set.ops) meetingsAt[op].push_back(i);
    }
  }
  sharesOps_.assign(meetings_.size() * meetings_.size(), 0);
  for (const auto& [op, here] : meetingsAt) {
    for (const size_t a : here) {
      for (const size_t b : here) sharesOps_[a * meetings_.size() + b] = 1;
    }
  }
}

bool PlanProblem::contradict(const Action& a, const Action& b) const {
  if (a.kind != ActionKind::kTurn || b.kind != ActionKind::kTurn || a.axis != b.axis) return false;
  return winner(a) != winner(b) && sharesOps_[a.meeting * meetings_.size() + b.meeting];
}

// Turns that the frame has come first.
bool PlanProblem::contradictsFrame(const Action& turn) const {
  const auto against = [&](const plan::Turn& other) {
    if (other.axis != turn.axis) return false;
    if (subject_.analysis.colors()[other.winner].classId == winner(turn)) return false;
    const auto& sets = meetings_[turn.meeting].sets;
    return std::ranges::any_of(sets, [&](const plan::MeetingSet& set) {
      return std::ranges::any_of(
          set.ops, [&](OpId op) { return std::ranges::find(other.ops, op) != other.ops.end(); });
    });
  };
  return std::ranges::any_of(frame_.before.turns, against) ||
         std::ranges::any_of(frame_.after.turns, against);
}

// A turn changes something only if the class that is to win comes later in the list.
bool PlanProblem::applies(const Path& path, const Action& turn) const {
  const MeetingClass& meeting = meetings_[turn.meeting];
  const auto first = placeOf(path, turn.axis, meeting.first);
  const auto second = placeOf(path, turn.axis, meeting.second);
  return first && second && (turn.firstWins ? *second < *first : *first < *second);
}

void PlanProblem::makePatterns() {
  std::vector<const plan::Plan*> plans = {&frame_.before, &frame_.after};
  // Actions as plans, so that groups respect them too.
  std::vector<plan::Plan> given;
  for (const Action& action : actions_) {
    if (action.kind != ActionKind::kGive) continue;
    plan::Plan plan;
    plan.decisions.push_back({action.axis, action.colors});
    if (!action.seconds.empty()) plan.resolutions.push_back({action.axis, action.seconds});
    given.push_back(std::move(plan));
  }
  for (const plan::Plan& plan : given) plans.push_back(&plan);
  for (const Action& action : actions_) {
    if (action.kind == ActionKind::kStart) plans.push_back(&action.start);
  }
  patterns_ = std::make_unique<Patterns>(subject_, frame_.before.mesh, plans);
}

void PlanProblem::findMeetings() {
  const size_t count = actions_.size();
  meets_.assign(count * count, 0);
  std::vector<std::vector<GroupId>> groups(count);
  for (uint32_t i = 0; i < count; ++i) {
    for (const ColorId color : actions_[ActionId(i)].colors) {
      const GroupId group = patterns_->group(color);
      if (std::ranges::find(groups[i], group) == groups[i].end()) groups[i].push_back(group);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t j = 0; j < count; ++j) {
      const Action &a = actions_[ActionId(i)], &b = actions_[ActionId(j)];
      if (a.axis != b.axis) continue;
      for (const GroupId x : groups[i]) {
        for (const GroupId y : groups[j])
          meets_[i * count + j] =
              static_cast<char>(meets_[i * count + j] || patterns_->meet(x, y, a.axis));
      }
    }
  }
}

void PlanProblem::findRelatives() {
  std::map<std::vector<ColorId>, std::vector<ActionId>> byColors;
  for (uint32_t i = 0; i < actions_.size(); ++i) {
    const Action& action = actions_[ActionId(i)];
    if (action.kind == ActionKind::kGive) byColors[action.colors].push_back(ActionId(i));
  }
  relatives_.resize(actions_.size());
  const auto relate = [&](const std::vector<ActionId>& alike) {
    for (const ActionId id : alike) {
      std::ranges::copy_if(alike, std::back_inserter(relatives_[id]),
                           [&](ActionId other) { return other != id; });
    }
  };
  for (const auto& [colors, alike] : byColors) relate(alike);
  relate(remakes_);
}

Path PlanProblem::steps(ActionId id) const {
  if (action(id).kind != ActionKind::kTogether) return {id};
  Path result;
  for (const uint32_t place : action(id).together) result.push_back(tree_[place]);
  return result;
}

// In the order given, each once.
Path PlanProblem::flat(const Path& path) const {
  Path result;
  for (const ActionId id : path) {
    for (const ActionId step : steps(id)) {
      if (!action(id).coarse || mayJoin(result, step)) result.push_back(step);
    }
  }
  return result;
}

bool PlanProblem::commute(ActionId a, ActionId b) const {
  return meets_[a.index() * actions_.size() + b.index()] == 0;
}

bool PlanProblem::excludes(ActionId a, ActionId b) const {
  const auto isTogether = [&](ActionId id) { return action(id).kind == ActionKind::kTogether; };
  if (!isTogether(a) && !isTogether(b))
    return action(a).slot == action(b).slot || contradict(action(a), action(b));
  // Of several classes some may be there already.
  if (action(a).coarse || action(b).coarse) return a == b;
  const Path mine = steps(a), theirs = steps(b);
  return std::ranges::any_of(mine, [&](ActionId x) {
    return std::ranges::any_of(theirs,
                               [&](ActionId y) { return action(x).slot == action(y).slot; });
  });
}

uint32_t PlanProblem::group(ActionId id) const {
  uint32_t axes = 0;
  for (const ActionId step : steps(id)) {
    if (action(step).kind != ActionKind::kGive)
      return mesh::kMostAxes + static_cast<uint32_t>(action(step).kind);
    axes |= 1u << action(step).axis;
  }
  constexpr uint32_t kKinds = 8;
  return std::has_single_bit(axes) ? static_cast<uint32_t>(std::countr_zero(axes))
                                   : mesh::kMostAxes + kKinds + axes;
}

AxisLists PlanProblem::listsOf(const plan::Plan& plan) const {
  AxisLists lists = patterns_->emptyLists();
  patterns_->addTo(lists, plan.decisions, plan.resolutions);
  return lists;
}

bool PlanProblem::hasEffect(const Path& path, const AxisLists& lists, ActionId id) const {
  // Without decisions nothing is gathered.
  if (action(id).kind == ActionKind::kRemake)
    return !path.empty() || !frame_.before.decisions.empty();
  AxisLists more = lists;
  std::vector<GroupId> groups;
  for (const ActionId step : steps(id)) {
    const Action& given = action(step);
    // What the frame has put on the axis stays as it is, its resolution too.
    const bool there = std::ranges::all_of(given.colors, [&](ColorId color) {
      return lists.rank(given.axis, patterns_->group(color)) != AxisLists::kNotListed;
    });
    if (there && action(id).coarse) continue;
    if (there) return false;
    for (const ColorId color : given.colors) {
      const GroupId group = patterns_->group(color);
      if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
      more.give(given.axis, group);
    }
    for (const SetId set : given.seconds) more.turnToSecond(given.axis, patterns_->setGroup(set));
  }
  return patterns_->differ(lists, more, groups);
}

std::vector<ActionId> PlanProblem::legal(const Path& path) const {
  const AxisLists lists = listsOf(searchedPlan(path));
  std::vector<ActionId> result;
  for (const ActionId id : tree_) {
    if (mayJoin(path, id) && hasEffect(path, lists, id)) result.push_back(id);
  }
  return result;
}

Key PlanProblem::key(const Path& path) const {
  plan::Plan plan = searchedPlan(path);
  append(plan, frame_.after);
  Key key = patterns_->assign(listsOf(plan));
  key.push_back(plan.remakeGap ? *plan.remakeGap + 1 : 0);
  std::vector<uint64_t> others;
  for (const ActionId id : path) {
    const bool pinned = action(id).kind == ActionKind::kWhole ||
                        action(id).kind == ActionKind::kTurn ||
                        (action(id).kind == ActionKind::kStart &&
                         !(action(id).start.pins.empty() && action(id).start.turns.empty()));
    if (pinned) others.push_back(id.index());
  }
  std::ranges::sort(others);
  key.insert(key.end(), others.begin(), others.end());
  if (!plan.turns.empty()) addOrder(key, path);
  return key;
}

// What loses wherever classes meet may win where a turn says so, and behind it the order of others
// shows: with turns the lists themselves count, and not only what they make of ops without.
void PlanProblem::addOrder(Key& key, const Path& path) const {
  for (const ActionId id : canonical(path)) {
    if (action(id).kind == ActionKind::kGive) key.push_back(id.index());
  }
}

plan::Plan PlanProblem::searchedPlan(const Path& given) const {
  const Path path = flat(given);
  const auto start =
      std::ranges::find(path, ActionKind::kStart, [&](ActionId id) { return action(id).kind; });
  plan::Plan plan = start != path.end() ? action(*start).start : frame_.before;
  for (const ActionId id : path) {
    const Action& step = action(id);
    if (step.kind == ActionKind::kRemake) plan.remakeGap = step.gap;
    if (step.kind == ActionKind::kTurn) {
      const std::vector<plan::Turn> turns =
          turnsOf(meetings_[step.meeting], step.axis, step.firstWins);
      plan.turns.insert(plan.turns.end(), turns.begin(), turns.end());
    }
    if (step.kind != ActionKind::kGive) continue;
    give(plan, step.axis, step.colors);
    if (!step.seconds.empty()) plan.resolutions.push_back({step.axis, step.seconds});
  }
  addPins(plan, path);
  return plan;
}

plan::Plan PlanProblem::planOf(const Path& path) const {
  plan::Plan plan = searchedPlan(path);
  append(plan, frame_.after);
  return plan;
}

// Arguments that are to stay whole along axes, and their next values, get the law's layout without
// those axes.
void PlanProblem::addPins(plan::Plan& plan, const Path& path) const {
  std::map<uint32_t, mesh::AxisSet> whole;  // Per argument.
  for (const ActionId id : path) {
    if (action(id).kind != ActionKind::kWhole) continue;
    for (const uint32_t argument : action(id).arguments) whole[argument].add(action(id).axis);
  }
  if (whole.empty()) return;
  const plan::Assignment assignment = plan::assign(subject_, opPatterns_, plan);
  const auto isPinned = [&](OpId op) {
    const auto of = [&](const plan::Pin& pin) { return pin.op == op; };
    return std::ranges::any_of(plan.pins, of) || std::ranges::any_of(frame_.after.pins, of);
  };
  std::vector<plan::Pin> pins;
  for (const auto& [argument, axes] : whole) {
    const OpId op = subject_.program.value(subject_.program.arguments()[argument].value).definition;
    std::vector<mesh::AxisList> dims(subject_.rule(op).rank(0));
    for (size_t d = 0; d < dims.size(); ++d) {
      const mesh::AxisList all = plan::dimAxes(subject_.rule(op), assignment.axes(op), 0, d);
      for (uint32_t i = 0; i < all.size(); ++i) {
        if (!axes.contains(all[i])) dims[d].append(all[i]);
      }
    }
    if (!isPinned(op)) pins.push_back({op, 0, dims});
    if (!nextValues_[argument]) continue;
    const OpId next = subject_.program.results()[*nextValues_[argument]].returnOp;
    if (!isPinned(next)) pins.push_back({next, 0, dims});
  }
  plan.pins.insert(plan.pins.end(), pins.begin(), pins.end());
}

// The same decisions with two axes exchanged; empty where an action has no counterpart.
Path PlanProblem::exchanged(const Path& path, uint32_t a, uint32_t b) const {
  Path result;
  for (const ActionId id : path) {
    const Action& step = action(id);
    const bool moves = step.kind == ActionKind::kGive && (step.axis == a || step.axis == b);
    if (step.kind == ActionKind::kStart) return {};
    if (!moves) {
      result.push_back(id);
      continue;
    }
    const uint32_t target = step.axis == a ? b : a;
    const auto found = std::ranges::find_if(actions_, [&](const Action& candidate) {
      return candidate.kind == ActionKind::kGive && candidate.axis == target &&
             candidate.colors == step.colors && candidate.seconds == step.seconds;
    });
    if (found == actions_.end()) return {};
    result.push_back(ActionId(static_cast<uint32_t>(found - actions_.begin())));
  }
  return result;
}

std::vector<Path> PlanProblem::variants(const Path& path) const {
  std::vector<Path> found;
  const auto axes = static_cast<uint32_t>(frame_.before.mesh.axes.size());
  for (uint32_t a = 0; a < axes; ++a) {
    for (uint32_t b = a + 1; b < axes; ++b) {
      Path other = exchanged(path, a, b);
      if (!other.empty()) found.push_back(std::move(other));
    }
  }
  // What pays on one axis only if the others follow: a turn on all axes, per meeting and winner,
  // and arguments that stay whole along all.
  std::map<std::pair<uint32_t, bool>, Path> turns;
  std::map<std::vector<uint32_t>, Path> wholes;
  for (const ActionId id : variants_) {
    const Action& variant = action(id);
    const bool isTurn = variant.kind == ActionKind::kTurn;
    if (!mayJoin(path, id) || (isTurn && !applies(path, variant))) continue;
    found.push_back(with(path, path.size(), id));
    if (isTurn) turns[{variant.meeting, variant.firstWins}].push_back(id);
    if (variant.kind == ActionKind::kWhole) wholes[variant.arguments].push_back(id);
  }
  const auto addAll = [&](const Path& ids) {
    if (ids.size() < 2) return;
    found.push_back(path);
    found.back().insert(found.back().end(), ids.begin(), ids.end());
  };
  for (const auto& [what, ids] : turns) addAll(ids);
  for (const auto& [what, ids] : wholes) addAll(ids);
  return found;
}

}  // namespace shardwright::search
