// shardwright apply: a plan file or tactics, and what they make of a module.
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "io.h"
#include "planning.h"
#include "shardwright/driver/plan_report.h"
#include "shardwright/mlir/export/export.h"
#include "shardwright/plan/plan_file.h"
#include "shardwright/spmd/checker.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::tool {
namespace {

struct ApplyOptions {
  PlanningOptions planning;
  std::vector<std::string> emit;  // `annotated=OUT`, `explicit=OUT`.
  bool writePlan = false;         // To planning.module.output.
  bool printSpmd = false;
  bool check = false;
  bool all = false;
};

std::string validateEmit(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string form = text.substr(0, equals);
  const bool known = form == "annotated" || form == "explicit";
  if (known && equals != std::string::npos && equals + 1 < text.size()) return "";
  return "expected annotated=FILE or explicit=FILE, not `" + text + "`";
}

Result<Output> emitted(const std::string& request, const Planned& planned,
                       const spmd::SpmdProgram& spmd, const std::string& planText) {
  const size_t equals = request.find('=');
  Result<std::string> text = request.substr(0, equals) == "annotated"
                                 ? exportAnnotated(planned.module.imported, spmd, planText)
                                 : exportExplicit(planned.module.imported, spmd);
  if (!text) return text.error();
  return Output{request.substr(equals + 1), std::move(*text)};
}

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
    Result<Output> output = emitted(request, planned, spmd, planText);
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
  command
      ->add_option("--emit", options->emit,
                   "annotated=FILE: the module with a sharding on every op; explicit=FILE: the "
                   "program of one device with its collectives")
      ->check(CLI::Validator([](std::string& text) { return validateEmit(text); }, "FORM=FILE",
                             "emit"));
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
