// The law: what a plan means at each op.
//
//   L1  At each op, each axis (in mesh order) goes to the first colour of its list that has a
//       factor there that can be split (analysis::canSplit) and whose size the axis divides, after
//       the axes that are on the factor already. Axes of size 1 go nowhere.
//   L2  If that colour has several such factors, the resolutions of their conflicts on this axis
//       say which: the factor that wins against all factors before it, in order.
//   L3  Several axes on one factor stand in mesh order, major first.
//   L4  A turn puts its winner before all other colours of the axis at its ops.
//   L5  A pin of an argument, return, carry or merge replaces what L1 to L4 say there. A return
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

// Axes of every name (op, factor) of a program.
class Assignment {
 public:
  Assignment() = default;
  explicit Assignment(const Subject& subject);

  mesh::AxisList axes(program::OpId op, rules::FactorId factor) const {
    return axes_[firstName_[op.index()] + factor.index()];
  }
  void set(program::OpId op, rules::FactorId factor, mesh::AxisList axes) {
    axes_[firstName_[op.index()] + factor.index()] = axes;
  }
  std::span<const mesh::AxisList> axes(program::OpId op) const {
    return {axes_.data() + firstName_[op.index()], axes_.data() + firstName_[op.index() + 1]};
  }
  // All axes that the op splits one of its factors over.
  mesh::AxisSet used(program::OpId op) const;

  bool operator==(const Assignment&) const = default;

 private:
  std::vector<uint32_t> firstName_;  // Per op, one past.
  std::vector<mesh::AxisList> axes_;
};

// The axes of a dim: those of its first factor larger than 1, the only one that can be split.
inline mesh::AxisList dimAxes(const rules::Rule& rule, std::span<const mesh::AxisList> factorAxes,
                              size_t tensor, size_t dim) {
  const rules::FactorId factor = rule.leading(tensor, dim);
  return factor.valid() ? factorAxes[factor.index()] : mesh::AxisList();
}

// Applies the law. Pins must fit (see checkPlan).
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
