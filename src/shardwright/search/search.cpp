#include "shardwright/search/search.h"

#include <algorithm>

#include "shardwright/base/heap.h"

namespace shardwright::search {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Search> (*make)();
};

constexpr Entry kSearches[] = {
    {"mcts", makeMcts},     {"automap", makeAutomap},       {"greedy", makeGreedy},
    {"random", makeRandom}, {"exhaustive", makeExhaustive},
};

const Entry& find(std::string_view name) {
  const Entry* entry = std::ranges::find_if(
      kSearches, [&](const Entry& candidate) { return candidate.name == name; });
  SW_CHECK(entry != std::end(kSearches));
  return *entry;
}

Stoppers stoppersOf(const SearchOptions& options) {
  Stoppers stoppers;
  if (options.interrupt != nullptr)
    stoppers.push_back(std::make_unique<Interrupt>(*options.interrupt));
  stoppers.push_back(std::make_unique<EvaluationLimit>(options.budget.evaluations));
  stoppers.push_back(std::make_unique<TimeLimit>(options.budget.seconds));
  return stoppers;
}

}  // namespace

const std::vector<std::string>& searchNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : kSearches) all.push_back(entry.name);
    return all;
  }();
  return names;
}

Outcome runSearch(std::string_view name, const Problem& problem, const SearchOptions& options) {
  keepFreedBlocks();
  Session session(problem, stoppersOf(options), options.progress);
  session.evaluate({});
  const StopReason ended = find(name).make()->run(session, options);
  Outcome outcome;
  const Best best = session.best();
  outcome.path = problem.canonical(best.path);
  outcome.score = best.score;
  outcome.progress = session.progress();
  outcome.trace = session.trace();
  for (const Suggestion& suggestion : options.suggestions)
    outcome.suggestionScores.push_back(session.known(suggestion.path));
  outcome.proved = ended == StopReason::kExhausted;
  const StopReason stopped = session.stopReason();
  outcome.stoppedBy = outcome.proved || stopped == StopReason::kNone ? ended : stopped;
  return outcome;
}

}  // namespace shardwright::search
