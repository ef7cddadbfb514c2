// Part 0 of the ops that TableGen writes.
#include "shardwright/mlir/dialects/chlo/directives.h"

#define GET_OP_DEFS_0
#include "shardwright/mlir/dialects/chlo/ops.cpp.inc"
