#include "shardwright/driver/estimate_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "shardwright/driver/estimate_lists.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/text_table.h"

namespace shardwright::driver {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

double asDouble(cost::Bytes bytes) { return static_cast<double>(bytes.value); }

std::string bytes(cost::Bytes amount) { return bytesText(asDouble(amount)); }

std::string share(double part, double whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", whole > 0 ? 100 * part / whole : 0);
  return text;
}

// A count that loops multiply is whole but for branches.
std::string times(double count) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", count);
  return text;
}

std::string headText(const EstimateView& view) {
  std::string text =
      view.device.name + " (" + view.device.title + "), mesh " + mesh::str(view.spmd.mesh) + "\n";
  Rows rows;
  for (uint32_t axis = 0; axis < view.spmd.mesh.axes.size(); ++axis)
    rows.push_back({view.spmd.mesh.axes[axis].name, view.topology.str(axis)});
  return text + textTable(rows);
}

std::string timeText(const EstimateView& view) {
  const cost::Estimate& estimate = view.estimate;
  const double step = estimate.step.value;
  return "step " + secondsText(step) + "\n" +
         textTable(
             {{"compute", secondsText(estimate.compute.value), share(estimate.compute.value, step),
               countText(estimate.flops.value) + "FLOP in " + times(estimate.kernels) +
                   " kernels that move " + bytesText(estimate.traffic)},
              {"exposed communication", secondsText(estimate.exposed.value),
               share(estimate.exposed.value, step)}});
}

std::string collectivesText(const EstimateView& view) {
  Rows rows = {{"", "count", "bytes", "time", "exposed"}};
  for (size_t i = 0; i < cost::kCollectiveKinds; ++i) {
    const cost::CollectiveCost& cost = view.estimate.collectives[i];
    if (cost.count == 0) continue;
    rows.push_back({spmd::kindName(cost::collectiveKind(i)), times(cost.count),
                    bytesText(cost.bytes), secondsText(cost.seconds.value),
                    secondsText(cost.exposed.value)});
  }
  return rows.size() == 1 ? "no collectives\n" : "collectives\n" + textTable(rows);
}

// The first rows of a list and a line for the rest.
std::string listText(const std::string& title, Rows rows, const EstimateTextOptions& options) {
  if (rows.empty()) return "";
  const size_t most = options.mostRows;
  const size_t left = most == 0 || rows.size() <= most ? 0 : rows.size() - most;
  rows.resize(rows.size() - left);
  std::string text = title + "\n" + textTable(rows);
  if (left > 0) text += "  … and " + std::to_string(left) + " more (" + options.listAll + ")\n";
  return text + "\n";
}

std::string largestCollectivesText(const EstimateView& view, const EstimateTextOptions& options) {
  Rows rows;
  for (const CollectiveGroup& group : collectiveGroups(view)) {
    rows.push_back({secondsText(group.seconds), times(group.count) + " x", group.kind, group.type,
                    "over " + group.axes, group.where});
  }
  return listText("where communication goes", std::move(rows), options);
}

std::string memoryText(const EstimateView& view) {
  const cost::Memory& memory = view.estimate.memory;
  const bool fits = view.fits();
  std::string text =
      "memory " + bytes(memory.peak) + " of " + bytes(view.limit) +
      (fits ? ": fits\n" : ": DOES NOT FIT, over by " + bytes(memory.peak - view.limit) + "\n");
  Rows rows = {{"arguments", bytes(memory.arguments)}, {"results", bytes(memory.results)}};
  if (memory.aliased.value > 0) rows.push_back({"shared by both", "-" + bytes(memory.aliased)});
  rows.push_back({"temporaries", bytes(memory.temporaries)});
  return text + textTable(rows);
}

std::string residentsText(const EstimateView& view, const EstimateTextOptions& options) {
  Rows rows;
  for (const ResidentGroup& group : residentGroups(view)) {
    rows.push_back({bytesText(group.bytes), std::to_string(group.count) + " x", group.kind,
                    group.type, group.layout, group.where});
  }
  return listText("at the peak, " + peakText(view), std::move(rows), options);
}

std::string argumentsText(const EstimateView& view, const EstimateTextOptions& options) {
  Rows rows;
  for (const ArgumentGroup& group : argumentGroups(view)) {
    rows.push_back({bytesText(group.bytes), std::to_string(group.count) + " x", group.type,
                    group.spec, group.path});
  }
  return listText("arguments on one device", std::move(rows), options);
}

