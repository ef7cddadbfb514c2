// What XLA for hosts makes again in each kernel that reads it. Part of rule K5:
// docs/concepts/cost.md.
//
// It makes a cheap op again (no exponential, division, gather or their like) if that reads no more
// than the op's result would be read: if at most one operand has as many dims as the result, the
// others being constants, repeated or smaller, or if all operands together are no larger. Any other
// cheap op it makes again if that leaves nobody who needs a buffer: every reader can take the op
// in, together with all that lies on any way from the op to this reader.
// A slice or pad is not made again here. XLA weighs how often it would have to be, which the model
// does not follow: in an associative scan, where slices are cut from slices, it stores them.
//   x * 2, x * x, x + repeated row: always
//   x * y: if a loop reads it; not if a matrix product does as well, nor if it is added to what
//   was made from it by a matrix product
#pragma once

#include <vector>

#include "shardwright/cost/graph.h"

namespace shardwright::cost {

// Whether an op costs so much a point that it is made once: an exponential, a gather.
[[nodiscard]] bool isDearOnHosts(const Node& node);

class HostRepeats {
 public:
  // `stored` says per local whether it must be a buffer, as far as that is known: of all that
  // follows the op in question.
  HostRepeats(const Graph& graph, const std::vector<char>& stored)
      : graph_(graph), stored_(stored) {}

  // Of a loop that is not dear and has one result.
  [[nodiscard]] bool mayRepeat(spmd::InstructionId id) const;

  // Whether a library's kernel is to read the op's result beside others, though not at once: where
  // the op follows a stack of products from which a softmax begins, or is what a norm repeats along
  // rows and a large reduction of the backward pass needs again.
  [[nodiscard]] bool isSharedWithLibrary(spmd::InstructionId id) const;

 private:
  bool followsReducedProducts(spmd::InstructionId id) const;
  // Whether a reduction reads a value, with no more than so many loops in between.
  bool isReduced(spmd::LocalId id, int loops) const;
  // The same of a reduction over the last dim that a library makes.
  bool isReducedAlongRows(spmd::LocalId id, int loops) const;
  bool sumsRows(spmd::InstructionId id) const;
  bool isAlmostUnary(spmd::InstructionId id) const;
  bool isTakenInEverywhere(spmd::InstructionId id) const;
  // Whether a reader can take in the producer and all between them.
  bool takesIn(spmd::InstructionId producer, spmd::InstructionId reader, int& budget) const;
  // Whether an op is made from the producer.
  bool needs(spmd::InstructionId id, spmd::InstructionId producer, int& budget) const;
  program::TypeId wholeType(spmd::LocalId id) const;
  int64_t wholeElements(spmd::LocalId id) const;
  int64_t dimsThatCount(spmd::LocalId id) const;

  const Graph& graph_;
  const std::vector<char>& stored_;
};

}  // namespace shardwright::cost
