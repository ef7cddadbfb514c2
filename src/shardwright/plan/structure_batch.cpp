// Which dims examples lie along.
#include <algorithm>
#include <optional>

#include "shardwright/plan/structure.h"
#include "shardwright/rules/work.h"

namespace shardwright::plan {

using analysis::ArgumentDim;
using analysis::ColorId;
using program::OpId;
using program::ValueId;
using rules::FactorId;
using rules::FactorKind;

namespace {

// A leading dim that touches less than this share of what the best one touches is no batch: the
// two words of a random key.
constexpr double kTinyShare = 0.01;
// Examples that lie along a dim of their own are worth a split from this share of the arithmetic of
// the colour that has most.
constexpr double kLeastMixed = 0.05;
// The dim of examples stands first nearly everywhere; gradients may be transposed.
constexpr double kMostlyBehind = 4;

// Whether such ops only move points. What computes along a dim that it needs whole, as a solver
// does, makes no examples of examples.
bool onlyMoves(const program::Program& program, program::SignatureId id) {
  const rules::WorkKind kind = rules::workOf(program.name(id), program.attributes(id)).kind;
  return kind == rules::WorkKind::kMovement || kind == rules::WorkKind::kReverse ||
         kind == rules::WorkKind::kOrdering;
}

// Keeps the colours for which `good` holds, if there is one.
template <typename Good>
void prefer(std::vector<ColorId>& colors, const Good& good) {
  std::vector<ColorId> kept;
  std::ranges::copy_if(colors, std::back_inserter(kept), good);
  if (!kept.empty()) colors = std::move(kept);
}

}  // namespace

void Structure::findSummed() {
  std::set<ColorId> parameterColors;
  for (uint32_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] != Role::kParameter) continue;
    const size_t rank = subject_.program.shape(subject_.program.arguments()[i].value).size();
    for (uint32_t d = 0; d < rank; ++d) parameterColors.insert(color({i, d}));
  }
  parameterColors.erase(ColorId());
  if (parameterColors.empty()) return;
  for (uint32_t i = 0; i < subject_.program.opCount(); ++i) sumInto(OpId(i), parameterColors);
}

// If the result has dims of parameters and no others, what the op sums over is noted.
void Structure::sumInto(OpId op, const std::set<ColorId>& parameterColors) {
  if (subject_.program.resultCount(op) == 0) return;
  const ValueId result = subject_.program.result(op, 0);
  bool shows = false;
  for (size_t d = 0; d < subject_.program.shape(result).size(); ++d) {
    const ColorId color = colorOfDim(subject_, result, d);
    if (color.valid() && !parameterColors.contains(color)) return;
    shows = shows || color.valid();
  }
  const rules::Rule& rule = subject_.rule(op);
  for (uint32_t f = 0; shows && f < rule.factorCount(); ++f) {
    const ColorId color = subject_.analysis.color({op, FactorId(f)});
    const bool sum = rule.factor(FactorId(f)).kind == FactorKind::kReduction;
    if (sum && color.valid() && !parameterColors.contains(color)) summed_.insert(color);
  }
  if (shows && rule.operandCount() >= 2 && isProduct(rule, 0, 1)) gradients_.push_back(op);
}

// Whether examples may lie along a dim that is not the first: gradients are sums over it, or in a
// program without gradients no product is.
bool Structure::mayLead(ColorId color) const {
  if (updates_) return summed_.contains(color);
  for (const analysis::Name& name : subject_.analysis.colors()[color].names) {
    const rules::Rule& rule = subject_.rule(name.op);
    const bool sum = rule.factor(name.factor).kind == FactorKind::kReduction;
    if (sum && rule.operandCount() == 2 && stands(rule, 0, name.factor) &&
        stands(rule, 1, name.factor)) {
      return false;
    }
  }
  return true;
}

size_t Structure::leadingDim(ValueId value) const {
  const size_t rank = subject_.program.shape(value).size();
  for (size_t d = 0; d < rank; ++d) {
    const ColorId color = colorOfDim(subject_, value, d);
    if (!color.valid() && d == 0) return 0;
    if (!color.valid() || subject_.analysis.colors()[color].flops == 0) continue;
    return mayLead(color) ? d : 0;
  }
  return 0;
}

