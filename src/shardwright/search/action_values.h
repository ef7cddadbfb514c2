// What actions have been seen to change, and the priors that follow.
//
// The change that an action makes depends on what is there already, above all on its own axis: the
// width of a model is worth something on an axis that the batch is on. So changes are kept per
// action and per pair (last action of the same group, action); the pair speaks if it has been seen.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "shardwright/search/problem.h"

namespace shardwright::search {

// May be used by several threads at once.
class ActionValues {
 public:
  explicit ActionValues(const Problem& problem);

  // `action` after `path` changed the cost (treeCost) by `change`.
  void learn(const Path& path, ActionId action, double change);

  // Weights of actions after `path`; they add up to 1, and none is 0.
  std::vector<double> priors(const Path& path, const std::vector<ActionId>& actions) const;

 private:
  struct Mean {
    double sum = 0;
    uint32_t count = 0;
    void add(double change) {
      sum += change;
      ++count;
    }
  };

  ActionId lastOfGroup(const Path& path, ActionId action) const;
  double expected(const Path& path, ActionId action) const;

  const Problem& problem_;
  mutable std::mutex mutex_;
  std::vector<Mean> alone_;
  std::map<std::pair<ActionId, ActionId>, Mean> pairs_;
};

}  // namespace shardwright::search
