// Every state once. A path is walked only if it is the canonical form of its state; prefixes of
// canonical paths are canonical, so each state is reached by exactly one way. States below which
// nothing can be better are cut: no path takes less time than Problem::leastSeconds.
#include "shardwright/search/search.h"

namespace shardwright::search {
namespace {

class Exhaustive final : public Search {
 public:
  StopReason run(Session& session, const SearchOptions&) const override {
    return below(session, {}) ? StopReason::kExhausted : StopReason::kFinished;
  }

 private:
  // Whether all states below `path` have been seen, or need not be.
  static bool below(Session& session, const Path& path) {
    const Problem& problem = session.problem();
    for (const ActionId action : problem.legal(path)) {
      if (cannotImprove(session)) return true;
      Path longer = path;
      longer.push_back(action);
      if (problem.canonical(longer) != longer) continue;
      // Known scores cost nothing, so the session would never say no.
      if (session.stopped() || !session.evaluate(longer) || !below(session, longer)) return false;
    }
    return true;
  }

  static bool cannotImprove(Session& session) {
    const Score best = session.best().score;
    return best.fits() && best.seconds <= session.problem().leastSeconds();
  }
};

}  // namespace

std::unique_ptr<Search> makeExhaustive() { return std::make_unique<Exhaustive>(); }

}  // namespace shardwright::search
