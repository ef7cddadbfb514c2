// What hosts do about matrix products, read off their rules, and about convolutions; and what GPUs
// do about products of stacks.
#pragma once

#include "shardwright/rules/rule.h"

namespace shardwright::cost {

// Whether the dims of an operand (0 or 1) of a contraction stand as a host wants them: those of the
// batch, then rows and depth, or depth and columns on the right side. A plain matrix always does,
// and so does a stack of them: the library reads either order.
//   ([b, i, k], [b, k, j])->([b, i, j]): both do, and so they do as [b, k, i] and [b, j, k];
//   ([k, b, i], …): the left one does not;  ([k, i1, i2], …): nor does this one
[[nodiscard]] bool standsAsWanted(const rules::Rule& rule, size_t operand);

// Whether a GPU's library reads an operand (0 or 1) of a contraction as it lies (dims of size 1 do
// not count): in the order that a host wants; without a batch if rows and depth are each in one
// piece; or with one dim of rows and one of depth, if the batch is in one piece.
//   left: [b, i1, i2, k], [k, i1, i2], [k, b, i] are;  [b, k, i1, i2], [b1, i, b2, k] are copied
[[nodiscard]] bool isReadInPlace(const rules::Rule& rule, size_t operand);

// Whether a contraction has a dim that both sides and the result show.
[[nodiscard]] bool isBatched(const rules::Rule& rule);

// Whether a convolution's images lie as a host wants them, [batch, …, features], and its kernel,
// [window…, input features, output features]. What lies otherwise, as both do in the gradient of a
// kernel, is copied.
[[nodiscard]] bool imagesStandAsHostsWant(const program::ConvolutionAttrs& attrs);
[[nodiscard]] bool kernelStandsAsHostsWant(const program::ConvolutionAttrs& attrs);

}  // namespace shardwright::cost
