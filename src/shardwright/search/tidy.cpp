#include "shardwright/search/tidy.h"

#include <algorithm>

#include "shardwright/search/neighbours.h"

namespace shardwright::search {
namespace {

class Tidier {
 public:
  Tidier(Session& session, const Best& found, const std::vector<Suggestion>& suggestions,
         double tolerance)
      : session_(session), first_(found.score), allowed_(1 + tolerance), best_(found) {
    for (const Suggestion& suggestion : suggestions) {
      const std::optional<Score> score = session.known(suggestion.path);
      if (score) known_.push_back(*score);
    }
  }

  // What one decision does may depend on another that does nothing.
  Best run() {
    while (dropSome()) {
    }
    return best_;
  }

 private:
  // The last decisions first: they matter least.
  bool dropSome() {
    bool dropped = false;
    for (size_t i = best_.path.size(); i-- > 0;) {
      const Path shorter = without(best_.path, i);
      const std::optional<Score> score = session_.evaluate(shorter);
      if (!score || !willDo(*score)) continue;
      best_ = {shorter, *score};
      dropped = true;
    }
    return dropped;
  }

  bool willDo(const Score& score) const {
    if (score.excessBytes() > first_.excessBytes()) return false;
    if (score.seconds > first_.seconds * allowed_) return false;
    if (static_cast<double>(score.peakBytes) > static_cast<double>(first_.peakBytes) * allowed_)
      return false;
    return std::ranges::none_of(
        known_, [&](const Score& other) { return better(other, score) && !better(other, first_); });
  }

  Session& session_;
  const Score first_;
  const double allowed_;
  Best best_;
  std::vector<Score> known_;
};

}  // namespace

Best tidied(Session& session, const Best& found, const std::vector<Suggestion>& suggestions,
            double tolerance) {
  return Tidier(session, found, suggestions, tolerance).run();
}

}  // namespace shardwright::search
