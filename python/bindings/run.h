// Long work that leaves Python alive: the GIL is free, Ctrl-C works, progress is shown.
#pragma once

#include <atomic>
#include <functional>

namespace shardwright::python {

// Runs `work` on a thread of its own and waits for it without the GIL. Every tenth of a second the
// calling thread takes the GIL, lets Python handle signals and calls `tick`. If either raises,
// `interrupt` is set, the work is waited for, and what was raised goes on. What `work` throws comes
// out too. Requires the GIL.
void runInterruptibly(std::atomic<bool>& interrupt, const std::function<void()>& tick,
                      const std::function<void()>& work);

}  // namespace shardwright::python
