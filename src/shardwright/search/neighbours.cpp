#include "shardwright/search/neighbours.h"

#include <algorithm>

namespace shardwright::search {

Path without(const Path& path, size_t place) {
  Path shorter = path;
  shorter.erase(shorter.begin() + static_cast<ptrdiff_t>(place));
  return shorter;
}

Path with(const Path& path, size_t place, ActionId action) {
  Path longer = path;
  longer.insert(longer.begin() + static_cast<ptrdiff_t>(place), action);
  return longer;
}

namespace {

// `path` with an action put at `place`; the path itself if nothing may stand there.
Path withOneMore(const Problem& problem, const ActionValues& values, const Path& path, size_t place,
                 Rng& rng) {
  const Path prefix(path.begin(), path.begin() + static_cast<ptrdiff_t>(place));
  std::vector<ActionId> actions = problem.legal(prefix);
  std::erase_if(actions, [&](ActionId action) {
    return std::ranges::any_of(path,
                               [&](ActionId there) { return problem.excludes(there, action); });
  });
  if (actions.empty()) return path;
  const size_t drawn = rng.weighted(values.priors(prefix, actions));
  return with(path, place, actions[drawn]);
}

}  // namespace

Path randomNeighbour(const Problem& problem, const ActionValues& values, const Path& path,
                     Rng& rng) {
  // Adding and exchanging are what finds new things; the rest tidies up.
  const double move = rng.uniform();
  Path next = path;
  if (path.empty() || move < 0.3) {
    next = withOneMore(problem, values, path, path.size(), rng);
  } else if (move < 0.5) {
    next = withOneMore(problem, values, path, rng.below(path.size() + 1), rng);
  } else if (move < 0.75) {
    const size_t place = rng.below(path.size());
    next = withOneMore(problem, values, without(path, place), place, rng);
  } else if (move < 0.88) {
    next = without(path, rng.below(path.size()));
  } else {
    std::swap(next[rng.below(path.size())], next[rng.below(path.size())]);
  }
  return problem.canonical(next);
}

Path thinned(const Path& path, double share, Rng& rng) {
  if (path.empty()) return path;
  Path kept;
  for (const ActionId action : path) {
    if (rng.uniform() >= share) kept.push_back(action);
  }
  return kept.size() < path.size() ? kept : without(path, rng.below(path.size()));
}

}  // namespace shardwright::search
