// How much an estimate says.
#pragma once

#include <cstdint>

namespace shardwright::cost {

enum class Detail : uint8_t {
  kTotals,  // Numbers only: all that a search compares.
  kLists,   // And where they come from: events, residents, the memory over time.
};

}  // namespace shardwright::cost
