#include "shardwright/driver/amounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace shardwright::driver {
namespace {

Diagnostic error(std::string message) { return {std::move(message), {}, {}}; }

// "10s" and its like; whether the text is one.
bool addToBudget(std::string_view text, search::Budget& budget) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (failure != std::errc() || !(number >= 0)) return false;
  if (unit == "s" || unit == "ms") {
    budget.seconds = unit == "s" ? number : number / 1000;
    return true;
  }
  if (!unit.empty() || number >= 1e18) return false;
  budget.evaluations = static_cast<uint64_t>(number);
  return true;
}

}  // namespace

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
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& [name, factor] : kUnits) {
    if (failure != std::errc() || name != unit) continue;
    const double bytes = number * factor;
    if (bytes >= 1 && bytes <= 1e18) return cost::Bytes{static_cast<int64_t>(bytes)};
  }
  return error("`" + std::string(text) +
               "` is not an amount of memory; write 40GB, 16GiB or a number of bytes");
}

Result<search::Budget> parseBudget(std::string_view text) {
  search::Budget budget;
  for (std::string_view rest = text;;) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (!addToBudget(rest.substr(0, comma), budget)) {
      return error("`" + std::string(text) +
                   "` is no budget; use 10s, 500ms, 20000 (evaluations) or 10s,20000");
    }
    if (comma == rest.size()) return budget;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace shardwright::driver
