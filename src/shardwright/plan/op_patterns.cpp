#include "shardwright/plan/op_patterns.h"

namespace shardwright::plan {

using analysis::ColorId;
using analysis::Conflict;
using analysis::ConflictId;
using program::OpId;
using rules::FactorId;

OpPatterns::OpPatterns(const Subject& subject) : unsplit_(subject) {
  findConflicts(subject);
  WordInterner interner;
  std::vector<uint64_t> words;
  for (uint32_t i = 0; i < subject.program.opCount(); ++i) {
    words.assign(1, subject.program.op(OpId(i)).signature.index());
    describe(subject, OpId(i), words);
    const auto [number, isNew] = interner.intern(words);
    if (isNew) firstOps_.push(OpId(i));
    ofOp_.push_back(OpPatternId(number));
  }
}

void OpPatterns::describe(const Subject& subject, OpId op, std::vector<uint64_t>& words) const {
  const analysis::Analysis& analysis = subject.analysis;
  const auto factors = static_cast<uint32_t>(subject.rule(op).factorCount());
  for (uint32_t f = 0; f < factors; ++f) {
    const ColorId color = analysis.color({op, FactorId(f)});
    words.push_back(color.valid() ? analysis.colors()[color].classId.index() + 1 : 0);
    // Which factors share a colour. Where two colours of one class meet, their order matters.
    for (uint32_t g = 0; g < f; ++g) {
      const ColorId other = analysis.color({op, FactorId(g)});
      if (!color.valid() || !other.valid()) continue;
      if (color == other) words.push_back(uint64_t{1} << 32 | g);
      const bool sameClass = analysis.colors()[color].classId == analysis.colors()[other].classId;
      if (color != other && sameClass) words.push_back(uint64_t{2} << 32 | op.index());
    }
  }
  for (uint32_t c = conflictsBegin(op); c < conflictsEnd(op); ++c) {
    const Conflict& conflict = analysis.conflicts()[ConflictId(c)];
    words.push_back(uint64_t{conflict.first.index()} << 32 | conflict.second.index());
    words.push_back(uint64_t{3} << 32 | analysis.sets()[conflict.set].classId.index());
  }
}

// Conflicts stand in program order, so those of one op are consecutive.
void OpPatterns::findConflicts(const Subject& subject) {
  firstConflict_.assign(subject.program.opCount() + 1, 0);
  for (const Conflict& conflict : subject.analysis.conflicts()) {
    ++firstConflict_[conflict.op.index() + 1];
  }
  for (size_t i = 1; i < firstConflict_.size(); ++i) firstConflict_[i] += firstConflict_[i - 1];
}

}  // namespace shardwright::plan
