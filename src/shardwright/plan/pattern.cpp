#include "shardwright/plan/pattern.h"

#include <algorithm>
#include <set>

#include "shardwright/analysis/analysis.h"
#include "shardwright/base/spelling.h"

namespace shardwright::plan {
namespace {

// Reads the key between `[` and `]` (or `['` and `']`) at `at`, and moves `at` behind it.
std::string_view readKey(std::string_view path, size_t& at) {
  const bool quoted = at + 1 < path.size() && (path[at + 1] == '\'' || path[at + 1] == '"');
  const size_t begin = at + (quoted ? 2 : 1);
  const std::string close = quoted ? std::string(1, path[at + 1]) + "]" : "]";
  const size_t end = std::min(path.find(close, begin), path.size());
  at = std::min(end + close.size(), path.size());
  return path.substr(std::min(begin, end), end - std::min(begin, end));
}

std::vector<std::string> distinctPatterns(const program::Program& program) {
  std::vector<std::string> patterns;
  std::set<std::string> seen;
  for (const program::Argument& argument : program.arguments()) {
    std::string pattern = analysis::pathPattern(argument.path);
    if (seen.insert(pattern).second) patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace

std::string normalPath(std::string_view path) {
  std::string text;
  for (size_t at = 0; at < path.size();) {
    if (path[at] == '[') {
      const std::string_view key = readKey(path, at);
      text += (text.empty() ? "" : "/") + std::string(key);
    } else {
      text += path[at] == '.' ? '/' : path[at];
      ++at;
    }
  }
  return text;
}

bool matchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, resume = 0;  // The last star, and where its text ends.
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matchesPath(std::string_view pattern, std::string_view path) {
  return pattern == path || matchesGlob(normalPath(pattern), normalPath(path));
}

std::vector<uint32_t> matchingArguments(const program::Program& program, std::string_view pattern) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < program.arguments().size(); ++i) {
    if (matchesPath(pattern, program.arguments()[i].path)) found.push_back(i);
  }
  return found;
}

std::vector<uint32_t> matchingResults(const program::Program& program, std::string_view pattern) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < program.results().size(); ++i) {
    if (matchesPath(pattern, program.results()[i].path)) found.push_back(i);
  }
  return found;
}

std::vector<std::string> nearPatterns(const program::Program& program, std::string_view pattern,
                                      size_t most) {
  const std::string normal = normalPath(pattern);
  const std::string inside = "*" + normal + "*";
  const auto matchesInside = [&](const program::Argument& argument) {
    return matchesGlob(inside, normalPath(argument.path));
  };
  if (std::ranges::any_of(program.arguments(), matchesInside)) {
    const std::string stem = normal.substr(0, normal.find_last_not_of('*') + 1);
    return {(stem.starts_with('*') ? "" : "*") + stem + "*"};
  }
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : distinctPatterns(program)) {
    // The last name is what people mistype; the rest only orders equal ones.
    const auto lastName = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
    near.push_back(
        {2 * editDistance(lastName(normal), lastName(candidate)) + editDistance(normal, candidate),
         candidate});
  }
  std::ranges::stable_sort(near, {}, &std::pair<size_t, std::string>::first);
  std::vector<std::string> patterns;
  for (size_t i = 0; i < std::min(most, near.size()); ++i) patterns.push_back(near[i].second);
  return patterns;
}

}  // namespace shardwright::plan
