// The chlo dialect in one file for mlir-tblgen: dialect, attributes, ops.
#ifndef SHARDWRIGHT_CHLO_TD
#define SHARDWRIGHT_CHLO_TD

include "shardwright/mlir/dialects/chlo/chlo_elementwise.td"
include "shardwright/mlir/dialects/chlo/chlo_ops.td"

#endif  // SHARDWRIGHT_CHLO_TD