// Whether most of what is computed along the colour is computed for each of the other, behind which
// it stands: a grid that all examples lie on, what all of them attend to. The other way about it
// would be what is computed for each point of the grid.
bool Structure::isForEach(ColorId color, ColorId other) const {
  const program::Program& program = subject_.program;
  double behind = 0, before = 0;
  OpId last;
  for (const analysis::Name& name : subject_.analysis.colors()[color].names) {
    if (name.op == last) continue;
    last = name.op;
    const int side = sideOf(name.op, color, other);
    const double flops =
        subject_.rule(name.op).flops() * program.region(program.op(name.op).region).weight;
    if (side > 0) behind += flops;
    if (side < 0) before += flops;
  }
  return 2 * behind > subject_.analysis.colors()[color].flops && behind > kMostlyBehind * before;
}

// 1 if the colour stands behind the other in the first tensor of the op that shows both, -1 if
// before it, 0 if there is none.
int Structure::sideOf(OpId op, ColorId color, ColorId other) const {
  const rules::Rule& rule = subject_.rule(op);
  for (size_t t = 0; t < rule.tensorCount(); ++t) {
    std::optional<size_t> own, outer;
    for (size_t d = 0; d < rule.rank(t); ++d) {
      if (colorAt(op, t, d) == color) own = d;
      if (colorAt(op, t, d) == other) outer = d;
    }
    if (own && outer) return *outer < *own ? 1 : -1;
  }
  return 0;
}

// Whether indices say what is taken of the dim.
bool Structure::isIndexedAt(const analysis::Name& name) const {
  if (subject_.rule(name.op).factor(name.factor).kind != FactorKind::kReduction) return false;
  const program::Program& program = subject_.program;
  const program::SignatureId signature = program.op(name.op).signature;
  const rules::Work work = rules::workOf(program.name(name.op), program.attributes(signature));
  return work.kind == rules::WorkKind::kIndexing;
}

// Pages of a cache, which any example may have.
bool Structure::isIndexed(ColorId color) const {
  return std::ranges::any_of(subject_.analysis.colors()[color].names,
                             [&](const analysis::Name& name) { return isIndexedAt(name); });
}

// Layers of a stack of caches, which are written and cut out one by one: nothing computes along
// them.
bool Structure::isStack(ColorId color) const {
  const analysis::Color& stack = subject_.analysis.colors()[color];
  return stack.flops == 0 && std::ranges::all_of(stack.argumentDims, [&](const ArgumentDim& dim) {
           return roles_[dim.argument] == Role::kState;
         });
}

// Nodes of a graph, which edges look up: to split them and not the edges would only cost.
bool Structure::isIndexedByOthers(ColorId color, const std::set<ColorId>& known) const {
  const auto isOfOthers = [&](const analysis::Name& name) {
    if (!isIndexedAt(name)) return false;
    const rules::Rule& rule = subject_.rule(name.op);
    const auto isKnown = [&](FactorId factor) {
      const ColorId other = subject_.analysis.color({name.op, factor});
      return other.valid() && (other == color || known.contains(other));
    };
    for (size_t d = 0; d < rule.rank(1); ++d) {  // The indices.
      if (std::ranges::any_of(rule.dim(1, d), isKnown)) return false;
    }
    return true;
  };
  return std::ranges::any_of(subject_.analysis.colors()[color].names, isOfOthers);
}

// Inputs by their values, and caches in a program without parameters. Scalars are left out.
std::vector<ValueId> Structure::dataArguments() const {
  std::vector<ValueId> values;
  for (uint32_t i = 0; i < roles_.size(); ++i) {
    const bool input = roles_[i] == Role::kInput || (!updates_ && roles_[i] == Role::kState);
    const ValueId value = subject_.program.arguments()[i].value;
    if (input && !subject_.program.shape(value).empty()) values.push_back(value);
  }
  return values;
}

