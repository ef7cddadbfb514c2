// What does nothing is left out of the plan that was found.
#pragma once

#include "shardwright/search/session.h"

namespace shardwright::search {

// The path without the decisions that may go: neither time nor memory grows by more than
// `tolerance` of what it was, in all, and none of the suggestions that were evaluated is better
// than what is left if none was before. Asks for a score per decision and round; what the session
// does not evaluate any more stays.
//   {rows on data, hidden on model, a turn where nothing meets}  ->  {rows on data, hidden on
//   model}
[[nodiscard]] Best tidied(Session& session, const Best& found,
                          const std::vector<Suggestion>& suggestions, double tolerance);

}  // namespace shardwright::search
