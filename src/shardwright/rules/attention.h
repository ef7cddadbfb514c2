// Attention that a library computes in one call.
#pragma once

#include <string_view>

#include "shardwright/rules/rule.h"

namespace shardwright::rules {

// Whether a custom call of this name is one of cuDNN's attentions, known or not.
constexpr bool isFusedAttention(std::string_view target) {
  return target.starts_with("__cudnn$fmha");
}

// Whether the operands and results of a call into cuDNN are those that fusedAttention knows: no
// pages, no packed sequences, no gradient of a bias that is shared.
[[nodiscard]] bool isKnownAttention(const OpView& view);

}  // namespace shardwright::rules
