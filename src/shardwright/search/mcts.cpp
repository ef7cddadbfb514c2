// Monte Carlo tree search. Three parts share the budget:
//   1. one step: the suggestions; each single action, which gives the first priors; a descent that
//   takes the best of the likely actions while one improves; and pairs of actions
//      whose order matters, because a good pair may begin with a bad action
//   2. the tree: select, expand, evaluate (a rollout that stops when nothing improves), backup; and
//      in between chains of walks, because what a tree takes early it keeps
//   3. refinement of the best path; what it leaves of the budget goes to the tree again
// At the end what does nothing is left out.
#include <algorithm>
#include <mutex>
#include <numeric>

#include "shardwright/search/action_values.h"
#include "shardwright/search/neighbours.h"
#include "shardwright/search/refine.h"
#include "shardwright/search/rng.h"
#include "shardwright/search/search.h"
#include "shardwright/search/tidy.h"
#include "shardwright/search/tree.h"

namespace shardwright::search {
namespace {

// Steps that meet nothing but known scores before a thread gives up: many paths, few plans.
constexpr uint64_t kMostIdle = 2'000;

struct MctsSettings {
  bool priors = true;  // From one-step changes; else all actions are alike.
  bool refine = true;
  uint32_t tries = 4;       // Actions without improvement after which a rollout ends.
  bool walks = true;        // One after every step of the tree.
  uint32_t walkTries = 40;  // Neighbours without improvement after which a walk ends.
  uint32_t chainTries = 6;  // Walks without improvement after which a chain ends.
  // In logarithms of time: chains that end so near the best are refined.
  double refineWithin = 0.2;
  // The shares of the budget that may go into suggestions, single actions, putting suggestions into
  // the tree, looking at pairs and the descent, and that refinement may count on.
  double suggestionShare = 0.2;
  double actionShare = 0.25;
  double plantShare = 0.03;
  double pairShare = 0.05;
  double descentShare = 0.2;
  uint32_t descentWidth = 32;  // So many actions are looked at in each step of the descent.
  double refineShare = 0.3;
  double leastRound = 0.01;  // Less of the budget than this is not worth another round.
  // A decision does nothing that changes time and memory by no more than this share.
  double idle = 1e-4;
  // Evaluations without improvement after which the tree is left, per action of the problem.
  uint64_t patiencePerAction = 24;
  uint64_t leastPatience = 3000;  // Two or three chains.
};

class Run {
 public:
  Run(Session& session, const SearchOptions& options, const MctsSettings& settings)
      : session_(session),
        problem_(session.problem()),
        options_(options),
        settings_(settings),
        values_(session.problem()),
        budget_(settings.refine ? withoutTidying(options.budget) : options.budget),
        rootCost_(treeCost(session.best().score)),
        tree_({}, rootCost_, {}),
        own_(session.best()) {}

  StopReason go() {
    session_.pushStoppers(share(1));
    const StopReason ended = search();
    const StopReason stopped = session_.stopReason();
    session_.popStoppers();
    const bool proved = ended == StopReason::kExhausted;
    const bool spent = ended == StopReason::kFinished && left() <= settings_.leastRound;
    const StopReason reason = spent ? spentFirst() : ended;
    if (settings_.refine) tidy(proved ? 0 : settings_.idle);
    return isSpent(stopped) && !proved ? stopped : reason;
  }

 private:
  static Budget withoutTidying(const Budget& all) {
    constexpr uint64_t kMost = 32;  // Evaluations.
    constexpr double kShare = 0.02;
    const auto share = static_cast<uint64_t>(kShare * static_cast<double>(all.evaluations));
    return {all.evaluations - std::min(kMost, share), all.seconds * (1 - kShare)};
  }

  StopReason search() {
    session_.pushStoppers(treeStoppers());
    lookAround();
    StopReason stopped = growAndRefine();
    // Refinement that ends early leaves the rest of its share to the tree.
    // Of a few evaluations a share may be none at all.
    bool brought = true;
    while (isSpent(stopped) && brought && left() > settings_.leastRound) {
      const uint64_t before = session_.progress().evaluations;
      session_.pushStoppers(treeStoppers());
      stopped = growAndRefine();
      brought = session_.progress().evaluations > before;
    }
    if (tree_.exhausted()) return StopReason::kExhausted;
    return stopped == StopReason::kNoImprovement ? stopped : StopReason::kFinished;
  }

