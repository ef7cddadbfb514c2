#include "shardwright/search/refine.h"

#include <algorithm>

namespace shardwright::search {
namespace {

class Refiner {
 public:
  explicit Refiner(Session& session) : session_(session), problem_(session.problem()) {}

  void run() {
    const Best best = session_.best();
    path_ = problem_.canonical(best.path);
    score_ = best.score;
    while (!session_.stopped() && improveOnce()) {
    }
  }

 private:
  // Cheap kinds of neighbours first; the first that improves is taken.
  bool improveOnce() {
    return tryDropping() || tryAll(problem_.variants(path_)) || tryAdding() || tryExchanging() ||
           trySwapping();
  }

  // Whether `candidate` was taken.
  bool attempt(Path candidate, bool equalWillDo = false) {
    candidate = problem_.canonical(candidate);
    if (candidate == path_ || session_.stopped()) return false;
    const std::optional<Score> score = session_.evaluate(candidate);
    if (!score) return false;
    if (!(equalWillDo ? !better(score_, *score) : better(*score, score_))) return false;
    path_ = std::move(candidate);
    score_ = *score;
    return true;
  }

  bool tryAll(const std::vector<Path>& candidates) {
    return std::ranges::any_of(candidates, [&](const Path& path) { return attempt(path); });
  }

  static Path without(const Path& path, size_t place) {
    Path shorter = path;
    shorter.erase(shorter.begin() + static_cast<ptrdiff_t>(place));
    return shorter;
  }
  static Path with(const Path& path, size_t place, ActionId action) {
    Path longer = path;
    longer.insert(longer.begin() + static_cast<ptrdiff_t>(place), action);
    return longer;
  }

  bool tryDropping() {
    for (size_t i = path_.size(); i-- > 0;) {
      if (attempt(without(path_, i), true)) return true;
    }
    return false;
  }

  // All actions that could stand behind `prefix`, put there.
  bool tryInserting(const Path& rest, size_t place) {
    const Path prefix(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(place));
    for (const ActionId action : problem_.legal(prefix)) {
      if (mayJoin(rest, action) && attempt(with(rest, place, action))) return true;
    }
    return false;
  }

  bool mayJoin(const Path& rest, ActionId action) const {
    return std::ranges::none_of(rest,
                                [&](ActionId there) { return problem_.excludes(there, action); });
  }

  bool tryAdding() {
    for (size_t place = path_.size() + 1; place-- > 0;) {
      if (tryInserting(path_, place)) return true;
    }
    return false;
  }

  bool tryExchanging() {
    for (size_t i = path_.size(); i-- > 0;) {
      if (tryInserting(without(path_, i), i)) return true;
    }
    return false;
  }

  bool trySwapping() {
    for (size_t i = 0; i < path_.size(); ++i) {
      for (size_t j = i + 1; j < path_.size(); ++j) {
        if (problem_.commute(path_[i], path_[j])) continue;
        if (attempt(with(without(path_, j), i, path_[j]))) return true;
      }
    }
    return false;
  }

  Session& session_;
  const Problem& problem_;
  Path path_;
  Score score_;
};

}  // namespace

void refine(Session& session) { Refiner(session).run(); }

}  // namespace shardwright::search
