// Which instructions become kernels and which values become buffers. Rules K1-K13:
// docs/concepts/cost.md.
//
//   K1  Views (reshape, a broadcast that repeats nothing) are their operand's buffer.
//   K2  Splat constants and iota are made where they are used; other constants lie with the
//       program.
//   K3  Contractions, windows, sorts, collectives and unknown ops are kernels of their own: what
//       they read and write are buffers. So is whatever leaves its region. A contraction that sums
//       over nothing is a loop. On TPUs products take loops along (K13), and pads that put room
//       between points are kernels.
//   K4  A loop (elementwise, broadcast, slice, gather, …) becomes part of its only reader.
//   K5  With several readers it is made again in each, if that moves no more bytes than writing it
//       once and reading it everywhere. Arithmetic that takes longer than moving its points counts
//       as bytes too: a tanh is stored, an exponential is made again. What it is made from is
//       followed back to buffers. (Hosts have a rule of their own: host_repeats.h.)
//   K6  A reduction is a kernel; the loops that feed it are part of it.
//   K7  A scatter or dynamic_update_slice writes into the buffer of its operand; the loops that
//       feed its indices and updates are part of it (not of a scatter on hosts). What is added to
//       zeros, and that only to a value, is added to the value. On TPUs one number in each row is
//       selected: a loop.
//   K8  A transpose that only contractions read is a view. So is one that is the only reader of a
//       contraction, if that can write it: rows and columns may change places, but not in a stack
//       of products. (A host contraction writes any order, wants [batch, rows, depth] and [batch,
//       depth, columns] and copies what lies otherwise, but for matrices and stacks of them.)
//       A GPU's product of several dims of rows or of depth copies an operand whose groups of dims
//       do not stand together: host_matmul.h.
//   K9  Loops and reductions over the same points that share a buffer are launched together, as one
//       kernel with several outputs, if the later ones need nothing made in between. They stay
//       kernels of their own here; only their cost and their memory (M6, M7) know. On TPUs a
//       product can be the first of them.
//   K10 A normalization, (x - mean) * f(sum of squares) along the last dim, is one kernel on GPUs.
//       With several readers its result is a buffer, even where making it again would move fewer
//       bytes. So is x - max(x) that more than a softmax reads, or its exponential, if its gradient
//       reads that too and it is dear to repeat: x is narrower and rows are few, or far from a
//       power of two. It is launched alone.
//   K11 A convolution on a GPU wants its kernel with output features first and input features last
//       and copies one that lies otherwise. A reversed kernel is read from the same copy. Images
//       that the library cannot pad by itself are copied with their zeros: padded_images.h.
//       (Hosts: host_matmul.h.)
//   K12 A GPU's product whose result is only added to a value that nothing else reads adds to it
//       where it lies: the three gradients that reach the input of an attention layer.
//   K13 On TPUs loops that feed a product or a convolution become part of it, and so do those that
//       alone read its result, up to a reduction: the last of them is the kernel. A kernel has one
//       product.
//
// K5 compares bytes of whole values, not of what one device holds of them: what fuses must not
// depend on the plan, but for the buffers that collectives need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardwright/base/ids.h"
#include "shardwright/cost/device.h"
#include "shardwright/cost/graph.h"

namespace shardwright::cost {

struct KernelTag;
using KernelId = Id<KernelTag>;

// A buffer that a kernel reads.
struct KernelInput {
  spmd::LocalId buffer;
  // Every point of the result needs the same point of the buffer and no other, so the result may be
  // written over it.
  bool pointwise = false;
  // The kernel needs the dims in another order than they lie in (K8, K11), or with
  // zeros around and between the points (K11).
  bool copied = false;
  int64_t read = 0;  // Bytes.
};
static_assert(sizeof(KernelInput) == 16);

struct Kernel {
  spmd::InstructionId root;
  program::RegionId region;
  Range inputs{};           // In Fusion::inputs.
  double loopFlops = 0;     // Of the loops and reductions in it.
  KernelId leader{};        // The first of those launched together with it (K9); often itself.
  double loopWork = 0;      // loopFlops, with the effort of each (T4).
  bool alone = true;        // No other is launched with it.
  bool transposes = false;  // Reads a batched product in another order of dims (T2).
  bool normalizes = false;  // It is one of K10.
};

struct Fusion {
  IdVector<KernelId, Kernel> kernels;  // In the order of their roots.
  std::vector<KernelInput> inputs;
  std::vector<KernelId> kernelOf;  // Per instruction: the kernel it is the root of, or invalid.
  // Per local: the local whose buffer holds it (itself, or what it is a view of); invalid if it is
  // never stored.
  std::vector<spmd::LocalId> buffer;

  std::span<const KernelInput> inputsOf(const Kernel& kernel) const {
    return {inputs.data() + kernel.inputs.begin, inputs.data() + kernel.inputs.end};
  }
};

[[nodiscard]] Fusion fuse(const Graph& graph, Flavor flavor);

}  // namespace shardwright::cost