// The leading dims of the inputs, less those that cannot be the batch.
void Structure::findBatch() {
  const program::Program& program = subject_.program;
  // Dims behind the leading one; leading dims of results; leading dims behind one that loops take
  // apart, and what stands before these elsewhere: time, in labels that are given by time as well.
  std::set<ColorId> further, returned, behindTime, time;
  for (const ValueId value : dataArguments()) {
    const size_t leading = leadingDim(value);
    const ColorId color = colorOfDim(subject_, value, leading);
    if (color.valid() && std::ranges::find(batch_, color) == batch_.end()) batch_.push_back(color);
    if (leading > 0) behindTime.insert(color);
  }
  for (const ValueId value : dataArguments()) {
    const std::vector<ColorId> colors = colorsOf(value);
    for (size_t d = leadingDim(value) + 1; d < colors.size(); ++d) {
      if (behindTime.contains(colors[d]))
        time.insert(colors.begin(), colors.begin() + static_cast<ptrdiff_t>(d));
      else
        further.insert(colors[d]);
    }
  }
  for (const program::ProgramResult& result : program.results()) {
    const ValueId value = program.operands(result.returnOp)[0];
    if (!program.shape(value).empty())
      returned.insert(colorOfDim(subject_, value, leadingDim(value)));
  }
  if (std::vector<ColorId> parts = partsOfBatch(); !parts.empty()) {
    batch_ = std::move(parts);
    return;
  }
  // Leading dims of what is frozen are summed in no gradient.
  prefer(batch_, [&](ColorId color) { return summed_.contains(color); });
  prefer(batch_, [&](ColorId color) { return !further.contains(color) && !time.contains(color); });
  if (!updates_) {
    const auto isReturned = [&](ColorId color) { return returned.contains(color); };
    prefer(batch_, isReturned);
    prefer(batch_, [&](ColorId color) { return !isIndexed(color); });
    prefer(batch_, [&](ColorId color) { return !isStack(color); });
    prefer(batch_, [&](ColorId color) { return mayLead(color); });
    if (std::ranges::none_of(batch_, isReturned))
      prefer(batch_,
             [&](ColorId color) { return std::ranges::any_of(joined({color}), isReturned); });
  }
  dropShared();
  double most = 0;
  const auto bytes = [&](ColorId color) { return subject_.analysis.colors()[color].bytes; };
  for (const ColorId color : batch_) most = std::max(most, bytes(color));
  const std::vector<ColorId> mixed = joined({});
  for (const ColorId color : mixed) most = std::max(most, bytes(color));
  std::erase_if(batch_, [&](ColorId color) { return bytes(color) < kTinyShare * most; });
  // No input brings examples: they are drawn from what the step keeps. Points of the one example
  // that an input holds are none.
  if (!batch_.empty()) return;
  const std::set<ColorId> points = insideOneExample();
  std::ranges::copy_if(mixed, std::back_inserter(batch_),
                       [&](ColorId color) { return !points.contains(color); });
}

// Dims that all examples share. Of dims of one size it does not say which is which: images and
// texts that are compared, each with each.
void Structure::dropShared() {
  const std::vector<ColorId> all = batch_;
  const auto isShared = [&](ColorId color) {
    return std::ranges::any_of(all, [&](ColorId other) {
      const bool sizes =
          subject_.analysis.colors()[color].largest != subject_.analysis.colors()[other].largest;
      return other != color && sizes && isForEach(color, other);
    });
  };
  prefer(batch_, [&](ColorId color) { return !isShared(color); });
}

// Dims of inputs that have one example, and what is made of them: its time and space, less a margin
// that is cut off, or under a convolution.
std::set<ColorId> Structure::insideOneExample() const {
  std::set<ColorId> inside;
  for (const ValueId value : dataArguments()) {
    const std::vector<ColorId> colors = colorsOf(value);
    if (subject_.program.shape(value)[0] == 1) inside.insert(colors.begin(), colors.end());
  }
  inside.erase(ColorId());
  const auto isInside = [&](ColorId color) { return inside.contains(color); };
  for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
    const auto operands = subject_.program.operands(OpId(i));
    for (size_t t = 0; t < operands.size(); ++t) {
      for (size_t d = 0; d < subject_.program.shape(operands[t]).size(); ++d) {
        const ColorId color = colorAt(OpId(i), t, d);
        if (color.valid() && std::ranges::any_of(takenWhole(operands[t], d), isInside))
          inside.insert(color);
      }
    }
  }
  return inside;
}

void Structure::findExamples() {
  examples_.insert(batch_.begin(), batch_.end());
  const std::vector<ColorId> others = joined(batch_);
  examples_.insert(others.begin(), others.end());
}

// What gradients are sums over of the parts that a batch is cut into: nothing computes along the
// batch itself. It is split as well, where nothing inside needs the axis. Where an input has its
// batch in one piece, what is cut is something else: a table of positions.
std::vector<ColorId> Structure::partsOfBatch() const {
  std::set<ColorId> leading;
  for (uint32_t i = 0; i < roles_.size(); ++i) {
    const bool scalar = subject_.program.shape(subject_.program.arguments()[i].value).empty();
    if (roles_[i] == Role::kInput && !scalar) leading.insert(color({i, 0}));
  }
  if (std::ranges::any_of(leading, [&](ColorId color) { return summed_.contains(color); }))
    return {};
  std::vector<ColorId> parts, cut;
  for (const ColorId color : leading) {
    std::vector<ColorId> found = partsOf(color);
    std::erase_if(found, [&](ColorId part) { return !summed_.contains(part); });
    parts.insert(parts.end(), found.begin(), found.end());
    if (!found.empty()) cut.push_back(color);  // Not the vocabulary of a frozen model.
  }
  std::ranges::sort(parts);
  parts.erase(std::ranges::unique(parts).begin(), parts.end());
  parts.insert(parts.end(), cut.begin(), cut.end());
  return parts;
}

