#include "shardwright/mlir/import/repetitions.h"

#include <algorithm>

namespace shardwright {

using program::TypeId;
using program::ValueId;
using rules::WorkKind;

Repetitions::Known Repetitions::known(ValueId value) const {
  const Known alone{.first = value};
  if (value.index() >= values_.size()) return alone;
  const Known& found = values_[value.index()];
  return found.first.valid() ? found : alone;
}

bool Repetitions::isAnchored(const Candidate& op, WorkKind kind) const {
  const program::Program& program = builder_.program();
  const auto typeOf = [&](ValueId value) { return program.value(value).type; };
  const auto anchored = [&](ValueId value) { return known(value).anchored; };
  const auto fits = [&](ValueId value) {
    return program.types().rank(typeOf(value)) == 0 || anchored(value);
  };
  switch (kind) {
    case WorkKind::kSource:
    case WorkKind::kConstant:
      return false;
    case WorkKind::kBroadcast: {
      const auto elements = [&](TypeId type) { return program.types().elements(type); };
      return anchored(op.operands[0]) &&
             elements(typeOf(op.operands[0])) == elements(op.resultType);
    }
    case WorkKind::kElementwise:
      return std::ranges::any_of(op.operands, [&](ValueId value) {
        return anchored(value) &&
               program.types().rank(typeOf(value)) == program.types().rank(op.resultType);
      });
    default:
      return std::ranges::any_of(op.operands, anchored) && std::ranges::all_of(op.operands, fits);
  }
}

ValueId Repetitions::find(const Candidate& op) {
  found_ = nullptr;
  const program::Program& program = builder_.program();
  const rules::Work work = rules::workOf(program.name(op.name), program.attributes(op.attributes));
  if (!work.repeats) return {};
  words_.assign({op.name.index(), op.attributes.index(), op.variant,
                 builder_.currentRegion().index(), op.resultType.index()});
  for (const ValueId operand : op.operands) words_.push_back(known(operand).first.index());
  const auto [number, isNew] = numbers_.intern(words_);
  if (isNew) firsts_.push_back({.first = {}, .anchored = isAnchored(op, work.kind)});
  found_ = &firsts_[number];
  return found_->anchored ? found_->first : ValueId();
}

void Repetitions::add(ValueId result) {
  if (found_ == nullptr) return;
  if (!found_->first.valid()) found_->first = result;
  values_.resize(result.index() + 1);
  values_[result.index()] = *found_;
}

}  // namespace shardwright
