#include "shardwright/search/experts.h"

#include <algorithm>
#include <set>

namespace shardwright::search {
namespace {

// Tactics for data, and for the model; AXIS stands for an axis.
const std::vector<std::vector<std::string>> kData = {
    {"dp(AXIS)"}, {"zero3(AXIS)"}, {"zero3(AXIS)", "remake(16)"}, {"zero2(AXIS)"}};
const std::vector<std::vector<std::string>> kModel = {
    {"megatron(AXIS)", "vocab(AXIS)"},
    {"megatron(AXIS)"},
    {"megatron(AXIS)", "vocab(AXIS)", "sequence(AXIS)"},
    {"megatron(AXIS)", "sequence(AXIS)"},
    {"expert(AXIS)"},
    {"sequence(AXIS)"},
    {"sequence(AXIS, key)"},
    {"vocab(AXIS)"},
};

using Schedule = std::vector<std::string>;

Schedule onAxis(const std::vector<std::string>& tactics, const std::string& axis) {
  Schedule schedule;
  for (std::string text : tactics) {
    const size_t place = text.find("AXIS");
    if (place != std::string::npos) text.replace(place, 4, axis);
    schedule.push_back(std::move(text));
  }
  return schedule;
}

void add(Schedule& schedule, const Schedule& more) {
  for (const std::string& text : more) {
    // remake has no axis and is said once.
    if (std::ranges::find(schedule, text) == schedule.end()) schedule.push_back(text);
  }
}

// The data tactic on all axes of `names` but `without`.
Schedule dataOn(const std::vector<std::string>& tactics, const std::vector<std::string>& names,
                size_t without) {
  Schedule schedule;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != without) add(schedule, onAxis(tactics, names[i]));
  }
  return schedule;
}

// Data and model on one axis: FSDP whose weights are split by heads and hidden dims.
void addOnOneAxis(std::vector<Schedule>& all, const std::string& axis) {
  for (const auto& model : kModel) {
    all.push_back(onAxis(model, axis));
    for (const auto& data : kData) {
      all.push_back(onAxis(data, axis));
      add(all.back(), onAxis(model, axis));
    }
  }
}

// Data on all axes but one, the model on that one.
void addOnOtherAxes(std::vector<Schedule>& all, const std::vector<std::string>& names, size_t m) {
  for (const auto& model : kModel) {
    for (const auto& data : kData) {
      all.push_back(dataOn(data, names, m));
      add(all.back(), onAxis(model, names[m]));
    }
  }
}

// The model first and data everywhere: experts exchange tokens, all else is data parallel.
void addModelFirst(std::vector<Schedule>& all, const std::vector<std::string>& names, size_t m) {
  for (const auto& model : kModel) {
    for (const auto& data : kData) {
      all.push_back(onAxis(model, names[m]));
      add(all.back(), dataOn(data, names, names.size()));
    }
  }
}

// What leaves axes idle comes last: a small budget does not get there.
std::vector<Schedule> schedules(const std::vector<std::string>& names) {
  std::vector<Schedule> all;
  for (const auto& data : kData) all.push_back(dataOn(data, names, names.size()));
  if (names.size() > 1) {
    for (size_t m = 0; m < names.size(); ++m) addOnOtherAxes(all, names, m);
    for (size_t m = 0; m < names.size(); ++m) addModelFirst(all, names, m);
  }
  for (const std::string& axis : names) {
    addOnOneAxis(all, axis);
    for (const auto& data : kData) all.push_back(onAxis(data, axis));
  }
  return all;
}

std::string nameOf(const Schedule& schedule) {
  std::string name;
  for (const std::string& text : schedule) name += (name.empty() ? "" : " ") + text;
  return name;
}

// What tells plans apart, without comparing what they do to every op.
std::vector<uint64_t> fingerprint(const plan::Plan& plan) {
  std::vector<uint64_t> words = {plan.remakeGap ? *plan.remakeGap + 1 : 0, plan.pins.size()};
  for (const plan::Decision& decision : plan.decisions) {
    words.push_back(decision.axis);
    for (const analysis::ColorId color : decision.colors) words.push_back(color.index() + 100);
  }
  for (const plan::Resolution& resolution : plan.resolutions) {
    words.push_back(resolution.axis);
    for (const analysis::SetId set : resolution.sets) words.push_back(set.index() + 100);
  }
  return words;
}

}  // namespace

std::vector<Expert> expertPlans(const plan::Subject& subject, const mesh::Mesh& mesh,
                                const std::vector<plan::Tactic>& before,
                                const std::vector<uint32_t>& axes, bool keepStated) {
  std::vector<std::string> names;
  for (const uint32_t axis : axes) {
    if (mesh.axes[axis].size > 1) names.push_back(mesh.axes[axis].name);
  }
  std::vector<Expert> experts;
  std::set<std::vector<uint64_t>> seen;
  const plan::TacticTables tables(subject);
  for (const Schedule& schedule : schedules(names)) {
    std::vector<plan::Tactic> tactics = before;
    for (const std::string& text : schedule) tactics.push_back(*plan::parseTactic(text));
    Result<plan::TacticOutcome> outcome = plan::applyTactics(
        subject, tables, mesh, tactics, {.keepStated = keepStated, .search = {}, .words = false});
    if (!outcome || !seen.insert(fingerprint(outcome->plan)).second) continue;
    experts.push_back({nameOf(schedule), std::move(outcome->plan)});
  }
  return experts;
}

}  // namespace shardwright::search