  void tidy(double tolerance) {
    session_.settle(tidied(session_, session_.best(), options_.suggestions, tolerance));
  }

  // Stops when so many evaluations or seconds more have been spent.
  Stoppers spending(double evaluations, double seconds) const {
    const Progress progress = session_.progress();
    Stoppers stoppers;
    const double last = static_cast<double>(progress.evaluations) + evaluations;
    if (last < static_cast<double>(std::numeric_limits<uint64_t>::max()))
      stoppers.push_back(std::make_unique<EvaluationLimit>(static_cast<uint64_t>(last)));
    stoppers.push_back(std::make_unique<TimeLimit>(progress.seconds + seconds));
    return stoppers;
  }
  Stoppers share(double part) const {
    return spending(part * static_cast<double>(budget_.evaluations), part * budget_.seconds);
  }

  double spentEvaluations() const {
    return static_cast<double>(session_.progress().evaluations) /
           static_cast<double>(budget_.evaluations);
  }
  double spentSeconds() const { return session_.progress().seconds / budget_.seconds; }
  StopReason spentFirst() const {
    return spentEvaluations() > spentSeconds() ? StopReason::kEvaluations : StopReason::kSeconds;
  }
  // The share of the budget that is left; of evaluations or seconds, whichever ends first.
  double left() const { return std::max(0.0, 1 - std::max(spentEvaluations(), spentSeconds())); }

  Stoppers treeStoppers() const {
    Stoppers stoppers = share(left() * (settings_.refine ? 1 - settings_.refineShare : 1));
    const uint64_t byActions = settings_.patiencePerAction * problem_.legal({}).size();
    const uint64_t patience = std::max(settings_.leastPatience, byActions);
    stoppers.push_back(
        std::make_unique<Patience>(options_.patience > 0 ? options_.patience : patience));
    return stoppers;
  }

  Branches branches(const Path& path) const {
    Branches result;
    result.actions = problem_.legal(path);
    if (result.actions.empty()) return result;
    result.priors = settings_.priors
                        ? values_.priors(path, result.actions)
                        : std::vector<double>(result.actions.size(),
                                              1.0 / static_cast<double>(result.actions.size()));
    return result;
  }

  // --- part 1 ---

  // Where little is evaluated, what people would try comes before single actions: these seldom make
  // a program fit that is far too large.
  void lookAround() {
    const std::vector<Best> found = trySuggestions();
    if (settings_.priors) tryEachAction();
    tree_ = Tree(branches({}), rootCost_, {});
    plantSuggestions(found);
    if (settings_.priors) descend();
    if (settings_.priors) tryPairs();
    for (unsigned thread = 0; thread < options_.threads; ++thread) {
      walkers_.push_back(
          {Rng::ofThread(options_.seed, thread), {thread % 2 == 0 ? session_.best() : ownBest()}});
    }
  }

  // All evaluations go through here: besides the best path, the best without foreign actions is
  // kept.
  std::optional<Score> evaluate(const Path& path) {
    const std::optional<Score> score = session_.evaluate(path);
    if (score) noteOwn(path, *score);
    return score;
  }
  std::vector<std::optional<Score>> evaluateAll(const std::vector<Path>& paths) {
    const auto scores = search::evaluateAll(session_, paths, options_.threads);
    for (size_t i = 0; i < paths.size(); ++i) {
      if (scores[i]) noteOwn(paths[i], *scores[i]);
    }
    return scores;
  }

  void noteOwn(const Path& path, const Score& score) {
    const auto foreign = [&](ActionId action) { return problem_.isForeign(action); };
    if (std::ranges::any_of(path, foreign)) return;
    const std::lock_guard lock(mutex_);
    if (better(score, own_.score)) own_ = {path, score};
  }
  Best ownBest() {
    const std::lock_guard lock(mutex_);
    return own_;
  }

