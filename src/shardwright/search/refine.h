// Local search around a path.
#pragma once

#include "shardwright/search/session.h"

namespace shardwright::search {

// Improves a path until no neighbour is better or the session stops; the session keeps what is
// found. Neighbours are evaluated by so many threads, and of those evaluated together the best
// is taken if it is better. Neighbours of a path:
//   - without one action (also taken when it is as good: fewer decisions are easier to read)
//   - with one more action, at any place where it makes a difference
//   - with one action exchanged for a relative or for any other, in its place
//   - with two actions that do not commute in the other order
//   - the problem's own variants
// Ends at a local optimum.
void refine(Session& session, const Best& start, unsigned threads);

}  // namespace shardwright::search
