// Memory of results that is lent to other values (M7).
#pragma once

#include <cstdint>
#include <vector>

#include "shardwright/cost/steps.h"

namespace shardwright::cost {

class Lenders {
 public:
  // `order` is that of the entry region.
  Lenders(const Steps& steps, const std::vector<StepId>& order, program::RegionId entry);

  // A result of the program, and the argument whose place it takes, if any. Its memory is free
  // after the last reader of the argument and before the step that makes the result.
  void add(spmd::LocalId result, spmd::LocalId over, int64_t bytes);

  // A value that a step of the entry region makes, from then to its last reader.
  struct Wish {
    spmd::LocalId value;
    int64_t bytes = 0;
    uint32_t from = 0, to = 0;  // Positions; both count.
  };
  Wish wish(spmd::LocalId value, int64_t bytes, uint32_t made) const;
  // Finds places for values, for the largest first: each in the least memory that has room for it
  // and is free then.
  void settle(std::vector<Wish> wishes);
  bool isSettled(spmd::LocalId value) const { return settled_[value.index()] != 0; }

  // Whether there is a place for what a step of the entry region makes at position `now`, as long
  // as it is read.
  bool lend(spmd::LocalId output, int64_t bytes, uint32_t now);
  // The same for what is made in a loop that is step `now` of the entry region: it keeps the place
  // for all turns.
  bool lendInside(int64_t bytes, uint32_t now);

 private:
  struct Lender {
    int64_t bytes = 0;
    uint32_t from = 0, until = 0;  // Positions; `until` is the step that makes the result.
    spmd::LocalId result;
    std::vector<Wish> tenants{};  // Settled.
  };

  bool isFree(const Lender& lender, const Wish& wish) const;
  // Whether what begins at one position may take the place of what ends there: what makes it reads
  // the other point by point.
  bool isWrittenOver(spmd::LocalId earlier, spmd::LocalId later) const;

  bool lend(int64_t bytes, uint32_t now, uint32_t end);
  // The position after all steps of the entry region that read a value.
  uint32_t afterLastReader(spmd::LocalId id) const;

  const Steps& steps_;
  program::RegionId entry_;
  std::vector<uint32_t> position_;  // Per step of the entry region: in its order.
  std::vector<Lender> lenders_;
  std::vector<char> settled_;  // Per local.
};

}  // namespace shardwright::cost
