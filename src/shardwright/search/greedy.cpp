#include "shardwright/search/search.h"

namespace shardwright::search {
namespace {

class Greedy final : public Search {
 public:
  StopReason run(Session& session, const SearchOptions&) const override {
    Path path;
    Score score = session.best().score;
    while (true) {
      const std::optional<ActionId> action = bestAction(session, path, score);
      if (!action) return StopReason::kFinished;
      path.push_back(*action);
    }
  }

 private:
  // The action that improves `score` most; nothing if none does. `score` becomes the new one.
  static std::optional<ActionId> bestAction(Session& session, const Path& path, Score& score) {
    std::optional<ActionId> best;
    for (const ActionId action : session.problem().legal(path)) {
      Path longer = path;
      longer.push_back(action);
      const std::optional<Score> here = session.evaluate(longer);
      if (!here) return {};
      if (!better(*here, score)) continue;
      score = *here;
      best = action;
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<Search> makeGreedy() { return std::make_unique<Greedy>(); }

}  // namespace shardwright::search
