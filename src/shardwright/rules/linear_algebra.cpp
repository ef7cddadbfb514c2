// Decompositions, solves and transforms: leading batch dims are parallel, the matrix is whole.
#include <algorithm>
#include <cmath>
#include <optional>

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// How often a GPU passes over the data of a transform: up to 8192 points stay on the chip, longer
// ones are done in rounds of at most 128. The way back to real numbers copies its operand, which
// the library writes over, and scales the result. Fits benchmarks/results/h200-kernels.md.
uint8_t transformPasses(const OpView& view, std::span<const int64_t> lengths) {
  constexpr double kOnChip = 8192, kPerRound = 7;  // The latter as a power of two.
  double passes = 0;
  for (const int64_t length : lengths) {
    const auto points = static_cast<double>(length);
    passes += points > kOnChip ? std::ceil(std::log2(points) / kPerRound) : 1;
  }
  const bool toReal = program::isFloat(view.dtype(1));
  return static_cast<uint8_t>(std::clamp(passes + (toReal ? 2 : 0), 1.0, 7.0));
}

// Ties the first `count` dims of all tensors, with parallel factors.
void tieBatch(RuleBuilder& builder, const OpView& view, size_t count) {
  for (size_t d = 0; d < count; ++d) {
    const FactorId factor = builder.parallel(view.shape(0)[d]);
    for (size_t t = 0; t < view.tensorCount(); ++t) builder.map(t, d, factor);
  }
}

// The dim of `b` that numbers the right-hand sides of n x n equations: the other one is solved for.
// Empty where both could be, as the program does not say on which side the matrix stands.
std::optional<size_t> rightHandSides(int64_t n, std::span<const int64_t> b) {
  const bool fromLeft = b[b.size() - 2] == n, fromRight = b.back() == n;
  if (fromLeft == fromRight) return std::nullopt;
  return fromLeft ? b.size() - 1 : b.size() - 2;
}

}  // namespace

// ([i, j, k])->([i, j, k]), j and k blocked. n^3 / 3 flops for each matrix.
Result<Rule> cholesky(const OpView& view) {
  if (Status bad = Checker(view).counts(1, 1).rankAtLeast(0, 2).sameRank(1, 0).status()) {
    return *bad;
  }
  RuleBuilder builder(view);
  const auto shape = view.operandShape(0);
  tieBatch(builder, view, shape.size() - 2);
  for (size_t d = shape.size() - 2; d < shape.size(); ++d) {
    tieWhole(builder, view, FactorKind::kBlocked, 0, d, 1, d);
  }
  builder.flopsPerPoint(static_cast<double>(shape.back()) / 3 * multiplyAddFlops(view.dtype(0)) /
                        2);
  return std::move(builder).finish();
}

// ([i, j, k], [i, l, m])->([i, l, m]), j, k and l blocked: column m of the result is that of the
// right-hand side alone. n^2 flops for each of them.
Result<Rule> triangularSolve(const OpView& view) {
  if (Status bad =
          Checker(view).counts(2, 1).rankAtLeast(0, 2).sameRank(1, 0).sameRank(2, 0).status()) {
    return *bad;
  }
  RuleBuilder builder(view);
  const auto matrix = view.operandShape(0);
  const std::optional<size_t> sides = rightHandSides(matrix.back(), view.operandShape(1));
  tieBatch(builder, view, matrix.size() - 2);
  for (size_t d = matrix.size() - 2; d < matrix.size(); ++d) {
    builder.map(0, d, builder.blocked(matrix[d]));
    const FactorKind kind = d == sides ? FactorKind::kParallel : FactorKind::kBlocked;
    tieWhole(builder, view, kind, 1, d, 2, d);
  }
  builder.flops(productOf(view.operandShape(1)) * static_cast<double>(matrix.back()) *
                multiplyAddFlops(view.dtype(0)) / 2);
  return std::move(builder).finish();
}

// Operand 0 is a stack of matrices; every other tensor has the same leading dims.
Result<Rule> matrixDecomposition(const OpView& view) {
  if (Status bad = Checker(view).that(view.operandCount() > 0, "has no operands").status()) {
    return *bad;
  }
  Checker check(view);
  check.rankAtLeast(0, 2);
  if (Status bad = check.status()) return *bad;
  const auto shape = view.operandShape(0);
  const size_t batch = shape.size() - 2;
  for (size_t t = 0; t < view.tensorCount(); ++t) check.rankAtLeast(t, batch);
  if (Status bad = check.status()) return *bad;
  RuleBuilder builder(view);
  tieBatch(builder, view, batch);
  for (size_t t = 0; t < view.tensorCount(); ++t) {
    const auto sizes = view.shape(t);
    for (size_t d = batch; d < sizes.size(); ++d) builder.map(t, d, builder.blocked(sizes[d]));
  }
  const double known = decompositionFlops(view);
  // The others are of the order of rows x columns^2.
  builder.flops(known > 0 ? known : productOf(shape) * static_cast<double>(shape.back()));
  return std::move(builder).finish();
}

// The last dims, as many as `dims` has entries, are transformed. 5 n log2 n flops, half of that
// where one side is real.
Result<Rule> fft(const OpView& view) {
  const auto* attrs = view.attributes<program::DimsAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  const size_t transformed = attrs->dims.size();
  if (Status bad = Checker(view).counts(1, 1).sameRank(1, 0).rankAtLeast(0, transformed).status()) {
    return *bad;
  }
  RuleBuilder builder(view);
  const size_t rank = view.operandShape(0).size();
  tieBatch(builder, view, rank - transformed);
  for (size_t d = rank - transformed; d < rank; ++d) {
    tieWhole(builder, view, FactorKind::kBlocked, 0, d, 1, d);
  }
  const double points = productOf(attrs->dims);
  const double batch = productOf(view.operandShape(0).first(rank - transformed));
  const double perPoint = view.dtype(0) == view.dtype(1) ? 5 : 2.5;
  if (points >= 1) builder.flops(perPoint * batch * points * std::log2(points));
  builder.passes(transformPasses(view, attrs->dims));
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
