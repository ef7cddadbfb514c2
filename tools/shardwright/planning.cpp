#include "planning.h"

#include <algorithm>
#include <utility>

#include "mlir/IR/BuiltinAttributes.h"
#include "shardwright/plan/plan_file.h"

namespace shardwright::tool {
namespace {

Diagnostic error(std::string message) { return {std::move(message), {}, {}}; }

// A plan as text, and where it stands.
struct PlanText {
  std::string text;
  std::string name;
};

// Empty text where neither the options nor the module have a plan.
Result<PlanText> planText(const LoadedModule& loaded, const PlanningOptions& options) {
  if (!options.planFile.empty()) {
    Result<std::string> text = readInput(options.planFile);
    if (!text) return text.error();
    return PlanText{std::move(*text), options.planFile};
  }
  if (!options.tactics.empty() || options.ignoreStated) return PlanText{};
  const auto carried =
      (*loaded.imported.parsed.module)->getAttrOfType<mlir::StringAttr>("shardwright.plan");
  return carried ? PlanText{carried.getValue().str(), options.module.path} : PlanText{};
}

bool sameAxes(const mesh::Mesh& a, const mesh::Mesh& b) {
  return a.axes == b.axes && (a.deviceIds == b.deviceIds || a.deviceIds.empty());
}

Result<plan::TacticOutcome> fromPlan(const plan::Subject& subject, const PlanText& source,
                                     const PlanningOptions& options) {
  Result<plan::PlanFile> file = plan::loadPlan(subject, source.text);
  if (!file) {
    Diagnostic diagnostic = file.error();
    diagnostic.location.file = source.name;
    return diagnostic;
  }
  if (!options.mesh.empty()) {
    const Result<mesh::Mesh> given = mesh::parseMesh(options.mesh);
    if (!given) return given.error();
    if (!sameAxes(*given, file->plan.mesh)) {
      return error("the mesh is " + options.mesh + ", and the plan is for " +
                   mesh::str(file->plan.mesh));
    }
  }
  return plan::TacticOutcome{std::move(file->plan), std::move(file->tactics),
                             std::move(file->words), std::move(file->notes)};
}

Result<std::vector<plan::Tactic>> parseTactics(const std::vector<std::string>& texts) {
  std::vector<plan::Tactic> tactics;
  for (const std::string& text : texts) {
    Result<plan::Tactic> tactic = plan::parseTactic(text);
    if (!tactic) return tactic.error();
    tactics.push_back(std::move(*tactic));
  }
  return tactics;
}

Result<mesh::Mesh> meshOf(const plan::Subject& subject, const PlanningOptions& options) {
  if (!options.mesh.empty()) return mesh::parseMesh(options.mesh);
  const std::vector<mesh::Mesh>& stated = subject.program.meshes();
  if (stated.size() == 1 && !stated[0].axes.empty()) return stated[0];
  throw CLI::RequiredError("--mesh (the module states " + std::to_string(stated.size()) +
                           " meshes)");
}

Result<plan::TacticOutcome> fromTactics(const plan::Subject& subject,
                                        const PlanningOptions& options) {
  const Result<mesh::Mesh> mesh = meshOf(subject, options);
  if (!mesh) return mesh.error();
  const Result<std::vector<plan::Tactic>> tactics = parseTactics(options.tactics);
  if (!tactics) return tactics.error();
  return plan::applyTactics(subject, *mesh, *tactics,
                            {.keepStated = !options.ignoreStated, .search = {}});
}

// A mesh that cannot be read is bad usage, like any other option.
std::string validateMesh(const std::string& text) {
  const Result<mesh::Mesh> mesh = mesh::parseMesh(text);
  return mesh ? "" : mesh.error().message;
}

}  // namespace

void addPlanningOptions(CLI::App& command, PlanningOptions& options) {
  addModuleOptions(command, options.module);
  command
      .add_option("--mesh", options.mesh,
                  "Axes and their sizes: data=4,model=2. Not needed where the plan or the module "
                  "names one")
      ->check(CLI::Validator([](std::string& text) { return validateMesh(text); }, "AXIS=SIZE,…",
                             "mesh"));
  CLI::Option* file = command.add_option("--plan", options.planFile, "Plan file");
  command
      .add_option("--tactic", options.tactics,
                  "dp(data), megatron(model), shard(*wq*:1, model), pin(params*, replicated), …; "
                  "applied in order")
      ->allow_extra_args(false)
      ->excludes(file);
  command.add_flag("--ignore-stated", options.ignoreStated,
                   "Do not keep the shardings that the module states");
}

std::unique_ptr<Planned> makePlan(const PlanningOptions& options) {
  std::optional<LoadedModule> loaded = load(options.module);
  if (!loaded) return nullptr;
  analysis::Analysis analysis = analysis::Analysis::make(loaded->imported.program, loaded->rules);
  auto planned = std::make_unique<Planned>(
      Planned{std::move(*loaded), std::move(analysis), plan::TacticOutcome()});
  const Result<PlanText> source = planText(planned->module, options);
  Result<plan::TacticOutcome> outcome = !source ? source.error()
                                        : source->name.empty()
                                            ? fromTactics(planned->subject(), options)
                                            : fromPlan(planned->subject(), *source, options);
  if (!outcome) {
    printError(outcome.error());
    return nullptr;
  }
  planned->fromFile = !source->name.empty();
  planned->outcome = std::move(*outcome);
  return planned;
}

}  // namespace shardwright::tool
