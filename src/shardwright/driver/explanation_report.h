// An explanation of a plan as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "shardwright/driver/explanation.h"

namespace shardwright::driver {

struct ExplanationView {
  const plan::TacticOutcome& outcome;
  const Explanation& explanation;
};

struct ExplanationTextOptions {
  size_t mostRows = 10;                      // Of each list; 0 lists all.
  std::string listAll = "--all lists them";  // How to see the rows that are left out.
};

std::string explanationText(const ExplanationView& view,
                            const ExplanationTextOptions& options = {});

// Keys: mesh, tactics, arguments (each path, type, spec, bytes, why), collectives (each kind, axes,
// type, from, to, of, for, why, count, bytes, and seconds where times are known).
nlohmann::ordered_json explanationJson(const ExplanationView& view);

}  // namespace shardwright::driver
