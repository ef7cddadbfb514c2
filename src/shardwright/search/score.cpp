#include "shardwright/search/score.h"

#include <algorithm>
#include <cmath>

namespace shardwright::search {

namespace {
// In logarithms of time: what it costs not to fit at all, and to need e times the memory there is.
constexpr double kPenalty = 3;
constexpr double kPenaltyPerFold = 3;
constexpr double kShortest = 1e-12;  // Seconds. A step that takes no time has no logarithm.
}  // namespace

bool better(const Score& a, const Score& b) {
  if (a.excessBytes() != b.excessBytes()) return a.excessBytes() < b.excessBytes();
  if (a.seconds != b.seconds) return a.seconds < b.seconds;
  return a.peakBytes < b.peakBytes;
}

double treeCost(const Score& score) {
  const double time = std::log(std::max(score.seconds, kShortest));
  if (score.fits()) return time;
  const double fold = static_cast<double>(score.peakBytes) /
                      static_cast<double>(std::max<int64_t>(score.limitBytes, 1));
  return time + kPenalty + kPenaltyPerFold * std::log(fold);
}

}  // namespace shardwright::search
