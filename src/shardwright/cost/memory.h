// How much memory a step of the program needs on one device, and for what. Rules M5-M11, M15,
// M17, M18: docs/concepts/cost.md.
//
//   M5  Arguments and results hold their memory throughout. A result that takes over the buffer of
//       a donated argument counts once.
//   M6  A buffer lives from the step that writes it to the last that reads it. During a step its
//       inputs and outputs both live. Kernels that are launched together (K9) and follow one
//       another are one step on GPUs, all-reduces that are combined (M16) are one on hosts.
//   M7  An output is written over an input that dies there, has the same bytes and is read
//       pointwise; over the buffer it is meant for (a result, what its loop carries), once nobody
//       reads that. On GPUs not over what a product, a convolution or a collective made, nor over
//       one of several outputs of a launch. Nowhere over what an update or a loop leaves, nor if it
//       is itself to be updated or carried. What an update is written into is meant for the place
//       that the update is meant for, unless what comes later reads it. A value of a result's size
//       (on hosts: or a smaller one) lies in the memory of the result as long as nobody needs that.
//   M8  A loop holds one buffer per carried value: its initial value's, if that dies there. What it
//       carries unchanged needs none. A loop or branch adds the peak of its regions to what lives
//       around it.
//   M9  Buffers are rounded up: to 256 bytes on GPUs, to 64 on CPUs, to whole tiles on TPUs.
//   M10 Where a kernel needs the dims of a buffer in another order (K8, K11), or with zeros around
//       (K11), a copy lives from the making of the buffer to the last such kernel; if nothing else
//       reads the buffer, it is the copy. A GPU's product has its copy only while it runs, unless a
//       loop makes the buffer.
//   M11 A GPU's matrix product that reads and writes more than 32 MiB has a workspace of 32 MiB
//       while it runs.
//   M15 What finds the places that it writes to has room for them while it runs.
//   M18 A GPU writes out what has the rows of a product of groups of rows, once for each group.
//   M17 Hosts copy a donated argument that is read by what its result does not need:
//       argument_copies.h.
#pragma once

#include <cstdint>
#include <vector>

#include "shardwright/cost/detail.h"
#include "shardwright/cost/device.h"
#include "shardwright/cost/schedule.h"
#include "shardwright/cost/units.h"

namespace shardwright::cost {

// Something that is in memory at the peak.
struct Resident {
  enum class Kind : uint8_t { kArgument, kResult, kTemporary, kWorkspace };
  Kind kind = Kind::kTemporary;
  spmd::LocalId local;  // Its value and layout: SpmdProgram::locals. Of a workspace, the product.
  program::OpId op;     // That made it.
  Bytes bytes;
};
const char* residentKindName(Resident::Kind kind);  // "argument", …, "workspace".

// What is in memory while one step of the entry region runs, loops and branches as a whole.
struct LivePoint {
  spmd::InstructionId instruction;
  Bytes bytes;  // Arguments and results too; the largest of all is the peak.
};

struct Memory {
  Bytes peak;  // arguments + results - aliased + temporaries.
  Bytes arguments, results, aliased, temporaries;
  spmd::InstructionId peakAt;       // What runs at the peak; invalid for an empty program.
  std::vector<Resident> residents;  // At the peak, largest first; their bytes add up to it.
  std::vector<LivePoint> curve;     // In the order in which steps run.
};

// Without lists `peakAt`, `residents` and `curve` stay empty.
[[nodiscard]] Memory memoryOf(const Graph& graph, const Steps& steps, const Order& order,
                              Flavor flavor, Detail detail = Detail::kLists);

// What a value of this type takes (M9).
[[nodiscard]] Bytes bufferBytes(const program::TypeTable& types, program::TypeId type,
                                Flavor flavor);

}  // namespace shardwright::cost
