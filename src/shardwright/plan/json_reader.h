// Reading plan files key by key, with errors that name the key.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/result.h"

namespace shardwright::plan {

inline Result<nlohmann::ordered_json> parsePlanJson(std::string_view text) {
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error& error) {
    // The library's own words quote the text, which may hold any bytes.
    return Diagnostic{"the plan is not JSON (at byte " + std::to_string(error.byte) + ")", {}, {}};
  }
}

// A value in the file and the key that leads to it.
struct JsonNode {
  const nlohmann::ordered_json* json = nullptr;
  std::string key;
};

// Reads keys and keeps the first error; what is read after it is empty.
class JsonReader {
 public:
  void fail(const std::string& key, const std::string& message) {
    if (!error_) error_ = Diagnostic{key + ": " + message, {}, {}};
  }
  const Status& error() const { return error_; }

  JsonNode member(const JsonNode& node, const std::string& name) {
    const JsonNode found = optional(node, name);
    if (found.json == nullptr) fail(path(node, name), "is missing");
    return found;
  }
  JsonNode optional(const JsonNode& node, const std::string& name) {
    if (node.json == nullptr || !expect(node, node.json->is_object(), "an object")) return {};
    const auto found = node.json->find(name);
    if (found == node.json->end()) return {};
    return {&*found, path(node, name)};
  }
  std::vector<JsonNode> list(const JsonNode& node) {
    std::vector<JsonNode> nodes;
    if (node.json == nullptr || !expect(node, node.json->is_array(), "a list")) return nodes;
    for (size_t i = 0; i < node.json->size(); ++i)
      nodes.push_back({&(*node.json)[i], node.key + "[" + std::to_string(i) + "]"});
    return nodes;
  }
  std::string text(const JsonNode& node) {
    if (node.json == nullptr || !expect(node, node.json->is_string(), "a text")) return {};
    return node.json->get<std::string>();
  }
  int64_t number(const JsonNode& node, int64_t least = 0, int64_t most = INT64_MAX) {
    if (node.json == nullptr || !expect(node, node.json->is_number_integer(), "a whole number"))
      return least;
    const auto value = node.json->get<int64_t>();
    if (value >= least && value <= most) return value;
    fail(node.key, std::to_string(value) + " is not between " + std::to_string(least) + " and " +
                       std::to_string(most));
    return least;
  }
  uint32_t index(const JsonNode& node, size_t count, const std::string& what) {
    const int64_t value = number(node);
    if (value < static_cast<int64_t>(count)) return static_cast<uint32_t>(value);
    fail(node.key, "there is no " + what + " " + std::to_string(value) + "; the program has " +
                       std::to_string(count));
    return 0;
  }
  // Keys that mean nothing are mistakes of whoever edited the file.
  void onlyKeys(const JsonNode& node, std::initializer_list<const char*> known) {
    if (node.json == nullptr || !node.json->is_object()) return;
    for (const auto& [name, value] : node.json->items()) {
      if (std::ranges::find(known, name, [](const char* k) { return std::string(k); }) ==
          known.end())
        fail(path(node, name), "there is no such key in a plan");
    }
  }

 private:
  static std::string path(const JsonNode& node, const std::string& name) {
    return node.key.empty() ? name : node.key + "." + name;
  }
  bool expect(const JsonNode& node, bool good, const std::string& what) {
    if (!good) fail(node.key.empty() ? "the plan" : node.key, "should be " + what);
    return good;
  }

  Status error_;
};

}  // namespace shardwright::plan
