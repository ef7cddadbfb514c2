#include "planned.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "bind.h"
#include "errors.h"
#include "run.h"
#include "shardwright/driver/amounts.h"
#include "shardwright/driver/estimate_report.h"
#include "shardwright/driver/explanation_report.h"
#include "shardwright/mlir/export/export.h"
#include "shardwright/plan/plan_file.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwright::python {
namespace {

// What a search has to say while it runs: evaluations, seconds, best step seconds, best peak bytes,
// whether that fits.
using ProgressTuple = std::tuple<uint64_t, double, double, int64_t, bool>;

// The latest word of a search, for the thread that may call Python.
class LatestProgress {
 public:
  void set(const search::Progress& progress, const search::Score& best) {
    const std::lock_guard lock(mutex_);
    latest_ = {progress.evaluations, progress.seconds, best.seconds, best.peakBytes, best.fits()};
  }
  std::optional<ProgressTuple> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(latest_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<ProgressTuple> latest_;
};

// What there is to say when the last search is over.
ProgressTuple lastWord(const driver::Partitioned& found) {
  const search::Progress& progress = found.searches.back().progress;
  return {progress.evaluations, progress.seconds, found.estimate.step.value,
          found.estimate.memory.peak.value, found.fits()};
}

// What to plan for and how, in the words of Python.
struct Request {
  std::string mesh;
  std::vector<std::string> tactics;
  driver::TargetText target;
  std::string algorithm = "mcts";
  std::string budget = "8s";
  uint64_t seed = 0;
  unsigned threads = 0;  // All cores.
  bool keepStated = true;
};

driver::PartitionOptions optionsOf(const Request& request) {
  driver::PartitionOptions options;
  for (const std::string& text : request.tactics)
    options.tactics.push_back(valueOf(plan::parseTactic(text)));
  options.budget = valueOf(driver::parseBudget(request.budget));
  options.algorithm = request.algorithm;
  options.seed = request.seed;
  options.threads =
      request.threads > 0 ? request.threads : std::max(1u, std::thread::hardware_concurrency());
  options.keepStated = request.keepStated;
  return options;
}

std::shared_ptr<Planned> partition(const std::shared_ptr<Module>& module, const Request& request,
                                   const nb::object& progress) {
  const mesh::Mesh mesh = valueOf(mesh::parseMesh(request.mesh));
  driver::Target target = valueOf(driver::makeTarget(request.target, mesh));
  driver::PartitionOptions options = optionsOf(request);
  std::atomic<bool> interrupt{false};
  LatestProgress latest;
  options.interrupt = &interrupt;
  options.progress = [&latest](const search::Progress& now, const search::Score& best) {
    latest.set(now, best);
  };
  const auto tick = [&] {
    const std::optional<ProgressTuple> now = latest.take();
    if (now && !progress.is_none()) progress(*now);
  };
  std::optional<Result<driver::Partitioned>> found;
  runInterruptibly(interrupt, tick, [&] {
    found = driver::partition(module->subject(), mesh, target.view(), options);
  });
  if (*found && !(*found)->searches.empty() && !progress.is_none()) progress(lastWord(**found));
  options.interrupt = nullptr;
  options.progress = {};
  return std::make_shared<Planned>(module, std::move(target), std::move(options),
                                   valueOf(std::move(*found)));
}

std::shared_ptr<Planned> apply(const std::shared_ptr<Module>& module, const std::string& planText,
                               const driver::TargetText& text) {
  plan::PlanFile file = valueOf(plan::loadPlan(module->subject(), planText));
  driver::Target target = valueOf(driver::makeTarget(text, file.plan.mesh));
  plan::TacticOutcome outcome{std::move(file.plan), std::move(file.tactics), std::move(file.words),
                              std::move(file.notes)};
  std::optional<driver::Partitioned> found;
  std::atomic<bool> interrupt{false};
  runInterruptibly(
      interrupt, [] {},
      [&] { found = driver::applyPlan(module->subject(), std::move(outcome), target.view()); });
  return std::make_shared<Planned>(module, std::move(target), driver::PartitionOptions(),
                                   std::move(*found));
}

void bindMaking(nb::module_& native) {
  native.def(
      "partition",
      [](const std::shared_ptr<Module>& module, std::string mesh, std::vector<std::string> tactics,
         std::string device, std::string topology, std::string memory, std::string algorithm,
         std::string budget, uint64_t seed, unsigned threads, bool keepStated,
         const nb::object& progress) {
        const Request request{std::move(mesh),
                              std::move(tactics),
                              {std::move(device), std::move(topology), std::move(memory)},
                              std::move(algorithm),
                              std::move(budget),
                              seed,
                              threads,
                              keepStated};
        return partition(module, request, progress);
      },
      "module"_a, nb::kw_only(), "mesh"_a, "tactics"_a, "device"_a, "topology"_a, "memory"_a,
      "algorithm"_a, "budget"_a, "seed"_a, "threads"_a, "keep_stated"_a, "progress"_a = nb::none(),
      "Makes a plan. Texts are those of the command line.");
  native.def(
      "apply",
      [](const std::shared_ptr<Module>& module, const std::string& plan, std::string device,
         std::string topology, std::string memory) {
        return apply(module, plan, {std::move(device), std::move(topology), std::move(memory)});
      },
      "module"_a, "plan"_a, nb::kw_only(), "device"_a, "topology"_a, "memory"_a,
      "A plan from the text of a plan file.");
}

}  // namespace

std::string Planned::planText() const {
  const plan::TacticOutcome& outcome = found_.outcome;
  return plan::savePlan(subject_, {outcome.plan, outcome.tactics, outcome.words});
}

std::string Planned::reportJson() const { return driver::partitionJson(view()).dump(); }

std::string Planned::traceJson() const {
  const driver::EstimateView estimate{
      subject_, found_.spmd, target_.device, target_.topology, found_.estimate, found_.limit, {}};
  return driver::traceJson(estimate).dump();
}

std::string Planned::whyText(size_t rows) const {
  const driver::Explanation explanation =
      driver::explain(subject_, found_.outcome.plan, found_.spmd, &found_.estimate);
  return driver::explanationText({found_.outcome, explanation}, {rows, "rows=0 lists them"});
}

std::string Planned::explicitText() const {
  const std::lock_guard lock(module_->exporting());
  return valueOf(exportExplicit(module_->imported(), found_.spmd));
}

std::string Planned::annotatedText() const {
  const std::lock_guard lock(module_->exporting());
  return valueOf(exportAnnotated(module_->imported(), found_.spmd, planText()));
}

std::vector<Spec> Planned::specs(const std::vector<spmd::LocalId>& locals) const {
  const spmd::SpmdProgram& spmd = found_.spmd;
  std::vector<Spec> specs;
  for (const spmd::LocalId id : locals) {
    Spec& spec = specs.emplace_back();
    for (const mesh::AxisList axes : spmd.layouts.dims(spmd.locals[id].layout)) {
      std::vector<std::string>& names = spec.emplace_back();
      for (uint32_t i = 0; i < axes.size(); ++i) names.push_back(spmd.mesh.axes[axes[i]].name);
    }
  }
  return specs;
}

void bindPlanned(nb::module_& native) {
  const nb::call_guard<nb::gil_scoped_release> withoutGil;
  nb::class_<Planned>(native, "Planned", "A plan for a module and what follows from it.")
      .def("plan_text", &Planned::planText, withoutGil, "The plan file.")
      .def("report_json", &Planned::reportJson, withoutGil, "Estimate, search and decisions.")
      .def("trace_json", &Planned::traceJson, withoutGil, "The predicted timeline, for Perfetto.")
      .def(
          "report_text",
          [](const Planned& planned, size_t rows) {
            return driver::partitionText(planned.view(), {rows, "rows=0 lists them"});
          },
          "rows"_a, withoutGil, "The report for people; 0 rows lists all.")
      .def("why_text", &Planned::whyText, "rows"_a, withoutGil,
           "The reasons of layouts and collectives; 0 rows lists all.")
      .def("explicit_text", &Planned::explicitText, withoutGil)
      .def("annotated_text", &Planned::annotatedText, withoutGil)
      .def_prop_ro("argument_specs", &Planned::argumentSpecs)
      .def_prop_ro("result_specs", &Planned::resultSpecs)
      .def_prop_ro("fits", [](const Planned& planned) { return planned.found().fits(); })
      .def_prop_ro("step_seconds",
                   [](const Planned& planned) { return planned.found().estimate.step.value; })
      .def_prop_ro(
          "peak_bytes",
          [](const Planned& planned) { return planned.found().estimate.memory.peak.value; })
      .def_prop_ro("limit_bytes",
                   [](const Planned& planned) { return planned.found().limit.value; });
  bindMaking(native);
}

}  // namespace shardwright::python
