// shardwright partition: finds the plan.
#include "shardwright/driver/partition.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.h"
#include "emit.h"
#include "io.h"
#include "shardwright/driver/amounts.h"
#include "shardwright/driver/estimate_report.h"
#include "shardwright/driver/inspection_report.h"
#include "shardwright/driver/partition_report.h"
#include "shardwright/driver/target.h"
#include "shardwright/mlir/export/export.h"
#include "shardwright/plan/plan_file.h"

namespace shardwright::tool {
namespace {

struct PartitionCommand {
  ModuleOptions module;
  std::string mesh, device, topology, memory;
  std::vector<std::string> tactics, emit;
  std::string algorithm = "mcts", budget = "8s";
  unsigned threads = 0;  // All cores.
  uint64_t seed = 0, patience = 0;
  bool noExperts = false, compare = false, ignoreStated = false, all = false;
  bool writePlan = false;
};

std::atomic<bool> interrupted{false};

void onInterrupt(int) { interrupted.store(true); }

// One line on a terminal, written over and over.
class ProgressLine {
 public:
  ProgressLine() : shown_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  search::ProgressCallback callback() {
    if (!shown_) return {};
    return [this](const search::Progress& progress, const search::Score& best) {
      std::fprintf(stderr, "\r\x1b[K%llu evaluations, best %s, %s%s, %.1f s",
                   static_cast<unsigned long long>(progress.evaluations),
                   driver::secondsText(best.seconds).c_str(),
                   driver::bytesText(static_cast<double>(best.peakBytes)).c_str(),
                   best.fits() ? "" : " (does not fit)", progress.seconds);
      std::fflush(stderr);
      written_ = true;
    };
  }
  void clear() {
    if (written_) std::fputs("\r\x1b[K", stderr);
    written_ = false;
  }

