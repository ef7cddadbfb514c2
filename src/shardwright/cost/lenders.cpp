#include "shardwright/cost/lenders.h"

#include <algorithm>
#include <functional>

namespace shardwright::cost {

using spmd::LocalId;

Lenders::Lenders(const Steps& steps, const std::vector<StepId>& order, program::RegionId entry)
    : steps_(steps),
      entry_(entry),
      position_(steps.steps.size(), 0),
      settled_(steps.buffer.size(), 0) {
  for (uint32_t n = 0; n < order.size(); ++n) position_[order[n].index()] = n;
}

void Lenders::add(LocalId result, LocalId over, int64_t bytes) {
  const StepId maker = steps_.makerIn(entry_, result);
  if (!maker.valid()) return;
  const uint32_t from = over.valid() ? afterLastReader(over) : 0;
  const uint32_t until = position_[maker.index()];
  if (from < until) lenders_.push_back({bytes, from, until, result});
}

uint32_t Lenders::afterLastReader(LocalId id) const {
  uint32_t last = 0;
  for (const StepId user : steps_.usersOf(id)) {
    if (steps_.steps[user].region == entry_) last = std::max(last, position_[user.index()] + 1);
  }
  return last;
}

Lenders::Wish Lenders::wish(LocalId value, int64_t bytes, uint32_t made) const {
  return {value, bytes, made, std::max(made + 1, afterLastReader(value)) - 1};
}

bool Lenders::isWrittenOver(LocalId earlier, LocalId later) const {
  const StepId maker = steps_.makerIn(entry_, later);
  const auto inputs = steps_.inputsOf(steps_.steps[maker]);
  return std::ranges::any_of(
      inputs, [&](const KernelInput& input) { return input.buffer == earlier && input.pointwise; });
}

bool Lenders::isFree(const Lender& lender, const Wish& wish) const {
  const auto isBefore = [&](const Wish& a, const Wish& b) {
    return a.to < b.from ||
           (a.to == b.from && a.bytes == b.bytes && isWrittenOver(a.value, b.value));
  };
  const Wish result{lender.result, lender.bytes, lender.until, lender.until};
  return lender.from <= wish.from && isBefore(wish, result) &&
         std::ranges::all_of(lender.tenants, [&](const Wish& tenant) {
           return isBefore(wish, tenant) || isBefore(tenant, wish);
         });
}

void Lenders::settle(std::vector<Wish> wishes) {
  std::ranges::stable_sort(lenders_, {}, &Lender::bytes);
  std::ranges::stable_sort(wishes, std::greater<>(), &Wish::bytes);
  for (const Wish& wish : wishes) {
    const auto large = std::ranges::lower_bound(lenders_, wish.bytes, {}, &Lender::bytes);
    const auto lender =
        std::find_if(large, lenders_.end(), [&](const Lender& l) { return isFree(l, wish); });
    if (lender == lenders_.end()) continue;
    lender->tenants.push_back(wish);
    settled_[wish.value.index()] = 1;
  }
}

bool Lenders::lend(LocalId output, int64_t bytes, uint32_t now) {
  return !lenders_.empty() && lend(bytes, now, afterLastReader(output));
}

bool Lenders::lendInside(int64_t bytes, uint32_t now) { return lend(bytes, now, now + 1); }

bool Lenders::lend(int64_t bytes, uint32_t now, uint32_t end) {
  const auto lender = std::find_if(lenders_.begin(), lenders_.end(), [&](const Lender& l) {
    const auto isIn = [&](const Wish& tenant) { return now <= tenant.to && tenant.from < end; };
    return l.bytes == bytes && l.from <= now && end <= l.until &&
           std::ranges::none_of(l.tenants, isIn);
  });
  if (lender == lenders_.end()) return false;
  lender->from = std::max(end, now + 1);
  return true;
}

}  // namespace shardwright::cost
