// What is searched: paths of actions, each with a score. Knows nothing of programs and plans, so
// that searches can be tested on problems small enough to enumerate.
//
// A state is a set of actions with some order among them. Two paths are the same state if one comes
// from the other by exchanging neighbours that commute; `canonical` picks one of them. Two states
// may still come to the same thing (an action may have no effect); `key` finds that.
//
//   problem TwoMatmuls, actions: 0 = rows on data, 1 = hidden on data, 2 = hidden on model
//   canonical({2, 0}) = {0, 2}      the axes differ, so the actions commute
//   canonical({1, 0}) = {1, 0}      on one axis the earlier one wins where both stand
//
// Some actions stand for several: taking them is taking their steps one after the other. They are
// short cuts over states that look bad (a dim on one of two axes, when it pays only on both) and
// add no states of their own: canonical paths have single steps only. Steps that a path has already
// are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardwright/base/ids.h"
#include "shardwright/search/score.h"

namespace shardwright::search {

struct ActionTag;
using ActionId = Id<ActionTag>;
using Path = std::vector<ActionId>;

// Paths with equal keys have equal scores.
using Key = std::vector<uint64_t>;

// A path that somebody believes in.
struct Suggestion {
  std::string name;
  Path path;
  int64_t leastBytes = 0;  // Its peak is no less than this.
};

// All functions are pure and may be called by several threads at once.
class Problem {
 public:
  virtual ~Problem() = default;

  // How many actions there are; ids are below it.
  virtual size_t actionCount() const = 0;
  // The actions that may follow `path`, in a fixed order. Each changes something.
  virtual std::vector<ActionId> legal(const Path& path) const = 0;
  // What the action stands for: itself, or several others.
  virtual Path steps(ActionId id) const { return {id}; }
  // Whether the order of the two does not matter.
  virtual bool commute(ActionId a, ActionId b) const = 0;
  // Whether no path has both: an action excludes itself, and the same decision with another
  // resolution.
  virtual bool excludes(ActionId a, ActionId b) const { return a == b; }
  // Whether no action of the path excludes this one.
  bool mayJoin(const Path& path, ActionId action) const;
  // Of all paths with these steps that differ by exchanging neighbours that commute, the first in
  // the order of ids.
  Path canonical(const Path& path) const;
  virtual Key key(const Path& path) const = 0;
  virtual Score evaluate(const Path& path) const = 0;

  // No path takes less time than this, whatever else it does.
  virtual double leastSeconds() const { return 0; }
  // The same decision elsewhere: on the other axes, or with another resolution.
  virtual std::vector<ActionId> relatives(ActionId) const { return {}; }
  // Further paths near `path`, for refinement: other actions than `legal` gives.
  virtual std::vector<Path> variants(const Path&) const { return {}; }
  // The context in which an action is judged: actions with one number depend on one another (those
  // of one mesh axis).
  virtual uint32_t group(ActionId) const { return 0; }
  // Whether the action stands for a whole plan that other actions cannot express.
  virtual bool isForeign(ActionId) const { return false; }
  virtual std::string words(ActionId id) const { return std::to_string(id.index()); }
};

}  // namespace shardwright::search
