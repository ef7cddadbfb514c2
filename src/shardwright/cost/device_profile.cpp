// Reads a device profile. Every number stands with its source, and whatever is missing, misspelt or
// cannot be true is an error that names the key.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "shardwright/cost/device.h"

namespace shardwright::cost {
namespace {

using Json = nlohmann::json;

// What a number may be. The ends are far from any device that is, and near enough to catch GB for
// bytes or a time in microseconds.
struct Range {
  double least;
  double most;
};
constexpr Range kBytesRange = {1e8, 1e14};
constexpr Range kReservedRange = {0, 1e13};
constexpr Range kCacheRange = {1, 1e12};
constexpr Range kBandwidthRange = {1e7, 1e15};
constexpr Range kFlopsRange = {1e7, 1e18};
constexpr Range kShareRange = {1e-3, 1};
constexpr Range kTimeRange = {0, 0.1};
constexpr Range kCountRange = {1, 1e6};

std::string text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", number);
  return buffer;
}

// One object of the profile and the way to it. The first error is kept; later reads are harmless.
class Reader {
 public:
  Reader(const Json& json, std::string path, Status& error)
      : json_(json), path_(std::move(path)), error_(error) {
    if (!json.is_object()) fail(path_, "must be an object");
  }

  // Keys that nobody reads are misspelt ones.
  void allow(std::initializer_list<std::string_view> keys) {
    if (!json_.is_object()) return;
    for (const auto& [key, ignored] : json_.items()) {
      if (std::ranges::find(keys, key) == keys.end()) fail(path(key), "is not a key of a profile");
    }
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }

  Reader object(const char* key) { return Reader(at(key), path(key), error_); }
  const Json& at(const char* key) {
    static const Json kEmpty = Json::object();
    if (has(key)) return json_[key];
    fail(path(key), "is missing");
    return kEmpty;
  }

  std::string string(const char* key) {
    const Json& value = at(key);
    if (value.is_string() && !value.get<std::string>().empty()) return value.get<std::string>();
    fail(path(key), "must be a text");
    return "";
  }

  double number(const char* key, Range range) {
    return checked(sourced(key), path(key) + ".value", range);
  }
  int64_t count(const char* key) { return whole(sourced(key), path(key) + ".value"); }
  std::vector<int64_t> counts(const char* key) {
    const Json& values = sourced(key);
    if (!values.is_array() || values.empty())
      fail(path(key) + ".value", "must be a list of numbers");
    std::vector<int64_t> result;
    for (size_t i = 0; values.is_array() && i < values.size(); ++i)
      result.push_back(whole(values[i], path(key) + ".value[" + std::to_string(i) + "]"));
    return result;
  }

