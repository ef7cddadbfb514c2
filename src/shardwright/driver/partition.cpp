#include "shardwright/driver/partition.h"

#include <algorithm>

#include "shardwright/plan/assignment.h"
#include "shardwright/search/experts.h"
#include "shardwright/search/plan_problem.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::driver {
namespace {

using plan::Plan;
using plan::Tactic;
using plan::TacticKind;

bool isAuto(const Tactic& tactic) { return tactic.kind == TacticKind::kAuto; }

std::vector<Tactic> manual(const std::vector<Tactic>& tactics) {
  std::vector<Tactic> kept;
  std::ranges::remove_copy_if(tactics, std::back_inserter(kept), isAuto);
  return kept;
}

bool isPinned(const Plan& plan, program::OpId op) {
  return std::ranges::any_of(plan.pins, [&](const plan::Pin& pin) { return pin.op == op; });
}

// What `longer`, which starts as `shorter` does, has more.
Plan difference(const Plan& longer, const Plan& shorter) {
  const auto tail = [](const auto& more, const auto& less) {
    return std::decay_t<decltype(more)>(
        more.begin() + static_cast<ptrdiff_t>(std::min(less.size(), more.size())), more.end());
  };
  Plan rest;
  rest.mesh = longer.mesh;
  rest.decisions = tail(longer.decisions, shorter.decisions);
  rest.resolutions = tail(longer.resolutions, shorter.resolutions);
  rest.turns = tail(longer.turns, shorter.turns);
  std::ranges::copy_if(longer.pins, std::back_inserter(rest.pins),
                       [&](const plan::Pin& pin) { return !isPinned(shorter, pin.op); });
  if (longer.remakeGap != shorter.remakeGap) rest.remakeGap = longer.remakeGap;
  return rest;
}

void append(Plan& plan, const Plan& more) {
  const auto add = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(plan.decisions, more.decisions);
  add(plan.resolutions, more.resolutions);
  add(plan.turns, more.turns);
  for (const plan::Pin& pin : more.pins) {
    if (!isPinned(plan, pin.op)) plan.pins.push_back(pin);
  }
  if (more.remakeGap) plan.remakeGap = more.remakeGap;
}

class Partitioner {
 public:
  Partitioner(const plan::Subject& subject, const mesh::Mesh& mesh, const PartitionTarget& target,
              const PartitionOptions& options)
      : subject_(subject),
        mesh_(mesh),
        target_(target),
        options_(options),
        tactics_(options.tactics.empty() ? wholeMesh(mesh) : options.tactics),
        estimator_(subject, target.device.flavor),
        evaluator_(subject, estimator_, target.device, target.topology, target.limit) {}

  Result<Partitioned> run() {
    Result<std::vector<plan::StatedPin>> stated = statedPins();
    if (!stated) return stated.error();
    for (plan::StatedPin& entry : *stated) stated_.push_back(std::move(entry.pin));
    const auto search = [this](const plan::Subject&, Plan& plan,
                               const std::vector<uint32_t>& axes) {
      return searchOver(plan, axes);
    };
    Result<plan::TacticOutcome> outcome = plan::applyTactics(
        subject_, mesh_, tactics_, {.keepStated = options_.keepStated, .search = search});
    if (!outcome) return outcome.error();
    return apply(std::move(*outcome));
  }

  Partitioned apply(plan::TacticOutcome outcome) {
    result_.limit = target_.limit;
    result_.outcome = std::move(outcome);
    result_.spmd = spmd::partition(subject_, result_.outcome.plan);
    result_.estimate = estimator_.estimate(result_.spmd, target_.device, target_.topology);
    compare();
    return std::move(result_);
  }

 private:
  static std::vector<Tactic> wholeMesh(const mesh::Mesh& mesh) {
    std::string text;
    for (const mesh::Axis& axis : mesh.axes) text += (text.empty() ? "" : ", ") + axis.name;
    const Result<Tactic> tactic = plan::parseTactic("auto(" + text + ")");
    SW_CHECK(static_cast<bool>(tactic));
    return {*tactic};
  }

  Result<std::vector<plan::StatedPin>> statedPins() const {
    if (!options_.keepStated) return std::vector<plan::StatedPin>();
    return plan::statedPins(subject_, mesh_);
  }

  // The plan of manual tactics alone; nothing if they need what a search has not settled yet.
  std::optional<Plan> planOf(const std::vector<Tactic>& tactics) const {
    Result<plan::TacticOutcome> outcome =
        plan::applyTactics(subject_, mesh_, tactics, {.keepStated = false, .search = {}});
    return outcome ? std::optional<Plan>(std::move(outcome->plan)) : std::nullopt;
  }

  // The manual tactics before the search that is under way.
  std::vector<Tactic> tacticsBefore() const {
    size_t seen = 0, end = 0;
    while (end < tactics_.size() && (!isAuto(tactics_[end]) || seen++ < result_.searches.size()))
      ++end;
    return manual({tactics_.begin(), tactics_.begin() + static_cast<ptrdiff_t>(end)});
  }

  // What is settled before, and what the manual tactics behind the search will add: a search for a
  // model axis must know that the state will be spread over the data axis afterwards.
  search::Frame frameOf(const Plan& plan) const {
    search::Frame frame{plan, {}};
    frame.after.mesh = mesh_;
    const std::vector<Tactic> before = tacticsBefore(), all = manual(tactics_);
    if (before.size() < all.size()) {
      const std::optional<Plan> shorter = planOf(before), longer = planOf(all);
      if (shorter && longer) frame.after = difference(*longer, *shorter);
    }
    for (const plan::Pin& pin : stated_) {
      if (pin.result != 0 || !isPinned(plan, pin.op)) frame.before.pins.push_back(pin);
    }
    return frame;
  }

