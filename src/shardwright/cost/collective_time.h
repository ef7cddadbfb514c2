// Time model of collectives: a fixed part and a part per byte ("alpha-beta"). Rules C1-C7, where n
// is the number of devices, B the bytes, a the latency of a hop and w the bandwidth of one
// direction.
//
//   C1  One device costs nothing.
//   C2  An all-gather whose result has B bytes on each device moves B (n-1)/n into every device.
//       Switched: w. A ring (or torus dim that wraps): both directions, 2w; a line: w. The hops are
//       n-1 when switched, but no more than 2 ceil(log2 n), where libraries change to trees; n/2 in
//       a ring; n-1 on a line.
//   C3  A reduce-scatter whose operand has B bytes is the same backwards, and costs the same.
//   C4  An all-reduce of B bytes is a reduce-scatter and an all-gather.
//   C5  An all-to-all of B bytes sends B/n from each device to each. Switched: B (n-1)/n at w. On a
//       ring every wire carries about B n/8, on a line the middle one B n/4.
//   C6  A collective-permute sends B bytes from each device to some other. Switched: one hop at w.
//   In
//       a torus the other is taken to be anywhere: a ring's wires carry B n/8, a line's middle one
//       B n/4, never less than B; the hops are n/4 and n/2, at least one.
//   C7  Over several levels a collective runs in chunks, so the levels work at the same time: their
//       latencies add, the slowest one's bytes count. Level i of an all-gather moves only what its
//       inner levels have not split: B / (n1 ... n(i-1)). Dims of one torus work side by side and
//       add their bandwidths (C2-C4); in an all-to-all or permute each byte takes all dims.
//
// More bytes or less bandwidth never cost less, and neither does a longer axis of the same shape.
// More axes can: a second torus dim adds wires, and more GPUs of a node share the way to the next
// node.
#pragma once

#include "shardwright/cost/topology.h"
#include "shardwright/cost/units.h"
#include "shardwright/mesh/layout.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::cost {

// The time of one collective as a function of its bytes.
struct AlphaBeta {
  Seconds alpha;
  double secondsPerByte = 0;
  Seconds operator()(Bytes bytes) const {
    return {alpha.value + secondsPerByte * static_cast<double>(bytes.value)};
  }
};

// `kind` must be a collective. Its bytes are those of the larger of operand and result on one
// device: the result of an all-gather, the operand of all others.
[[nodiscard]] AlphaBeta collectiveTime(const Topology& topology, spmd::Kind kind,
                                       mesh::AxisList axes);

// nvlink with w = 450 GB/s, a = 1 us, no overhead; axis 0 = 8 devices of one node:
//   collectiveTime(topology, Kind::kAllReduce, {0}, Bytes{450'000'000}) = 2 (6 us + 0.875 ms)
[[nodiscard]] inline Seconds collectiveTime(const Topology& topology, spmd::Kind kind,
                                            mesh::AxisList axes, Bytes bytes) {
  return collectiveTime(topology, kind, axes)(bytes);
}

}  // namespace shardwright::cost
