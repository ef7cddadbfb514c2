// Plans as a search problem.
//
// A path starts from a given plan (what the tactics before a search settled) and adds decisions;
// the plan that is evaluated also has what the tactics after it add. Two paths have one key if they
// give every op the same axes (patterns.h) and agree in all else that a plan has.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "shardwright/plan/op_patterns.h"
#include "shardwright/search/actions.h"
#include "shardwright/search/evaluator.h"
#include "shardwright/search/patterns.h"
#include "shardwright/search/problem.h"
#include "shardwright/search/turns.h"

namespace shardwright::search {

// What is settled before and after the search.
struct Frame {
  plan::Plan before;
  plan::Plan after;  // Its decisions join behind those of the search; pins of both count.
};

// A plan somebody would write by hand, on top of Frame::before.
struct Expert {
  std::string name;  // "zero3(data) megatron(model)".
  plan::Plan plan;
};

struct ProblemOptions {
  ActionOptions actions;
  bool argumentActions = false;  // Automap's actions instead of classes.
  bool turns = true;             // Where classes meet, refinement may turn who wins.
};

class PlanProblem final : public Problem {
 public:
  // The evaluator outlives the problem.
  PlanProblem(const plan::Subject& subject, Frame frame, std::vector<Expert> experts,
              const PlanEvaluator& evaluator, const ProblemOptions& options);

  size_t actionCount() const override { return actions_.size(); }
  std::vector<ActionId> legal(const Path& path) const override;
  Path steps(ActionId id) const override;
  bool commute(ActionId a, ActionId b) const override;
  bool excludes(ActionId a, ActionId b) const override;
  Key key(const Path& path) const override;
  Score evaluate(const Path& path) const override { return evaluator_.evaluate(planOf(path)); }
  std::vector<ActionId> relatives(ActionId id) const override { return relatives_[id]; }
  std::vector<Path> variants(const Path& path) const override;
  uint32_t group(ActionId id) const override;
  bool isForeign(ActionId id) const override { return action(id).kind == ActionKind::kStart; }
  std::string words(ActionId id) const override { return action(id).words; }

  const Action& action(ActionId id) const { return actions_[id]; }
  // The plan with everything of the frame.
  plan::Plan planOf(const Path& path) const;
  // The same without what comes after the search.
  plan::Plan searchedPlan(const Path& path) const;
  // The experts as paths, in their order.
  const std::vector<Suggestion>& suggestions() const { return suggestions_; }
  const std::vector<std::string>& leftOut() const { return leftOut_; }
  const Patterns& patterns() const { return *patterns_; }

 private:
  void addActions(const ProblemOptions& options);
  void addRemakes(uint32_t slot);
  void addTurns(const std::vector<uint32_t>& axes, uint32_t firstSlot);
  void addStarts(std::vector<Expert> experts);
  int64_t argumentBytes(const plan::Plan& plan) const;
  void addSmallGives(const plan::Plan& plan);
  void addSmallGive(uint32_t axis, std::vector<analysis::ColorId> colors,
                    const std::vector<analysis::SetId>& seconds);
  uint32_t slotOf(const Action& give) const;
  // The path of actions that makes this plan; nothing if there is none.
  std::optional<Path> pathOf(const plan::Plan& plan) const;
  bool agrees(const Action& give, const std::vector<analysis::SetId>& seconds) const;
  Path findGives(const plan::Decision& decision, const plan::Plan& plan) const;
  bool samePlan(const plan::Plan& a, const plan::Plan& b) const;
  void makePatterns();
  void findMeetings();
  void findRelatives();
  AxisLists listsOf(const plan::Plan& plan) const;
  bool hasEffect(const Path& path, const AxisLists& lists, ActionId id) const;
  void addOrder(Key& key, const Path& path) const;
  void addPins(plan::Plan& plan, const Path& path) const;
  // The place of a class in the path's list of an axis; nothing if it is not there.
  std::optional<size_t> placeOf(const Path& path, uint32_t axis, analysis::ClassId id) const;
  bool applies(const Path& path, const Action& turn) const;
  analysis::ClassId winner(const Action& turn) const;
  // Whether two turns want different classes to win at one op.
  bool contradict(const Action& a, const Action& b) const;
  bool contradictsFrame(const Action& turn) const;
  void findSharedOps();
  Path exchanged(const Path& path, uint32_t a, uint32_t b) const;
  Path flat(const Path& path) const;

  plan::Subject subject_;
  plan::OpPatterns opPatterns_;
  Frame frame_;
  const PlanEvaluator& evaluator_;
  IdVector<ActionId, Action> actions_;
  std::vector<ActionId> tree_;      // Those that `legal` offers.
  std::vector<ActionId> variants_;  // Those that only refinement offers.
  std::vector<ActionId> remakes_;   // The first is of the tree.
  std::vector<MeetingClass> meetings_;
  std::vector<Suggestion> suggestions_;
  std::vector<std::string> leftOut_;
  std::vector<std::optional<uint32_t>> nextValues_;  // plan::stateResults.
  std::unique_ptr<Patterns> patterns_;
  std::vector<char> meets_;  // Action x action.
  IdVector<ActionId, std::vector<ActionId>> relatives_;
  std::vector<char> sharesOps_;  // Meeting x meeting.
};

}  // namespace shardwright::search
