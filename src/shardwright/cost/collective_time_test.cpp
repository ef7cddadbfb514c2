#include "shardwright/cost/collective_time.h"

#include <gtest/gtest.h>

namespace shardwright::cost {
namespace {

using spmd::Kind;

constexpr Kind kKinds[] = {Kind::kAllReduce, Kind::kReduceScatter, Kind::kAllGather,
                           Kind::kAllToAll, Kind::kCollectivePermute};

// 100 GB/s and 1 us inside, 10 GB/s and 10 us outside; no overhead.
Topology switched(std::vector<int64_t> sizes) {
  Topology topology;
  topology.links = {
      {.kind = LinkKind::kNvlink, .bandwidth = {100e9}, .latency = {1e-6}, .domain = 8},
      {.kind = LinkKind::kInfiniband, .bandwidth = {10e9}, .latency = {10e-6}}};
  for (uint32_t i = 0; i < sizes.size(); ++i)
    topology.axes.push_back(sizes[i] == 1 ? std::vector<Segment>{}
                                          : std::vector<Segment>{{i, sizes[i]}});
  return topology;
}

// Dims of a torus with 50 GB/s a wire and direction and 1 us a hop, one axis each.
Topology torus(std::vector<int64_t> dims, int64_t wrapMultiple) {
  Topology topology;
  topology.links = {{.kind = LinkKind::kIci,
                     .bandwidth = {50e9},
                     .latency = {1e-6},
                     .torus = {16, 16, 16},
                     .wrapMultiple = wrapMultiple}};
  for (uint32_t i = 0; i < dims.size(); ++i)
    topology.axes.push_back({{.link = 0, .size = dims[i], .dim = i, .length = dims[i]}});
  return topology;
}

double seconds(const Topology& topology, Kind kind, mesh::AxisList axes, int64_t bytes) {
  return collectiveTime(topology, kind, axes, Bytes{bytes}).value;
}

constexpr int64_t kMega = 1'000'000;

TEST(CollectiveTime, C1OneDeviceCostsNothing) {
  for (const Kind kind : kKinds) {
    EXPECT_EQ(seconds(switched({1, 4}), kind, {0}, 400 * kMega), 0);
    EXPECT_EQ(seconds(switched({1, 4}), kind, {}, 400 * kMega), 0);
  }
}

TEST(CollectiveTime, C2AllGatherOverASwitch) {
  // 3 hops; three quarters of 400 MB at 100 GB/s.
  EXPECT_DOUBLE_EQ(seconds(switched({4}), Kind::kAllGather, {0}, 400 * kMega), 3e-6 + 3e-3);
}

TEST(CollectiveTime, C2LongRingsBecomeTrees) {
  Topology topology = switched({64});
  topology.links[0].bandwidth = {1e30};
  EXPECT_NEAR(seconds(topology, Kind::kAllGather, {0}, 1), 12e-6, 1e-15);
}

TEST(CollectiveTime, C2AllGatherOnARingUsesBothDirections) {
  // 4 hops; 7/8 of 800 MB at 2 x 50 GB/s.
  EXPECT_DOUBLE_EQ(seconds(torus({8}, 8), Kind::kAllGather, {0}, 800 * kMega), 4e-6 + 7e-3);
}

TEST(CollectiveTime, C2AllGatherOnALine) {
  // 7 hops; the devices at the ends receive through one wire: 7/8 of 800 MB at 50 GB/s.
  EXPECT_DOUBLE_EQ(seconds(torus({8}, 16), Kind::kAllGather, {0}, 800 * kMega), 7e-6 + 14e-3);
}

TEST(CollectiveTime, C2TwoNeighboursAreALine) {
  // Half of 100 MB at 50 GB/s: there is one wire between two devices, whatever wraps around.
  EXPECT_DOUBLE_EQ(seconds(torus({2}, 1), Kind::kAllGather, {0}, 100 * kMega), 1e-6 + 1e-3);
}

TEST(CollectiveTime, C3ReduceScatterCostsWhatAllGatherCosts) {
  for (const Topology& topology : {switched({4}), torus({8}, 8), torus({8}, 16)})
    EXPECT_EQ(seconds(topology, Kind::kReduceScatter, {0}, kMega),
              seconds(topology, Kind::kAllGather, {0}, kMega));
}

TEST(CollectiveTime, C4AllReduceIsBothButIsLaunchedOnce) {
  Topology topology = switched({4});
  topology.links[0].overhead = {5e-6};
  EXPECT_DOUBLE_EQ(seconds(topology, Kind::kAllGather, {0}, 400 * kMega), 8e-6 + 3e-3);
  EXPECT_DOUBLE_EQ(seconds(topology, Kind::kAllReduce, {0}, 400 * kMega), 11e-6 + 6e-3);
}

TEST(CollectiveTime, C5AllToAll) {
  EXPECT_DOUBLE_EQ(seconds(switched({4}), Kind::kAllToAll, {0}, 400 * kMega), 3e-6 + 3e-3);
  // Ring of 8: each wire carries 16 of 64 pairs' shares in one direction: 800 MB at 50 GB/s.
  EXPECT_DOUBLE_EQ(seconds(torus({8}, 8), Kind::kAllToAll, {0}, 800 * kMega), 4e-6 + 16e-3);
  // Line of 8: 4 x 4 shares of 100 MB cross the middle.
  EXPECT_DOUBLE_EQ(seconds(torus({8}, 16), Kind::kAllToAll, {0}, 800 * kMega), 7e-6 + 32e-3);
}

TEST(CollectiveTime, C6CollectivePermute) {
  EXPECT_DOUBLE_EQ(seconds(switched({4}), Kind::kCollectivePermute, {0}, 400 * kMega), 1e-6 + 4e-3);
  EXPECT_DOUBLE_EQ(seconds(torus({4}, 4), Kind::kCollectivePermute, {0}, 50 * kMega), 1e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(seconds(torus({16}, 16), Kind::kCollectivePermute, {0}, 50 * kMega),
                   4e-6 + 2e-3);
}

TEST(CollectiveTime, C7InnerLevelsSplitWhatGoesOutside) {
  // 8 inside, 2 outside. Inside 7/8 of 800 MB at 100 GB/s: 7 ms. Outside half of 100 MB at 10 GB/s:
  // 5 ms at the same time. 6 hops inside (a tree), 1 outside.
  EXPECT_DOUBLE_EQ(seconds(switched({8, 2}), Kind::kAllGather, {0, 1}, 800 * kMega), 16e-6 + 7e-3);
  // The outer axis alone moves all of it: half of 800 MB at 10 GB/s.
  EXPECT_DOUBLE_EQ(seconds(switched({8, 2}), Kind::kAllGather, {1}, 800 * kMega), 10e-6 + 40e-3);
}

TEST(CollectiveTime, C7DimsOfATorusAddTheirWires) {
  // 15/16 of 1600 MB over 2 x 2 wires of 50 GB/s.
  EXPECT_DOUBLE_EQ(seconds(torus({4, 4}, 4), Kind::kAllGather, {0, 1}, 1600 * kMega),
                   4e-6 + 7.5e-3);
  // In an all-to-all every byte takes both dims, which work side by side.
  EXPECT_DOUBLE_EQ(seconds(torus({4, 4}, 4), Kind::kAllToAll, {0, 1}, 1600 * kMega), 4e-6 + 16e-3);
}

TEST(CollectiveTime, AStridedAxisSharesItsWires) {
  Topology topology = torus({8}, 16);
  topology.axes = {{{.link = 0, .size = 2, .dim = 0, .length = 8, .stride = 4}}};
  // One hop of four wires; half of 100 MB at a quarter of 50 GB/s.
  EXPECT_DOUBLE_EQ(seconds(topology, Kind::kAllGather, {0}, 100 * kMega), 4e-6 + 4e-3);
}

TEST(CollectiveTime, TheOrderOfAxesDoesNotMatter) {
  for (const Kind kind : kKinds)
    EXPECT_EQ(seconds(switched({8, 2}), kind, {0, 1}, kMega),
              seconds(switched({8, 2}), kind, {1, 0}, kMega));
}

TEST(CollectiveTime, NeverCheaperOnMoreDevices) {
  for (const Kind kind : kKinds) {
    for (int64_t n = 1; n < 64; ++n) {
      EXPECT_LE(seconds(switched({n}), kind, {0}, kMega),
                seconds(switched({n + 1}), kind, {0}, kMega))
          << spmd::kindName(kind) << " switched " << n;
      EXPECT_LE(seconds(torus({n}, 1000), kind, {0}, kMega),
                seconds(torus({n + 1}, 1000), kind, {0}, kMega))
          << spmd::kindName(kind) << " line " << n;
    }
    for (int64_t n = 3; n < 64; ++n)
      EXPECT_LE(seconds(torus({n}, 1), kind, {0}, kMega),
                seconds(torus({n + 1}, 1), kind, {0}, kMega))
          << spmd::kindName(kind) << " ring " << n;
  }
}

TEST(CollectiveTime, NeverCheaperOnTwiceTheGpus) {
  const Result<Device> device = loadDevice("h100");
  for (const Kind kind : kKinds) {
    double before = 0;
    for (int64_t n = 2; n <= 1024; n *= 2) {
      mesh::Mesh mesh;
      mesh.axes = {{"data", n}};
      const double time = seconds(defaultTopology(*device, mesh), kind, {0}, 64 * kMega);
      EXPECT_GE(time, before) << spmd::kindName(kind) << " " << n;
      before = time;
    }
  }
}

TEST(CollectiveTime, MoreBytesNeverCostLess) {
  for (const Kind kind : kKinds) {
    for (const Topology& topology : {switched({8, 2}), torus({4, 8}, 4)}) {
      for (int64_t bytes = 1; bytes < (int64_t{1} << 40); bytes *= 3)
        EXPECT_LT(seconds(topology, kind, {0, 1}, bytes),
                  seconds(topology, kind, {0, 1}, 3 * bytes));
    }
  }
}

TEST(CollectiveTime, MoreBandwidthNeverCostsTime) {
  for (const Kind kind : kKinds) {
    for (const Topology& topology : {switched({8, 2}), torus({4, 8}, 4)}) {
      for (size_t link = 0; link < topology.links.size(); ++link) {
        Topology faster = topology;
        faster.links[link].bandwidth = faster.links[link].bandwidth * 2;
        EXPECT_LE(seconds(faster, kind, {0, 1}, kMega), seconds(topology, kind, {0, 1}, kMega));
      }
    }
  }
}

}  // namespace
}  // namespace shardwright::cost
