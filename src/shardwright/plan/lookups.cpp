#include "shardwright/plan/lookups.h"

#include <algorithm>

#include "shardwright/plan/structure.h"
#include "shardwright/rules/work.h"

namespace shardwright::plan {

using analysis::ColorId;
using program::OpId;
using rules::FactorId;
using rules::FactorKind;

namespace {

// Whether the op can be split along the colour, and which of its tensors show it.
bool showsSplit(const Subject& subject, OpId op, ColorId color, std::vector<char>& showing) {
  const rules::Rule& rule = subject.rule(op);
  bool found = false;
  showing.assign(rule.tensorCount(), false);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const FactorId factor(f);
    if (subject.analysis.color({op, factor}) != color || !analysis::canSplit(rule, factor))
      continue;
    found = true;
    for (size_t t = 0; t < rule.tensorCount(); ++t)
      showing[t] = showing[t] || stands(rule, t, factor);
  }
  return found;
}

double tensorBytes(const Subject& subject, OpId op, size_t tensor) {
  const program::Program& program = subject.program;
  const auto operands = program.operands(op);
  const program::ValueId value =
      tensor < operands.size()
          ? operands[tensor]
          : program.result(op, static_cast<uint32_t>(tensor - operands.size()));
  return static_cast<double>(program.types().bytes(program.value(value).type));
}

}  // namespace

bool isIndexedAt(const Subject& subject, OpId op, ColorId color) {
  const program::Program& program = subject.program;
  const program::SignatureId signature = program.op(op).signature;
  const rules::Work work = rules::workOf(program.name(op), program.attributes(signature));
  if (work.kind != rules::WorkKind::kIndexing && !work.scatters) return false;
  const rules::Rule& rule = subject.rule(op);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const bool sum = rule.factor(FactorId(f)).kind == FactorKind::kReduction;
    if (sum && subject.analysis.color({op, FactorId(f)}) == color) return true;
  }
  return false;
}

bool meetByIndices(const Subject& subject, const std::vector<ColorId>& colors) {
  std::vector<char> showing;
  for (const ColorId color : colors) {
    bool meets = false;
    for (const analysis::Name& name : subject.analysis.colors()[color].names) {
      for (const ColorId other : colors) {
        if (other == color || !showsSplit(subject, name.op, other, showing)) continue;
        if (!isIndexedAt(subject, name.op, color) && !isIndexedAt(subject, name.op, other))
          return false;
        meets = true;
      }
    }
    if (!meets) return false;
  }
  return true;
}

bool winsOver(const Subject& subject, ColorId color, const std::vector<ColorId>& others) {
  double ifWins = 0, ifLoses = 0;
  std::vector<char> own, other;
  for (const analysis::Name& name : subject.analysis.colors()[color].names) {
    if (!showsSplit(subject, name.op, color, own)) continue;
    for (const ColorId rival : others) {
      if (!showsSplit(subject, name.op, rival, other)) continue;
      for (size_t t = 0; t < own.size(); ++t) {
        if (own[t] == other[t]) continue;
        (own[t] ? ifLoses : ifWins) += tensorBytes(subject, name.op, t);
      }
    }
  }
  return ifWins < ifLoses;
}

std::vector<ColorId> winnersFirst(const Subject& subject, const std::vector<ColorId>& colors) {
  std::vector<ColorId> ordered;
  for (const ColorId color : colors) {
    const auto loser = std::ranges::find_if(
        ordered, [&](ColorId other) { return winsOver(subject, color, {other}); });
    ordered.insert(loser, color);
  }
  return ordered;
}

}  // namespace shardwright::plan
