#include "shardwright/search/session.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <system_error>
#include <thread>

#include "shardwright/base/interner.h"

namespace shardwright::search {

namespace {

constexpr double kReportInterval = 0.1;  // Seconds.

uint64_t traceHash(uint64_t before, const Path& path, const Score& score) {
  std::vector<uint64_t> words = {before, std::bit_cast<uint64_t>(score.seconds),
                                 static_cast<uint64_t>(score.peakBytes)};
  for (const ActionId action : path) words.push_back(action.index());
  return hashWords(words);
}

}  // namespace

const char* stopReasonName(StopReason reason) {
  switch (reason) {
    case StopReason::kNone:
      return "none";
    case StopReason::kExhausted:
      return "exhausted";
    case StopReason::kFinished:
      return "finished";
    case StopReason::kNoImprovement:
      return "no improvement";
    case StopReason::kEvaluations:
      return "evaluations";
    case StopReason::kSeconds:
      return "seconds";
    case StopReason::kInterrupted:
      return "interrupted";
  }
  return "";
}

size_t Session::KeyHash::operator()(const Key& key) const {
  return static_cast<size_t>(hashWords(key));
}

Session::Session(const Problem& problem, Stoppers stoppers, ProgressCallback callback)
    : problem_(problem), callback_(std::move(callback)), start_(std::chrono::steady_clock::now()) {
  stoppers_.push_back(std::move(stoppers));
}

double Session::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<Score> Session::evaluate(const Path& path) {
  const Key key = problem_.key(path);
  {
    const std::lock_guard lock(mutex_);
    const auto known = scores_.find(key);
    if (known != scores_.end()) return known->second;
    if (best_ && checkStoppers()) return {};
  }
  const Score score = problem_.evaluate(path);
  const std::lock_guard lock(mutex_);
  if (!scores_.emplace(key, score).second) return score;  // Another thread was faster.
  record(path, score);
  return score;
}

std::optional<Score> Session::known(const Path& path) const {
  const Key key = problem_.key(path);
  const std::lock_guard lock(mutex_);
  const auto found = scores_.find(key);
  return found == scores_.end() ? std::nullopt : std::optional<Score>(found->second);
}

void Session::record(const Path& path, const Score& score) {
  ++progress_.evaluations;
  progress_.seconds = elapsed();
  trace_.hash = traceHash(trace_.hash, path, score);
  if (!best_ || better(score, best_->score)) {
    best_ = Best{path, score};
    progress_.lastImprovement = progress_.evaluations;
    trace_.improvements.push_back({progress_.evaluations, path, score, progress_.seconds});
  }
  report();
}

void Session::report() {
  if (!callback_ || progress_.seconds < lastReport_ + kReportInterval) return;
  lastReport_ = progress_.seconds;
  callback_(progress_, best_->score);
}

bool Session::checkStoppers() {
  if (reason_ != StopReason::kNone) return true;
  progress_.seconds = elapsed();
  for (size_t level = 0; level < stoppers_.size(); ++level) {
    for (const std::unique_ptr<Stopper>& stopper : stoppers_[level]) {
      if (!stopper->stops(progress_)) continue;
      reason_ = stopper->reason();
      reasonLevel_ = level;
      return true;
    }
  }
  return false;
}

bool Session::stopped() {
  const std::lock_guard lock(mutex_);
  return checkStoppers();
}

void Session::pushStoppers(Stoppers stoppers) {
  const std::lock_guard lock(mutex_);
  stoppers_.push_back(std::move(stoppers));
}

void Session::popStoppers() {
  const std::lock_guard lock(mutex_);
  stoppers_.pop_back();
  if (reasonLevel_ >= stoppers_.size()) {
    reason_ = StopReason::kNone;
    reasonLevel_ = 0;
  }
}

void Session::settle(const Best& simpler) {
  const std::lock_guard lock(mutex_);
  if (best_ && best_->path == simpler.path) return;
  best_ = simpler;
  trace_.improvements.push_back(
      {progress_.evaluations, simpler.path, simpler.score, progress_.seconds});
}

Progress Session::progress() const {
  const std::lock_guard lock(mutex_);
  Progress progress = progress_;
  progress.seconds = elapsed();
  return progress;
}

Best Session::best() const {
  const std::lock_guard lock(mutex_);
  return best_.value_or(Best{});
}

bool Session::hasBest() const {
  const std::lock_guard lock(mutex_);
  return best_.has_value();
}

StopReason Session::stopReason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

Trace Session::trace() const {
  const std::lock_guard lock(mutex_);
  return trace_;
}

void inThreads(unsigned count, const std::function<void(unsigned)>& work) {
  std::vector<std::thread> others;
  for (unsigned i = 1; i < count; ++i) {
    try {
      others.emplace_back([&work, i] { work(i); });
    } catch (const std::system_error&) {
      break;  // Those that have started do all the work.
    }
  }
  work(0);
  for (std::thread& thread : others) thread.join();
}

std::vector<std::optional<Score>> evaluateAll(Session& session, const std::vector<Path>& paths,
                                              unsigned threads) {
  std::vector<std::optional<Score>> scores(paths.size());
  std::atomic<size_t> next{0};
  inThreads(std::min<unsigned>(threads, static_cast<unsigned>(paths.size())), [&](unsigned) {
    for (size_t i = next++; i < paths.size(); i = next++) scores[i] = session.evaluate(paths[i]);
  });
  return scores;
}

}  // namespace shardwright::search