  void fail(const std::string& path, const std::string& message) {
    if (!error_) error_ = Diagnostic{"`" + path + "` " + message, {}, {}};
  }
  std::string path(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

 private:
  // `{"value": …, "source": "…"}`; returns the value.
  const Json& sourced(const char* key) {
    Reader reader = object(key);
    reader.allow({"value", "source"});
    reader.string("source");
    return reader.at("value");
  }
  double checked(const Json& value, const std::string& path, Range range) {
    if (!value.is_number()) {
      fail(path, "must be a number");
      return range.least;
    }
    const double number = value.get<double>();
    if (number >= range.least && number <= range.most) return number;
    fail(path,
         "is " + text(number) + "; expected " + text(range.least) + " to " + text(range.most));
    return range.least;
  }
  int64_t whole(const Json& value, const std::string& path) {
    const double number = checked(value, path, kCountRange);
    if (number != std::floor(number)) fail(path, "must be a whole number");
    return static_cast<int64_t>(number);
  }

  const Json& json_;
  std::string path_;
  Status& error_;
};

ComputeRate readRate(Reader reader) {
  reader.allow({"flops_per_second", "efficiency"});
  return {{reader.number("flops_per_second", kFlopsRange)},
          reader.number("efficiency", kShareRange)};
}

void readMemory(Reader reader, Device& device) {
  reader.allow({"capacity_bytes", "reserved_bytes", "bytes_per_second", "efficiency", "cache_bytes",
                "cache_bytes_per_second"});
  device.memory = {static_cast<int64_t>(reader.number("capacity_bytes", kBytesRange))};
  device.reserved = {static_cast<int64_t>(reader.number("reserved_bytes", kReservedRange))};
  device.hbmBandwidth = {reader.number("bytes_per_second", kBandwidthRange)};
  device.hbmEfficiency = reader.number("efficiency", kShareRange);
  if (device.reserved >= device.memory)
    reader.fail(reader.path("reserved_bytes"), "must be less than `capacity_bytes`");
  if (!reader.has("cache_bytes") && !reader.has("cache_bytes_per_second")) return;
  device.cache = {static_cast<int64_t>(reader.number("cache_bytes", kCacheRange))};
  device.cacheBandwidth = {reader.number("cache_bytes_per_second", kBandwidthRange)};
}

void readMatmul(Reader reader, Device& device) {
  reader.allow({"f64", "f32", "f32_highest", "f16", "bf16", "f8", "i8"});
  for (size_t i = 0; i < kMatmulClasses; ++i)
    device.matmul[i] = readRate(reader.object(matmulClassName(static_cast<MatmulClass>(i))));
}

// How many devices the link joins; `inner` is what the one before joins.
int64_t readDomain(Reader& reader, Link& link, int64_t inner) {
  if (reader.has("torus")) {
    link.torus = reader.counts("torus");
    link.wrapMultiple = reader.count("wrap_multiple");
    int64_t devices = inner;
    for (const int64_t size : link.torus) devices *= size;
    if (reader.has("domain")) reader.fail(reader.path("domain"), "follows from `torus`");
    return devices;
  }
  return reader.has("domain") ? reader.count("domain") : 0;
}

Link readLink(Reader reader, int64_t inner) {
  reader.allow({"kind", "bytes_per_second", "efficiency", "latency_seconds", "overhead_seconds",
                "domain", "torus", "wrap_multiple"});
  Link link;
  const std::string name = reader.string("kind");
  const std::optional<LinkKind> kind = parseLinkKind(name);
  if (!kind) reader.fail(reader.path("kind"), "is `" + name + "`, which is no kind of link");
  link.kind = kind.value_or(LinkKind::kHost);
  link.bandwidth = {reader.number("bytes_per_second", kBandwidthRange)};
  link.efficiency = reader.number("efficiency", kShareRange);
  link.latency = {reader.number("latency_seconds", kTimeRange)};
  link.overhead = {reader.number("overhead_seconds", kTimeRange)};
  link.domain = readDomain(reader, link, inner);
  return link;
}

void checkDomains(Reader& profile, const std::vector<Link>& links) {
  for (size_t i = 0; i < links.size(); ++i) {
    const std::string path = "links[" + std::to_string(i) + "]";
    const bool last = i + 1 == links.size();
    if (last != (links[i].domain == 0))
      profile.fail(path + ".domain", last ? "must be left out: the last link has no limit"
                                          : "is missing: only the last link has no limit");
    if (!last && i > 0 && links[i].domain <= links[i - 1].domain)
      profile.fail(path + ".domain", "must be more than that of the link before");
  }
}

void readLinks(Reader& profile, Status& error, Device& device) {
  const Json& list = profile.at("links");
  if (!list.is_array() || list.empty()) {
    profile.fail("links", "must be a list of at least one link");
    return;
  }
  int64_t inner = 1;
  for (size_t i = 0; i < list.size(); ++i) {
    device.links.push_back(
        readLink(Reader(list[i], "links[" + std::to_string(i) + "]", error), inner));
    inner = device.links.back().domain;
  }
  checkDomains(profile, device.links);
}

Flavor readFlavor(Reader& profile) {
  const std::string name = profile.string("flavor");
  for (const Flavor flavor : {Flavor::kGpu, Flavor::kTpu, Flavor::kCpu}) {
    if (name == flavorName(flavor)) return flavor;
  }
  profile.fail("flavor", "is `" + name + "`; expected gpu, tpu or cpu");
  return Flavor::kCpu;
}

Device readDevice(Reader profile, Status& error) {
  profile.allow({"name", "title", "flavor", "memory", "matmul", "vector", "launch_overhead_seconds",
                 "links"});
  Device device;
  device.name = profile.string("name");
  device.title = profile.string("title");
  device.flavor = readFlavor(profile);
  readMemory(profile.object("memory"), device);
  readMatmul(profile.object("matmul"), device);
  device.vector = readRate(profile.object("vector"));
  device.launchOverhead = {profile.number("launch_overhead_seconds", kTimeRange)};
  readLinks(profile, error, device);
  return device;
}

// Line and column of a byte offset, from 1.
SourceLocation locate(std::string_view json, const std::string& file, size_t offset) {
  const std::string_view before = json.substr(0, std::min(offset, json.size()));
  const size_t lineBegin = before.rfind('\n') + 1;  // npos + 1 is 0.
  return {file, static_cast<uint32_t>(1 + std::ranges::count(before, '\n')),
          static_cast<uint32_t>(std::max<size_t>(1, before.size() - lineBegin))};
}

}  // namespace

Result<Device> parseDevice(std::string_view json, const std::string& file) {
  Json root;
  try {
    root = Json::parse(json);
  } catch (const Json::parse_error& problem) {
    return Diagnostic{"not JSON", locate(json, file, problem.byte), {}};
  } catch (const Json::out_of_range&) {
    return Diagnostic{"a number is too large", {file, 0, 0}, {}};
  }
  Status error;
  Device device = readDevice(Reader(root, "", error), error);
  if (!error) return device;
  error->location.file = file;
  return *error;
}

}  // namespace shardwright::cost
