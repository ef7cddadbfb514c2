#include "shardwright/cost/device.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shardwright/cost/builtin_devices.h"

namespace shardwright::cost {
namespace {

using Json = nlohmann::json;

Json profile(std::string_view name) {
  for (const BuiltinDevice& device : builtinDevices()) {
    if (device.name == name) return Json::parse(device.json);
  }
  ADD_FAILURE() << name << " is not built in";
  return {};
}

std::string problem(const Json& json) {
  const Result<Device> device = parseDevice(json.dump(), "x.json");
  return device ? "" : device.error().str();
}

TEST(Device, EveryBuiltInProfileLoadsUnderItsOwnName) {
  const std::vector<std::string> expected = {"a100-40",  "a100-80", "b200",   "h100",   "h200",
                                             "host-cpu", "p100",    "tpu-v3", "tpu-v4", "tpu-v5e",
                                             "tpu-v5p",  "tpu-v6e", "v100"};
  EXPECT_EQ(knownDevices(), expected);
  for (const std::string& name : knownDevices()) {
    const Result<Device> device = loadDevice(name);
    ASSERT_TRUE(device) << device.error().str();
    EXPECT_EQ(device->name, name);
  }
}

TEST(Device, ReadsTheNumbers) {
  const Result<Device> h100 = loadDevice("h100");
  ASSERT_TRUE(h100);
  EXPECT_EQ(h100->flavor, Flavor::kGpu);
  EXPECT_EQ(h100->memory, Bytes{int64_t{80} << 30});
  EXPECT_EQ(h100->usableMemory(), h100->memory - Bytes{1'000'000'000});
  EXPECT_DOUBLE_EQ(h100->rate(MatmulClass::kBF16).peak.value, 989.5e12);
  EXPECT_DOUBLE_EQ(h100->find(LinkKind::kNvlink)->bandwidth.value, 450e9);
  EXPECT_EQ(h100->find(LinkKind::kNvlink)->domain, 8);
  EXPECT_EQ(h100->find(LinkKind::kInfiniband)->domain, 0);
  EXPECT_EQ(h100->find(LinkKind::kIci), nullptr);
}

TEST(Device, ATorusJoinsTheProductOfItsDimsAndWhatIsInside) {
  const Result<Device> v3 = loadDevice("tpu-v3");
  ASSERT_TRUE(v3);
  EXPECT_EQ(v3->find(LinkKind::kOnChip)->domain, 2);
  EXPECT_EQ(v3->find(LinkKind::kIci)->domain, 2 * 32 * 32);
}

TEST(Device, AnUnknownNameListsTheKnownOnes) {
  const Result<Device> device = loadDevice("h20");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message,
            "unknown device `h20`; known are a100-40, a100-80, b200, h100, h200, host-cpu, p100, "
            "tpu-v3, tpu-v4, tpu-v5e, tpu-v5p, tpu-v6e, v100, or a path to a .json file");
}

TEST(Device, AFileThatIsNotThereIsNamed) {
  const Result<Device> device = loadDevice("/nowhere/my.json");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message,
            "cannot read device profile `/nowhere/my.json`: No such file or directory");
}

TEST(Device, TextThatIsNotJsonIsLocated) {
  const Result<Device> device = parseDevice("{\n  \"name\": ,\n}", "x.json");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().str(), "x.json:2:11: error: not JSON");
}

TEST(Device, ATextThatEndsTooSoonIsRefused) {
  const std::string whole(builtinDevices()[0].json);
  for (size_t length = 0; length + 2 < whole.size(); length += 7)
    EXPECT_FALSE(parseDevice(whole.substr(0, length), "x.json")) << length;
}

TEST(Device, ANumberThatNoMachineHoldsIsRefused) {
  const Result<Device> device = parseDevice("{\"memory\": 1e999}", "x.json");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().str(), "x.json: error: a number is too large");
}

TEST(Device, WhatIsNotAnObjectIsRefused) {
  EXPECT_EQ(problem(Json::array()), "x.json: error: `` must be an object");
}

// Of every object in the profile, every key: without it the profile is refused and the key named.
void removeEachKey(const Json& whole, const std::string& at) {
  const Json& object = whole[Json::json_pointer(at)];
  for (const auto& [key, child] : object.items()) {
    if (object.is_object()) {
      Json less = whole;
      less[Json::json_pointer(at)].erase(key);
      EXPECT_NE(problem(less).find(key + "` is missing"), std::string::npos)
          << at << "/" << key << " gave: " << problem(less);
    }
    if (child.is_structured()) removeEachKey(whole, at + "/" + key);
  }
}

TEST(Device, EveryMissingKeyIsNamed) { removeEachKey(profile("h100"), ""); }

TEST(Device, NumbersThatCannotBeAreRefused) {
  const struct {
    const char* pointer;
    Json value;
    const char* message;
  } cases[] = {
      {"/memory/capacity_bytes/value", -1, "`memory.capacity_bytes.value` is -1; expected 1e+08"},
      {"/memory/capacity_bytes/value", 80, "`memory.capacity_bytes.value` is 80; expected 1e+08"},
      {"/memory/bytes_per_second/value", "fast",
       "`memory.bytes_per_second.value` must be a number"},
      {"/memory/efficiency/value", 1.2, "`memory.efficiency.value` is 1.2; expected 0.001 to 1"},
      {"/memory/reserved_bytes/value", 5e12, "`memory.reserved_bytes` must be less than"},
      {"/memory/cache_bytes",
       {{"value", 0}, {"source", "x"}},
       "`memory.cache_bytes.value` is 0; expected 1"},
      {"/memory/cache_bytes",
       {{"value", 1e6}, {"source", "x"}},
       "`memory.cache_bytes_per_second` is missing"},
      {"/memory/cache_bytes_per_second",
       {{"value", 1e10}, {"source", "x"}},
       "`memory.cache_bytes` is missing"},
      {"/matmul/bf16/flops_per_second/value", 1e20,
       "`matmul.bf16.flops_per_second.value` is 1e+20"},
      {"/launch_overhead_seconds/value", 3, "`launch_overhead_seconds.value` is 3; expected 0"},
      {"/links/0/bytes_per_second/value", 0, "`links[0].bytes_per_second.value` is 0; expected"},
      {"/links/0/domain/value", 2.5, "`links[0].domain.value` must be a whole number"},
      {"/links/0/kind", "string", "`links[0].kind` is `string`, which is no kind of link"},
      {"/links/1/domain", {{"value", 9}, {"source", "x"}}, "`links[1].domain` must be left out"},
      {"/flavor", "npu", "`flavor` is `npu`; expected gpu, tpu or cpu"},
      {"/memory/efficiency/source", "", "`memory.efficiency.source` must be a text"},
      {"/memory/bandwidth", 3, "`memory.bandwidth` is not a key of a profile"},
      {"/links", Json::array(), "`links` must be a list of at least one link"},
  };
  for (const auto& [pointer, value, message] : cases) {
    Json json = profile("h100");
    json[Json::json_pointer(pointer)] = value;
    EXPECT_EQ(problem(json).find(std::string("x.json: error: ") + message), 0u) << problem(json);
  }
}

TEST(Device, OnlyTheLastLinkHasNoLimit) {
  Json json = profile("h100");
  json["links"][0].erase("domain");
  EXPECT_EQ(problem(json),
            "x.json: error: `links[0].domain` is missing: only the last link has no limit");
}

}  // namespace
}  // namespace shardwright::cost
