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
  std::erase_if(actions, [&](ActionId action) { return !problem.mayJoin(path, action); });
  if (actions.empty()) return path;
  const size_t drawn = rng.weighted(values.priors(prefix, actions));
  return with(path, place, actions[drawn]);
}

// The action at `place` becomes one of its relatives.
Path withARelative(const Problem& problem, const Path& path, size_t place, Rng& rng) {
  const Path rest = without(path, place);
  std::vector<ActionId> relatives = problem.relatives(path[place]);
  std::erase_if(relatives, [&](ActionId action) { return !problem.mayJoin(rest, action); });
  return relatives.empty() ? path : with(rest, place, relatives[rng.below(relatives.size())]);
}

Path variant(const Problem& problem, const Path& path, Rng& rng) {
  const std::vector<Path> variants = problem.variants(path);
  return variants.empty() ? path : variants[rng.below(variants.size())];
}

Path moved(const Path& path, Rng& rng) {
  const size_t from = rng.below(path.size());
  return with(without(path, from), rng.below(path.size()), path[from]);
}

}  // namespace

Path randomNeighbour(const Problem& problem, const ActionValues& values, const Path& path,
                     Rng& rng) {
  // Adding and exchanging are what finds new things; the rest tidies up.
  const double move = rng.uniform();
  const auto somewhere = [&] { return rng.below(path.size()); };
  Path next = path;
  if (path.empty() || move < 0.20) {
    next = withOneMore(problem, values, path, path.size(), rng);
  } else if (move < 0.34) {
    next = withOneMore(problem, values, path, rng.below(path.size() + 1), rng);
  } else if (move < 0.50) {
    const size_t place = somewhere();
    next = withOneMore(problem, values, without(path, place), place, rng);
  } else if (move < 0.60) {
    next = withARelative(problem, path, somewhere(), rng);
  } else if (move < 0.78) {
    next = variant(problem, path, rng);
  } else if (move < 0.87) {
    next = without(path, somewhere());
  } else if (move < 0.94) {
    next = moved(path, rng);
  } else {
    std::swap(next[somewhere()], next[somewhere()]);
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

Path cleared(const Problem& problem, const Path& path, Rng& rng) {
  constexpr double kThinned = 0.5, kByGroup = 0.3, kShare = 0.35;
  const double kind = rng.uniform();
  if (path.empty() || kind < kThinned) return thinned(path, kShare, rng);
  const ActionId chosen = path[rng.below(path.size())];
  const std::vector<ActionId> relatives = problem.relatives(chosen);
  Path kept;
  std::ranges::copy_if(path, std::back_inserter(kept), [&](ActionId action) {
    if (kind < kThinned + kByGroup) return problem.group(action) != problem.group(chosen);
    return action != chosen && std::ranges::find(relatives, action) == relatives.end();
  });
  return kept;
}

}  // namespace shardwright::search