 private:
  bool shown_;
  bool written_ = false;
};

// A module and all that planning it needs.
struct Subject {
  LoadedModule module;
  analysis::Analysis analysis;
  plan::Subject view() const { return {module.imported.program, module.rules, analysis}; }
};

// A mesh and what is planned for on it.
struct MeshTarget {
  mesh::Mesh mesh;
  driver::Target target;
};

Result<MeshTarget> targetOf(const PartitionCommand& command) {
  Result<mesh::Mesh> mesh = mesh::parseMesh(command.mesh);
  if (!mesh) return mesh.error();
  Result<driver::Target> target =
      driver::makeTarget({command.device, command.topology, command.memory}, *mesh);
  if (!target) return target.error();
  return MeshTarget{std::move(*mesh), std::move(*target)};
}

Result<driver::PartitionOptions> optionsOf(const PartitionCommand& command) {
  driver::PartitionOptions options;
  for (const std::string& text : command.tactics) {
    Result<plan::Tactic> tactic = plan::parseTactic(text);
    if (!tactic) return tactic.error();
    options.tactics.push_back(std::move(*tactic));
  }
  const Result<search::Budget> budget = driver::parseBudget(command.budget);
  if (!budget) return budget.error();
  options.budget = *budget;
  options.keepStated = !command.ignoreStated;
  options.algorithm = command.algorithm;
  options.patience = command.patience;
  options.seed = command.seed;
  options.threads =
      command.threads > 0 ? command.threads : std::max(1u, std::thread::hardware_concurrency());
  options.experts = !command.noExperts;
  options.compareAll = command.compare;
  options.interrupt = &interrupted;
  return options;
}

// Everything that is to be written. The report goes to standard output unless something else does.
Result<std::vector<Output>> outputs(const PartitionCommand& command, const Subject& subject,
                                    const driver::PartitionView& view) {
  const plan::TacticOutcome& outcome = view.found.outcome;
  const std::string planText =
      plan::savePlan(view.subject, {outcome.plan, outcome.tactics, outcome.words});
  std::vector<Output> all;
  if (command.writePlan) all.push_back({command.module.output, planText});
  for (const std::string& request : command.emit) {
    Result<Output> output = emitted(request, subject.module, view.found.spmd, planText);
    if (!output) return output.error();
    all.push_back(std::move(*output));
  }
  const auto isStdout = [](const Output& output) { return output.path == "-"; };
  if (std::ranges::any_of(all, isStdout)) return all;
  const size_t most = command.all ? 0 : 10;
  all.push_back({"-", command.module.json ? driver::partitionJson(view).dump(1) + "\n"
                                          : driver::partitionText(view, {most})});
  return all;
}

// Says what was found and after how much: it is no fact about the program.
std::string doesNotFitText(const driver::Partitioned& found) {
  const auto text = [](cost::Bytes bytes) {
    return driver::bytesText(static_cast<double>(bytes.value));
  };
  const std::string peak = text(found.estimate.memory.peak), limit = text(found.limit);
  if (found.searches.empty())
    return "the plan does not fit: its peak is " + peak + ", the limit is " + limit;
  uint64_t tried = 0;
  bool spent = false;
  for (const driver::SearchSummary& search : found.searches) {
    tried += search.progress.evaluations;
    spent = spent || search::isSpent(search.stoppedBy);
  }
  return "no plan found fits: the smallest peak is " + peak + ", the limit is " + limit + " (" +
         std::to_string(tried) + (tried == 1 ? " plan was" : " plans were") + " tried" +
         (spent ? "; the budget ended the search, a larger one may find more)" : ")");
}

int finish(const PartitionCommand& command, const Subject& subject,
           const driver::PartitionView& view) {
  const Result<std::vector<Output>> all = outputs(command, subject, view);
  if (!all) {
    printError(all.error());
    return kBadInput;
  }
  const int status = writeAll(*all);
  if (status != kSuccess || view.found.fits()) return status;
  std::fprintf(stderr, "error: %s\n", doesNotFitText(view.found).c_str());
  const std::string remedy = driver::remedyText(view);
  if (!remedy.empty()) std::fprintf(stderr, "note: %s\n", remedy.c_str());
  return kNothingFits;
}

std::vector<std::string> places(const PartitionCommand& command) {
  std::vector<std::string> paths;
  if (command.writePlan) paths.push_back(command.module.output);
  for (const std::string& request : command.emit) paths.push_back(emitPath(request));
  return paths;
}

int run(const PartitionCommand& command) {
  if (!checkPlaces(places(command))) return kBadInput;
  const Result<MeshTarget> target = targetOf(command);
  Result<driver::PartitionOptions> options = optionsOf(command);
  if (!target || !options) {
    printError(!target ? target.error() : options.error());
    return kBadInput;
  }
  std::optional<LoadedModule> loaded = load(command.module);
  if (!loaded) return kBadInput;
  analysis::Analysis analysis = analysis::Analysis::make(loaded->imported.program, loaded->rules);
  const Subject subject{std::move(*loaded), std::move(analysis)};
  const plan::Subject view = subject.view();
  ProgressLine progress;
  options->progress = progress.callback();
  std::signal(SIGINT, onInterrupt);
  const driver::PartitionTarget planTarget = target->target.view();
  const Result<driver::Partitioned> found =
      driver::partition(view, target->mesh, planTarget, *options);
  std::signal(SIGINT, SIG_DFL);
  progress.clear();
  if (!found) {
    printError(found.error());
    return kBadInput;
  }
  return finish(command, subject, {view, planTarget, *options, *found});
}

template <typename Parse>
CLI::Validator validator(const Parse& parse, const std::string& form) {
  return CLI::Validator(
      [parse](std::string& text) {
        const auto parsed = parse(text);
        return parsed ? std::string() : parsed.error().message;
      },
      form);
}

// CLI11 takes -1 and what is too large for an unsigned number, and makes something else of it.
CLI::Validator wholeNumber() {
  return CLI::Validator(
      [](std::string& text) {
        uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        return whole ? std::string() : "`" + text + "` is not a whole number from 0 to 2^64 - 1";
      },
      "UINT");
}

void addTargetOptions(CLI::App& app, PartitionCommand& command) {
  app.add_option("--mesh", command.mesh, "Axes and their sizes: data=4,model=2")
      ->required()
      ->check(
          validator([](const std::string& text) { return mesh::parseMesh(text); }, "AXIS=SIZE,…"));
  app.add_option("--device", command.device, "Device: a name, or a path to a .json profile")
      ->required();
  app.add_option("--topology", command.topology,
                 "Which link an axis runs over: data=ib,model=nvlink");
  app.add_option("--memory", command.memory,
                 "Memory of a device, as in 40GB or 16GiB; the profile's by default")
      ->check(validator(driver::parseByteCount, "AMOUNT"));
  app.add_option(
         "--tactic", command.tactics,
         "dp(data), auto(model), shard(*wq*:1, model), …; applied in order. Without any the "
         "whole mesh is automatic")
      ->allow_extra_args(false);
  app.add_flag("--ignore-stated", command.ignoreStated,
               "Do not keep the shardings that the module states");
}

void addSearchOptions(CLI::App& app, PartitionCommand& command) {
  app.add_option("--search", command.algorithm, "How to search")
      ->check(CLI::IsMember(search::searchNames()))
      ->capture_default_str();
  app.add_option("--budget", command.budget,
                 "Of each search: 10s, 500ms, 20000 (evaluations), or 10s,20000")
      ->check(validator(driver::parseBudget, "BUDGET"))
      ->capture_default_str();
  app.add_option("--threads", command.threads,
                 "How many; 1 makes a search with a budget in evaluations repeat itself exactly. "
                 "All cores by default")
      ->check(CLI::Range(1u, search::kMostThreads));
  app.add_option("--seed", command.seed, "Of the random numbers")
      ->check(wholeNumber())
      ->capture_default_str();
  app.add_option("--patience", command.patience,
                 "Evaluations without improvement after which the tree is left")
      ->check(wholeNumber());
  app.add_flag("--no-experts", command.noExperts, "Do not start from known strategies");
  app.add_flag("--compare", command.compare, "Evaluate all known strategies for comparison");
}

}  // namespace

Command addPartition(CLI::App& app) {
  auto command = std::make_shared<PartitionCommand>();
  CLI::App* partition = app.add_subcommand(
      "partition", "Finds a plan for a module: how to split it over a mesh of devices");
  addModuleOptions(*partition, command->module);
  partition->get_option("--output")
      ->description("Where to write the plan; - is standard output")
      ->default_str("");
  addTargetOptions(*partition, *command);
  addSearchOptions(*partition, *command);
  addEmitOption(*partition, command->emit);
  partition->add_flag("--all", command->all, "List everything, not only the ten largest");
  return [command, partition] {
    command->writePlan = partition->get_option("--output")->count() > 0;
    return run(*command);
  };
}

}  // namespace shardwright::tool
