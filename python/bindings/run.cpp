#include "run.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace nb = nanobind;

namespace shardwright::python {
namespace {

constexpr std::chrono::milliseconds kTick{100};

// Whether work is over, for the thread that waits.
class Completion {
 public:
  void finish() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  bool waitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

void handleSignals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

bool waitWithoutGil(Completion& completion) {
  const nb::gil_scoped_release release;
  return completion.waitFor(kTick);
}

}  // namespace

void runInterruptibly(std::atomic<bool>& interrupt, const std::function<void()>& tick,
                      const std::function<void()>& work) {
  Completion completion;
  std::exception_ptr failure, raised;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    completion.finish();
  });
  while (!waitWithoutGil(completion)) {
    if (raised) continue;
    try {
      handleSignals();
      tick();
    } catch (...) {
      raised = std::current_exception();
      interrupt = true;
    }
  }
  worker.join();
  if (raised) std::rethrow_exception(raised);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace shardwright::python
