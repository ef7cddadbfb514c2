// What kind of work an op is, for the cost model: what a compiler can do with it, not what it
// computes. The rule says which points there are; this says what one point costs and whether the op
// can be made part of another one's loop.
#pragma once

#include <cstdint>
#include <string_view>

#include "shardwright/base/ids.h"
#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::rules {

enum class WorkKind : uint8_t {
  kNone,         // No work and no data of its own: argument, return, carry, while, tokens.
  kView,         // The same bytes under another type: reshape, sharding annotations.
  kBarrier,      // The same bytes, but nothing may be fused across it.
  kSource,       // Made from nothing, at no cost where it is used: splat constants, iota.
  kConstant,     // Stored with the program: other constants.
  kElementwise,  // One point of each operand for one point of the result.
  kBroadcast,    // Repeats points.
  kTranspose,    // Orders dims anew: often free, as matrix products and layouts absorb it.
  kMovement,     // Moves points: slice, pad, concatenate, dynamic_slice.
  kReverse,      // The same points from back to front: a convolution can read its kernel so.
  kIndexing,     // Reads where indices say: gather.
  kReduce,
  kUpdate,       // Writes a part of its first operands, in place where it may: scatter.
  kContraction,  // Matrix products.
  kWindow,       // Convolutions and windows.
  kAttention,    // Two products and the softmax between them, or their gradients, in one call.
  kOrdering,     // Sorts.
  kOpaque,       // A kernel of which nothing is known.
};
const char* workKindName(WorkKind kind);

struct Work {
  WorkKind kind = WorkKind::kOpaque;
  // Costs many instructions a point (exponential, division), so that compilers think twice before
  // they do it again. Elementwise ops only.
  bool expensive = false;
  uint16_t cycles = 0;  // Of a GPU's lane for one such point in float32, as XLA reckons them.
  // How many additions take as long as one point, where it is more than one.
  uint8_t effort = 1;
  // Whether two ops of one signature and variant with the same operands have the same result…
  bool repeats = false;
  // … and those of one signature alone do not: the value of a constant, the direction of a compare.
  bool varies = false;
  // Changes the element type and nothing else.
  bool converts = false;
  // Adds: its operands, or its updates to what is there.
  bool adds = false;
  // Finds the places that it writes to: the gradient of a maximum over windows.
  bool seeks = false;
  // An update that writes where an array of indices says, not in one place.
  bool scatters = false;
  // A pad that puts room between points.
  bool spreads = false;
};

// The work of an op with this name and these attributes. Ops without a rule are opaque.
//   workOf("stablehlo.tanh", {}) = {kElementwise, expensive, 467};  workOf("stablehlo.dot", {}) =
//   {kContraction}
Work workOf(std::string_view opName, const program::Attributes& attributes);

// Per signature of the program.
IdVector<program::SignatureId, Work> workTable(const program::Program& program);

}  // namespace shardwright::rules
