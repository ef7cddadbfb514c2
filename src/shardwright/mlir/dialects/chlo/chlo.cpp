#include "shardwright/mlir/dialects/chlo/chlo.h"

#include "shardwright/mlir/dialects/chlo/dialect.cpp.inc"

namespace shardwright::chlo {

void ChloDialect::initialize() {}

}  // namespace shardwright::chlo
