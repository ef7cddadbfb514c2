// An Analysis as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "shardwright/analysis/analysis.h"
#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::driver {

// Readable names, made from argument paths and dims: `batch/tokens.0`,
// `state/params/layers/*/wq.1`. Inputs come first, then parameters; what has no argument is named
// after its first op.
class AnalysisNames {
 public:
  AnalysisNames(const program::Program& program, const rules::RuleTable& rules,
                const analysis::Analysis& analysis);

  // At most `most` argument dims, then "…".
  std::string ofColors(const std::vector<analysis::ColorId>& colors, size_t most) const;
  std::string of(analysis::ColorId color) const { return ofColors({color}, 1); }
  std::string of(analysis::ClassId id, size_t most = 2) const;
  // "[S] with itself at model.py:3:7".
  std::string of(analysis::SetId set) const;

 private:
  const program::Program& program_;
  const analysis::Analysis& analysis_;
  std::vector<std::string> patterns_;  // Of each argument.
  std::vector<int> ranks_;             // Of each argument; lower is more telling.
};

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
