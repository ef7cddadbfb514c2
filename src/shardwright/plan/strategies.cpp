#include "shardwright/plan/strategies.h"

#include <algorithm>
#include <set>

#include "shardwright/plan/lookups.h"

namespace shardwright::plan {

using analysis::ClassId;
using analysis::ColorId;
using analysis::SetId;

namespace {

// A pair of weights pays if what the columns save is at least this share of what the rows must
// combine: the width of a transformer, column of few weights and row of many, stays far below.
constexpr double kLeastGain = 0.5;
// A vocabulary is as large as the largest one, but for this factor: position and type tables are
// not.
constexpr int64_t kVocabularyRange = 4;

Diagnostic error(std::string message) { return {std::move(message), {}, {}}; }

bool contains(const std::vector<ColorId>& colors, ColorId color) {
  return std::ranges::find(colors, color) != colors.end();
}

// "`a.0`, `b.1` or `c.0`", at most three: "`a.0`, `b.1`, `c.0` or 2 more".
std::string candidatesText(const StrategyView& view, const std::vector<ColorId>& colors) {
  const size_t count = std::min<size_t>(colors.size(), 3), more = colors.size() - count;
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count && more == 0;
    text += (i == 0 ? "" : last ? " or " : ", ") + ("`" + view.names.of(colors[i]) + "`");
  }
  return more == 0 ? text : text + " or " + std::to_string(more) + " more";
}

std::vector<ColorId> colorsWhere(const StrategyView& view,
                                 const std::function<bool(const ColorUse&)>& good) {
  std::vector<ColorId> found;
  for (uint32_t i = 0; i < view.structure.subject().analysis.colors().size(); ++i) {
    if (good(view.structure.use(ColorId(i)))) found.push_back(ColorId(i));
  }
  return found;
}

bool isBatch(const StrategyView& view, ColorId color) {
  return contains(view.structure.batch(), color);
}

const analysis::Color& colorOf(const StrategyView& view, ColorId color) {
  return view.structure.subject().analysis.colors()[color];
}

// Whether the axis divides the dims of arguments that show the colour, or the colour itself.
bool fits(const StrategyView& view, ColorId color) {
  const program::Program& program = view.structure.subject().program;
  for (const analysis::ArgumentDim& dim : colorOf(view, color).argumentDims) {
    const int64_t size = program.shape(program.arguments()[dim.argument].value)[dim.dim];
    if (view.divides(color, size)) return true;
  }
  return view.divides(color, colorOf(view, color).largest);
}

std::vector<ColorId> fitting(const StrategyView& view, const std::vector<ColorId>& colors) {
  std::vector<ColorId> kept;
  std::ranges::copy_if(colors, std::back_inserter(kept),
                       [&](ColorId color) { return fits(view, color); });
  return kept;
}

// A column of weights that pays as the row of later ones.
bool isPair(const ColorUse& use) {
  return use.columnFirst && use.rowOfAnother && use.columnBytes >= kLeastGain * use.rowBytes &&
         use.otherBytes <= use.columnBytes;
}

bool isOfAWeight(const StrategyView& view, ColorId color) {
  const auto& dims = colorOf(view, color).argumentDims;
  return std::ranges::any_of(dims, [&](const analysis::ArgumentDim& dim) {
    return view.structure.isWeight(dim.argument);
  });
}

// What learned queries are multiplied with is a row of no weight.
bool isCutWithoutRow(const StrategyView& view, ColorId color) {
  return !view.structure.cutOutOf(color).empty() && !isOfAWeight(view, color);
}

struct PairClass {
  std::vector<ColorId> colors;
  double columnBytes = 0, otherBytes = 0;  // What it saves, and what must be combined for it.
  bool head = false;
  bool meetsItself = false;
  std::set<uint32_t> weights;  // Arguments.
};

PairClass pairClass(const StrategyView& view, const std::vector<ColorId>& colors) {
  PairClass pair;
  pair.colors = colors;
  for (const ColorId color : colors) {
    const ColorUse& use = view.structure.use(color);
    pair.columnBytes += use.columnBytes;
    pair.otherBytes += use.rowBytes + use.otherBytes;
    pair.head = pair.head || use.head;
    pair.meetsItself = pair.meetsItself || use.meetsItselfInWeight;
    for (const analysis::ArgumentDim& dim : colorOf(view, color).argumentDims) {
      if (view.structure.isWeight(dim.argument)) pair.weights.insert(dim.argument);
    }
  }
  return pair;
}

// Those that save most for what they cost first; classes stand in the order of their effect, which
// settles ties.
std::vector<PairClass> pairClasses(const StrategyView& view) {
  std::vector<PairClass> pairs;
  const auto isCandidate = [&](ColorId color) {
    return isPair(view.structure.use(color)) && !isBatch(view, color) &&
           !isCutWithoutRow(view, color);
  };
  for (const analysis::ColorClass& colorClass : view.structure.subject().analysis.classes()) {
    if (std::ranges::any_of(colorClass.colors, isCandidate))
      pairs.push_back(pairClass(view, colorClass.colors));
  }
  std::ranges::stable_sort(pairs, [](const PairClass& a, const PairClass& b) {
    return a.columnBytes * b.otherBytes > b.columnBytes * a.otherBytes;
  });
  return pairs;
}

bool sharesAWeight(const PairClass& a, const PairClass& b) {
  // What meets itself in its own weight (a recurrent layer) is gathered at each step in any case.
  if (a.meetsItself && b.meetsItself) return false;
  return std::ranges::any_of(a.weights, [&](uint32_t w) { return b.weights.contains(w); });
}

void addToGroup(Choice& choice, const std::string& label, const std::vector<ColorId>& colors) {
  for (Choice::Group& group : choice.groups) {
    if (group.label != label) continue;
    group.colors.insert(group.colors.end(), colors.begin(), colors.end());
    return;
  }
  choice.groups.push_back({label, colors});
}

std::string indivisibleText(const StrategyView& view, ColorId color) {
  const std::string what =
      view.names.of(color) + " (size " + std::to_string(colorOf(view, color).largest) + ")";
  const std::string other = view.crowdedBy(color);
  if (other.empty()) return "the axis does not divide " + what;
  return "the axis together with what `" + other + "` splits it by does not divide " + what +
         "; put it before `" + other + "`";
}

// Parts of a split column would not lie where the dims that are cut out of it are split: the first
// quarter of [q k v] is no quarter of q, of k and of v.
void noteCuts(const StrategyView& view, Choice& choice) {
  std::vector<ColorId> split = view.taken;
  for (const Choice::Group& group : choice.groups)
    split.insert(split.end(), group.colors.begin(), group.colors.end());
  for (const Choice::Group& group : choice.groups) {
    std::set<ColorId> wholes;
    for (const ColorId color : group.colors) wholes.merge(view.structure.cutOutOf(color));
    std::erase_if(wholes, [&](ColorId whole) {
      return contains(split, whole) || contains(choice.cut, whole) || !isOfAWeight(view, whole);
    });
    if (wholes.empty()) continue;
    choice.cut.insert(choice.cut.end(), wholes.begin(), wholes.end());
    choice.notes.push_back(
        view.names.ofColors({wholes.begin(), wholes.end()}, 2) +
        " stays whole along the axis and its product is computed whole, since dims that are cut "
        "out "
        "of it are split (" +
        group.label +
        "); a shard of it behind this tactic splits both and gathers what the product gives");
  }
}

// Which side of a set is the key's: the first op that reduces one of two sides reduces the keys.
enum class KeySide : uint8_t { kFirst, kSecond, kUnknown };

KeySide keySide(const Subject& subject, SetId id) {
  program::OpId earliest;
  KeySide side = KeySide::kUnknown;
  for (const analysis::ConflictId conflictId : subject.analysis.sets()[id].conflicts) {
    const analysis::Conflict& conflict = subject.analysis.conflicts()[conflictId];
    const rules::Rule& rule = subject.rule(conflict.op);
    const auto reduced = [&](rules::FactorId factor) {
      return rule.factor(factor).kind == rules::FactorKind::kReduction;
    };
    if (reduced(conflict.first) == reduced(conflict.second)) continue;
    if (earliest.valid() && earliest < conflict.op) continue;
    earliest = conflict.op;
    side = reduced(conflict.first) ? KeySide::kFirst : KeySide::kSecond;
  }
  return side;
}

// Parameters and optimizer state that no colour of the list splits yet.
class Cover {
 public:
  Cover(const StrategyView& view, const std::vector<ColorId>& taken)
      : view_(view), listed_(view.structure.subject().analysis.colors().size(), 0) {
    const size_t count = view.structure.subject().program.arguments().size();
    findTight();
    for (uint32_t i = 0; i < count; ++i) {
      if (view.structure.isModelState(i) && !shape(i).empty()) open_.push_back(stateOf(i));
    }
    close(taken);
  }

