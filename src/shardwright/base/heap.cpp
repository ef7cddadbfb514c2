#include "shardwright/base/heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace shardwright {

void keepFreedBlocks() {
#ifdef __GLIBC__
  // The largest that glibc's own thresholds become.
  constexpr int kLargestBlock = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, 2 * kLargestBlock);
#endif
}

}  // namespace shardwright
