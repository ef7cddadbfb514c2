// Problems small enough to enumerate, for the tests of searches.
#pragma once

#include <algorithm>

#include "shardwright/search/problem.h"

namespace shardwright::search::testing {

// Lists of colours on axes, as in plans, with costs from a formula. Colour c on axis a is action
// a * colors + c. On one axis all colours meet, so their order counts; axes commute.
class Lists : public Problem {
 public:
  Lists(uint32_t axes, uint32_t colors) : axes_(axes), colors_(colors) {}

  size_t actionCount() const override { return axes_ * colors_; }
  std::vector<ActionId> legal(const Path& path) const override {
    std::vector<ActionId> actions;
    for (uint32_t i = 0; i < actionCount(); ++i) {
      if (std::ranges::find(path, ActionId(i)) == path.end()) actions.push_back(ActionId(i));
    }
    return actions;
  }
  bool commute(ActionId a, ActionId b) const override { return group(a) != group(b); }
  Key key(const Path& path) const override {
    Key key;
    for (const ActionId action : canonical(path)) key.push_back(action.index());
    return key;
  }
  uint32_t group(ActionId id) const override { return id.index() / colors_; }

 protected:
  uint32_t color(ActionId id) const { return id.index() % colors_; }
  uint32_t axes_, colors_;
};

// y = (x @ w1) @ w2 on one axis of four devices: 0 = rows of x, 1 = hidden dim, 2 = columns of w2.
// Rows first are fast and need all of both weights; the hidden dim halves the weights and costs a
// reduction; behind the rows it only spreads the weights, which must then be gathered.
class TwoMatmuls : public Lists {
 public:
  explicit TwoMatmuls(int64_t limit = 1'000) : Lists(1, 3), limit_(limit) {}

  Score evaluate(const Path& path) const override {
    double seconds = 8;
    int64_t bytes = 100;
    for (size_t i = 0; i < path.size(); ++i) {
      const bool first = i == 0;
      switch (color(path[i])) {
        case 0:
          seconds += first ? -5 : 1;
          bytes -= first ? 20 : 5;
          break;
        case 1:
          seconds += first ? -4 : 2;
          bytes -= 50;
          break;
        default:
          seconds += first ? -1 : 0.5;
          bytes -= 20;
      }
    }
    return {seconds, bytes, limit_};
  }

 private:
  int64_t limit_;
};

// Two axes, and a pair of actions of which each alone makes things worse: the trap.
class Trap : public Lists {
 public:
  Trap() : Lists(2, 4) {}

  Score evaluate(const Path& path) const override {
    double seconds = 10;
    std::vector<uint32_t> lists[2];
    for (const ActionId action : path) lists[group(action)].push_back(color(action));
    for (uint32_t axis = 0; axis < 2; ++axis) seconds *= factor(lists[axis], axis);
    return {seconds, 1, 1};
  }

 private:
  static double factor(const std::vector<uint32_t>& list, uint32_t axis) {
    if (list.empty()) return 1;
    if (axis == 1 && list == std::vector<uint32_t>{2, 3}) return 0.2;  // Either alone: worse.
    double result = 1;
    for (size_t i = 0; i < list.size(); ++i)
      result *= list[i] == 0 ? (i == 0 ? 0.6 : 0.95) : list[i] == 1 ? 0.9 : 1.3;
    return result;
  }
};

// A random cost for every state, the same each time.
class Scrambled : public Lists {
 public:
  Scrambled(uint32_t axes, uint32_t colors, uint64_t seed) : Lists(axes, colors), seed_(seed) {}
  Score evaluate(const Path& path) const override {
    uint64_t hash = seed_;
    for (const uint64_t word : key(path)) hash = (hash ^ word) * 0x9e3779b97f4a7c15u + (hash >> 29);
    return {1 + static_cast<double>(hash >> 40) * 0x1p-24, static_cast<int64_t>(hash % 100), 60};
  }

 private:
  uint64_t seed_;
};

}  // namespace shardwright::search::testing
