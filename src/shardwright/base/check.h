// SW_CHECK: for bugs in Shardwright itself, never for bad input (that is a Diagnostic).
#pragma once

namespace shardwright {

// Prints "file:line: internal error: `condition` does not hold" and aborts.
[[noreturn]] void checkFailed(const char* condition, const char* file, int line);

}  // namespace shardwright

#define SW_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::shardwright::checkFailed(#condition, __FILE__, __LINE__))
