// The rule functions, one group per family file. table.cpp says which op has which.
#pragma once

#include <initializer_list>

#include "shardwright/rules/rule.h"

namespace shardwright::rules {

// elementwise.cpp: one parallel factor per dim over all tensors.
Result<Rule> elementwise(const OpView& view);              // One flop per element.
Result<Rule> identity(const OpView& view);                 // The same, without arithmetic.
Result<Rule> select(const OpView& view);                   // The predicate may be a scalar.
Result<Rule> clamp(const OpView& view);                    // The bounds may be scalars.
Result<Rule> bitcastConvert(const OpView& view);           // May add or drop a last dim.
Result<Rule> broadcastingElementwise(const OpView& view);  // chlo.broadcast_*.

// broadcast.cpp
Result<Rule> transpose(const OpView& view);
Result<Rule> broadcastInDim(const OpView& view);
Result<Rule> broadcast(const OpView& view);

// reshape.cpp
Result<Rule> reshape(const OpView& view);

// dot.cpp
Result<Rule> dotGeneral(const OpView& view);
Result<Rule> raggedDot(const OpView& view);

// reduce.cpp
Result<Rule> reduce(const OpView& view);

// slice.cpp
Result<Rule> slice(const OpView& view);
Result<Rule> realDynamicSlice(const OpView& view);
Result<Rule> dynamicSlice(const OpView& view);
Result<Rule> dynamicUpdateSlice(const OpView& view);
Result<Rule> concatenate(const OpView& view);
Result<Rule> pad(const OpView& view);
Result<Rule> reverse(const OpView& view);

// gather_scatter.cpp
Result<Rule> gather(const OpView& view);
Result<Rule> scatter(const OpView& view);

// attention.cpp: calls into cuDNN.
Result<Rule> fusedAttention(const OpView& view);

// scan.cpp
Result<Rule> scan(const OpView& view);

// convolution.cpp
Result<Rule> convolution(const OpView& view);

// window.cpp
Result<Rule> reduceWindow(const OpView& view);
Result<Rule> selectAndScatter(const OpView& view);

// linear_algebra.cpp
Result<Rule> cholesky(const OpView& view);
Result<Rule> triangularSolve(const OpView& view);
Result<Rule> matrixDecomposition(const OpView& view);  // qr, eigh, lu and their like.
Result<Rule> fft(const OpView& view);

// decomposition.cpp: the arithmetic of all matrices of a routine of LAPACK, cuSOLVER or XLA that is
// known by the op's name; 0 for any other op.
double decompositionFlops(const OpView& view);

// sort.cpp
Result<Rule> sort(const OpView& view);
Result<Rule> topK(const OpView& view);
Result<Rule> approxTopK(const OpView& view);

// normalization.cpp
Result<Rule> batchNormInference(const OpView& view);
Result<Rule> batchNormTraining(const OpView& view);
Result<Rule> batchNormGrad(const OpView& view);

// source.cpp: values from nothing, or from a shape.
Result<Rule> source(const OpView& view);
Result<Rule> iota(const OpView& view);
Result<Rule> rngBitGenerator(const OpView& view);
Result<Rule> getDimensionSize(const OpView& view);

// collective.cpp
Result<Rule> passingBy(const OpView& view);  // Each operand with its result, independent of others.
Result<Rule> dimCollective(const OpView& view);  // all_gather, reduce_scatter.
Result<Rule> allToAll(const OpView& view);

// structure.cpp: the ops of the flat program itself, and the rules that belong to no family.
Result<Rule> whole(const OpView& view);  // Every dim blocked.

// explicit.cpp: the rule that the op carries in ExplicitRuleAttrs.
Result<Rule> explicitRule(const OpView& view);

// --- what several families share ---

// Ties dim d of all `tensors` with one parallel factor, for each d; the first tensor gives the
// sizes. Tensors must have the same rank.
void tieDims(RuleBuilder& builder, const OpView& view, std::span<const size_t> tensors);

// Gives every dim of `tensor` a blocked factor of its own.
void blockAll(RuleBuilder& builder, const OpView& view, size_t tensor);

// The dim of `in` and that of `out` are made of one another but must be whole: one factor of
// `kind` if they have the same size, else one each.
void tieWhole(RuleBuilder& builder, const OpView& view, FactorKind kind, size_t in, size_t inDim,
              size_t out, size_t outDim);

// A reduction with `combiner` if partial results of this type can be combined over devices with it,
// else blocked.
FactorId reductionOrBlocked(RuleBuilder& builder, int64_t size, program::Combiner combiner,
                            program::DType dtype);

// Multiply and add: 2, or 8 for complex numbers.
double multiplyAddFlops(program::DType dtype);

}  // namespace shardwright::rules