  void tryEachAction() {
    std::vector<Path> paths;
    for (const ActionId action : problem_.legal({})) paths.push_back({action});
    session_.pushStoppers(share(settings_.actionShare));
    const auto scores = evaluateAll(paths);
    session_.popStoppers();
    for (size_t i = 0; i < paths.size(); ++i) {
      if (scores[i]) values_.learn({}, paths[i][0], treeCost(*scores[i]) - rootCost_);
    }
  }

  // Those that were evaluated, best first. What cannot fit is tried last.
  std::vector<Best> trySuggestions() {
    const int64_t limit = session_.best().score.limitBytes;
    std::vector<Path> paths;
    for (const bool hopeless : {false, true}) {
      for (const Suggestion& suggestion : options_.suggestions) {
        if ((suggestion.leastBytes > limit) == hopeless) paths.push_back(suggestion.path);
      }
    }
    session_.pushStoppers(share(settings_.suggestionShare));
    const auto scores = evaluateAll(paths);
    session_.popStoppers();
    std::vector<Best> found;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (scores[i]) found.push_back({paths[i], *scores[i]});
    }
    std::ranges::stable_sort(found,
                             [](const Best& a, const Best& b) { return better(a.score, b.score); });
    return found;
  }

  // Suggestions count as rollouts from the nodes on their way, which must be evaluated too: the
  // best ones do.
  void plantSuggestions(const std::vector<Best>& found) {
    session_.pushStoppers(share(settings_.plantShare));
    for (const Best& suggestion : found) {
      if (session_.stopped()) break;
      plant(suggestion.path, treeCost(suggestion.score));
    }
    session_.popStoppers();
  }

  // Takes the best of the likely actions, from the root, while that improves: behind what is there,
  // and once that brings nothing more, before it.
  void descend() {
    session_.pushStoppers(share(settings_.descentShare));
    Path path;
    std::optional<Score> score = session_.known(path);
    while (score) {
      std::optional<Best> found = best(likely(path), *score);
      if (!found) found = best(likelyBefore(path), *score);
      if (!found) break;
      path = std::move(found->path);
      score = found->score;
    }
    session_.popStoppers();
    if (score) plant(path, treeCost(*score));
  }

  std::optional<Best> best(const std::vector<Path>& paths, const Score& than) {
    const auto scores = evaluateAll(paths);
    std::optional<Best> found;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (scores[i] && better(*scores[i], found ? found->score : than))
        found = {paths[i], *scores[i]};
    }
    return found;
  }

  // The path with one action more, for the actions of the largest priors.
  std::vector<Path> likely(const Path& path) const {
    std::vector<Path> paths;
    for (const ActionId action : byPrior(branches(path))) {
      if (paths.size() == settings_.descentWidth) break;
      paths.push_back(path);
      paths.back().push_back(action);
    }
    return paths;
  }

  // The same with the action before all others, where that makes a difference.
  std::vector<Path> likelyBefore(const Path& path) const {
    std::vector<Path> paths;
    for (const ActionId action : byPrior(branches({}))) {
      if (paths.size() == settings_.descentWidth) break;
      const auto excluded = [&](ActionId other) { return problem_.excludes(action, other); };
      const auto meets = [&](ActionId other) { return meet(action, other); };
      if (std::ranges::any_of(path, excluded) || std::ranges::none_of(path, meets)) continue;
      paths.push_back({action});
      paths.back().insert(paths.back().end(), path.begin(), path.end());
    }
    return paths;
  }

