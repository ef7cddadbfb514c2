#include <algorithm>
#include <numeric>

#include "shardwright/analysis/builder.h"
#include "shardwright/analysis/union_find.h"

namespace shardwright::analysis {

using program::OpId;
using rules::FactorId;
using rules::Rule;

Analysis Analysis::make(const program::Program& program, const rules::RuleTable& rules) {
  AnalysisBuilder builder(program, rules);
  builder.findColors();
  builder.findConflicts();
  builder.findClasses();
  return std::move(builder).finish();
}

size_t Analysis::capacityBytes() const {
  return firstName_.capacity() * sizeof(uint32_t) + colorOfName_.capacity() * sizeof(ColorId) +
         names_.capacity() * sizeof(Name) + colors_.capacityBytes() + conflicts_.capacityBytes() +
         sets_.capacityBytes() + classes_.capacityBytes();
}

void AnalysisBuilder::findColors() {
  analysis_.firstName_.push_back(0);
  for (uint32_t i = 0; i < program_.opCount(); ++i) {
    analysis_.firstName_.push_back(analysis_.firstName_.back() +
                                   static_cast<uint32_t>(rule(OpId(i)).factorCount()));
  }
  UnionFind components(analysis_.firstName_.back());
  forEachEdge(program_, [&](OpId from, size_t fromTensor, OpId to, size_t toTensor) {
    const Rule& a = rule(from);
    const Rule& b = rule(to);
    for (size_t dim = 0; dim < a.rank(fromTensor); ++dim) {
      forEachJoin(a, a.dim(fromTensor, dim), b, b.dim(toTensor, dim), [&](FactorId x, FactorId y) {
        components.join(nameIndex(from, x), nameIndex(to, y));
      });
    }
  });
  analysis_.colorOfName_.resize(analysis_.firstName_.back());
  for (uint32_t i = 0; i < program_.opCount(); ++i) {
    for (uint32_t factor = 0; factor < rule(OpId(i)).factorCount(); ++factor) {
      if (!rule(OpId(i)).factor(FactorId(factor)).splittable()) continue;
      const uint32_t name = analysis_.firstName_[i] + factor;
      // The representative is the first name of its component, so it has its colour by now.
      const uint32_t first = components.find(name);
      analysis_.colorOfName_[name] =
          first == name ? analysis_.colors_.push({}) : analysis_.colorOfName_[first];
    }
  }
  collectNames();
  measureColors();
  collectArgumentDims();
}

// Counting sort by colour.
void AnalysisBuilder::collectNames() {
  std::vector<uint32_t> begin(analysis_.colors_.size() + 1, 0);
  for (const ColorId color : analysis_.colorOfName_) {
    if (color.valid()) ++begin[color.index() + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  analysis_.names_.resize(begin.back());
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (uint32_t i = 0; i < program_.opCount(); ++i) {
    for (uint32_t name = analysis_.firstName_[i]; name < analysis_.firstName_[i + 1]; ++name) {
      const ColorId color = analysis_.colorOfName_[name];
      if (!color.valid()) continue;
      analysis_.names_[next[color.index()]++] = {OpId(i), FactorId(name - analysis_.firstName_[i])};
    }
  }
  for (uint32_t c = 0; c < analysis_.colors_.size(); ++c) {
    analysis_.colors_[ColorId(c)].names = {analysis_.names_.data() + begin[c],
                                           begin[c + 1] - begin[c]};
  }
}

void AnalysisBuilder::measureColors() {
  for (uint32_t i = 0; i < program_.opCount(); ++i) {
    measureOp(OpId(i));
    measureValues(OpId(i));
  }
}

// Calls visit(color, position) once per distinct colour among the factors given.
template <typename Colors, typename Visit>
static void forEachDistinct(const Colors& colors, Visit&& visit) {
  for (size_t i = 0; i < colors.size(); ++i) {
    if (!colors[i].valid()) continue;
    if (std::find(colors.begin(), colors.begin() + static_cast<std::ptrdiff_t>(i), colors[i]) !=
        colors.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    visit(colors[i]);
  }
}

void AnalysisBuilder::measureOp(OpId op) {
  const Rule& opRule = rule(op);
  const double flops = opRule.flops() * program_.region(program_.op(op).region).weight;
  const std::span<const ColorId> colors(
      analysis_.colorOfName_.data() + analysis_.firstName_[op.index()], opRule.factorCount());
  forEachDistinct(colors, [&](ColorId color) { analysis_.colors_[color].flops += flops; });
  for (uint32_t i = 0; i < colors.size(); ++i) {
    if (!colors[i].valid() || !canSplit(opRule, FactorId(i))) continue;
    Color& color = analysis_.colors_[colors[i]];
    const int64_t size = opRule.factor(FactorId(i)).size;
    color.largest = std::max(color.largest, size);
    color.divisor = std::gcd(color.divisor, size);
  }
}

void AnalysisBuilder::measureValues(OpId op) {
  const Rule& opRule = rule(op);
  // A loop's region arguments are the same buffers as its results: count a carry once.
  const bool tie = program::standsForAValue(program_.name(op));
  const uint32_t results = tie ? std::min(1u, program_.resultCount(op)) : program_.resultCount(op);
  std::vector<ColorId> colors;
  for (uint32_t i = 0; i < results; ++i) {
    const program::Value& value = program_.value(program_.result(op, i));
    const double bytes = static_cast<double>(program_.types().bytes(value.type)) *
                         program_.region(program_.op(op).region).weight;
    analysis_.totalBytes_ += bytes;
    const size_t tensor = opRule.operandCount() + i;
    colors.clear();
    for (size_t dim = 0; dim < opRule.rank(tensor); ++dim) {
      for (const FactorId factor : opRule.dim(tensor, dim)) {
        const ColorId color = analysis_.colorOfName_[nameIndex(op, factor)];
        colors.push_back(color);
        if (color.valid()) ++analysis_.colors_[color].dims;
      }
    }
    forEachDistinct(colors, [&](ColorId color) { analysis_.colors_[color].bytes += bytes; });
  }
}

void AnalysisBuilder::collectArgumentDims() {
  for (uint32_t i = 0; i < program_.arguments().size(); ++i) {
    const OpId op = program_.value(program_.arguments()[i].value).definition;
    const Rule& opRule = rule(op);
    for (uint32_t dim = 0; dim < opRule.rank(0); ++dim) {
      for (const FactorId factor : opRule.dim(0, dim)) {
        const ColorId color = analysis_.colorOfName_[nameIndex(op, factor)];
        if (color.valid()) analysis_.colors_[color].argumentDims.push_back({i, dim});
      }
    }
  }
}

}  // namespace shardwright::analysis
