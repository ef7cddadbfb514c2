#include "shardwright/cost/lenders.h"

#include <algorithm>

namespace shardwright::cost {

using spmd::LocalId;

Lenders::Lenders(const Steps& steps, const std::vector<StepId>& order, program::RegionId entry)
    : steps_(steps), entry_(entry), position_(steps.steps.size(), 0) {
  for (uint32_t n = 0; n < order.size(); ++n) position_[order[n].index()] = n;
}

void Lenders::add(LocalId result, LocalId over, int64_t bytes) {
  const StepId maker = steps_.makerIn(entry_, result);
  if (!maker.valid()) return;
  const uint32_t from = over.valid() ? afterLastReader(over) : 0;
  const uint32_t until = position_[maker.index()];
  if (from < until) lenders_.push_back({bytes, from, until});
}

uint32_t Lenders::afterLastReader(LocalId id) const {
  uint32_t last = 0;
  for (const StepId user : steps_.usersOf(id)) {
    if (steps_.steps[user].region == entry_) last = std::max(last, position_[user.index()] + 1);
  }
  return last;
}

bool Lenders::lend(LocalId output, int64_t bytes, uint32_t now) {
  return !lenders_.empty() && lend(bytes, now, afterLastReader(output));
}

bool Lenders::lendInside(int64_t bytes, uint32_t now) { return lend(bytes, now, now + 1); }

bool Lenders::lend(int64_t bytes, uint32_t now, uint32_t end) {
  const auto lender = std::find_if(lenders_.begin(), lenders_.end(), [&](const Lender& l) {
    return l.bytes == bytes && l.from <= now && end <= l.until;
  });
  if (lender == lenders_.end()) return false;
  lender->from = std::max(end, now + 1);
  return true;
}

}  // namespace shardwright::cost
