// How far two spellings are apart: for messages that guess what was meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardwright {

// Levenshtein distance: letters put in, left out or changed.
//   editDistance("partitoin", "partition") = 2
[[nodiscard]] size_t editDistance(std::string_view a, std::string_view b);

}  // namespace shardwright
