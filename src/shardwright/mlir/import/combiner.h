// Recognises what the body of a reduce, scatter or window op computes.
#pragma once

#include "mlir/IR/Region.h"
#include "shardwright/program/attributes.h"

namespace shardwright {

// The body of n inputs takes (accumulators[n], elements[n]) and yields n values.
//   return add(%a, %b)                              -> kAdd
//   return %b  (the update of a scatter)            -> kReplace
//   two inputs, yields selects by a comparison      -> kArgMax / kArgMin
//   anything else                                   -> kOther
program::Combiner recognizeCombiner(mlir::Region& body);

}  // namespace shardwright
