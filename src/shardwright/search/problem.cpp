#include "shardwright/search/problem.h"

#include <algorithm>

namespace shardwright::search {

namespace {

// Whether everything before place `i` that is still there commutes with it.
bool canComeFirst(const Problem& problem, const Path& rest, size_t i) {
  for (size_t j = 0; j < i; ++j) {
    if (!problem.commute(rest[j], rest[i])) return false;
  }
  return true;
}

}  // namespace

bool Problem::mayJoin(const Path& path, ActionId action) const {
  return std::ranges::none_of(path, [&](ActionId there) { return excludes(there, action); });
}

Path Problem::canonical(const Path& path) const {
  Path rest, ordered;
  for (const ActionId action : path) {
    for (const ActionId step : steps(action)) {
      if (mayJoin(rest, step)) rest.push_back(step);
    }
  }
  while (!rest.empty()) {
    size_t first = 0;
    for (size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] < rest[first] && canComeFirst(*this, rest, i)) first = i;
    }
    ordered.push_back(rest[first]);
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(first));
  }
  return ordered;
}

}  // namespace shardwright::search
