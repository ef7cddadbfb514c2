#include "shardwright/cost/topology.h"

#include <gtest/gtest.h>

namespace shardwright::cost {
namespace {

std::string placed(const char* device, const char* mesh, const char* overrides = "") {
  const Result<Device> profile = loadDevice(device);
  const Result<mesh::Mesh> parsed = mesh::parseMesh(mesh);
  const Result<Topology> topology = makeTopology(*profile, *parsed, overrides);
  return topology ? topology->str(*parsed) : topology.error().message;
}

TEST(Topology, InnerAxesStayInTheNode) {
  EXPECT_EQ(placed("h100", "data=4,model=8"), "data: 4 over infiniband\nmodel: 8 over nvlink\n");
  EXPECT_EQ(placed("h100", "data=4,model=2"), "data: 4 over nvlink\nmodel: 2 over nvlink\n");
}

TEST(Topology, ALongAxisIsCutAtTheNode) {
  EXPECT_EQ(placed("h100", "data=16"), "data: 8 over nvlink, 2 over infiniband\n");
  EXPECT_EQ(placed("h100", "data=12"), "data: 6 over nvlink, 2 over infiniband\n");
  EXPECT_EQ(placed("h100", "data=8,model=4"),
            "data: 2 over nvlink, 4 over infiniband\nmodel: 4 over nvlink\n");
}

TEST(Topology, AnAxisThatLeavesANodeClosesIt) {
  EXPECT_EQ(placed("h100", "data=2,model=11"),
            "data: 2 over infiniband\nmodel: 11 over infiniband\n");
}

TEST(Topology, AxesOfOneDeviceNeedNoWires) {
  EXPECT_EQ(placed("h100", "data=1,model=2"), "data: 1 device\nmodel: 2 over nvlink\n");
}

TEST(Topology, OverridesPutAnAxisWhereTheyAreTold) {
  EXPECT_EQ(placed("h100", "data=4,model=2", "data=ib"),
            "data: 4 over infiniband\nmodel: 2 over nvlink\n");
  EXPECT_EQ(placed("h100", "data=8,model=8", "data=nvlink,model=ib"),
            "data: 8 over nvlink\nmodel: 8 over infiniband\n");
}

TEST(Topology, BadOverridesAreNamed) {
  EXPECT_EQ(placed("h100", "data=4", "batch=ib"), "topology: the mesh data=4 has no axis `batch`");
  EXPECT_EQ(placed("h100", "data=4", "data=ici"),
            "topology: `h100` has no link `ici`; it has nvlink, infiniband");
  EXPECT_EQ(placed("h100", "data=4", "data=string"),
            "topology: `h100` has no link `string`; it has nvlink, infiniband");
  EXPECT_EQ(placed("h100", "data=4", "data"), "topology: expected `axis=link`, found `data`");
  EXPECT_EQ(placed("h100", "data=4", "data=ib,data=ib"), "topology: axis `data` is named twice");
  EXPECT_EQ(
      placed("h100", "data=16", "data=nvlink"),
      "axis `data` of size 16 does not fit on nvlink, which joins 8 devices of `h100` and has "
      "room for 8");
  EXPECT_EQ(placed("h100", "a=4,b=4", "a=nvlink,b=nvlink"),
            "axis `b` of size 4 does not fit on nvlink, which joins 8 devices of `h100` and has "
            "room for 2");
}

// The segments of each axis as "dim:size/length*stride".
std::string torus(const char* device, const char* mesh) {
  const Result<Device> profile = loadDevice(device);
  const Result<mesh::Mesh> parsed = mesh::parseMesh(mesh);
  const Topology topology = defaultTopology(*profile, *parsed);
  std::string text;
  for (const std::vector<Segment>& axis : topology.axes) {
    text += text.empty() ? "" : "; ";
    for (const Segment& segment : axis) {
      text += (text.empty() || text.ends_with(' ') ? "" : " ") + std::to_string(segment.dim) + ":" +
              std::to_string(segment.size) + "/" + std::to_string(segment.length) + "*" +
              std::to_string(segment.stride) + (topology.isRing(segment) ? "o" : "-");
    }
  }
  return text;
}

TEST(Topology, TorusAxesTakeWholeDimsWhereTheyCan) {
  EXPECT_EQ(torus("tpu-v5e", "data=4,model=2"), "1:4/4*1-; 0:2/2*1-");
  EXPECT_EQ(torus("tpu-v5e", "data=16,model=16"), "1:16/16*1o; 0:16/16*1o");
  EXPECT_EQ(torus("tpu-v5e", "data=8"), "0:2/2*1- 1:4/4*1-");
  EXPECT_EQ(torus("tpu-v4", "a=4,b=4,c=4"), "2:4/4*1o; 1:4/4*1o; 0:4/4*1o");
}

TEST(Topology, TorusAxesShareADimWhereTheyMust) {
  // A 4x8 slice: the last axis has the dim of 4, the others cut the one of 8.
  EXPECT_EQ(torus("tpu-v5e", "a=2,b=4,c=4"), "1:2/8*4-; 1:4/8*1-; 0:4/4*1-");
}

TEST(Topology, SevenChipsStandInALine) { EXPECT_EQ(torus("tpu-v5e", "data=7"), "1:7/7*1-"); }

TEST(Topology, WhatIsMoreThanAPodGoesOverTheDataCenterNetwork) {
  EXPECT_EQ(placed("tpu-v5e", "data=4,model=256"),
            "data: 4 over dcn\nmodel: 16 over ici, 16 over ici\n");
  EXPECT_EQ(placed("tpu-v3", "data=4,model=2"),
            "data: 2 over ici, 2 over ici\nmodel: 2 over onchip\n");
}

TEST(Topology, SegmentsOfSeveralAxesMergeOnTheirWires) {
  const Result<Device> v5e = loadDevice("tpu-v5e");
  const Result<mesh::Mesh> mesh = mesh::parseMesh("a=2,b=4,c=4");
  const Topology topology = defaultTopology(*v5e, *mesh);
  const std::vector<Segment> both = topology.segments({0, 1});
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0], (Segment{0, 8, 1, 8, 1}));
  const Topology node = defaultTopology(*loadDevice("h100"), *mesh::parseMesh("a=4,b=4,c=2"));
  const std::vector<Segment> all = node.segments({0, 1, 2});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].size, 8);
  EXPECT_EQ(all[1].size, 4);
}

TEST(Topology, EveryDeviceTakesEveryMesh) {
  for (const std::string& name : knownDevices()) {
    const Result<Device> device = loadDevice(name);
    for (const char* text : {"a=1", "a=7", "a=17", "a=2,b=4,c=4", "a=16,b=16", "a=3,b=5,c=2",
                             "a=64,b=8,c=4", "a=1024", "a=13,b=997"}) {
      const Result<mesh::Mesh> mesh = mesh::parseMesh(text);
      const Topology topology = defaultTopology(*device, *mesh);
      for (size_t axis = 0; axis < mesh->axes.size(); ++axis) {
        int64_t size = 1;
        for (const Segment& segment : topology.axes[axis]) size *= segment.size;
        EXPECT_EQ(size, mesh->axes[axis].size) << name << " " << text;
      }
    }
  }
}

}  // namespace
}  // namespace shardwright::cost