Json collectivesJson(const EstimateView& view) {
  Json json = Json::object();
  for (size_t i = 0; i < cost::kCollectiveKinds; ++i) {
    const cost::CollectiveCost& cost = view.estimate.collectives[i];
    json[spmd::kindName(cost::collectiveKind(i))] = {
        {"count", cost.count == std::floor(cost.count) ? Json(static_cast<int64_t>(cost.count))
                                                       : Json(cost.count)},
        {"bytes", cost.bytes},
        {"seconds", cost.seconds.value},
        {"exposed_seconds", cost.exposed.value}};
  }
  return json;
}

Json placeJson(const TensorPlace& place) {
  return {{"path", place.path},
          {"shape", place.shape},
          {"dtype", place.dtype},
          {"spec", place.spec},
          {"local_shape", place.localShape},
          {"bytes", place.bytes}};
}

Json listsJson(const EstimateView& view) {
  Json json = {{"largest_collectives", Json::array()}, {"residents", Json::array()}};
  for (const CollectiveGroup& group : collectiveGroups(view)) {
    json["largest_collectives"].push_back({{"kind", group.kind},
                                           {"axes", group.axes},
                                           {"type", group.type},
                                           {"count", group.count},
                                           {"bytes", group.bytes},
                                           {"seconds", group.seconds},
                                           {"where", group.where}});
  }
  for (const ResidentGroup& group : residentGroups(view)) {
    json["residents"].push_back({{"kind", group.kind},
                                 {"type", group.type},
                                 {"spec", group.layout},
                                 {"count", group.count},
                                 {"bytes", group.bytes},
                                 {"where", group.where}});
  }
  return json;
}

Json memoryJson(const cost::Memory& memory) {
  return {{"arguments_bytes", memory.arguments.value},
          {"results_bytes", memory.results.value},
          {"aliased_bytes", memory.aliased.value},
          {"temporaries_bytes", memory.temporaries.value}};
}

Json topologyJson(const EstimateView& view) {
  Json json = Json::object();
  for (uint32_t axis = 0; axis < view.spmd.mesh.axes.size(); ++axis)
    json[view.spmd.mesh.axes[axis].name] = view.topology.str(axis);
  return json;
}

}  // namespace

std::string secondsText(double seconds) {
  static constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  if (seconds == 0) return "0 s";
  for (const auto& [unit, name] : kUnits) {
    if (seconds < 0.9995 * unit && unit != kUnits.back().first) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", seconds / unit, name);
    return text;
  }
  return "";
}

std::string estimateText(const EstimateView& view, const EstimateTextOptions& options) {
  std::string text = headText(view) + "\n" + timeText(view) + "\n" + collectivesText(view) + "\n" +
                     largestCollectivesText(view, options) + memoryText(view) + "\n" +
                     residentsText(view, options) + argumentsText(view, options);
  for (const std::string& remark : view.remarks) text += "remark: " + remark + "\n";
  return text;
}

Json estimateJson(const EstimateView& view) {
  const cost::Estimate& estimate = view.estimate;
  Json json = {{"device", view.device.name},
               {"mesh", mesh::str(view.spmd.mesh)},
               {"topology", topologyJson(view)},
               {"step_seconds", estimate.step.value},
               {"compute_seconds", estimate.compute.value},
               {"exposed_communication_seconds", estimate.exposed.value},
               {"peak_bytes", estimate.memory.peak.value},
               {"limit_bytes", view.limit.value},
               {"fits", view.fits()},
               {"flops", estimate.flops.value},
               {"kernels", estimate.kernels},
               {"traffic_bytes", estimate.traffic},
               {"memory", memoryJson(estimate.memory)},
               {"collectives", collectivesJson(view)}};
  json.update(listsJson(view));
  json["arguments"] = Json::array();
  for (size_t i = 0; i < view.spmd.arguments.size(); ++i)
    json["arguments"].push_back(placeJson(argumentPlace(view, i)));
  json["results"] = Json::array();
  for (size_t i = 0; i < view.spmd.results.size(); ++i)
    json["results"].push_back(placeJson(resultPlace(view, i)));
  json["remarks"] = view.remarks;
  return json;
}

}  // namespace shardwright::driver
