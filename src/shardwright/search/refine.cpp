#include "shardwright/search/refine.h"

#include <algorithm>

#include "shardwright/search/neighbours.h"

namespace shardwright::search {
namespace {

class Refiner {
 public:
  Refiner(Session& session, const Best& start, unsigned threads)
      : session_(session),
        problem_(session.problem()),
        threads_(std::max(1u, threads)),
        path_(problem_.canonical(start.path)),
        score_(start.score) {}

  void run() {
    while (!session_.stopped() && improveOnce()) {
    }
  }

 private:
  // Cheap kinds of neighbours first; the first that improves is taken.
  bool improveOnce() {
    if (takeFirst(shorter(), true)) return true;
    for (const auto kind : {&Refiner::variants, &Refiner::elsewhere, &Refiner::longer,
                            &Refiner::exchanged, &Refiner::swapped}) {
      if (session_.stopped()) return false;
      if (takeFirst((this->*kind)())) return true;
    }
    return false;
  }

  // Whether one of them was taken.
  bool takeFirst(const std::vector<Path>& candidates, bool equalWillDo = false) {
    for (size_t begin = 0; begin < candidates.size(); begin += threads_) {
      const size_t end = std::min(candidates.size(), begin + threads_);
      const std::vector<Path> some(candidates.begin() + static_cast<ptrdiff_t>(begin),
                                   candidates.begin() + static_cast<ptrdiff_t>(end));
      if (session_.stopped()) return false;
      const auto scores = evaluateAll(session_, some, threads_);
      bool taken = false;
      for (size_t i = 0; i < some.size(); ++i) {
        const bool equal = equalWillDo && !taken;
        if (!scores[i]) continue;
        if (!(equal ? !better(score_, *scores[i]) : better(*scores[i], score_))) continue;
        path_ = some[i];
        score_ = *scores[i];
        taken = true;
      }
      if (taken) return true;
    }
    return false;
  }

  void add(std::vector<Path>& paths, const Path& path) const {
    Path canonical = problem_.canonical(path);
    if (canonical != path_) paths.push_back(std::move(canonical));
  }

  std::vector<Path> variants() const { return problem_.variants(path_); }

  std::vector<Path> shorter() const {
    std::vector<Path> paths;
    for (size_t i = path_.size(); i-- > 0;) add(paths, without(path_, i));
    return paths;
  }

  std::vector<Path> elsewhere() const {
    std::vector<Path> paths;
    for (size_t i = path_.size(); i-- > 0;) {
      const Path rest = without(path_, i);
      for (const ActionId action : problem_.relatives(path_[i])) {
        if (problem_.mayJoin(rest, action)) add(paths, with(rest, i, action));
      }
    }
    return paths;
  }

  // All actions that could stand at `place`, put there.
  void addInserted(std::vector<Path>& paths, const Path& rest, size_t place) const {
    const Path prefix(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(place));
    for (const ActionId action : problem_.legal(prefix)) {
      if (problem_.mayJoin(rest, action)) add(paths, with(rest, place, action));
    }
  }

  std::vector<Path> longer() const {
    std::vector<Path> paths;
    for (size_t place = path_.size() + 1; place-- > 0;) addInserted(paths, path_, place);
    return paths;
  }

  std::vector<Path> exchanged() const {
    std::vector<Path> paths;
    for (size_t i = path_.size(); i-- > 0;) addInserted(paths, without(path_, i), i);
    return paths;
  }

  std::vector<Path> swapped() const {
    std::vector<Path> paths;
    for (size_t i = 0; i < path_.size(); ++i) {
      for (size_t j = i + 1; j < path_.size(); ++j) {
        if (problem_.commute(path_[i], path_[j])) continue;
        add(paths, with(without(path_, j), i, path_[j]));
      }
    }
    return paths;
  }

  Session& session_;
  const Problem& problem_;
  const unsigned threads_;
  Path path_;
  Score score_;
};

}  // namespace

void refine(Session& session, const Best& start, unsigned threads) {
  Refiner(session, start, threads).run();
}

}  // namespace shardwright::search
