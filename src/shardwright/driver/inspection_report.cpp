#include "shardwright/driver/inspection_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "shardwright/driver/text_table.h"

namespace shardwright::driver {
namespace {

using Json = nlohmann::ordered_json;

std::string scaled(double value, const char* unit) {
  static constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.3g %s%s", value, kPrefixes[prefix], unit);
  std::string result = text;
  if (result.back() == ' ') result.pop_back();
  return result;
}

std::string flopsText(double flops) { return scaled(flops, "FLOP"); }

std::string typeText(const TensorSummary& tensor) {
  std::string text = tensor.dtype + "[";
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(tensor.shape[i]);
  return text + "]";
}

std::string argumentsText(const Inspection& inspection, size_t most) {
  const size_t count = inspection.arguments.size();
  const size_t shown = most == 0 ? count : std::min(most, count);
  std::string text = "arguments (" + std::to_string(count) + ")\n";
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < shown; ++i) {
    const ArgumentSummary& argument = inspection.arguments[i];
    rows.push_back({argument.tensor.path, typeText(argument.tensor),
                    bytesText(static_cast<double>(argument.tensor.bytes)),
                    plan::roleName(argument.role), argument.donated ? "donated" : "",
                    argument.tensor.sharding});
  }
  text += textTable(rows);
  if (shown < count)
    text += "  … and " + std::to_string(count - shown) + " more (--all lists them)\n";
  return text;
}

std::string totalsText(const Inspection& inspection) {
  static constexpr std::array<std::pair<Role, const char*>, 4> kRows = {
      {{Role::kParameter, "parameters"},
       {Role::kOptimizerState, "optimizer state"},
       {Role::kState, "other state"},
       {Role::kInput, "inputs"}}};
  std::vector<std::vector<std::string>> rows;
  for (const auto& [role, title] : kRows) {
    const auto total = inspection.totals.find(role);
    if (total == inspection.totals.end()) continue;
    rows.push_back({title, std::to_string(total->second.tensors) + " tensors",
                    countText(static_cast<double>(total->second.elements)) + " elements",
                    bytesText(static_cast<double>(total->second.bytes))});
  }
  return "totals\n" + textTable(rows);
}

std::string opsText(const Inspection& inspection) {
  uint64_t total = 0;
  std::vector<std::pair<std::string, OpKindSummary>> kinds(inspection.ops.begin(),
                                                           inspection.ops.end());
  for (const auto& kind : kinds) total += kind.second.count;
  std::ranges::stable_sort(
      kinds, [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, kind] : kinds) {
    rows.push_back({name, std::to_string(kind.count), kind.flops > 0 ? flopsText(kind.flops) : ""});
  }
  return "ops (" + std::to_string(total) + ")\n" + textTable(rows);
}

std::string loopsText(const Inspection& inspection) {
  if (inspection.loops.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const LoopSummary& loop : inspection.loops) {
    rows.push_back(
        {loop.location, (loop.known ? "" : "about ") + std::to_string(loop.tripCount) + " times",
         std::to_string(loop.ops) + " ops", std::to_string(loop.carried) + " carried values"});
  }
  return "loops (" + std::to_string(inspection.loops.size()) + ")\n" + textTable(rows);
}

std::string unsupportedText(const Inspection& inspection) {
  if (inspection.unsupported.empty()) return "every op has a rule\n";
  std::vector<std::vector<std::string>> rows;
  for (const UnsupportedSummary& entry : inspection.unsupported) {
    rows.push_back({entry.op, std::to_string(entry.count), "first at " + entry.location});
  }
  return "no rule, so treated as whole (never sharded)\n" + textTable(rows);
}

Json tensorJson(const TensorSummary& tensor) {
  Json json = {{"path", tensor.path},
               {"shape", tensor.shape},
               {"dtype", tensor.dtype},
               {"bytes", tensor.bytes}};
  if (!tensor.sharding.empty()) json["sharding"] = tensor.sharding;
  return json;
}

Json totalJson(const Inspection& inspection, Role role) {
  const auto found = inspection.totals.find(role);
  const RoleTotal total = found == inspection.totals.end() ? RoleTotal() : found->second;
  return {{"tensors", total.tensors}, {"elements", total.elements}, {"bytes", total.bytes}};
}

}  // namespace

std::string bytesText(double bytes) { return scaled(bytes, "B"); }

std::string countText(double count) { return scaled(count, ""); }

std::string toText(const Inspection& inspection, const TextOptions& options) {
  std::string text = argumentsText(inspection, options.mostArguments) + "\n" +
                     totalsText(inspection) + "\n" + opsText(inspection) + "\n";
  if (!inspection.loops.empty()) text += loopsText(inspection) + "\n";
  text += "one step: " + flopsText(inspection.flops) + "\n" + unsupportedText(inspection);
  for (const std::string& mesh : inspection.meshes) text += "mesh " + mesh + "\n";
  for (const std::string& remark : inspection.remarks) text += "remark: " + remark + "\n";
  return text;
}

Json toJson(const Inspection& inspection) {
  Json json = {{"arguments", Json::array()}, {"results", Json::array()}};
  for (const ArgumentSummary& argument : inspection.arguments) {
    Json entry = tensorJson(argument.tensor);
    entry["role"] = plan::roleName(argument.role);
    entry["donated"] = argument.donated;
    json["arguments"].push_back(std::move(entry));
  }
  for (const TensorSummary& result : inspection.results)
    json["results"].push_back(tensorJson(result));
  json["parameters"] = totalJson(inspection, Role::kParameter);
  json["optimizer_state"] = totalJson(inspection, Role::kOptimizerState);
  json["ops"] = Json::object();
  for (const auto& [name, kind] : inspection.ops) json["ops"][name] = kind.count;
  json["loops"] = Json::array();
  for (const LoopSummary& loop : inspection.loops) {
    json["loops"].push_back({{"trip_count", loop.tripCount},
                             {"known", loop.known},
                             {"depth", loop.depth},
                             {"carried", loop.carried},
                             {"ops", loop.ops},
                             {"location", loop.location}});
  }
  json["flops"] = inspection.flops;
  json["unsupported"] = Json::array();
  for (const UnsupportedSummary& entry : inspection.unsupported) {
    json["unsupported"].push_back(
        {{"op", entry.op}, {"count", entry.count}, {"location", entry.location}});
  }
  json["remarks"] = inspection.remarks;
  json["meshes"] = inspection.meshes;
  return json;
}

}  // namespace shardwright::driver
