// The law: what a plan means at each op.
//
//   L1  At each op, each axis (in mesh order) goes to the first colour of its list that has a
//       factor there that can be split (analysis::canSplit) and whose size the axis divides, after
//       the axes that are on the factor already. Axes of size 1 go nowhere.
//   L2  If that colour has several such factors, the resolutions of their conflicts on this axis
//       say which: the factor that wins against all factors before it, in order.
//   L3  Several axes on one factor stand in mesh order, major first.
//   L4  A turn puts its winner before all other colours of the axis at its ops.
//   L5  A pin of an argument, return, carry or merge replaces what L1 to L4 say there; an open dim
//       has the axes of the pin and behind them, in order, those that L1 to L4 give it, less those
//       that the pin has for any dim and those that do not divide what is left of the dim. A return
//       whose value takes over an argument's buffer follows that argument, whatever else is said.
//
//   subject: y = x @ w, x[16,32], w[32,64]; data: [rows of x], model: [columns of w]
//   the matmul ([i, k], [k, j])->([i, j]) gets i: data, j: model; argument x gets [data, -].
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

class OpPatterns;  // op_patterns.h

struct SplitTag;
using SplitId = Id<SplitTag>;

// Axes of every name (op, factor) of a program. Tens of thousands of ops are split in some hundred
// ways, so each op has the number of its split: a signature and the axes of its factors. Whatever
// follows from a split need be found once for all ops that have it.
class Assignment {
 public:
  Assignment() = default;
  // Nothing is split.
  explicit Assignment(const Subject& subject);

  mesh::AxisList axes(program::OpId op, rules::FactorId factor) const {
    return axes(op)[factor.index()];
  }
  // Like those of a split, valid until the next `set` or `intern`.
  std::span<const mesh::AxisList> axes(program::OpId op) const { return axes(split(op)); }
  void set(program::OpId op, rules::FactorId factor, mesh::AxisList axes);
  // All axes that the op splits one of its factors over.
  mesh::AxisSet used(program::OpId op) const;

  size_t splitCount() const { return signatures_.size(); }
  SplitId split(program::OpId op) const { return splits_[op.index()]; }
  program::SignatureId signature(SplitId id) const { return signatures_[id]; }
  std::span<const mesh::AxisList> axes(SplitId id) const {
    return {axes_.data() + axesBegin_[id.index()], axes_.data() + axesBegin_[id.index() + 1]};
  }
  // The split that splits nothing.
  static SplitId unsplit(program::SignatureId signature) { return SplitId(signature.index()); }
  // The split of ops with this signature and these axes, one list per factor.
  SplitId intern(program::SignatureId signature, std::span<const mesh::AxisList> axes);
  // `split` must be one of the op's signature.
  void set(program::OpId op, SplitId split) { splits_[op.index()] = split; }

  // Whether all ops are split alike.
  bool operator==(const Assignment& other) const;

 private:
  std::vector<SplitId> splits_;  // Per op.
  // Per split. Those that split nothing come first, in order of signatures.
  IdVector<SplitId, program::SignatureId> signatures_;
  std::vector<uint32_t> axesBegin_{0};  // Per split, into axes_; one past.
  std::vector<mesh::AxisList> axes_;
  WordInterner interner_;
  std::vector<uint64_t> words_;
  std::vector<mesh::AxisList> scratch_;
};

// The axes of a dim: those of its first factor larger than 1, the only one that can be split.
inline mesh::AxisList dimAxes(const rules::Rule& rule, std::span<const mesh::AxisList> factorAxes,
                              size_t tensor, size_t dim) {
  const rules::FactorId factor = rule.leading(tensor, dim);
  return factor.valid() ? factorAxes[factor.index()] : mesh::AxisList();
}

// L5: the axes of the dims of a pinned value, of which `lawful` are those of L1 to L4. Axes of size
// 1 are left out.
std::vector<mesh::AxisList> pinnedAxes(const mesh::Mesh& mesh, const Pin& pin,
                                       std::span<const int64_t> shape,
                                       std::span<const mesh::AxisList> lawful);

// Applies the law. Pins must fit (see checkPlan). With the subject's patterns, which can be kept,
// it takes a tenth of the time.
[[nodiscard]] Assignment assign(const Subject& subject, const OpPatterns& patterns,
                                const Plan& plan);
[[nodiscard]] Assignment assign(const Subject& subject, const Plan& plan);

// Everything a plan must obey before the law is applied: axes, colours, sets and ops exist; a pin
// has an axis list per dim, no axis twice, and sizes that divide. The diagnostic names argument (or
// op), dim, axis and sizes.
[[nodiscard]] Status checkPlan(const Subject& subject, const Plan& plan);

// Where the law left a decision without effect, for the report.
struct Unsplit {
  enum class Reason : uint8_t { kIndivisible, kTaken, kBlocked };
  uint32_t axis = 0;
  analysis::ColorId color;
  Reason reason = Reason::kIndivisible;
  uint32_t ops = 0;       // How many.
  program::OpId firstOp;  // In program order.
  int64_t size = 0;       // Of the factor at that op.
};
// Per decision and reason: at how many ops the colour has a factor that did not get the axis.
std::vector<Unsplit> unsplit(const Subject& subject, const Plan& plan,
                             const Assignment& assignment);

}  // namespace shardwright::plan
