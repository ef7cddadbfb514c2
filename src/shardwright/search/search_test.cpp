#include "shardwright/search/search.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <set>

#include "shardwright/search/testing.h"

namespace shardwright::search {
namespace {

using testing::Scrambled;
using testing::Trap;
using testing::TwoMatmuls;

SearchOptions evaluations(uint64_t count, uint64_t seed = 0) {
  SearchOptions options;
  options.budget.evaluations = count;
  options.seed = seed;
  return options;
}

// Tells which paths are evaluated.
class Counting : public Scrambled {
 public:
  Counting(const Scrambled& problem, std::function<void(const Path&)> callback)
      : Scrambled(problem), callback_(std::move(callback)) {}
  Score evaluate(const Path& path) const override {
    callback_(path);
    return Scrambled::evaluate(path);
  }

 private:
  std::function<void(const Path&)> callback_;
};

TEST(Score, MemoryComesBeforeTime) {
  const Score fast{0.5, 50, 40}, slow{1, 30, 40}, slower{2, 40, 40}, smaller{9, 45, 40};
  EXPECT_TRUE(better(slow, fast));
  EXPECT_TRUE(better(slow, slower));
  EXPECT_TRUE(better(smaller, fast)) << "of two that do not fit, the one with less excess";
  EXPECT_LT(treeCost(slower), treeCost(fast));
  EXPECT_LT(treeCost(smaller), treeCost({9, 50, 40}));
}

TEST(Problem, CanonicalPathsKeepTheOrderWithinAnAxis) {
  const Trap problem;  // Actions 0-3 are on axis 0, 4-7 on axis 1.
  const auto path = [](std::initializer_list<uint32_t> ids) {
    Path result;
    for (const uint32_t id : ids) result.push_back(ActionId(id));
    return result;
  };
  EXPECT_EQ(problem.canonical(path({5, 2, 0})), path({2, 0, 5}));
  EXPECT_EQ(problem.canonical(path({2, 0, 5})), path({2, 0, 5}));
  EXPECT_EQ(problem.canonical(path({7, 4, 1})), path({1, 7, 4}));
}

// Action 2 stands for 0 and 1.
class Both : public testing::Lists {
 public:
  Both() : Lists(1, 3) {}
  Path steps(ActionId id) const override {
    return id == ActionId(2u) ? Path{ActionId(0u), ActionId(1u)} : Path{id};
  }
  Score evaluate(const Path&) const override { return {1, 1, 1}; }
};

TEST(Problem, CanonicalPathsHaveEachStepOnce) {
  const Both problem;
  const ActionId zero(0u), one(1u), both(2u);
  EXPECT_EQ(problem.canonical({both}), (Path{zero, one}));
  EXPECT_EQ(problem.canonical({one, both}), (Path{one, zero}));
  EXPECT_EQ(problem.canonical({zero, one, both}), (Path{zero, one}));
}

TEST(Exhaustive, SeesEveryStateOnce) {
  const TwoMatmuls problem;  // Ordered lists of at most 3 colours: 1 + 3 + 6 + 6.
  const Outcome outcome = runSearch("exhaustive", problem, {});
  EXPECT_TRUE(outcome.proved);
  EXPECT_EQ(outcome.stoppedBy, StopReason::kExhausted);
  EXPECT_EQ(outcome.progress.evaluations, 16u);
  // Two axes with 3 colours each: 16 * 16.
  EXPECT_EQ(runSearch("exhaustive", Scrambled(2, 3, 1), {}).progress.evaluations, 256u);
}

TEST(Exhaustive, SaysWhenItDidNotFinish) {
  const Outcome outcome = runSearch("exhaustive", TwoMatmuls(), evaluations(10));
  EXPECT_FALSE(outcome.proved);
  EXPECT_EQ(outcome.stoppedBy, StopReason::kEvaluations);
  EXPECT_EQ(outcome.progress.evaluations, 10u);
}

class Bounded : public TwoMatmuls {
 public:
  double leastSeconds() const override { return 3; }  // Rows alone reach it.
};

TEST(Exhaustive, EndsWhereNothingCanBeBetter) {
  const Outcome outcome = runSearch("exhaustive", Bounded(), {});
  EXPECT_TRUE(outcome.proved);
  EXPECT_DOUBLE_EQ(outcome.score.seconds, 3);
  EXPECT_LT(outcome.progress.evaluations, 16u);
}

TEST(Exhaustive, ChoosesByMemoryFirst) {
  EXPECT_DOUBLE_EQ(runSearch("exhaustive", TwoMatmuls(), {}).score.seconds, 3);
  const Outcome tight = runSearch("exhaustive", TwoMatmuls(45), {});
  EXPECT_TRUE(tight.score.fits());
  EXPECT_DOUBLE_EQ(tight.score.seconds, 4.5) << "hidden dim, then columns";
  const Outcome hopeless = runSearch("exhaustive", TwoMatmuls(1), {});
  EXPECT_FALSE(hopeless.score.fits());
  EXPECT_EQ(hopeless.score.peakBytes, 10) << "the least that can be reached";
}

TEST(Mcts, FindsTheExhaustiveOptimumAndRepeatsItself) {
  for (const int64_t limit : {1'000, 45, 35, 1}) {
    const TwoMatmuls problem(limit);
    const Outcome best = runSearch("exhaustive", problem, {});
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Outcome a = runSearch("mcts", problem, evaluations(200, seed));
      const Outcome b = runSearch("mcts", problem, evaluations(200, seed));
      EXPECT_EQ(a.score, best.score) << "seed " << seed << ", limit " << limit;
      EXPECT_EQ(a.path, b.path) << "same seed must give the same plan";
      EXPECT_EQ(a.trace, b.trace) << "and the same trace";
      EXPECT_TRUE(a.proved) << "16 states are soon seen";
    }
  }
}

TEST(Mcts, IsNotTrappedWhereTheFirstStepMakesThingsWorse) {
  const Trap problem;
  const Outcome best = runSearch("exhaustive", problem, {});
  EXPECT_DOUBLE_EQ(best.score.seconds, 10 * 0.6 * 0.9 * 0.2);
  const Outcome greedy = runSearch("greedy", problem, {});
  EXPECT_GT(greedy.score.seconds, best.score.seconds) << "greedy falls into it";
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Outcome found = runSearch("mcts", problem, evaluations(1'000, seed));
    EXPECT_DOUBLE_EQ(found.score.seconds, best.score.seconds) << "seed " << seed;
  }
}

TEST(Mcts, ExhaustsWhatItCannotPredict) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Scrambled problem(2, 3, seed);
    SearchOptions options;
    options.patience = 1'000;
    options.seed = seed;
    const Outcome best = runSearch("exhaustive", problem, {});
    const Outcome found = runSearch("mcts", problem, options);
    EXPECT_TRUE(found.proved) << seed;
    EXPECT_EQ(found.score, best.score) << seed;
    EXPECT_EQ(found.progress.evaluations, 256u) << "each state is paid for once";
  }
}

TEST(Mcts, ThreadsFindWhatOneFinds) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Trap problem;
    SearchOptions options = evaluations(1'000, seed);
    options.threads = 4;
    EXPECT_DOUBLE_EQ(runSearch("mcts", problem, options).score.seconds, 10 * 0.6 * 0.9 * 0.2);
  }
}

