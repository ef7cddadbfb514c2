#include "shardwright/spmd/reshard.h"

#include <gtest/gtest.h>

namespace shardwright::spmd {
namespace {

using mesh::AxisList;
using mesh::AxisSet;

struct Fixture {
  mesh::Mesh mesh = *mesh::parseMesh("a=2,b=4,c=2");
  mesh::LayoutTable layouts;
  Resharder resharder{mesh, layouts};
  std::vector<int64_t> shape = {16, 16};

  std::string steps(std::vector<AxisList> from, AxisSet partial, std::vector<AxisList> to) {
    const ReshardPath& path =
        resharder.path(0, shape, layouts.intern(from, partial), layouts.intern(to));
    std::string text;
    for (const ReshardStep& step : path.steps) {
      text += std::string(text.empty() ? "" : ", ") + kindName(step.kind);
      if (!step.axes.empty()) text += " " + mesh::str(mesh, step.axes);
    }
    return text;
  }
};

TEST(Reshard, SameLayoutNeedsNothing) { EXPECT_EQ(Fixture().steps({{0}, {}}, {}, {{0}, {}}), ""); }

TEST(Reshard, B1AnUnusedAxisIsSliced) {
  EXPECT_EQ(Fixture().steps({{}, {}}, {}, {{0}, {1}}), "slice a, slice b");
}

TEST(Reshard, B2SeveralAxesOfADimAreGatheredAtOnce) {
  EXPECT_EQ(Fixture().steps({{0, 1}, {}}, {}, {{}, {}}), "all_gather a+b");
  EXPECT_EQ(Fixture().steps({{0, 1}, {}}, {}, {{0}, {}}), "all_gather b");
}

TEST(Reshard, B3AnAxisMovesByAllToAll) {
  EXPECT_EQ(Fixture().steps({{1}, {}}, {}, {{}, {1}}), "all_to_all b");
  EXPECT_EQ(Fixture().steps({{0, 1}, {}}, {}, {{}, {0, 1}}), "all_to_all a+b");
}

TEST(Reshard, B4B5PartialSumsAreReducedOrScattered) {
  EXPECT_EQ(Fixture().steps({{}, {}}, {0}, {{}, {}}), "all_reduce a");
  EXPECT_EQ(Fixture().steps({{}, {}}, {0, 1}, {{}, {}}), "all_reduce a+b");
  EXPECT_EQ(Fixture().steps({{}, {}}, {1}, {{}, {1}}), "reduce_scatter b");
  EXPECT_EQ(Fixture().steps({{}, {}}, {0, 1}, {{0}, {}}), "reduce_scatter a, all_reduce b");
}

TEST(Reshard, B6EqualAxesTakeEachOthersPlaces) {
  EXPECT_EQ(Fixture().steps({{0}, {}}, {}, {{2}, {}}), "collective_permute a+c");
  EXPECT_EQ(Fixture().steps({{0}, {2}}, {}, {{2}, {0}}), "collective_permute a+c");
}

TEST(Reshard, NeverGathersWhatIsSlicedAgain) {
  EXPECT_EQ(Fixture().steps({{0}, {}}, {}, {{0, 1}, {}}), "slice b");
  EXPECT_EQ(Fixture().steps({{1, 0}, {}}, {}, {{1}, {0}}), "all_to_all a");
}

TEST(Reshard, KeepsToSizesThatDivide) {
  Fixture fixture;
  fixture.shape = {16, 6};
  EXPECT_EQ(fixture.steps({{1}, {}}, {}, {{}, {0}}), "slice a, all_gather b");
}

TEST(Reshard, EveryPairOfLayoutsHasAPath) {
  Fixture fixture;
  std::vector<std::vector<AxisList>> all;
  const std::vector<AxisList> lists = {{},     {0},    {1},       {2},       {0, 1},   {1, 0},
                                       {2, 0}, {1, 2}, {0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
  for (const AxisList x : lists) {
    for (const AxisList y : lists) {
      if (!x.set().meets(y.set())) all.push_back({x, y});
    }
  }
  for (const auto& from : all) {
    for (const auto& to : all) {
      const ReshardPath& path = fixture.resharder.path(
          0, fixture.shape, fixture.layouts.intern(from), fixture.layouts.intern(to));
      EXPECT_EQ(path.steps.empty(), from == to);
      if (path.steps.empty()) continue;
      EXPECT_EQ(path.steps.back().result, fixture.layouts.intern(to));
    }
  }
}

}  // namespace
}  // namespace shardwright::spmd
