// When a search ends: one object per reason.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace shardwright::search {

enum class StopReason : uint8_t {
  kNone,
  kExhausted,      // Every state has been evaluated, or cannot be better.
  kFinished,       // The algorithm has nothing more to try.
  kNoImprovement,  // For a long time.
  kEvaluations,
  kSeconds,
  kInterrupted,
};
// "exhausted", "finished", "no improvement", "evaluations", "seconds", "interrupted".
const char* stopReasonName(StopReason reason);

// Whether it is the budget.
inline bool isSpent(StopReason reason) {
  return reason == StopReason::kEvaluations || reason == StopReason::kSeconds;
}

// How far a search has come.
struct Progress {
  uint64_t evaluations = 0;
  uint64_t lastImprovement = 0;  // The evaluation that found the best plan so far.
  double seconds = 0;
};

class Stopper {
 public:
  virtual ~Stopper() = default;
  virtual bool stops(const Progress& progress) const = 0;
  virtual StopReason reason() const = 0;
};

class EvaluationLimit final : public Stopper {
 public:
  explicit EvaluationLimit(uint64_t limit) : limit_(limit) {}
  bool stops(const Progress& progress) const override { return progress.evaluations >= limit_; }
  StopReason reason() const override { return StopReason::kEvaluations; }

 private:
  uint64_t limit_;
};

class TimeLimit final : public Stopper {
 public:
  explicit TimeLimit(double seconds) : seconds_(seconds) {}
  bool stops(const Progress& progress) const override { return progress.seconds >= seconds_; }
  StopReason reason() const override { return StopReason::kSeconds; }

 private:
  double seconds_;
};

class Patience final : public Stopper {
 public:
  explicit Patience(uint64_t evaluations) : evaluations_(evaluations) {}
  bool stops(const Progress& progress) const override {
    return progress.evaluations >= progress.lastImprovement + evaluations_;
  }
  StopReason reason() const override { return StopReason::kNoImprovement; }

 private:
  uint64_t evaluations_;
};

// A flag that a signal handler sets. The flag outlives the stopper.
class Interrupt final : public Stopper {
 public:
  explicit Interrupt(const std::atomic<bool>& flag) : flag_(flag) {}
  bool stops(const Progress&) const override { return flag_.load(std::memory_order_relaxed); }
  StopReason reason() const override { return StopReason::kInterrupted; }

 private:
  const std::atomic<bool>& flag_;
};

// In evaluations, which are the same on every machine, and in seconds.
struct Budget {
  uint64_t evaluations = std::numeric_limits<uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

using Stoppers = std::vector<std::unique_ptr<Stopper>>;

}  // namespace shardwright::search
