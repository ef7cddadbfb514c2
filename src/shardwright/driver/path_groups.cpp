#include "shardwright/driver/path_groups.h"

#include <cctype>

namespace shardwright::driver {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
// Bytes of other scripts count as letters.
bool isLetter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalpha(byte) != 0;
}

// Where the number (or the star for one) that begins at `at` ends; `at` if none does.
size_t numberEnd(const std::string& path, size_t at) {
  if (at < path.size() && path[at] == '*') return at + 1;
  while (at < path.size() && isDigit(path[at])) ++at;
  return at;
}

}  // namespace

std::string withoutIndices(const std::string& path) {
  std::string text;
  for (size_t i = 0; i < path.size();) {
    const size_t begin = i;
    while (i < path.size() && isDigit(path[i])) ++i;
    const bool touches =
        (begin > 0 && isLetter(path[begin - 1])) || (i < path.size() && isLetter(path[i]));
    const bool index = i > begin && !touches;
    if (i == begin) ++i;
    text += index ? "*" : path.substr(begin, i - begin);
  }
  return text;
}

std::string together(const std::string& a, const std::string& b) {
  std::string text;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size(); ++i, ++j) {
    const size_t iEnd = numberEnd(a, i), jEnd = numberEnd(b, j);
    const std::string number = a.substr(i, iEnd - i);
    text += number == b.substr(j, jEnd - j) ? number : "*";
    i = iEnd;
    j = jEnd;
    if (i < a.size()) text += a[i];
  }
  return text;
}

}  // namespace shardwright::driver
