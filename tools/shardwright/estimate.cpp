// shardwright estimate: what a plan costs on a device.
#include "shardwright/cost/estimate.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "io.h"
#include "planning.h"
#include "shardwright/driver/amounts.h"
#include "shardwright/driver/estimate_report.h"
#include "shardwright/driver/inspection.h"
#include "shardwright/driver/target.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::tool {
namespace {

struct EstimateOptions {
  PlanningOptions planning;
  driver::TargetText target;
  std::string trace;
  bool all = false;
};

std::vector<std::string> remarksOf(const Planned& planned, const spmd::SpmdProgram& spmd) {
  const plan::Subject subject = planned.subject();
  std::vector<std::string> remarks = driver::estimateRemarks(subject.program, subject.rules);
  remarks.insert(remarks.end(), planned.outcome.words.begin(), planned.outcome.words.end());
  remarks.insert(remarks.end(), planned.outcome.notes.begin(), planned.outcome.notes.end());
  for (const spmd::Note& note : spmd.notes) remarks.push_back(note.message);
  return remarks;
}

int report(const EstimateOptions& options, const driver::EstimateView& view) {
  const ModuleOptions& module = options.planning.module;
  const size_t mostRows = options.all ? 0 : driver::EstimateTextOptions().mostRows;
  std::vector<Output> all = {{module.output, module.json ? driver::estimateJson(view).dump(1) + "\n"
                                                         : driver::estimateText(view, {mostRows})}};
  if (!options.trace.empty()) all.push_back({options.trace, driver::traceJson(view).dump() + "\n"});
  return writeAll(all);
}

int run(const EstimateOptions& options) {
  const std::unique_ptr<Planned> planned = makePlan(options.planning);
  if (planned == nullptr) return kBadInput;
  const Result<driver::Target> target =
      driver::makeTarget(options.target, planned->outcome.plan.mesh);
  if (!target) {
    printError(target.error());
    return kBadInput;
  }
  const plan::Subject subject = planned->subject();
  const spmd::SpmdProgram spmd = spmd::partition(subject, planned->outcome.plan);
  const cost::Estimate estimate = cost::estimate(subject, spmd, target->device, target->topology);
  return report(options, {subject, spmd, target->device, target->topology, estimate, target->limit,
                          remarksOf(*planned, spmd)});
}

std::string validateMemory(const std::string& text) {
  const Result<cost::Bytes> amount = driver::parseByteCount(text);
  return amount ? "" : amount.error().message;
}

}  // namespace

Command addEstimate(CLI::App& app) {
  auto options = std::make_shared<EstimateOptions>();
  CLI::App* command = app.add_subcommand(
      "estimate", "What a plan costs on a device: time, collectives, memory, and where they go");
  addPlanningOptions(*command, options->planning);
  command
      ->add_option("--device", options->target.device,
                   "Device: a name, or a path to a .json profile")
      ->required();
  command->add_option("--topology", options->target.topology,
                      "Which link an axis runs over: data=ib,model=nvlink");
  command
      ->add_option("--memory", options->target.memory,
                   "Memory of a device, as in 40GB or 16GiB; the profile's by default")
      ->check(CLI::Validator([](std::string& text) { return validateMemory(text); }, "AMOUNT",
                             "memory"));
  command->add_option("--trace", options->trace,
                      "Write the predicted timeline as trace events, for Perfetto");
  command->add_flag("--all", options->all, "List everything, not only the ten largest");
  return [options] { return run(*options); };
}

}  // namespace shardwright::tool