// What ops take dims of a colour apart into, and dims of what is cut out of them.
std::vector<ColorId> Structure::partsOf(ColorId color) const {
  if (!color.valid()) return {};
  std::vector<ColorId> parts;
  for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
    const rules::Rule& rule = subject_.rule(OpId(i));
    const auto operands = subject_.program.operands(OpId(i));
    for (size_t t = 0; t < operands.size(); ++t) {
      for (size_t d = 0; d < rule.rank(t); ++d) {
        const bool from =
            colorOfDim(subject_, operands[t], d) == color || isCut(operands[t], d, color);
        if (!from) continue;
        for (const FactorId factor : rule.dim(t, d))
          parts.push_back(subject_.analysis.color({OpId(i), factor}));
      }
    }
  }
  return parts;
}

// Whether the dim is made of another one, of this colour, which its op needs whole: a slice.
bool Structure::isCut(ValueId value, size_t dim, ColorId color) const {
  const OpId op = subject_.program.value(value).definition;
  const rules::Rule& rule = subject_.rule(op);
  if (!needsWhole(rule, rule.operandCount() + subject_.program.resultIndex(value), dim))
    return false;
  for (size_t t = 0; t < rule.operandCount(); ++t) {
    for (size_t d = 0; d < rule.rank(t); ++d) {
      if (needsWhole(rule, t, d) &&
          colorOfDim(subject_, subject_.program.operands(op)[t], d) == color)
        return true;
    }
  }
  return false;
}

// Until nothing is found any more: what is put together may be cut again, and other inputs may be
// among what it is put together of.
std::vector<ColorId> Structure::joined(const std::vector<ColorId>& batch) const {
  std::set<ColorId> known(batch.begin(), batch.end());
  std::vector<ColorId> found;
  const auto add = [&](ColorId color) {
    if (known.insert(color).second) found.push_back(color);
  };
  for (bool open = true; open;) {
    const size_t before = known.size();
    for (const std::vector<ColorId>& together : joins_) {
      if (joins(together, known)) std::ranges::for_each(together, add);
    }
    for (const OpId gradient : gradients_) {
      if (const ColorId color = mixedAt(gradient, known); color.valid()) add(color);
    }
    for (const Product& product : products_) {
      if (const ColorId color = mixedIn(product, known); color.valid()) add(color);
    }
    for (const OpId op : lookups_) {
      if (const ColorId color = joinedAt(op, known); color.valid()) add(color);
    }
    open = known.size() > before;
  }
  return found;
}

// One of them is known, and no parameter nor state shows one of the others: keys that are written
// into a queue leave it a queue.
bool Structure::joins(const std::vector<ColorId>& together, const std::set<ColorId>& known) const {
  const auto isKnown = [&](ColorId color) { return known.contains(color); };
  const auto isOther = [&](ColorId color) { return !isKnown(color) && !isOfInputs(color); };
  return std::ranges::any_of(together, isKnown) && std::ranges::none_of(together, isOther);
}

// A gradient that is a sum over no dim of examples is one over examples all the same: rows that
// were shuffled, drawn or dispatched lie along a dim of their own, which no argument has. The first
// such dim, if enough is computed along it, and not mostly for each example: a network of positions
// has gradients that are sums over these alone.
ColorId Structure::mixedAt(OpId gradient, const std::set<ColorId>& known) const {
  const rules::Rule& rule = subject_.rule(gradient);
  ColorId first;
  for (size_t d = 0; d < rule.rank(0); ++d) {
    for (const FactorId factor : rule.dim(0, d)) {
      const ColorId color = subject_.analysis.color({gradient, factor});
      if (!color.valid() || !summed_.contains(color)) continue;
      if (known.contains(color)) return {};
      const bool own = subject_.analysis.colors()[color].argumentDims.empty();
      if (!first.valid() && own) first = color;
    }
  }
  return first.valid() && mayBeMixed(first, known) ? first : ColorId();
}

