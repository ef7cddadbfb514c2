// Readable names of what analysis finds, made from argument paths and places in the source.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shardwright/analysis/analysis.h"
#include "shardwright/program/program.h"
#include "shardwright/rules/table.h"

namespace shardwright::plan {

// "model.py:12:3", or the framework's name for the op, or "unknown location".
std::string whereText(const program::Program& program, program::LocationId location);
// "dot_general at model.py:12:3".
std::string opText(const program::Program& program, program::OpId op);

// Readable names, made from argument paths and dims: `batch/tokens.0`,
// `state/params/layers/*/wq.1`. A star stands for arguments that have the dim all of them: where
// `w2` lacks it, its neighbours are `layers/*/w1.1` and not `layers/*/w*.1`, and where `Dense_1`
// lacks it, `Block_*/Dense_0/kernel.1` and not `Block_*/Dense_*/kernel.1`. Inputs come first,
// then parameters; what has no argument is named after its first op.
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
  class Shown;
  struct Spelling {
    std::vector<std::string> patterns;  // The widest first.
    std::string path;
  };
  const std::vector<uint32_t>& matches(const std::string& pattern) const;

  const program::Program& program_;
  const analysis::Analysis& analysis_;
  std::vector<Spelling> spellings_;  // Of each argument.
  std::vector<int> ranks_;           // Of each argument; lower is more telling.
  // Arguments that a pattern names, of those asked for: there are as many patterns as arguments,
  // and few are needed. Not for several threads.
  mutable std::map<std::string, std::vector<uint32_t>> matches_;
};

}  // namespace shardwright::plan
