// Examples that indices among the inputs join to others: the edges of a graph to its nodes.
#include <algorithm>

#include "shardwright/plan/structure.h"
#include "shardwright/rules/work.h"

namespace shardwright::plan {

using analysis::ColorId;
using program::OpId;
using program::ValueId;
using rules::FactorId;
using rules::FactorKind;

void Structure::findLookups() {
  const program::Program& program = subject_.program;
  const std::vector<char> given = givenNumbers();
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const OpId op(i);
    const rules::Work work =
        rules::workOf(program.name(op), program.attributes(program.op(op).signature));
    if (work.kind != rules::WorkKind::kIndexing && !work.scatters) continue;
    const auto operands = program.operands(op);
    if (operands.size() != (work.scatters ? 3u : 2u)) continue;  // Of one array.
    const bool places = !program.shape(operands[1]).empty();
    if (places && given[operands[1].index()]) lookups_.push_back(op);
  }
}

// Per value: whether it is made from whole numbers of inputs and from counts alone. A router's
// choice comes of weights.
std::vector<char> Structure::givenNumbers() const {
  const program::Program& program = subject_.program;
  std::vector<char> given(program.valueCount());
  for (uint32_t i = 0; i < given.size(); ++i) {
    const program::DType dtype = program.types().dtype(program.value(ValueId(i)).type);
    given[i] = !program::isFloat(dtype);
  }
  for (uint32_t i = 0; i < roles_.size(); ++i)
    if (roles_[i] != Role::kInput) given[program.arguments()[i].value.index()] = false;
  const auto isGiven = [&](ValueId value) { return given[value.index()] != 0; };
  for (bool changed = true; changed;) {  // Loops feed back.
    changed = false;
    for (uint32_t i = 0; i < program.opCount(); ++i) {
      if (std::ranges::all_of(program.operands(OpId(i)), isGiven)) continue;
      for (uint32_t r = 0; r < program.resultCount(OpId(i)); ++r) {
        char& result = given[program.result(OpId(i), r).index()];
        changed = changed || result;
        result = false;
      }
    }
  }
  return given;
}

// What indices join to known examples: where these are read, the dim of an input for which they are
// (edges, of which each reads two nodes); where they are added up, what they are added up for.
ColorId Structure::joinedAt(OpId op, const std::set<ColorId>& known) const {
  const rules::Rule& rule = subject_.rule(op);
  const bool adds = rule.operandCount() == 3;
  bool reads = false, indexed = false;
  ColorId addedFor;
  for (size_t d = 0; d < rule.rank(1); ++d) indexed = indexed || known.contains(colorAt(op, 1, d));
  for (size_t d = 0; d < rule.rank(0); ++d) {
    const FactorId factor = rule.leading(0, d);
    if (!factor.valid()) continue;
    const ColorId color = subject_.analysis.color({op, factor});
    const bool sum = rule.factor(factor).kind == FactorKind::kReduction;
    reads = reads || (sum && known.contains(color));
    if (adds && !addedFor.valid() && !stands(rule, 2, factor)) addedFor = color;
  }
  const ColorId read = reads && !indexed ? colorAt(op, 1, 0) : ColorId();
  const ColorId found = !adds ? read : indexed ? addedFor : ColorId();
  if (!found.valid() || !isOfInputs(found)) return {};
  if (adds) return isOfATable(found) ? ColorId() : found;
  return subject_.analysis.colors()[found].argumentDims.empty() ? ColorId() : found;
}

// Whether an argument is looked up along it as it comes: what is added up there is its gradient.
bool Structure::isOfATable(ColorId color) const {
  const program::Program& program = subject_.program;
  return std::ranges::any_of(subject_.analysis.colors()[color].names,
                             [&](const analysis::Name& name) {
                               if (!isIndexedAt(name)) return false;
                               auto from = program.operands(name.op).first(1);
                               while (from.size() == 1)
                                 from = program.operands(program.value(from[0]).definition);
                               return from.empty();
                             });
}

}  // namespace shardwright::plan