  void close(const std::vector<ColorId>& colors) {
    for (const ColorId color : colors) listed_[color.index()] = 1;
    std::erase_if(open_, [&](const State& state) {
      return std::ranges::any_of(state.colors,
                                 [&](ColorId color) { return listed_[color.index()] != 0; });
    });
  }

  // The colours of the class that covers most of what is open, less what is listed already; none
  // if no class covers anything.
  std::vector<ColorId> best() const {
    const analysis::Analysis& analysis = view_.structure.subject().analysis;
    std::vector<double> gains(analysis.classes().size(), 0);
    std::vector<analysis::ClassId> seen;
    for (const State& state : open_) {
      seen.clear();
      for (const ColorId color : state.colors) {
        const analysis::ClassId id = analysis.colors()[color].classId;
        if (std::ranges::find(seen, id) != seen.end()) continue;
        seen.push_back(id);
        gains[id.index()] += state.bytes;
      }
    }
    const auto most = std::ranges::max_element(gains);
    std::vector<ColorId> colors;
    if (most == gains.end() || *most == 0) return colors;
    const analysis::ClassId id(static_cast<uint32_t>(most - gains.begin()));
    std::ranges::copy_if(analysis.classes()[id].colors, std::back_inserter(colors),
                         [&](ColorId color) { return !listed_[color.index()]; });
    return colors;
  }