// The same where no gradient tells: in a network that is not trained, and in what is computed again
// for the backward pass, whose first time has dims of its own. The first dim of the data that the
// weight has not, if no argument has it either.
ColorId Structure::mixedIn(const Product& product, const std::set<ColorId>& known) const {
  if (known.empty()) return {};
  const rules::Rule& rule = subject_.rule(product.op);
  ColorId first;
  for (size_t d = 0; d < rule.rank(product.data); ++d) {
    for (const FactorId factor : rule.dim(product.data, d)) {
      const ColorId color = subject_.analysis.color({product.op, factor});
      if (!color.valid() || stands(rule, product.weight, factor)) continue;
      if (known.contains(color)) return {};
      if (!first.valid()) first = color;
    }
  }
  const bool own = first.valid() && subject_.analysis.colors()[first].argumentDims.empty();
  return own && mayBeMixed(first, known) ? first : ColorId();
}

bool Structure::mayBeMixed(ColorId color, const std::set<ColorId>& known) const {
  const bool much = subject_.analysis.colors()[color].flops >= kLeastMixed * mostFlops_;
  return much && !isIndexedByOthers(color, known) && !isBeside(color, known);
}

// Whether most of what is computed along the colour is computed for each of the others.
bool Structure::isBeside(ColorId color, const std::set<ColorId>& others) const {
  const program::Program& program = subject_.program;
  double beside = 0;
  OpId last;
  for (const analysis::Name& name : subject_.analysis.colors()[color].names) {
    const rules::Rule& rule = subject_.rule(name.op);
    const bool made = program.resultCount(name.op) > 0 && name.op != last;
    if (!made || !stands(rule, rule.operandCount(), name.factor)) continue;
    last = name.op;
    const auto isOther = [&](ColorId shown) { return others.contains(shown); };
    if (std::ranges::any_of(colorsOf(program.result(name.op, 0)), isOther))
      beside += rule.flops() * program.region(program.op(name.op).region).weight;
  }
  return 2 * beside > subject_.analysis.colors()[color].flops;
}

// The colours of each operand's dim and of the dims that it is made of, if the op that makes it
// only moves points: those of all that is concatenated, of what a slice is cut out of, of what is
// sorted.
void Structure::findJoins() {
  const program::Program& program = subject_.program;
  for (uint32_t i = 0; i < program.signatureCount(); ++i)
    moves_.push_back(onlyMoves(program, program::SignatureId(i)));
  std::set<std::vector<ColorId>> seen;
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const auto operands = program.operands(OpId(i));
    for (size_t t = 0; t < operands.size(); ++t) {
      const OpId maker = program.value(operands[t]).definition;
      if (!moves_[program.op(maker).signature.index()]) continue;
      for (size_t d = 0; d < program.shape(operands[t]).size(); ++d) {
        std::vector<ColorId> colors = takenWhole(operands[t], d);
        if (colors.empty() || !subject_.rule(OpId(i)).leading(t, d).valid()) continue;
        const ColorId color = colorAt(OpId(i), t, d);
        if (color.valid()) colors.push_back(color);
        if (seen.insert(colors).second) joins_.push_back(std::move(colors));
      }
    }
  }
}

// The colours of the dims at the same place that the op which makes a value needs whole for it.
std::vector<ColorId> Structure::takenWhole(ValueId value, size_t dim) const {
  const OpId op = subject_.program.value(value).definition;
  const rules::Rule& rule = subject_.rule(op);
  const size_t result = rule.operandCount() + subject_.program.resultIndex(value);
  std::vector<ColorId> colors;
  if (!needsWhole(rule, result, dim)) return colors;
  for (size_t t = 0; t < rule.operandCount(); ++t) {
    if (rule.rank(t) != rule.rank(result) || !needsWhole(rule, t, dim)) continue;
    const ColorId color = colorOfDim(subject_, subject_.program.operands(op)[t], dim);
    if (color.valid()) colors.push_back(color);
  }
  return colors;
}

// The colour of a dim of an operand, or of a result behind all of these, as the op sees it.
ColorId Structure::colorAt(OpId op, size_t tensor, size_t dim) const {
  const FactorId leading = subject_.rule(op).leading(tensor, dim);
  return leading.valid() ? subject_.analysis.color({op, leading}) : ColorId();
}

// Whether no parameter nor state shows the colour.
bool Structure::isOfInputs(ColorId color) const {
  return std::ranges::all_of(
      subject_.analysis.colors()[color].argumentDims,
      [&](const ArgumentDim& dim) { return roles_[dim.argument] == Role::kInput; });
}

}  // namespace shardwright::plan
