// The plans that people write by hand: the named tactics and their usual combinations over the axes
// of a mesh. Used as suggestions to the search and for comparison with what it finds.
#pragma once

#include <vector>

#include "shardwright/plan/tactic.h"
#include "shardwright/search/plan_problem.h"

namespace shardwright::search {

// Plans for these axes on top of the tactics `before`. Combinations that cannot be applied (no
// experts in the model, an axis that divides nothing) are passed over; of plans that are equal the
// first stays. Likely ones come first, those that leave axes idle last:
//   one axis     dp, zero2, zero3, megatron (with vocab, with sequence), sequence, expert
//   two axes     each of {dp, zero2, zero3} on one with each of the others on the other
//   more         dp or zero3 on all but one, something of the model on that one
// Those with zero3 come with and without remake(16).
[[nodiscard]] std::vector<Expert> expertPlans(const plan::Subject& subject, const mesh::Mesh& mesh,
                                              const std::vector<plan::Tactic>& before,
                                              const std::vector<uint32_t>& axes, bool keepStated);

}  // namespace shardwright::search
