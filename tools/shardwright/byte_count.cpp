#include "byte_count.h"

#include <array>
#include <charconv>
#include <string>

namespace shardwright::tool {

Result<cost::Bytes> parseByteCount(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 10> kUnits = {
      {{"", 1},
       {"B", 1},
       {"kB", 1e3},
       {"MB", 1e6},
       {"GB", 1e9},
       {"TB", 1e12},
       {"KiB", 1024.0},
       {"MiB", 1048576.0},
       {"GiB", 1073741824.0},
       {"TiB", 1099511627776.0}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& [name, factor] : kUnits) {
    if (error != std::errc() || name != unit) continue;
    const double bytes = number * factor;
    if (bytes >= 1 && bytes <= 1e18) return cost::Bytes{static_cast<int64_t>(bytes)};
  }
  return Diagnostic{"`" + std::string(text) +
                        "` is not an amount of memory; write 40GB, 16GiB or a number of bytes",
                    {},
                    {}};
}

}  // namespace shardwright::tool
