// An Analysis as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "shardwright/analysis/analysis.h"
#include "shardwright/plan/names.h"
#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::driver {

using plan::AnalysisNames;

struct AnalysisView {
  const program::Program& program;
  const rules::RuleTable& rules;
  const analysis::Analysis& analysis;
};

// A table of classes, largest effect first, then conflicts with their resolutions in words.
std::string analysisText(const AnalysisView& view);

// Each op with the class of each of its factors and its source line.
std::string analysisOpsText(const AnalysisView& view);

// Keys: colors, conflicts, compatibility_sets, classes, unsupported, and with `ops` the colour and
// class of each factor of each op (see the reference in docs/).
nlohmann::ordered_json analysisJson(const AnalysisView& view, bool ops);

}  // namespace shardwright::driver