  bool empty() const { return open_.empty(); }
  size_t size() const { return open_.size(); }
  uint32_t argument(size_t i) const { return open_[i].argument; }
  double openBytes() const {
    double bytes = 0;
    for (const State& state : open_) bytes += state.bytes;
    return bytes;
  }

 private:
  struct State {
    uint32_t argument = 0;
    double bytes = 0;
    std::vector<ColorId> colors;  // Of dims that the axis divides.
  };

  State stateOf(uint32_t argument) const {
    const program::Program& program = view_.structure.subject().program;
    const auto type = program.value(program.arguments()[argument].value).type;
    State state{argument, static_cast<double>(program.types().bytes(type)), {}};
    for (uint32_t d = 0; d < shape(argument).size(); ++d) {
      const ColorId color = view_.structure.color({argument, d});
      if (color.valid() && view_.divides(color, shape(argument)[d])) state.colors.push_back(color);
    }
    const auto isTight = [&](ColorId color) { return tight_.contains(color); };
    if (!std::ranges::all_of(state.colors, isTight)) std::erase_if(state.colors, isTight);
    return state;
  }
  void findTight() {
    for (const PairClass& pair : pairClasses(view_)) {
      for (const ColorId color : pair.colors) {
        if (!view_.leavesRoom(color)) tight_.insert(color);
      }
    }
  }
  std::span<const int64_t> shape(uint32_t argument) const {
    const program::Program& program = view_.structure.subject().program;
    return program.shape(program.arguments()[argument].value);
  }

