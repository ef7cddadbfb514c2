#include "shardwright/search/action_values.h"

#include <algorithm>
#include <cmath>

namespace shardwright::search {

namespace {
// In logarithms of time. A change this much better is e times as likely to be tried.
constexpr double kTemperature = 0.25;
// Changes beyond this say no more than that the action is very good or very bad.
constexpr double kMostChange = 1.5;
// The share of the weight that is spread evenly: nothing is ruled out.
constexpr double kEven = 0.15;
}  // namespace

ActionValues::ActionValues(const Problem& problem)
    : problem_(problem), alone_(problem.actionCount()) {}

ActionId ActionValues::lastOfGroup(const Path& path, ActionId action) const {
  for (size_t i = path.size(); i-- > 0;) {
    if (problem_.group(path[i]) == problem_.group(action)) return path[i];
  }
  return {};
}

void ActionValues::learn(const Path& path, ActionId action, double change) {
  const double bounded = std::clamp(change, -kMostChange, kMostChange);
  const ActionId last = lastOfGroup(path, action);
  const std::lock_guard lock(mutex_);
  alone_[action.index()].add(bounded);
  if (last.valid()) pairs_[{last, action}].add(bounded);
}

double ActionValues::expected(const Path& path, ActionId action) const {
  const ActionId last = lastOfGroup(path, action);
  if (last.valid()) {
    const auto pair = pairs_.find({last, action});
    if (pair != pairs_.end()) return pair->second.sum / pair->second.count;
  }
  const Mean& mean = alone_[action.index()];
  return mean.count == 0 ? 0 : mean.sum / mean.count;
}

std::vector<double> ActionValues::priors(const Path& path,
                                         const std::vector<ActionId>& actions) const {
  const std::lock_guard lock(mutex_);
  std::vector<double> weights;
  double sum = 0;
  for (const ActionId action : actions) {
    weights.push_back(std::exp(-expected(path, action) / kTemperature));
    sum += weights.back();
  }
  for (double& weight : weights)
    weight = (1 - kEven) * weight / sum + kEven / static_cast<double>(actions.size());
  return weights;
}

}  // namespace shardwright::search
