#include "shardwright/search/tree.h"

#include <gtest/gtest.h>

namespace shardwright::search {
namespace {

Branches branches(std::vector<uint32_t> actions, std::vector<double> priors) {
  Branches result;
  for (const uint32_t action : actions) result.actions.push_back(ActionId(action));
  result.priors = std::move(priors);
  return result;
}

TEST(Tree, GoesWhereThePriorPoints) {
  Tree tree(branches({0, 1, 2}, {0.2, 0.5, 0.3}), 1.0, {});
  EXPECT_EQ(tree.select().path, Path{ActionId(1u)});
}

TEST(Tree, ThreadsSpreadOut) {
  Tree tree(branches({0, 1}, {0.5, 0.5}), 1.0, {});
  const Descent first = tree.select(), second = tree.select();
  EXPECT_NE(first.path, second.path);
  tree.backup(first, 1.0);
  tree.backup(second, 1.0);
}

TEST(Tree, PrefersWhatWasGood) {
  Tree tree(branches({0, 1}, {0.5, 0.5}), 1.0, {.exploration = 0.1, .scale = 0.15});
  for (int i = 0; i < 2; ++i) {
    const Descent descent = tree.select();
    tree.expand(descent, descent.path, branches({5, 6}, {0.5, 0.5}));
    tree.backup(descent, descent.path[0] == ActionId(1u) ? 0.2 : 0.9);
  }
  EXPECT_EQ(tree.select().path[0], ActionId(1u));
}

TEST(Tree, PathsWithOneCanonicalFormShareANode) {
  Tree tree(branches({0, 1}, {0.5, 0.5}), 1.0, {});
  const Path both = {ActionId(0u), ActionId(1u)};
  for (const uint32_t start : {0u, 1u}) {
    const Descent first = tree.follow({ActionId(start)});
    tree.expand(first, first.path, branches({1 - start}, {1}));
    tree.backup(first, 1.0);
    const Descent second = tree.follow({ActionId(start), ActionId(1 - start)});
    tree.expand(second, both, branches({}, {}));
    tree.backup(second, 1.0);
  }
  EXPECT_EQ(tree.size(), 4u) << "root, 0, 1 and both";
  EXPECT_TRUE(tree.exhausted());
}

}  // namespace
}  // namespace shardwright::search
