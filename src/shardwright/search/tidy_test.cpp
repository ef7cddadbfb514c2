#include "shardwright/search/tidy.h"

#include <gtest/gtest.h>

#include "shardwright/search/testing.h"

namespace shardwright::search {
namespace {

// Action 0 halves the time, 1 and 2 hardly change it, 3 halves the memory.
class MostlyIdle : public testing::Lists {
 public:
  MostlyIdle() : Lists(1, 4) {}
  Score evaluate(const Path& path) const override {
    Score score{10, 100, 1'000};
    for (const ActionId action : path) {
      score.seconds *= color(action) == 0 ? 0.5 : color(action) == 3 ? 1 : 1 - 7e-5;
      if (color(action) == 3) score.peakBytes /= 2;
    }
    return score;
  }
};

Path path(std::initializer_list<uint32_t> ids) {
  Path result;
  for (const uint32_t id : ids) result.push_back(ActionId(id));
  return result;
}

struct Fixture {
  explicit Fixture(uint64_t most = 100) : session(problem, limit(most), {}) {
    session.evaluate({});
  }
  static Stoppers limit(uint64_t most) {
    Stoppers stoppers;
    stoppers.push_back(std::make_unique<EvaluationLimit>(most));
    return stoppers;
  }
  Best best(const Path& path) { return {path, *session.evaluate(path)}; }
  MostlyIdle problem;
  Session session;
};

TEST(Tidy, LeavesOutWhatDoesNothing) {
  Fixture fixture;
  EXPECT_EQ(tidied(fixture.session, fixture.best(path({0, 1, 3})), {}, 1e-4).path, path({0, 3}));
  EXPECT_EQ(tidied(fixture.session, fixture.best(path({0, 1, 3})), {}, 0).path, path({0, 1, 3}));
}

TEST(Tidy, AddsUpWhatLittleThingsCost) {
  Fixture fixture;
  EXPECT_EQ(tidied(fixture.session, fixture.best(path({0, 1, 2})), {}, 1e-4).path, path({0, 1}));
}

TEST(Tidy, StaysAheadOfWhatItWasAheadOf) {
  Fixture fixture;
  const Best known = fixture.best(path({0, 1}));
  EXPECT_EQ(tidied(fixture.session, known, {{"known", known.path}}, 1e-4).path, known.path);
  const Best faster = fixture.best(path({0, 1, 2}));
  EXPECT_EQ(tidied(fixture.session, known, {{"faster", faster.path}}, 1e-4).path, path({0}));
}

TEST(Tidy, KeepsWhatCannotBeTried) {
  Fixture fixture(2);  // The empty path and the one that was found.
  EXPECT_EQ(tidied(fixture.session, fixture.best(path({0, 1})), {}, 1e-4).path, path({0, 1}));
}

}  // namespace
}  // namespace shardwright::search
