// One search under way: pays for evaluations, remembers scores and the best plan, knows when to
// stop. Algorithms ask it for scores and otherwise only decide what to look at next.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "shardwright/search/problem.h"
#include "shardwright/search/stop.h"

namespace shardwright::search {

// A plan that was better than all before it, or the last one with less in it.
struct Improvement {
  uint64_t evaluation = 0;  // Its number, from 1 on.
  Path path;
  Score score;
  double seconds = 0;  // When. Not compared: clocks differ.
  bool operator==(const Improvement& other) const {
    return evaluation == other.evaluation && path == other.path && score == other.score;
  }
};

// What a search did: equal seeds give equal traces (one thread, no time limit).
struct Trace {
  std::vector<Improvement> improvements;
  uint64_t hash = 0;  // Of all paths evaluated, in order, with their scores.
  bool operator==(const Trace&) const = default;
};

struct Best {
  Path path;
  Score score;
};

// Called now and then, from any thread but never from two at once.
using ProgressCallback = std::function<void(const Progress&, const Score& best)>;

// May be used by several threads at once.
class Session {
 public:
  Session(const Problem& problem, Stoppers stoppers, ProgressCallback callback);

  const Problem& problem() const { return problem_; }

  // The score of a path. Paths with one key are evaluated once. Nothing once the search has
  // stopped, unless the score is known; the first evaluation of all is always made.
  std::optional<Score> evaluate(const Path& path);

  // The score of a path if it has been evaluated.
  std::optional<Score> known(const Path& path) const;

  // Whether a stopper has spoken; if so, which one is kept.
  bool stopped();
  // Further stoppers for a part of the search; removed by `popStoppers`, which also forgets that
  // they spoke.
  void pushStoppers(Stoppers stoppers);
  void popStoppers();

  // Takes a plan for the best that is as good and simpler.
  void settle(const Best& simpler);

  Progress progress() const;
  Best best() const;
  bool hasBest() const;
  StopReason stopReason() const;
  Trace trace() const;

 private:
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  bool checkStoppers();
  void record(const Path& path, const Score& score);
  void report();
  double elapsed() const;

  const Problem& problem_;
  std::vector<Stoppers> stoppers_;
  ProgressCallback callback_;
  const std::chrono::steady_clock::time_point start_;

  mutable std::mutex mutex_;  // Guards everything below.
  std::unordered_map<Key, Score, KeyHash> scores_;
  std::optional<Best> best_;
  Progress progress_;
  Trace trace_;
  double lastReport_ = 0;
  StopReason reason_ = StopReason::kNone;
  size_t reasonLevel_ = 0;  // Which of stoppers_ spoke.
};

// Runs `work(thread)` in so many threads, one of them this one; in fewer where the system has no
// more.
void inThreads(unsigned count, const std::function<void(unsigned)>& work);

// The scores of paths, shared out among threads; nothing for those that the session did not
// evaluate any more.
std::vector<std::optional<Score>> evaluateAll(Session& session, const std::vector<Path>& paths,
                                              unsigned threads);

}  // namespace shardwright::search
