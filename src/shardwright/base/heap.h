// What the allocator does with memory that is freed.
#pragma once

namespace shardwright {

// From now on the process keeps blocks that are freed, up to some ten megabytes, and does not give
// them back to the system. An evaluation of a long program allocates megabytes in blocks of some
// hundred kilobytes and frees them again; to ask the system for each of them anew took a fifth of a
// search's time. glibc comes to the same settings by itself once a
// block of 32 MiB has been freed. Nothing happens with other C libraries.
void keepFreedBlocks();

}  // namespace shardwright
