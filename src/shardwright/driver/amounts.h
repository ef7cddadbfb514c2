// Amounts as people write them: of memory, and of searching.
#pragma once

#include <string_view>

#include "shardwright/base/result.h"
#include "shardwright/cost/units.h"
#include "shardwright/search/stop.h"

namespace shardwright::driver {

// "40GB" = 40e9, "16GiB" = 16 * 2^30, "1.5TB", "512MB", "1000" and "1000B"; units in any case, and
// with spaces before them: "40 gb". At least one byte.
Result<cost::Bytes> parseByteCount(std::string_view text);

// `10s`, `500ms`, `20000` (evaluations), or both with a comma between: `10s,20000`.
Result<search::Budget> parseBudget(std::string_view text);

}  // namespace shardwright::driver
