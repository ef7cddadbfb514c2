// Reshape: both shapes are cut into pieces at the products they have in common.
//
// Walk both shapes from the major side. 2x4x32 -> 8x32 meets at 2, 8 and 256:
//     ([i, j, k])->([ij, k]) {i=2, j=4, k=32}
// Where the next sizes have no common divisor the walk is stuck, and starts again from the minor
// side until it is stuck there too. What lies between shares no loop index: 4x6x8 -> 6x32 is
//     ([il, mk, j])->([in, okj]) {i=2, j=8, k=2, l=2, m=3, n=3, o=2} need_replication={l, m, n, o}
#include <algorithm>
#include <numeric>

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// One of the two shapes during the walk: what is left of each dim, and which dims are still open.
class Side {
 public:
  Side(RuleBuilder& builder, const OpView& view, size_t tensor)
      : builder_(builder),
        tensor_(tensor),
        left_(view.shape(tensor).begin(), view.shape(tensor).end()) {
    major_.resize(left_.size());
    minor_.resize(left_.size());
    end_ = left_.size();
    // A dim of size 1 is part of no product: a factor of its own.
    for (size_t d = 0; d < left_.size(); ++d) {
      if (left_[d] == 1) major_[d].push_back(builder_.blocked(1));
    }
  }

  // What is left of the outermost open dim; 1 if no dim is open.
  int64_t major() {
    while (begin_ < end_ && left_[begin_] == 1) ++begin_;
    return begin_ < end_ ? left_[begin_] : 1;
  }
  int64_t minor() {
    while (begin_ < end_ && left_[end_ - 1] == 1) --end_;
    return begin_ < end_ ? left_[end_ - 1] : 1;
  }
  void takeMajor(FactorId factor, int64_t size) {
    major_[begin_].push_back(factor);
    left_[begin_] /= size;
  }
  void takeMinor(FactorId factor, int64_t size) {
    minor_[end_ - 1].push_back(factor);
    left_[end_ - 1] /= size;
  }
  // Blocks what is left and writes the factors of every dim.
  void finish() {
    for (size_t d = 0; d < left_.size(); ++d) {
      if (left_[d] != 1) major_[d].push_back(builder_.blocked(left_[d]));
      for (const FactorId factor : major_[d]) builder_.map(tensor_, d, factor);
      std::for_each(minor_[d].rbegin(), minor_[d].rend(),
                    [&](FactorId factor) { builder_.map(tensor_, d, factor); });
    }
  }

 private:
  RuleBuilder& builder_;
  size_t tensor_;
  std::vector<int64_t> left_;
  std::vector<std::vector<FactorId>> major_, minor_;  // Per dim, from its two ends inwards.
  size_t begin_ = 0, end_ = 0;
};

void walk(RuleBuilder& builder, Side& in, Side& out) {
  for (int64_t size; (size = std::gcd(in.major(), out.major())) > 1;) {
    const FactorId factor = builder.parallel(size);
    in.takeMajor(factor, size);
    out.takeMajor(factor, size);
  }
  for (int64_t size; (size = std::gcd(in.minor(), out.minor())) > 1;) {
    const FactorId factor = builder.parallel(size);
    in.takeMinor(factor, size);
    out.takeMinor(factor, size);
  }
}

Status checkElements(const OpView& view, size_t in, size_t out) {
  Checker check(view);
  std::optional<int64_t> counts[2];
  for (size_t side = 0; side < 2; ++side) {
    const size_t tensor = side == 0 ? in : out;
    counts[side] = exactProductOf(view.shape(tensor));
    check.that(counts[side].has_value(),
               view.tensorName(tensor) + " has more elements than 64 bits can count");
  }
  if (check.failed()) return check.status();
  return check
      .that(*counts[0] == *counts[1], "cannot make " + std::to_string(*counts[1]) +
                                          " elements of " + std::to_string(*counts[0]))
      .status();
}

}  // namespace

Result<Rule> reshape(const OpView& view) {
  const size_t operands = view.operandCount();
  // dynamic_reshape has its shape as a second operand.
  if (Status bad = Checker(view)
                       .that(operands == 1 || operands == 2,
                             "has " + std::to_string(operands) + " operands, expected 1")
                       .counts(operands, 1)
                       .status()) {
    return *bad;
  }
  if (Status bad = checkElements(view, 0, operands)) return *bad;
  // Nothing to cut: every factorisation of no elements is as good as another.
  if (exactProductOf(view.operandShape(0)) == 0) return whole(view);
  RuleBuilder builder(view);
  Side in(builder, view, 0), out(builder, view, operands);
  walk(builder, in, out);
  in.finish();
  out.finish();
  if (operands == 2) blockAll(builder, view, 1);
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
