#include "shardwright/mlir/dialects/sdy/sdy.h"

#include "shardwright/mlir/dialects/sdy/dialect.cpp.inc"

namespace shardwright::sdy {

void SdyDialect::initialize() {}

}  // namespace shardwright::sdy
