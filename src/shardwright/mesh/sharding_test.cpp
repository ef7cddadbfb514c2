#include "shardwright/mesh/sharding.h"

#include <gtest/gtest.h>

namespace shardwright::mesh {
namespace {

TEST(Sharding, PrintsInShardysNotation) {
  Sharding sharding;
  sharding.dims = {{{{"x", {}}, {"y", AxisRef::SubAxis{2, 4}}}, true, {}},
                   {{}, false, 1},
                   {{{"z", {}}}, false, {}}};
  sharding.replicated = {{"w", {}}};
  EXPECT_EQ(sharding.str(), R"([{"x", "y":(2)4}, {?}p1, {"z", ?}], replicated={"w"})");
}

}  // namespace
}  // namespace shardwright::mesh