// Where no neighbour is better, refinement ends at once and leaves its share of the budget.
TEST(Mcts, SpendsWhatRefinementLeaves) {
  const Scrambled problem(2, 6, 5);
  const Outcome outcome = runSearch("mcts", problem, evaluations(2'000));
  EXPECT_GT(outcome.progress.evaluations, 1'950u);
}

TEST(Mcts, EndsWithAnyBudget) {
  const Scrambled problem(2, 6, 5);
  for (uint64_t budget = 1; budget <= 80; ++budget) {
    EXPECT_LE(runSearch("mcts", problem, evaluations(budget)).progress.evaluations, budget);
  }
}

TEST(Mcts, TriesSuggestionsFirst) {
  const Scrambled problem(2, 6, 5);
  Path path;
  for (const uint32_t i : {3u, 1u, 8u, 10u}) path.push_back(ActionId(i));
  SearchOptions options = evaluations(60);
  options.suggestions = {{"known", path}};
  const Outcome found = runSearch("mcts", problem, options);
  EXPECT_FALSE(better(problem.evaluate(path), found.score));
}

TEST(Mcts, SuggestionsLeaveMostOfASmallBudget) {
  const Scrambled problem(2, 6, 5);
  SearchOptions options = evaluations(100);
  for (uint32_t i = 0; i < 6; ++i) {
    for (uint32_t j = 6; j < 12; ++j) {
      for (uint32_t k = 0; k < 6; ++k) {
        if (k != i) options.suggestions.push_back({"", {ActionId(i), ActionId(j), ActionId(k)}});
      }
    }
  }
  uint64_t suggested = 0;
  const Counting counting(problem, [&](const Path& path) {
    suggested += std::ranges::any_of(
        options.suggestions, [&](const Suggestion& suggestion) { return suggestion.path == path; });
  });
  EXPECT_LE(runSearch("mcts", counting, options).progress.evaluations, 100u);
  EXPECT_GE(suggested, 20u);
  EXPECT_LT(suggested, 50u) << "of 180";
}

// Where nothing fits, a few evaluations must meet the strategy that makes it fit: not single
// actions, nor strategies of which it is known that they do not.
TEST(Mcts, TriesWhatMayFitFirst) {
  class Large : public Scrambled {
   public:
    Large() : Scrambled(2, 20, 5) {}
    Score evaluate(const Path& path) const override {
      return {1, path.size() == 4 ? 1 : 1'000, 10};
    }
  };
  const auto path = [](uint32_t first, uint32_t count) {
    Path result;
    for (uint32_t i = 0; i < count; ++i) result.push_back(ActionId(first + i));
    return result;
  };
  SearchOptions options = evaluations(20);
  for (uint32_t i = 0; i < 8; ++i) options.suggestions.push_back({"hopeless", path(i, 3), 100});
  options.suggestions.push_back({"known", path(1, 4)});
  EXPECT_TRUE(runSearch("mcts", Large(), options).score.fits());
}

// Action 7 gains a hundred-thousandth of whatever else is done.
TEST(Mcts, LeavesOutWhatDoesNothing) {
  class WithIdle : public Scrambled {
   public:
    WithIdle() : Scrambled(2, 6, 5) {}
    Score evaluate(const Path& path) const override {
      Path rest = path;
      const bool has = std::erase(rest, kIdle) > 0;
      Score score = Scrambled::evaluate(rest);
      score.seconds *= has ? 1 - 1e-5 : 1;
      return score;
    }
    const ActionId kIdle{7u};
  };
  const WithIdle problem;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Outcome outcome = runSearch("mcts", problem, evaluations(500, seed));
    EXPECT_EQ(std::ranges::find(outcome.path, problem.kIdle), outcome.path.end()) << seed;
    EXPECT_EQ(outcome.score, problem.evaluate(outcome.path));
    EXPECT_EQ(outcome.trace.improvements.back().path.size(), outcome.path.size());
  }
}

TEST(Searches, GiveAPlanWhateverTheBudget) {
  for (const std::string& name : searchNames()) {
    SearchOptions options;
    options.budget.seconds = 0;
    const Outcome outcome = runSearch(name, TwoMatmuls(), options);
    EXPECT_EQ(outcome.progress.evaluations, 1u) << name;
    EXPECT_EQ(outcome.stoppedBy, StopReason::kSeconds) << name;
    EXPECT_DOUBLE_EQ(outcome.score.seconds, 8) << name;
  }
}

TEST(Searches, StopWhenInterrupted) {
  std::atomic<bool> flag{false};
  for (const std::string& name : searchNames()) {
    flag = false;
    SearchOptions options;
    options.interrupt = &flag;
    // The first report comes once the search has been under way for a moment.
    options.progress = [&](const Progress&, const Score&) { flag = true; };
    class Slow : public Scrambled {
     public:
      Slow() : Scrambled(3, 7, 1) {}
      Score evaluate(const Path& path) const override {
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
        while (std::chrono::steady_clock::now() < until) {
        }
        return Scrambled::evaluate(path);
      }
    };
    const Outcome outcome = runSearch(name, Slow(), options);
    if (name == "greedy" && outcome.stoppedBy == StopReason::kFinished) continue;
    EXPECT_EQ(outcome.stoppedBy, StopReason::kInterrupted) << name;
  }
}

TEST(Searches, RepeatThemselves) {
  for (const std::string& name : searchNames()) {
    const Scrambled problem(2, 5, 9);
    const Outcome a = runSearch(name, problem, evaluations(300, 4));
    const Outcome b = runSearch(name, problem, evaluations(300, 4));
    EXPECT_EQ(a.trace, b.trace) << name;
  }
  const Scrambled problem(2, 5, 9);
  EXPECT_NE(runSearch("random", problem, evaluations(300, 4)).trace.hash,
            runSearch("random", problem, evaluations(300, 5)).trace.hash);
}

}  // namespace
}  // namespace shardwright::search
