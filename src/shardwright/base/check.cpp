#include "shardwright/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace shardwright {

void checkFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: `%s` does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace shardwright
