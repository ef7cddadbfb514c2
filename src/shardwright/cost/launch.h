// Which kernels are launched together (K9 of fusion.h).
#pragma once

#include "shardwright/cost/fusion.h"

namespace shardwright::cost {

// Sets Kernel::leader and Kernel::alone of all kernels.
void launchTogether(const Graph& graph, Fusion& fusion);

}  // namespace shardwright::cost
