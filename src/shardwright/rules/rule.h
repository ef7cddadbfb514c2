// The rule of an op: its loop indices, and which of them each dim of each tensor is made of.
//
// Everything Shardwright knows about an op's meaning is its rule. Analysis, propagation, lowering,
// cost and checking read rules and never ask for an op's name.
//
// FACTORS. Write the op as a loop nest. A matrix product is
//
//     for i in 16: for j in 64: for k in 32:  out[i, j] += lhs[i, k] * rhs[k, j]
//
// Each loop index is a factor, with a size. Each dim of each operand and result names the factors
// that index it. Printed in Shardy's notation:
//
//     ([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}
//
// To shard an op over a mesh axis is to split one of its loops over the devices of that axis. The
// rule then says at once what follows: every dim that names the factor must be split alike, tensors
// that do not name it are needed whole, and if the loop was a summation each device holds a partial
// sum.
//
// KINDS. What splitting the loop does:
//
//   parallel    nothing more: each device computes its part of the result
//   reduction   the results lack the factor; each device has a partial result, to be combined over
//               the axis with the factor's combiner (add for a matmul, max for a max-reduce)
//   blocked     it must not be split: the op needs all of it in one place (the dim a sort sorts)
//   halo        neighbours overlap (the spatial dims of a convolution): treated as blocked until
//               halo exchange exists
//
// COMPOUND DIMS. A reshape makes one dim of several or several of one, so a dim is an ordered list
// of factors, major first. `f32[2,4,32] -> f32[8,32]` is
//
//     ([i, j, k])->([ij, k]) {i=2, j=4, k=32}
//
// Only the first factor of a dim can be split without moving data, and only up to its size: the
// rows of the result are in blocks of 4 that belong to one i.
//
// LINEAR OPERANDS. Partial sums may pass through an op that is linear: transpose(a + b) is
// transpose(a) + transpose(b). Operands with the same linear group are linear together (both sides
// of an add), operands of different groups one at a time (either side of a matmul, while the other
// is complete). An operand of group 0 must be complete. Where a reduction factor is split, an
// operand that does not show it and counts once (the array that a scatter adds to, the initial
// value of a sum) must enter on one device only.
//
// LAWS. `check` verifies them for every rule, whoever wrote it:
//   R1  the sizes of a dim's factors multiply to the dim's size; a dim of size 1 may list none
//   R2  a factor stands in at least one dim
//   R3  a factor stands at most once in a tensor
//   R4  a reduction factor stands in an operand and in no result
//   R5  every factor size is at least 0
// R1 is also what finds programs that are wrong: a dot_general whose contracting dims differ in
// size gives a factor that fits one operand and not the other.
//
// WRITING ONE. See any file of this folder: a function takes an OpView, describes the factors with
// a RuleBuilder, and is listed in table.cpp. Attributes come from the program, so every index in
// them must be checked before use (checks.h). What each op's rule is, and where it differs from
// Shardy's and why: docs/rules.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardwright/base/ids.h"
#include "shardwright/base/result.h"
#include "shardwright/program/program.h"

namespace shardwright::rules {

enum class FactorKind : uint8_t { kParallel, kReduction, kBlocked, kHalo };

struct FactorTag;
using FactorId = Id<FactorTag>;  // Within one rule.

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kParallel;
  // For reductions: how the partial results combine.
  program::Combiner combiner = program::Combiner::kOther;
  bool operator==(const Factor&) const = default;

  // Whether an axis may split the factor at all.
  // Whether it multiplies the points of the op. A whole dim without elements is no part of the
  // work: the workspace that a call asks for.
  bool counts() const { return size != 0 || kind != FactorKind::kBlocked; }
  bool splittable() const {
    return size > 1 && (kind == FactorKind::kParallel || kind == FactorKind::kReduction);
  }
};

class Rule {
 public:
  size_t factorCount() const { return factors_.size(); }
  const Factor& factor(FactorId id) const { return factors_[id.index()]; }
  std::span<const Factor> factors() const { return factors_; }

  // Tensors are numbered operands first, then results.
  size_t operandCount() const { return operandCount_; }
  size_t tensorCount() const { return dimsBegin_.size() - 1; }
  size_t rank(size_t tensor) const { return dimsBegin_[tensor + 1] - dimsBegin_[tensor]; }
  // The factors of one dim, major first. Empty only where the size is 1.
  std::span<const FactorId> dim(size_t tensor, size_t dim) const;

  // The first factor of a dim that is larger than 1: the only one that can be split in place.
  // Invalid where there is none.
  FactorId leading(size_t tensor, size_t dim) const { return leading_[dimsBegin_[tensor] + dim]; }
  // Whether an axis may be given to the factor: it is splittable and leads every dim that shows it.
  bool canSplit(FactorId id) const { return canSplit_[id.index()] != 0; }

  // Arithmetic per point of the loop nest: 2 for a matmul (multiply and add), 1 for an add, 0 for a
  // transpose. A transcendental counts 1 too. Less than 1 where a factor indexes one side of a
  // window only and so multiplies the points without adding work. See flops().
  double flopsPerPoint() const { return flopsPerPoint_; }
  // Arithmetic of the whole op: flopsPerPoint times the product of the factor sizes.
  double flops() const;
  // How often a GPU reads and writes the op's data: more than once for what is done in rounds over
  // all of them, as a long Fourier transform.
  uint8_t passes() const { return passes_; }
  // Of a product in which each row meets the matrix of its own group: how many groups there are. On
  // GPUs all rows are multiplied for each group, and those of others masked.
  int64_t groups() const { return groups_; }
  // Whether an operand has those rows, so that it is written out once for each group.
  bool isGrouped(size_t operand) const;

