// Local search around a path.
#pragma once

#include "shardwright/search/session.h"

namespace shardwright::search {

// Improves the best path of the session until no neighbour is better or the session stops.
// Neighbours of a path:
//   - without one action (also taken when it is as good: fewer decisions are easier to read)
//   - with one more action, at any place where it makes a difference
//   - with one action exchanged for another, in its place
//   - with two actions that do not commute in the other order
//   - the problem's own variants
// Ends at a local optimum.
void refine(Session& session);

}  // namespace shardwright::search
