// What the named strategies take, from the structure of a program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shardwright/base/result.h"
#include "shardwright/plan/names.h"
#include "shardwright/plan/structure.h"
#include "shardwright/plan/tactic.h"

namespace shardwright::plan {

// Colours with a word for what they are, in the order in which they join the axis's list.
struct Choice {
  struct Group {
    std::string label;  // "batch", "heads", …
    std::vector<analysis::ColorId> colors;
  };
  std::vector<Group> groups;
  std::vector<std::string> notes = {};  // What was left and why.
  // Columns that the axis has not got and that some of the groups are cut out of.
  std::vector<analysis::ColorId> cut = {};
};

// What a strategy may look at. `taken` are the colours that are on the axis already; `divides` says
// whether the axis (and those that split the colour before it) divides a dim of this size.
struct StrategyView {
  const Structure& structure;
  const AnalysisNames& names;
  std::vector<analysis::ColorId> taken;
  std::function<bool(analysis::ColorId, int64_t size)> divides;
  // The tactic whose axis leaves too little of the colour for this one; empty if there is none, so
  // that the axis does not divide it by itself.
  std::function<std::string(analysis::ColorId)> crowdedBy;
  // Whether any other axis that has not got the colour yet could split it as well as this one.
  std::function<bool(analysis::ColorId)> leavesRoom;
};

// The diagnostics say what was looked for, name candidates and ask for a pattern; the tactic's text
// is put before them.
//
// Several colours if all are first dims of inputs of one size, or meet by indices alone (edges,
// then nodes); then what they are put together into and cut into, or joined to by indices
// (Structure::joined).
Result<Choice> chooseBatch(const StrategyView& view);
// The same for a batch that is on the axis already, less what could have been named with it.
Result<Choice> chooseJoined(const StrategyView& view);
// Colours that are columns of weights, or cut out of columns, pass through, and are contracted with
// other weights. Where
// two of them share a weight the one that saves more for what it costs is taken and the other left.
// If heads are left since another tactic has split them, so is the size of a head.
Result<Choice> chooseMegatron(const StrategyView& view);
// Colours that meet themselves where data are multiplied with data, and dim 1 of the inputs in
// place of blocks of it that do; without such, dim 1 of the inputs, several if they are of one
// size. And behind these the chunks of them that loops take one by one (Structure::chunksOf).
Result<Choice> chooseSequence(const StrategyView& view);
// Dims of weights that integer data index, and dims of logits over which a maximum is taken.
Result<Choice> chooseVocabulary(const StrategyView& view);
// Batch dims of products with weights, other than the batch of the data.
Result<Choice> chooseExperts(const StrategyView& view);
// Further colours, largest cover first, until each parameter and optimizer state shows one that is
// on the axis. The batch first, if the axis has nothing yet and there is one. Dims that megatron
// would split and that leave no room for another axis (heads) are left where a state has others.
Result<Choice> chooseCover(const StrategyView& view);

// The compatibility sets of the colours in which the wanted side is the second one.
std::vector<analysis::SetId> setsToTurn(const Subject& subject,
                                        const std::vector<analysis::ColorId>& colors, Side side);

}  // namespace shardwright::plan
