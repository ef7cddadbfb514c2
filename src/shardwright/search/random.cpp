#include "shardwright/search/rng.h"
#include "shardwright/search/search.h"

namespace shardwright::search {
namespace {

// Without a limit it would go on for ever.
constexpr uint64_t kDefaultPaths = 10'000;
// A path ends with this probability after each action.
constexpr double kEnd = 0.2;

class Random final : public Search {
 public:
  StopReason run(Session& session, const SearchOptions& options) const override {
    Rng rng(options.seed);
    for (uint64_t i = 0; i < kDefaultPaths && !session.stopped(); ++i) walk(session, rng);
    return StopReason::kFinished;
  }

 private:
  static void walk(Session& session, Rng& rng) {
    Path path;
    while (true) {
      const std::vector<ActionId> legal = session.problem().legal(path);
      if (legal.empty()) return;
      path.push_back(legal[rng.below(legal.size())]);
      if (!session.evaluate(path) || rng.uniform() < kEnd) return;
    }
  }
};

}  // namespace

std::unique_ptr<Search> makeRandom() { return std::make_unique<Random>(); }

}  // namespace shardwright::search
