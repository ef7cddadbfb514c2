#include "shardwright/search/neighbours.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "shardwright/search/testing.h"

namespace shardwright::search {
namespace {

// Three axes; the same colour on the other axes is a relative.
class Axes : public testing::Lists {
 public:
  Axes() : Lists(3, 4) {}
  Score evaluate(const Path&) const override { return {1, 1, 1}; }
  std::vector<ActionId> relatives(ActionId id) const override {
    std::vector<ActionId> others;
    for (uint32_t axis = 0; axis < axes_; ++axis) {
      const ActionId other(axis * colors_ + color(id));
      if (other != id) others.push_back(other);
    }
    return others;
  }
};

Path pathOf(std::initializer_list<uint32_t> actions) {
  Path path;
  for (const uint32_t action : actions) path.push_back(ActionId(action));
  return path;
}

TEST(Rng, SeedsAndThreadsHaveStreamsOfTheirOwn) {
  std::set<uint64_t> draws;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    for (unsigned thread = 0; thread < 4; ++thread) {
      Rng rng = Rng::ofThread(seed, thread);
      for (int i = 0; i < 100; ++i) draws.insert(rng.next());
    }
  }
  EXPECT_EQ(draws.size(), 1'600u);
}

TEST(Neighbours, DifferByOneMove) {
  const Axes problem;
  const ActionValues values(problem);
  const Path path = pathOf({0, 1, 5, 10});
  Rng rng(1);
  std::map<Path, int> seen;
  for (int n = 0; n < 2'000; ++n) {
    const Path next = randomNeighbour(problem, values, path, rng);
    EXPECT_EQ(problem.canonical(next), next);
    EXPECT_LE(next.size(), path.size() + 1);
    EXPECT_GE(next.size() + 1, path.size());
    std::set<ActionId> once(next.begin(), next.end());
    EXPECT_EQ(once.size(), next.size()) << "no action stands twice";
    ++seen[next];
  }
  EXPECT_TRUE(seen.contains(pathOf({0, 1, 5}))) << "one less";
  EXPECT_TRUE(seen.contains(pathOf({0, 1, 2, 5, 10}))) << "one more";
  EXPECT_TRUE(seen.contains(pathOf({1, 0, 5, 10}))) << "another order";
  // An exchange for any other action may come to this too; that is rarer.
  EXPECT_GT(seen[pathOf({0, 1, 5, 6})] + seen[pathOf({0, 1, 6, 5})], 30)
      << "10 became its relative 6";
}

TEST(Neighbours, ClearingTakesAShareAGroupOrRelatives) {
  const Axes problem;
  const Path path = pathOf({0, 1, 2, 4, 5, 8, 11});
  Rng rng(1);
  std::map<Path, int> seen;
  for (int n = 0; n < 2'000; ++n) {
    const Path left = cleared(problem, path, rng);
    EXPECT_LT(left.size(), path.size());
    for (const ActionId action : left)
      EXPECT_NE(std::ranges::find(path, action), path.end()) << "nothing is added";
    ++seen[left];
  }
  // Any of these may also come of taking a third; that is rare.
  EXPECT_GT(seen[pathOf({4, 5, 8, 11})], 100) << "the first axis";
  EXPECT_GT(seen[pathOf({1, 2, 5, 11})], 80) << "0 with its relatives 4 and 8";
  EXPECT_TRUE(cleared(problem, {}, rng).empty());
}

TEST(Neighbours, JoinWhatDoesNotExcludeThem) {
  const Axes problem;
  EXPECT_TRUE(problem.mayJoin(pathOf({0, 5}), ActionId(1u)));
  EXPECT_FALSE(problem.mayJoin(pathOf({0, 5}), ActionId(5u)));
}

}  // namespace
}  // namespace shardwright::search