  const StrategyView& view_;
  std::vector<State> open_;
  std::vector<char> listed_;  // Per colour: on the axis already.
  std::set<ColorId> tight_;   // Of pairs, and too small for another axis beside this one.
};

std::string leftWholeText(const StrategyView& view, const Cover& cover) {
  const auto& arguments = view.structure.subject().program.arguments();
  std::string names;
  for (size_t i = 0; i < std::min<size_t>(cover.size(), 3); ++i)
    names += (i == 0 ? "" : ", ") + arguments[cover.argument(i)].path;
  if (cover.size() > 3) names += ", …";
  return std::to_string(cover.size()) + " of the parameters and optimizer states (" +
         std::to_string(static_cast<int64_t>(cover.openBytes())) +
         " bytes) have no dim left that the axis divides and stay whole: " + names;
}

// Whether the dims of inputs that show one of the colours, the first such one of each, are of one
// size: images and texts that come in pairs have a batch each, and it is the same one.
bool areOfOneSize(const StrategyView& view, const std::vector<ColorId>& colors) {
  const program::Program& program = view.structure.subject().program;
  std::set<int64_t> sizes;
  for (const uint32_t input : view.structure.inputs()) {
    const std::span<const int64_t> shape = program.shape(program.arguments()[input].value);
    for (uint32_t d = 0; d < shape.size(); ++d) {
      if (!contains(colors, view.structure.color({input, d}))) continue;
      sizes.insert(shape[d]);
      break;
    }
  }
  return sizes.size() == 1;
}

// Whether gradients are sums over each of the colours and no op has two of them: the batches of
// several tasks, whose losses are added. Nodes and edges of a graph meet.
bool areBatchesOfTheirOwn(const StrategyView& view, const std::vector<ColorId>& colors) {
  const Subject& subject = view.structure.subject();
  std::set<program::OpId> ops;
  for (const ColorId color : colors) {
    if (!view.structure.isSummed(color)) return false;
    std::set<program::OpId> own;
    for (const analysis::Name& name : subject.analysis.colors()[color].names) own.insert(name.op);
    for (const program::OpId op : own) {
      if (!ops.insert(op).second) return false;
    }
  }
  return true;
}

// Edges of a graph before its nodes.
std::vector<ColorId> inOrder(const StrategyView& view, const std::vector<ColorId>& colors) {
  const Subject& subject = view.structure.subject();
  return meetByIndices(subject, colors) ? winnersFirst(subject, colors) : colors;
}

// If the axis takes the batch. Sizes of parts are the program's choice, not the user's: those that
// the axis does not divide are left without a word.
void addJoined(const StrategyView& view, const std::vector<ColorId>& batch,
               const std::vector<ColorId>& joined, Choice& choice) {
  if (fitting(view, batch).empty()) return;
  const Subject& subject = view.structure.subject();
  std::vector<ColorId> before, behind;
  for (const ColorId color : fitting(view, joined))
    (winsOver(subject, color, batch) ? before : behind).push_back(color);
  if (!before.empty())
    choice.groups.insert(choice.groups.begin(), {"joined batch", inOrder(view, before)});
  if (!behind.empty()) choice.groups.push_back({"joined batch", inOrder(view, behind)});
}

Choice wholeBatch(const StrategyView& view) {
  const std::vector<ColorId>& batch = view.structure.batch();
  Choice choice{{{"batch", inOrder(view, batch)}}, {}};
  addJoined(view, batch, view.structure.joined(batch), choice);
  return choice;
}

// Colours of dim 1 of the inputs that may be positions.
std::vector<ColorId> behindBatch(const StrategyView& view) {
  const program::Program& program = view.structure.subject().program;
  std::vector<ColorId> colors;
  for (const uint32_t input : view.structure.inputs()) {
    // Tokens have two dims and embedded ones three; images have more.
    const size_t rank = program.shape(program.arguments()[input].value).size();
    if (view.structure.roles()[input] != Role::kInput || rank < 2 || rank > 3) continue;
    const ColorId color = view.structure.color({input, 1});
    if (!color.valid() || isBatch(view, color) || contains(colors, color)) continue;
    // A dim that weights are multiplied with is features, not positions.
    if (view.structure.use(color).weightBytes == 0) colors.push_back(color);
  }
  return colors;
}

// Attention that goes from block to block meets the positions of a block alone, in loops that would
// gather them at each turn; norms and residuals have those of the whole sequence.
void takeForBlocks(const StrategyView& view, ColorId whole, std::vector<ColorId>& meeting) {
  if (meeting.empty() || contains(meeting, whole)) return;
  const std::set<ColorId> blocks = view.structure.blocksOf(whole);
  if (std::erase_if(meeting, [&](ColorId color) { return blocks.contains(color); }) > 0)
    meeting.insert(meeting.begin(), whole);
}

// Without chunks of it.
Result<Choice> chooseWholeSequence(const StrategyView& view) {
  std::vector<ColorId> colors = colorsWhere(
      view, [](const ColorUse& use) { return use.meetsItselfInData && use.weightBytes == 0; });
  std::vector<ColorId> others;
  std::ranges::copy_if(colors, std::back_inserter(others),
                       [&](ColorId color) { return !isBatch(view, color); });
  if (!others.empty()) colors = others;
  const std::vector<ColorId> behind = behindBatch(view);
  for (const ColorId whole : behind) takeForBlocks(view, whole, colors);
  if (!colors.empty()) return Choice{{{"sequence", colors}}, {}};
  // Labels that are cut into chunks lie along a dim of their own.
  if (behind.size() == 1 || areOfOneSize(view, behind)) return Choice{{{"sequence", behind}}, {}};
  if (behind.empty())
    return error(
        "no dim meets itself in attention and no input has a sequence behind its batch; "
        "name it, as in PATTERN:1");
  return error("which dim is the sequence is in doubt: " + candidatesText(view, behind) +
               "; name it by a pattern, as in PATTERN:1");
}

}  // namespace

