#include "shardwright/mesh/layout.h"

#include <gtest/gtest.h>

namespace shardwright::mesh {
namespace {

TEST(ParseMesh, ReadsWhatItPrints) {
  const Result<Mesh> mesh = parseMesh("data=4,model=2");
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->axes, (std::vector<Axis>{{"data", 4}, {"model", 2}}));
  EXPECT_EQ(str(*mesh), "data=4,model=2");
  EXPECT_EQ(deviceCount(*mesh), 8);
  EXPECT_EQ(findAxis(*mesh, "model"), 1u);
  EXPECT_EQ(findAxis(*mesh, "tensor"), kMostAxes);
}

TEST(ParseMesh, RefusesNonsenseAndSaysWhy) {
  const auto why = [](const char* text) { return parseMesh(text).error().message; };
  EXPECT_NE(why("").find("has no size"), std::string::npos);
  EXPECT_NE(why("data").find("`data` has no size"), std::string::npos);
  EXPECT_NE(why("data=0").find("size `0`"), std::string::npos);
  EXPECT_NE(why("data=4x").find("size `4x`"), std::string::npos);
  EXPECT_NE(why("a b=4").find("`a b` is no axis name"), std::string::npos);
  EXPECT_NE(why("x=2,x=4").find("named twice"), std::string::npos);
  EXPECT_NE(why("x=4000000000,y=4000000000").find("too many devices"), std::string::npos);
}

TEST(AxisList, KeepsOrder) {
  AxisList list{2, 0};
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], 2u);
  EXPECT_EQ(list.back(), 0u);
  EXPECT_TRUE(list.startsWith({2}));
  EXPECT_FALSE(list.startsWith({0}));
  EXPECT_EQ(list.from(1), (AxisList{0}));
  list.append(14);
  EXPECT_EQ(list.back(), 14u);
  EXPECT_EQ(AxisList::inMeshOrder(list.set()), (AxisList{0, 2, 14}));
}

TEST(DeviceGroups, StandInTheOrderOfTheAxes) {
  const Mesh mesh = *parseMesh("a=2,b=3");
  using Groups = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(deviceGroups(mesh, {1}), (Groups{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(deviceGroups(mesh, {0}), (Groups{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(deviceGroups(mesh, {1, 0}), (Groups{{0, 3, 1, 4, 2, 5}}));
  EXPECT_EQ(position(mesh, 5, AxisList{1, 0}), 5);
  EXPECT_EQ(position(mesh, 1, AxisList{1, 0}), 2);
}

TEST(LayoutTable, EqualLayoutsHaveEqualIds) {
  const Mesh mesh = *parseMesh("a=2,b=3,c=2");
  LayoutTable layouts;
  const std::vector<AxisList> dims = {{0}, {}};
  const LayoutId id = layouts.intern(dims, {1});
  EXPECT_EQ(layouts.intern(dims, {1}), id);
  EXPECT_NE(layouts.intern(dims), id);
  EXPECT_EQ(layouts.dim(id, 0), (AxisList{0}));
  EXPECT_EQ(layouts.partial(id), (AxisSet{1}));
  EXPECT_EQ(layouts.str(mesh, id), "[a, -] partial over b");
  EXPECT_EQ(layouts.str(mesh, layouts.whole(2)), "whole");
}

}  // namespace
}  // namespace shardwright::mesh
