// shardwright apply: a plan file or tactics, and what they make of a module.
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "emit.h"
#include "io.h"
#include "planning.h"
#include "shardwright/driver/plan_report.h"
#include "shardwright/plan/plan_file.h"
#include "shardwright/spmd/checker.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::tool {
namespace {

struct ApplyOptions {
  PlanningOptions planning;
  std::vector<std::string> emit;  // As addEmitOption takes them.
  bool writePlan = false;         // To planning.module.output.
  bool printSpmd = false;
  bool check = false;
  bool all = false;
};

std::string report(const ApplyOptions& options, const Planned& planned,
                   const spmd::SpmdProgram& spmd) {
  if (options.printSpmd) return spmd::print(spmd, planned.module.imported.program);
  const plan::Subject subject = planned.subject();
  const driver::PlanReport made = driver::planReport(subject, planned.outcome, spmd);
  if (options.planning.module.json)
    return driver::planJson(subject, planned.outcome, made).dump(2) + "\n";
  driver::PlanTextOptions text;
  if (options.all) text.mostArguments = 0;
  return driver::planText(subject, planned.outcome, made, text);
}

// Everything that is to be written. The report goes to standard output unless something else does.
Result<std::vector<Output>> outputs(const ApplyOptions& options, const Planned& planned,
                                    const spmd::SpmdProgram& spmd) {
  const plan::TacticOutcome& outcome = planned.outcome;
  const std::string planText =
      plan::savePlan(planned.subject(), {outcome.plan, outcome.tactics, outcome.words});
  std::vector<Output> all;
  if (options.writePlan) all.push_back({options.planning.module.output, planText});
  for (const std::string& request : options.emit) {
    Result<Output> output = emitted(request, planned.module, spmd, planText);
    if (!output) return output.error();
    all.push_back(std::move(*output));
  }
  const auto isStdout = [](const Output& output) { return output.path == "-"; };
  if (std::ranges::none_of(all, isStdout)) all.push_back({"-", report(options, planned, spmd)});
  return all;
}

int run(const ApplyOptions& options) {
  const std::unique_ptr<Planned> planned = makePlan(options.planning);
  if (!planned) return kBadInput;
  if (planned->undecided())
    throw CLI::RequiredError("--plan or --tactic, or shardings in the module,");
  const spmd::SpmdProgram spmd = spmd::partition(planned->subject(), planned->outcome.plan);
  if (options.check) {
    if (const Status failure = spmd::check(planned->subject(), planned->outcome.plan, spmd)) {
      printError(*failure);
      return kBadInput;
    }
  }
  const Result<std::vector<Output>> all = outputs(options, *planned, spmd);
  if (!all) {
    printError(all.error());
    return kBadInput;
  }
  return writeAll(*all);
}

}  // namespace

Command addApply(CLI::App& app) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* command = app.add_subcommand(
      "apply",
      "Partitions a module by a plan file or by tactics: what lies where, and what is sent");
  addPlanningOptions(*command, options->planning);
  command->get_option("--output")
      ->description("Where to write the plan; - is standard output")
      ->default_str("");
  addEmitOption(*command, options->emit);
  command->add_flag("--print-spmd", options->printSpmd,
                    "Print the program of one device, one instruction a line");
  command->add_flag("--check", options->check, "Check the result independently");
  command->add_flag("--all", options->all, "List every argument");
  return [options, command] {
    options->writePlan = command->get_option("--output")->count() > 0;
    return run(*options);
  };
}

}  // namespace shardwright::tool