Result<Choice> chooseBatch(const StrategyView& view) {
  const std::vector<ColorId>& batch = view.structure.batch();
  const auto isOfAnArgument = [&](ColorId color) {
    return !view.structure.subject().analysis.colors()[color].argumentDims.empty();
  };
  if (batch.empty())
    return error("no input has a leading dim that could be the batch; name a dim, as in x:1");
  if (batch.size() == 1 || areOfOneSize(view, batch) || areBatchesOfTheirOwn(view, batch) ||
      meetByIndices(view.structure.subject(), batch)) {
    return wholeBatch(view);
  }
  if (std::ranges::none_of(batch, isOfAnArgument))
    return error("examples are made inside, along one of several dims: " +
                 candidatesText(view, batch) + "; auto(AXIS) finds out which pays");
  return error("which dim is the batch is in doubt: " + candidatesText(view, batch) +
               "; name it by a pattern, as in PATTERN:0");
}

Result<Choice> chooseJoined(const StrategyView& view) {
  std::vector<ColorId> joined = view.structure.joined(view.taken);
  // Who names the edges of a graph could have named the nodes as well.
  std::erase_if(joined, [&](ColorId color) {
    return isBatch(view, color) && !colorOf(view, color).argumentDims.empty();
  });
  Choice choice;
  addJoined(view, view.taken, joined, choice);
  return choice;
}

Result<Choice> chooseMegatron(const StrategyView& view) {
  Choice choice;
  std::vector<PairClass> taken;
  std::vector<PairClass> crowded;  // Heads: nothing makes up for them.
  for (const PairClass& pair : pairClasses(view)) {
    const std::vector<ColorId> colors = fitting(view, pair.colors);
    if (colors.empty()) {
      choice.notes.push_back(indivisibleText(view, pair.colors[0]));
      if (pair.head && !view.crowdedBy(pair.colors[0]).empty()) crowded.push_back(pair);
      continue;
    }
    const auto shares = [&](const PairClass& other) { return sharesAWeight(pair, other); };
    if (std::ranges::any_of(taken, shares) || std::ranges::any_of(crowded, shares)) continue;
    taken.push_back(pair);
    addToGroup(choice, pair.head ? "heads" : "hidden", colors);
  }
  noteCuts(view, choice);
  if (!choice.groups.empty()) return choice;
  if (!choice.notes.empty()) return error(choice.notes.front());
  const std::vector<ColorId> columns =
      colorsWhere(view, [](const ColorUse& use) { return use.columnBytes > 0; });
  return error("no weights stand in column-then-row pairs" +
               (columns.empty() ? "" : "; columns are " + candidatesText(view, columns)) +
               "; name the dim, as in PATTERN:1");
}

