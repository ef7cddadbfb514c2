// Searches, all behind one interface.
//
//   mcts        Monte Carlo tree search: suggestions and a descent, then UCT with priors from
//               one-step changes and rollouts that stop when nothing improves, then refinement
//   greedy      takes the action that improves most, until none does
//   random      random paths
//   exhaustive  every canonical state, depth first; proves its result when it finishes
//   automap     plain UCT without priors or refinement, over whatever actions the problem has; the
//               driver gives it actions on argument dims
//
// Each keeps the best path seen, so it can be stopped at any moment.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/search/problem.h"
#include "shardwright/search/session.h"
#include "shardwright/search/stop.h"

namespace shardwright::search {

inline constexpr unsigned kMostThreads = 1024;

struct SearchOptions {
  Budget budget = {};
  // Ends after so many evaluations without improvement; 0 leaves it to the algorithm.
  uint64_t patience = 0;
  uint64_t seed = 0;
  unsigned threads = 1;                          // At most kMostThreads.
  std::vector<Suggestion> suggestions = {};      // Tried first, by mcts.
  const std::atomic<bool>* interrupt = nullptr;  // Set by a signal handler.
  ProgressCallback progress = {};
};

struct Outcome {
  Path path;
  Score score;
  Progress progress;
  StopReason stoppedBy = StopReason::kNone;
  bool proved = false;  // Nothing in the problem's space is better.
  Trace trace;
  // Of the suggestions, in their order; nothing for those that were not evaluated.
  std::vector<std::optional<Score>> suggestionScores;
};

// Requires a name of `searchNames`. Evaluates the empty path whatever the budget.
//   runSearch("mcts", problem, {.budget = {.evaluations = 200}, .seed = 1})
[[nodiscard]] Outcome runSearch(std::string_view name, const Problem& problem,
                                const SearchOptions& options);

// "mcts", "automap", "greedy", "random", "exhaustive".
const std::vector<std::string>& searchNames();

// One algorithm. `run` returns when it has nothing more to try or the session has stopped, and says
// why it ended; what stopped the session comes before that. kExhausted is a proof: nothing in the
// problem's space is better than the best path.
class Search {
 public:
  virtual ~Search() = default;
  virtual StopReason run(Session& session, const SearchOptions& options) const = 0;
};

std::unique_ptr<Search> makeMcts();
std::unique_ptr<Search> makeAutomap();
std::unique_ptr<Search> makeGreedy();
std::unique_ptr<Search> makeRandom();
std::unique_ptr<Search> makeExhaustive();

}  // namespace shardwright::search
