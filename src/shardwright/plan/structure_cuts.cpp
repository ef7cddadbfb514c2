// Dims that are cut out of the columns of a weight.
#include <algorithm>

#include "shardwright/plan/structure.h"

namespace shardwright::plan {

using analysis::ColorId;
using program::OpId;
using program::ValueId;
using rules::FactorId;

namespace {

// Chunks are worth a split from this share of the arithmetic of the colour that has most.
constexpr double kLeastChunk = 0.05;

}  // namespace

// Of the dims of operands: those that a slice has made of a column, and the minor factors that the
// op takes a column apart into. Ops come in the order of the program, so what is cut again counts
// as well.
void Structure::countCuts(OpId op) {
  const rules::Rule& rule = subject_.rule(op);
  const auto operands = subject_.program.operands(op);
  for (size_t t = 0; t < operands.size(); ++t) {
    if (!data_[operands[t].index()]) continue;
    for (size_t d = 0; d < rule.rank(t); ++d) {
      countSlice(op, t, d);
      if (rule.dim(t, d).size() > 1) countMinors(op, t, d);
    }
  }
}

// Where the first op uses what was sliced: there it has a colour.
void Structure::countSlice(OpId op, size_t operand, size_t dim) {
  const program::Program& program = subject_.program;
  const ValueId value = program.operands(op)[operand];
  if (cutSeen_[value.index()] || !isSliced(value, dim)) return;
  const OpId maker = program.value(value).definition;
  for (const ColorId whole : takenWhole(value, dim)) {
    if (countCut(whole, colorAt(op, operand, dim), resultBytes(maker)))
      cutSeen_[value.index()] = true;
  }
}

// Whether a slice has left no more of the dim than one of so many parts, and not all.
bool Structure::isSliced(ValueId value, size_t dim, int64_t parts) const {
  const program::Program& program = subject_.program;
  const OpId maker = program.value(value).definition;
  if (!moves_[program.op(maker).signature.index()] || program.operands(maker).empty()) return false;
  const auto from = program.shape(program.operands(maker)[0]), to = program.shape(value);
  return from.size() == to.size() && from[dim] > to[dim] && from[dim] >= parts * to[dim];
}

void Structure::countMinors(OpId op, size_t operand, size_t dim) {
  const rules::Rule& rule = subject_.rule(op);
  const ColorId whole = colorOfDim(subject_, subject_.program.operands(op)[operand], dim);
  for (const FactorId factor : rule.dim(operand, dim)) {
    if (factor != rule.leading(operand, dim))
      countCut(whole, subject_.analysis.color({op, factor}), resultBytes(op));
  }
}

// Whether it counts: what is cut behind the first row is cut by the backward pass, or for another
// layer, and saves nothing for that row.
bool Structure::countCut(ColorId whole, ColorId part, double bytes) {
  if (!whole.valid() || !part.valid() || whole == part) return false;
  const uint32_t weight = firstColumn_[whole.index()];
  ColorUse& use = uses_[part.index()];
  if (weight == kNone || use.rowBytes > 0) return false;
  uint32_t& first = firstColumn_[part.index()];
  if (first == kNone && use.weightBytes == 0) first = weight;
  if (first == kNone) return false;
  use.columnFirst = true;
  use.columnBytes += bytes;
  cutOutOf_[part].insert(whole);
  return true;
}

std::set<ColorId> Structure::cutOutOf(ColorId color) const {
  std::set<ColorId> found;
  std::vector<ColorId> pending = {color};
  while (!pending.empty()) {
    const auto wholes = cutOutOf_.find(pending.back());
    pending.pop_back();
    if (wholes == cutOutOf_.end()) continue;
    for (const ColorId whole : wholes->second) {
      if (found.insert(whole).second) pending.push_back(whole);
    }
  }
  return found;
}

std::set<ColorId> Structure::blocksOf(ColorId color) const {
  std::set<ColorId> blocks;
  for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
    const OpId op(i);
    const rules::Rule& rule = subject_.rule(op);
    for (size_t t = 0; t < rule.operandCount(); ++t) {
      const ValueId value = subject_.program.operands(op)[t];
      for (size_t d = 0; d < rule.rank(t); ++d) {
        const auto factors = rule.dim(t, d);
        if (factors.size() > 1 && colorOfDim(subject_, value, d) == color) {
          for (const FactorId factor : factors)
            blocks.insert(subject_.analysis.color({op, factor}));
        }
        if (isSliced(value, d, 2) && isCut(value, d, color)) blocks.insert(colorAt(op, t, d));
      }
    }
  }
  blocks.erase(color);
  blocks.erase(ColorId());
  return blocks;
}

std::set<ColorId> Structure::chunksOf(ColorId color, const std::set<ColorId>& taken) const {
  std::set<ColorId> chunks = blocksOf(color);
  std::erase_if(chunks, [&](ColorId block) {
    const ColorUse& use = uses_[block.index()];
    const bool other = use.meetsItselfInData || use.weightBytes > 0 || examples_.contains(block);
    return other || !isComputedAlone(block, taken);
  });
  return chunks;
}

// Whether much is computed along the colour, and most of that along none of the others.
bool Structure::isComputedAlone(ColorId color, const std::set<ColorId>& others) const {
  const program::Program& program = subject_.program;
  const analysis::Color& entry = subject_.analysis.colors()[color];
  if (entry.flops < kLeastChunk * mostFlops_) return false;
  double beside = 0;
  for (const analysis::Name& name : entry.names) {
    if (shows(name.op, others))
      beside += subject_.rule(name.op).flops() * program.region(program.op(name.op).region).weight;
  }
  return 2 * beside <= entry.flops;
}

// Whether the op makes a larger dim of an operand's one: a concatenation, or a reshape that has it
// as a minor factor.
bool Structure::putsTogether(OpId op, size_t operand, size_t dim) const {
  const rules::Rule& rule = subject_.rule(op);
  if (subject_.program.resultCount(op) == 0) return false;
  const auto from = subject_.program.shape(subject_.program.operands(op)[operand]);
  const auto to = subject_.program.shape(subject_.program.result(op, 0));
  const bool moves = moves_[subject_.program.op(op).signature.index()] != 0;
  if (moves) return to.size() == from.size() && to[dim] > from[dim];
  const FactorId leading = rule.leading(operand, dim);
  for (size_t d = 0; leading.valid() && d < to.size(); ++d) {
    const auto factors = rule.dim(rule.operandCount(), d);
    const bool shows = std::ranges::find(factors, leading) != factors.end();
    if (shows && rule.leading(rule.operandCount(), d) != leading) return true;
  }
  return false;
}

}  // namespace shardwright::plan