Result<Choice> chooseSequence(const StrategyView& view) {
  Result<Choice> choice = chooseWholeSequence(view);
  if (!choice) return choice;
  const std::vector<ColorId>& whole = choice->groups[0].colors;
  std::set<ColorId> taken(view.taken.begin(), view.taken.end()), chunks;
  taken.insert(whole.begin(), whole.end());
  for (const ColorId color : whole) chunks.merge(view.structure.chunksOf(color, taken));
  const std::vector<ColorId> found = fitting(view, {chunks.begin(), chunks.end()});
  if (!found.empty()) choice->groups.push_back({"chunks", found});
  return choice;
}

Result<Choice> chooseVocabulary(const StrategyView& view) {
  const std::vector<ColorId> colors = colorsWhere(view, [](const ColorUse& use) {
    return use.lookedUp || (use.maximum && use.columnBytes > 0 && use.rowBytes == 0);
  });
  int64_t largest = 0;
  for (const ColorId color : colors) largest = std::max(largest, colorOf(view, color).largest);
  Choice choice;
  for (const ColorId color : colors) {
    const bool large = colorOf(view, color).largest * kVocabularyRange >= largest;
    if (large && !isBatch(view, color)) addToGroup(choice, "vocabulary", {color});
  }
  if (!choice.groups.empty()) return choice;
  return error(
      "no weight is looked up by integers and no logits are fed to a softmax; name the "
      "dim, as in *embedding:0");
}

Result<Choice> chooseExperts(const StrategyView& view) {
  std::vector<ColorId> colors = colorsWhere(
      view, [](const ColorUse& use) { return use.batchBytes > 0 && use.rowBytes == 0; });
  std::erase_if(colors, [&](ColorId color) { return isBatch(view, color); });
  if (!colors.empty()) return Choice{{{"experts", colors}}, {}};
  return error(
      "no weight has a dim that is a batch dim of its product with data, other than the "
      "batch itself; name the dim, as in *experts*:0");
}

Result<Choice> chooseCover(const StrategyView& view) {
  Choice choice;
  std::vector<ColorId> listed = view.taken;
  if (listed.empty() && !view.structure.batch().empty()) {
    // Whatever of the inputs may be the batch keeps the state's dims out of the activations.
    choice = wholeBatch(view);
    for (const Choice::Group& group : choice.groups)
      listed.insert(listed.end(), group.colors.begin(), group.colors.end());
  } else if (listed.empty()) {
    choice.notes.push_back(
        "no input has a leading dim that could be the batch, so the state alone is split; to split "
        "the data too, name a dim, as in x:1, or put sequence on the axis first");
  }
  Cover cover(view, listed);
  if (cover.empty() && choice.groups.empty()) return error("there are no parameters left to split");
  for (std::vector<ColorId> best = cover.best(); !best.empty(); best = cover.best()) {
    addToGroup(choice, "state", best);
    cover.close(best);
  }
  if (!cover.empty()) choice.notes.push_back(leftWholeText(view, cover));
  return choice;
}

std::vector<SetId> setsToTurn(const Subject& subject, const std::vector<ColorId>& colors,
                              Side side) {
  std::vector<SetId> sets;
  for (uint32_t i = 0; i < subject.analysis.sets().size(); ++i) {
    if (!contains(colors, subject.analysis.sets()[SetId(i)].color)) continue;
    const KeySide key = keySide(subject, SetId(i));
    const bool keySecond = key == KeySide::kSecond, keyFirst = key == KeySide::kFirst;
    if (side == Side::kKey ? keySecond : keyFirst) sets.push_back(SetId(i));
  }
  return sets;
}

}  // namespace shardwright::plan
