// What `apply` and `estimate` share: from a module, a mesh, and a plan file or tactics to a plan.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "io.h"
#include "shardwright/analysis/analysis.h"
#include "shardwright/plan/plan.h"
#include "shardwright/plan/tactic.h"

namespace shardwright::tool {

struct PlanningOptions {
  ModuleOptions module;
  std::string mesh;      // `data=4,model=2`. May be left out where a plan or the module names one.
  std::string planFile;  // Or …
  std::vector<std::string> tactics;
  bool ignoreStated = false;  // Shardings that the module states do not count.
};
// MODULE, --mesh, --plan, --tactic, --ignore-stated and what addModuleOptions adds.
void addPlanningOptions(CLI::App& command, PlanningOptions& options);

// A module and a plan for it. The subject points into this object.
struct Planned {
  LoadedModule module;
  analysis::Analysis analysis;
  plan::TacticOutcome outcome;  // The plan has passed plan::checkPlan.

  // Whether nothing says how to split the program.
  bool undecided() const {
    const plan::Plan& plan = outcome.plan;
    return outcome.tactics.empty() && plan.decisions.empty() && plan.pins.empty() && !fromFile;
  }
  bool fromFile = false;  // A plan file, or the plan that an annotated module carries.

  plan::Subject subject() const { return {module.imported.program, module.rules, analysis}; }
};

// Where the plan comes from: a plan file; tactics; or, with neither, the plan that the module
// carries (as an annotated one does), else the shardings that it states alone. The mesh is the one
// given, the plan's, or the one mesh of the module; without any, throws CLI::RequiredError. On
// error prints it to stderr and returns nothing.
std::unique_ptr<Planned> makePlan(const PlanningOptions& options);

}  // namespace shardwright::tool