  static std::vector<ActionId> byPrior(const Branches& choices) {
    std::vector<size_t> order(choices.actions.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t i) { return choices.priors[i]; });
    std::vector<ActionId> actions;
    for (const size_t i : order) actions.push_back(choices.actions[i]);
    return actions;
  }

  // What is worth looking at: of two actions that do not commute, the second after the first.
  // Firsts that looked best come first.
  std::vector<Path> pairs() const {
    std::vector<Path> found;
    for (const ActionId action : byPrior(branches({}))) {
      for (const ActionId next : problem_.legal({action})) {
        if (meet(action, next)) found.push_back({action, next});
      }
    }
    return found;
  }

  bool meet(ActionId a, ActionId b) const {
    for (const ActionId x : problem_.steps(a)) {
      for (const ActionId y : problem_.steps(b)) {
        if (!problem_.commute(x, y)) return true;
      }
    }
    return false;
  }

  void tryPairs() {
    session_.pushStoppers(share(settings_.pairShare));
    const std::vector<Path> paths = pairs();
    const auto scores = evaluateAll(paths);
    session_.popStoppers();
    for (size_t i = 0; i < paths.size(); ++i) {
      const std::optional<Score> alone = session_.known({paths[i][0]});
      if (!scores[i] || !alone) continue;
      values_.learn({paths[i][0]}, paths[i][1], treeCost(*scores[i]) - treeCost(*alone));
      plant(paths[i], treeCost(*scores[i]));
    }
  }

  // Puts all nodes of a path into the tree.
  void plant(const Path& path, double cost) {
    while (true) {
      const Descent descent = tree_.follow(path);
      const Descent::Step* last = descent.steps.empty() ? nullptr : &descent.steps.back();
      const bool grows = last != nullptr && !tree_.leads(*last);
      if (!grows || !evaluate(descent.path)) {
        tree_.backup(descent, cost);
        return;
      }
      tree_.expand(descent, problem_.canonical(descent.path), branches(descent.path));
      tree_.abandon(descent);
    }
  }

  // --- part 2 ---

  // Walks that start near the best that one of them found. Of several good regions of the space a
  // chain is in one; when it finds nothing more, the next begins elsewhere.
  struct Chain {
    Best best;
    uint32_t failures = 0;
  };

  struct Walker {  // Per thread.
    Rng rng;
    Chain chain;
  };

  // Until the stoppers on top end it; these are taken away. Returns why the tree was left.
  StopReason growAndRefine() {
    inThreads(options_.threads, [&](unsigned thread) { growTree(walkers_[thread]); });
    const StopReason stopped = session_.stopReason();
    session_.popStoppers();
    if (settings_.refine) refineBest();
    return stopped;
  }

  void growTree(Walker& walker) {
    uint64_t evaluations = 0, idle = 0;
    while (!session_.stopped() && idle < kMostIdle) {
      idle = session_.progress().evaluations == evaluations ? idle + 1 : 0;
      evaluations = session_.progress().evaluations;
      if (settings_.walks) extend(walker.chain, walker.rng);
      Descent descent;
      {
        const std::lock_guard lock(mutex_);
        if (!tree_.exhausted()) descent = tree_.select();
        if (tree_.exhausted()) return;
      }
      step(descent, walker.rng);
    }
  }

  void step(const Descent& descent, Rng& rng) {
    const Path canonical = problem_.canonical(descent.path);
    {
      // Somebody came here another way: nothing is left to evaluate, but the way is new.
      const std::lock_guard lock(mutex_);
      const NodeId known = tree_.find(canonical);
      if (known.valid()) {
        tree_.expand(descent, canonical, {});
        tree_.backup(descent, tree_.cost(known));
        return;
      }
    }
    const std::optional<Score> score = evaluate(descent.path);
    if (!score) return abandon(descent);
    const Branches below = branches(descent.path);
    const double cost = rollout(descent.path, *score, rng);
    const std::lock_guard lock(mutex_);
    tree_.expand(descent, canonical, below);
    tree_.backup(descent, cost);
  }

  void abandon(const Descent& descent) {
    const std::lock_guard lock(mutex_);
    tree_.abandon(descent);
  }

  // Goes on from `path` while that improves, actions being drawn by their priors. Returns the least
  // cost seen.
  double rollout(Path path, Score score, Rng& rng) {
    uint32_t failures = 0;
    Branches choices = branches(path);
    while (!choices.actions.empty() && failures < settings_.tries) {
      const size_t drawn = rng.weighted(choices.priors);
      const ActionId action = choices.actions[drawn];
      Path longer = path;
      longer.push_back(action);
      const std::optional<Score> next = evaluate(longer);
      if (!next) break;
      values_.learn(path, action, treeCost(*next) - treeCost(score));
      if (better(*next, score)) {
        path = std::move(longer);
        score = *next;
        failures = 0;
        choices = branches(path);
      } else {
        ++failures;
        remove(choices, drawn);
      }
    }
    return treeCost(score);
  }

  void extend(Chain& chain, Rng& rng) {
    if (chain.failures == settings_.chainTries) {
      finish(chain);
      chain = begun(rng);
    }
    const std::optional<Best> found =
        walk(cleared(problem_, problem_.canonical(chain.best.path), rng), rng);
    ++chain.failures;
    if (found && better(found->score, chain.best.score)) chain = {*found};
  }

  // What a plan is worth shows when it is refined: a slower one may end as the faster.
  void finish(const Chain& chain) {
    const bool promising =
        treeCost(chain.best.score) < treeCost(session_.best().score) + settings_.refineWithin;
    if (settings_.refine && promising) refine(session_, chain.best, 1);
  }

  Chain begun(Rng& rng) {
    Path start = chainStart(rng);
    const std::optional<Score> score = evaluate(start);
    return score ? Chain{{std::move(start), *score}} : Chain{session_.best()};
  }

  // Little of the best path, a suggestion, or nothing. Foreign actions cannot be taken apart, so
  // the best path without them counts too.
  Path chainStart(Rng& rng) {
    constexpr double kMost = 0.6;
    const auto& suggestions = options_.suggestions;
    switch (rng.below(4)) {
      case 0:
        return thinned(problem_.canonical(session_.best().path), kMost, rng);
      case 1:
        return thinned(problem_.canonical(ownBest().path), kMost, rng);
      case 2:
        return suggestions.empty() ? Path() : suggestions[rng.below(suggestions.size())].path;
      default:
        return {};
    }
  }

  // To a place where neighbours are no better.
  std::optional<Best> walk(Path path, Rng& rng) {
    std::optional<Score> score = evaluate(path);
    for (uint32_t failures = 0; score && failures < settings_.walkTries; ++failures) {
      Path next = randomNeighbour(problem_, values_, path, rng);
      const std::optional<Score> found = evaluate(next);
      if (!found) break;
      const bool simpler = next.size() < path.size() && !better(*score, *found);
      if (!simpler && !better(*found, *score)) continue;
      path = std::move(next);
      score = found;
      failures = 0;
    }
    if (!score) return {};
    return Best{std::move(path), *score};
  }

  // --- part 3 ---

  void refineBest() {
    // Threads evaluate ahead of what is needed: that saves seconds and costs evaluations.
    const bool counted = options_.budget.evaluations < Budget().evaluations;
    const unsigned threads = counted ? 1 : options_.threads;
    const Best own = ownBest();
    if (own.path != session_.best().path && own.score.fits()) {
      session_.pushStoppers(share(settings_.refineShare / 2));
      refine(session_, own, threads);
      session_.popStoppers();
    }
    refine(session_, session_.best(), threads);
  }

  static void remove(Branches& choices, size_t index) {
    choices.actions.erase(choices.actions.begin() + static_cast<ptrdiff_t>(index));
    choices.priors.erase(choices.priors.begin() + static_cast<ptrdiff_t>(index));
  }

  Session& session_;
  const Problem& problem_;
  const SearchOptions& options_;
  const MctsSettings& settings_;
  ActionValues values_;
  const Budget budget_;  // Less what it takes to leave out what does nothing.
  const double rootCost_;
  std::mutex mutex_;  // Guards the rest.
  Tree tree_;
  Best own_;
  std::vector<Walker> walkers_;
};

class Mcts final : public Search {
 public:
  explicit Mcts(MctsSettings settings) : settings_(settings) {}
  StopReason run(Session& session, const SearchOptions& options) const override {
    return Run(session, options, settings_).go();
  }

 private:
  MctsSettings settings_;
};

}  // namespace

std::unique_ptr<Search> makeMcts() { return std::make_unique<Mcts>(MctsSettings{}); }

std::unique_ptr<Search> makeAutomap() {
  MctsSettings settings;
  settings.priors = false;
  settings.refine = false;
  settings.walks = false;
  return std::make_unique<Mcts>(settings);
}

}  // namespace shardwright::search
