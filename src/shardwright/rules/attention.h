// Attention that a library computes in one call.
#pragma once

#include "shardwright/rules/rule.h"

namespace shardwright::rules {

// Whether the operands and results of a call into cuDNN are those that fusedAttention knows: no
// pages, no packed sequences, no gradient of a bias that is shared.
[[nodiscard]] bool isKnownAttention(const OpView& view);

}  // namespace shardwright::rules
