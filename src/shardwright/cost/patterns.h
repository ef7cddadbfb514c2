// What XLA for GPUs looks for around an op. Parts of rules K8, K10, K11 and T2:
// docs/concepts/cost.md.
#pragma once

#include "shardwright/cost/graph.h"

namespace shardwright::cost {

// What patterns ask of a rule alone, by the kind of work: whether a transpose moves the last dim,
// whether a reduction sums that dim and no other, whether a contraction is a stack of products.
// False for all others.
[[nodiscard]] bool traitOf(const rules::Rule& rule, rules::WorkKind work);

// Whether a matrix product can write its result in the order of dims that a transpose after it
// gives: rows first or columns first, each in their own order, and no dims that both operands have.
//   ij,jk->ik then ik->ki: yes;  bij,bjk->bik then bik->bki: no;  hij,jk->hik then hik->ihk: no
[[nodiscard]] bool canWriteAs(const rules::Rule& product, const rules::Rule& transpose);

// Whether an instruction is a transpose that gives a batched matrix product, or the sum of those of
// several devices, another last dim: one that the product cannot be written in.
[[nodiscard]] bool transposesBatchedProduct(const Graph& graph, spmd::InstructionId id);

// The attributes of a convolution; null if the op is none.
[[nodiscard]] const program::ConvolutionAttrs* convolution(const Graph& graph, program::OpId op);

// Whether a convolution's kernel lies as cuDNN wants it: output features first, input features
// last.
[[nodiscard]] bool kernelStandsAsWanted(const program::ConvolutionAttrs& attrs);

// Whether an instruction is the last step of a normalization: `c * f(sum(g(c)))` where `c` is
// `x - h(sum(x))` and the sums are repeated along the dim they were taken over.
[[nodiscard]] bool isNormalization(const Graph& graph, spmd::InstructionId id);

// Whether an instruction is what a softmax begins with: `x - max(x)`, where the maximum is taken
// along the last dim and read by nobody else.
[[nodiscard]] bool isShiftedByMaximum(const Graph& graph, spmd::InstructionId id);

// Whether an instruction takes the largest of each row.
[[nodiscard]] bool isMaximum(const Graph& graph, spmd::InstructionId id);

// Whether an instruction reduces the last dim and no other, and it is one that XLA keeps on the
// chip.
[[nodiscard]] bool reducesShortRows(const Graph& graph, spmd::InstructionId id);

// Whether a value is read by nobody but a sum along its last dim and what divides it by that sum,
// or combines it with another such reduction.
[[nodiscard]] bool isOnlyNormalized(const Graph& graph, spmd::LocalId id);

}  // namespace shardwright::cost
