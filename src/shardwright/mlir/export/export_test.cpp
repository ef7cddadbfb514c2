#include "shardwright/mlir/export/export.h"

#include <gtest/gtest.h>

namespace shardwright {
namespace {}
}  // namespace shardwright
