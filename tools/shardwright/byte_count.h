// Amounts of memory as people write them.
#pragma once

#include <string_view>

#include "shardwright/base/result.h"
#include "shardwright/cost/units.h"

namespace shardwright::tool {

// "40GB" = 40e9, "16GiB" = 16 * 2^30, "1.5TB", "512MB", "1000" and "1000B". At least one byte.
Result<cost::Bytes> parseByteCount(std::string_view text);

}  // namespace shardwright::tool
