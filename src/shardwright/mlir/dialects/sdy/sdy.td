// The sdy dialect in one file for mlir-tblgen: dialect, enums, attributes, ops.
#ifndef SHARDWRIGHT_SDY_TD
#define SHARDWRIGHT_SDY_TD

include "shardwright/mlir/dialects/sdy/sdy_attrs.td"
include "shardwright/mlir/dialects/sdy/sdy_ops.td"
include "shardwright/mlir/dialects/sdy/sdy_collectives.td"

#endif  // SHARDWRIGHT_SDY_TD
