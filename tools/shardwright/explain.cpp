// shardwright explain: why arguments lie as a plan says, and why each collective is there.
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "io.h"
#include "planning.h"
#include "shardwright/cost/estimate.h"
#include "shardwright/driver/explanation_report.h"
#include "shardwright/driver/target.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::tool {
namespace {

struct ExplainOptions {
  PlanningOptions planning;
  driver::TargetText target;  // Without a device nothing has a time.
  bool all = false;
};

Result<std::optional<cost::Estimate>> estimateOf(const ExplainOptions& options,
                                                 const Planned& planned,
                                                 const spmd::SpmdProgram& spmd) {
  if (options.target.device.empty()) return std::optional<cost::Estimate>();
  const Result<driver::Target> target =
      driver::makeTarget(options.target, planned.outcome.plan.mesh);
  if (!target) return target.error();
  return std::optional(cost::estimate(planned.subject(), spmd, target->device, target->topology));
}

int run(const ExplainOptions& options) {
  const std::unique_ptr<Planned> planned = makePlan(options.planning);
  if (planned == nullptr) return kBadInput;
  if (planned->undecided())
    throw CLI::RequiredError("PLAN or --tactic, or shardings in the module,");
  const plan::Subject subject = planned->subject();
  const spmd::SpmdProgram spmd = spmd::partition(subject, planned->outcome.plan);
  const auto estimate = estimateOf(options, *planned, spmd);
  if (!estimate) {
    printError(estimate.error());
    return kBadInput;
  }
  const driver::Explanation explanation =
      driver::explain(subject, planned->outcome.plan, spmd, *estimate ? &**estimate : nullptr);
  const driver::ExplanationView view{planned->outcome, explanation};
  driver::ExplanationTextOptions text;
  if (options.all) text.mostRows = 0;
  const ModuleOptions& module = options.planning.module;
  return write(module.output, module.json ? driver::explanationJson(view).dump(1) + "\n"
                                          : driver::explanationText(view, text));
}

}  // namespace

Command addExplain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Why arguments lie as a plan says, and why each collective is there");
  addPlanningOptions(*command, options->planning);
  command->add_option("PLAN", options->planning.planFile, "Plan file, as with --plan")
      ->excludes("--plan")
      ->excludes("--tactic");
  command->add_option("--device", options->target.device,
                      "Say how long collectives take on this device: a name, or a path to a .json "
                      "profile");
  command->add_option("--topology", options->target.topology,
                      "Which link an axis runs over: data=ib,model=nvlink");
  command->add_flag("--all", options->all, "List everything, not only the ten largest");
  return [options] { return run(*options); };
}

}  // namespace shardwright::tool
