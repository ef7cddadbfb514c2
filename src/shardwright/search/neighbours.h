// Paths near a path, drawn at random.
#pragma once

#include "shardwright/search/action_values.h"
#include "shardwright/search/problem.h"
#include "shardwright/search/rng.h"

namespace shardwright::search {

// The path without the action at `place`, and with one more there.
[[nodiscard]] Path without(const Path& path, size_t place);
[[nodiscard]] Path with(const Path& path, size_t place, ActionId action);

// A canonical path that differs from `path` by one move: an action more at the end or in between
// (drawn by its prior), one less, one exchanged for another or for a relative, one at another
// place, two in the other order, or one of the problem's variants. The path itself if the move that
// was drawn is not possible.
[[nodiscard]] Path randomNeighbour(const Problem& problem, const ActionValues& values,
                                   const Path& path, Rng& rng);

// The path without each of its actions with probability `share`; at least one is gone.
[[nodiscard]] Path thinned(const Path& path, double share, Rng& rng);

// The path without some of its actions: a random third of them, all of one group, or one and its
// relatives.
[[nodiscard]] Path cleared(const Problem& problem, const Path& path, Rng& rng);

}  // namespace shardwright::search
