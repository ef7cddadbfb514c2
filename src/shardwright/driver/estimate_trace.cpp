// Trace events as Perfetto and chrome://tracing read them: times in microseconds.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "shardwright/driver/estimate_report.h"
#include "shardwright/plan/names.h"

namespace shardwright::driver {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProcess = 1;
constexpr uint32_t kComputeTrack = 0;  // Axis i has track i + 1.
constexpr double kMicro = 1e6;

class TraceWriter {
 public:
  explicit TraceWriter(const EstimateView& view)
      : view_(view),
        program_(view.subject.program),
        starts_(program_.regionCount()),
        lengths_(program_.regionCount()) {}

  Json make() && {
    nameTracks();
    placeRegions();
    for (const cost::Event& event : view_.estimate.events) write(event);
    writeMemory();
    return {{"traceEvents", std::move(events_)}, {"displayTimeUnit", "ms"}};
  }

 private:
  void nameTracks() {
    name("process_name", kComputeTrack, "one device, predicted");
    name("thread_name", kComputeTrack, "compute");
    for (uint32_t axis = 0; axis < view_.spmd.mesh.axes.size(); ++axis)
      name("thread_name", axis + 1, "axis " + view_.spmd.mesh.axes[axis].name);
  }
  void name(const char* what, uint32_t track, const std::string& text) {
    events_.push_back({{"name", what},
                       {"ph", "M"},
                       {"pid", kProcess},
                       {"tid", track},
                       {"args", {{"name", text}}}});
  }

  // Events count from the start of their region's turn. The regions of a loop or branch start where
  // its own event does, one after the other; outer regions have lower numbers.
  void placeRegions() {
    std::vector<const cost::Event*> structures;
    for (const cost::Event& event : view_.estimate.events) {
      double& length = lengths_[event.region.index()];
      length = std::max(length, event.end.value);
      if (!program_.regions(opOf(event)).empty()) structures.push_back(&event);
    }
    std::ranges::stable_sort(structures, {}, [](const cost::Event* e) { return e->region; });
    for (const cost::Event* event : structures) {
      double start = starts_[event->region.index()] + event->start.value;
      for (const program::RegionId region : program_.regions(opOf(*event))) {
        starts_[region.index()] = start;
        start += lengths_[region.index()];
      }
    }
  }
  program::OpId opOf(const cost::Event& event) const {
    return view_.spmd.instructions[event.instruction].op;
  }

  void write(const cost::Event& event) {
    if (event.axes.empty()) return bar(event, kComputeTrack);
    for (uint32_t axis = 0; axis < mesh::kMostAxes; ++axis) {
      if (event.axes.contains(axis)) bar(event, axis + 1);
    }
  }

  void bar(const cost::Event& event, uint32_t track) {
    const spmd::Instruction& instruction = view_.spmd.instructions[event.instruction];
    const bool compute = instruction.kind == spmd::Kind::kCompute;
    Json args = {{"source", plan::whereText(program_, program_.op(instruction.op).location)},
                 {"times_per_step", program_.region(event.region).weight}};
    if (instruction.resultCount > 0)
      args["result"] = view_.spmd.types.str(view_.spmd.locals[instruction.firstResult].type);
    if (!compute) args["for"] = plan::opText(program_, instruction.op);
    events_.push_back({{"name", compute ? std::string(program_.name(instruction.op))
                                        : spmd::kindName(instruction.kind)},
                       {"cat", compute ? "compute" : "communication"},
                       {"ph", "X"},
                       {"ts", (starts_[event.region.index()] + event.start.value) * kMicro},
                       {"dur", (event.end - event.start).value * kMicro},
                       {"pid", kProcess},
                       {"tid", track},
                       {"args", std::move(args)}});
  }

  void writeMemory() {
    std::map<spmd::InstructionId, double> starts;
    for (const cost::Event& event : view_.estimate.events)
      starts[event.instruction] = event.start.value;
    for (const cost::LivePoint& point : view_.estimate.memory.curve) {
      const auto start = starts.find(point.instruction);
      if (start == starts.end()) continue;
      events_.push_back({{"name", "memory"},
                         {"ph", "C"},
                         {"ts", start->second * kMicro},
                         {"pid", kProcess},
                         {"args", {{"bytes", point.bytes.value}}}});
    }
  }

  const EstimateView& view_;
  const program::Program& program_;
  std::vector<double> starts_;   // Per region, in seconds from the start of the step.
  std::vector<double> lengths_;  // Per region, of one turn.
  Json events_ = Json::array();
};

}  // namespace

Json traceJson(const EstimateView& view) { return TraceWriter(view).make(); }

}  // namespace shardwright::driver
