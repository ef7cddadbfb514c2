#include "shardwright/driver/amounts.h"

#include <algorithm>
#include <array>
#include <cctype>
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

std::string_view trimmed(std::string_view text) {
  const size_t start = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(start, text.find_last_not_of(' ') + 1 - start);
}

// Of a unit in any case, which may stand apart from its number; 0 if there is no such unit.
double bytesOf(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, double>, 10> kUnits = {
      {{"", 1},
       {"b", 1},
       {"kb", 1e3},
       {"mb", 1e6},
       {"gb", 1e9},
       {"tb", 1e12},
       {"kib", 1024.0},
       {"mib", 1048576.0},
       {"gib", 1073741824.0},
       {"tib", 1099511627776.0}}};
  std::string lower(trimmed(unit));
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [name, bytes] : kUnits) {
    if (name == lower) return bytes;
  }
  return 0;
}

}  // namespace

Result<cost::Bytes> parseByteCount(std::string_view text) {
  const std::string_view amount = trimmed(text);
  double number = 0;
  const auto [end, failure] = std::from_chars(amount.data(), amount.data() + amount.size(), number);
  const double bytes = number * bytesOf(amount.substr(static_cast<size_t>(end - amount.data())));
  if (failure == std::errc() && bytes >= 1 && bytes <= 1e18)
    return cost::Bytes{static_cast<int64_t>(bytes)};
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