  // The linear group of an operand, 0 if there is none. add: 1, 1; multiply: 1, 2; divide: 1, 0.
  uint8_t linearGroup(size_t operand) const {
    return operand < linearGroups_.size() ? linearGroups_[operand] : uint8_t{0};
  }
  bool countsOnce(size_t operand) const {
    return operand < countedOnce_.size() && countedOnce_[operand] != 0;
  }

  // `([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}`. Factors are named i to z, then
  // z_1, z_2, …. Blocked factors print as need_replication, halo factors as permutation, their
  // nearest in Shardy.
  std::string str() const;

  bool operator==(const Rule&) const = default;

  // The rule with other linear groups, one per operand.
  Rule withLinearGroups(std::vector<uint8_t> groups) &&;
  // The rule with other arithmetic of the whole op.
  Rule withFlops(double total) &&;

 private:
  friend class RuleBuilder;
  std::vector<Factor> factors_;
  std::vector<FactorId> dimFactors_;    // All dims' factors, flat.
  std::vector<uint32_t> factorsBegin_;  // Per dim (flat over tensors), into dimFactors_; one past.
  std::vector<uint32_t> dimsBegin_{0};  // Per tensor, into factorsBegin_; one past.
  void findLeading();

  std::vector<FactorId> leading_;  // Per dim, flat over tensors.
  std::vector<uint8_t> canSplit_;  // Per factor.
  uint32_t operandCount_ = 0;
  double flopsPerPoint_ = 0;
  uint8_t passes_ = 1;
  FactorId rows_;  // That lie in groups; invalid if none do.
  int64_t groups_ = 1;
  std::vector<uint8_t> linearGroups_;  // Per operand; empty if no operand is linear.
  std::vector<uint8_t> countedOnce_;   // Per operand; empty if none is.
};

// What a rule function sees of an op: types and attributes.
class OpView {
 public:
  OpView(const program::Program& program, program::SignatureId signature);

  std::string_view name() const { return program_.name(signature_); }
  size_t operandCount() const { return operandTypes_.size(); }
  size_t resultCount() const { return resultTypes_.size(); }
  // Tensors are numbered operands first, then results.
  size_t tensorCount() const { return operandCount() + resultCount(); }
  std::span<const int64_t> shape(size_t tensor) const;
  std::span<const int64_t> operandShape(size_t index) const { return shape(index); }
  std::span<const int64_t> resultShape(size_t index) const { return shape(operandCount() + index); }
  program::DType dtype(size_t tensor) const;
  template <typename T>
  const T* attributes() const {
    return std::get_if<T>(&program_.attributes(signature_));
  }

  // "operand 1", "result 0".
  std::string tensorName(size_t tensor) const;
  // A diagnostic that starts with the op's name: "stablehlo.slice: message".
  Diagnostic error(const std::string& message) const;
  // The attributes that the rule needs are not there, or are another op's.
  Diagnostic missingAttributes() const { return error("its attributes are missing"); }

 private:
  const program::Program& program_;
  program::SignatureId signature_;
  std::span<const program::TypeId> operandTypes_, resultTypes_;
};

// Builds a rule for the shapes of one op.
//   RuleBuilder b(view);
//   const FactorId i = b.parallel(16); const FactorId k = b.reduction(32, Combiner::kAdd);
//   b.map(0, 0, i); b.map(0, 1, k); …
class RuleBuilder {
 public:
  explicit RuleBuilder(const OpView& view);

  FactorId add(int64_t size, FactorKind kind,
               program::Combiner combiner = program::Combiner::kOther);
  FactorId parallel(int64_t size) { return add(size, FactorKind::kParallel); }
  FactorId blocked(int64_t size) { return add(size, FactorKind::kBlocked); }
  FactorId halo(int64_t size) { return add(size, FactorKind::kHalo); }
  FactorId reduction(int64_t size, program::Combiner combiner) {
    return add(size, FactorKind::kReduction, combiner);
  }
  // Appends `factor` to the factors of a dim, on the minor side. Dims must exist.
  void map(size_t tensor, size_t dim, FactorId factor);
  // Does the same for the dim of a result.
  void mapResult(size_t result, size_t dim, FactorId factor) {
    map(operandCount_ + result, dim, factor);
  }
  void flopsPerPoint(double flops) { flopsPerPoint_ = flops; }
  // Spreads the arithmetic of the whole op over its points, where no number per point is natural:
  // the input dim of a strided window has a factor of its own, which multiplies the points.
  void flops(double total);
  void passes(uint8_t count) { passes_ = count; }
  void groups(FactorId rows, int64_t count) {
    rows_ = rows;
    groups_ = count;
  }
  // The op is linear in this operand, together with the others of its group (from 1 on).
  void linear(size_t operand, uint8_t group);
  // Where a factor that it lacks is split and reduced with `combiner`, the operand counts once. To
  // count twice does no harm to a maximum.
  void countsOnce(size_t operand, program::Combiner combiner);

  // Checks the laws and hands the rule over. On a breach, a diagnostic that names the op, the
  // tensor, the dim and the sizes.
  Result<Rule> finish() &&;

 private:
  const OpView& view_;
  size_t operandCount_;
  std::vector<Factor> factors_;
  std::vector<std::vector<std::vector<FactorId>>> dims_;
  double flopsPerPoint_ = 0;
  double totalFlops_ = -1;  // Set by flops(); finish() divides it by the number of points.
  uint8_t passes_ = 1;
  FactorId rows_;
  int64_t groups_ = 1;
  std::vector<uint8_t> linearGroups_, countedOnce_;
};

// Laws R1 to R5 for `rule` as the rule of `view`. Empty if they hold.
[[nodiscard]] Status check(const Rule& rule, const OpView& view);

}  // namespace shardwright::rules