  std::vector<search::Expert> expertsFor(const search::Frame& frame,
                                         const std::vector<uint32_t>& axes) const {
    const std::vector<Tactic> before = tacticsBefore();
    const std::optional<Plan> manualPlan = planOf(before);
    if (!manualPlan) return {};
    std::vector<search::Expert> experts = search::expertPlans(subject_, mesh_, before, axes, false);
    for (search::Expert& expert : experts) {
      Plan plan = frame.before;
      append(plan, difference(expert.plan, *manualPlan));
      expert.plan = std::move(plan);
    }
    std::erase_if(experts, [&](const search::Expert& expert) {
      return plan::checkPlan(subject_, expert.plan).has_value();
    });
    return experts;
  }

  Result<std::string> searchOver(Plan& plan, const std::vector<uint32_t>& axes) {
    const search::Frame frame = frameOf(plan);
    const bool wanted = options_.compareAll || (options_.experts && options_.algorithm == "mcts");
    std::vector<search::Expert> experts;
    if (wanted) experts = expertsFor(frame, axes);
    search::ProblemOptions problemOptions;
    problemOptions.actions.axes = axes;
    problemOptions.argumentActions = options_.algorithm == "automap";
    // A turn that is said behind the search must not find another one in its place.
    problemOptions.turns = std::ranges::none_of(
        tactics_, [](const Tactic& tactic) { return tactic.kind == plan::TacticKind::kTurn; });
    const search::PlanProblem problem(subject_, frame, std::move(experts), evaluator_,
                                      problemOptions);
    search::Outcome outcome =
        search::runSearch(options_.algorithm, problem, searchOptions(problem));
    noteExperts(problem, outcome);
    summarize(problem, outcome, axes);
    takeOver(plan, problem.searchedPlan(outcome.path));
    return takenWords(result_.searches.back());
  }

  static std::string takenWords(const SearchSummary& summary) {
    std::string words;
    for (const std::string& text : summary.taken) words += (words.empty() ? "" : "; ") + text;
    if (!words.empty()) return words;
    return summary.progress.evaluations > 1 ? "nothing is better than leaving things as they are"
                                            : "nothing was tried within the budget";
  }

  search::SearchOptions searchOptions(const search::PlanProblem& problem) const {
    search::SearchOptions options;
    options.budget = options_.budget;
    options.patience = options_.patience;
    options.seed = options_.seed;
    options.threads = std::clamp(options_.threads, 1u, search::kMostThreads);
    options.interrupt = options_.interrupt;
    options.progress = options_.progress;
    if (options_.experts) options.suggestions = problem.suggestions();
    return options;
  }

  void summarize(const search::PlanProblem& problem, const search::Outcome& outcome,
                 const std::vector<uint32_t>& axes) {
    SearchSummary summary;
    for (const uint32_t axis : axes) summary.axes.push_back(mesh_.axes[axis].name);
    for (const search::ActionId id : outcome.path) summary.taken.push_back(problem.words(id));
    summary.leftOut = problem.leftOut();
    summary.actions = problem.actionCount();
    summary.progress = outcome.progress;
    summary.stoppedBy = outcome.stoppedBy;
    summary.proved = outcome.proved;
    summary.trace = outcome.trace;
    result_.searches.push_back(std::move(summary));
  }

  // A short search may not have come to a strategy that turns out better when all are compared.
  void noteExperts(const search::PlanProblem& problem, search::Outcome& outcome) {
    const std::vector<search::Suggestion>& suggestions = problem.suggestions();
    for (size_t i = 0; i < suggestions.size(); ++i) {
      if (i < outcome.suggestionScores.size() && outcome.suggestionScores[i]) {
        result_.experts.push_back({suggestions[i].name, *outcome.suggestionScores[i]});
      } else if (options_.compareAll) {
        const search::Score score = problem.evaluate(suggestions[i].path);
        result_.experts.push_back({suggestions[i].name, score});
        if (options_.experts && search::better(score, outcome.score)) {
          outcome.path = suggestions[i].path;
          outcome.score = score;
        }
      }
    }
  }

  // The searched plan has the stated pins, which applyTactics adds itself.
  void takeOver(Plan& plan, Plan searched) const {
    std::erase_if(searched.pins, [&](const plan::Pin& pin) {
      return !isPinned(plan, pin.op) && std::ranges::any_of(stated_, [&](const plan::Pin& other) {
        return other.op == pin.op;
      });
    });
    plan = std::move(searched);
  }

  void compare() {
    std::ranges::stable_sort(result_.experts, [](const Comparison& a, const Comparison& b) {
      return search::better(a.score, b.score);
    });
    Plan nothing;
    nothing.mesh = mesh_;
    nothing.pins = stated_;
    result_.replicated = evaluator_.evaluate(nothing);
  }

  const plan::Subject& subject_;
  const mesh::Mesh& mesh_;
  const PartitionTarget& target_;
  const PartitionOptions& options_;
  const std::vector<Tactic> tactics_;
  const cost::Estimator estimator_;
  const search::EstimateEvaluator evaluator_;
  std::vector<plan::Pin> stated_;
  Partitioned result_;
};

}  // namespace

Result<Partitioned> partition(const plan::Subject& subject, const mesh::Mesh& mesh,
                              const PartitionTarget& target, const PartitionOptions& options) {
  return Partitioner(subject, mesh, target, options).run();
}

Partitioned applyPlan(const plan::Subject& subject, plan::TacticOutcome outcome,
                      const PartitionTarget& target) {
  const mesh::Mesh mesh = outcome.plan.mesh;
  const PartitionOptions options{.keepStated = false};
  return Partitioner(subject, mesh, target, options).apply(std::move(outcome));
}

}  // namespace shardwright::driver
