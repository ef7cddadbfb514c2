// Ops that order the elements of one dim: that dim is whole, the others are parallel.
#include <algorithm>
#include <cmath>

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// How often each of `size` elements is compared: in a sorting network, which is how XLA sorts rows.
// A single row is sorted by digits, and the largest few are found in other ways; those take as long
// as so many comparisons (benchmarks/results/h200-kernels.md).
double comparisons(int64_t size, int64_t kept, bool isOneRow) {
  constexpr double kByDigits = 46, kOfTheLargest = 20;
  if (size <= 1) return 0;
  const double rounds = std::ceil(std::log2(static_cast<double>(size)));
  const double network = rounds * (rounds + 1) / 2;
  if (kept != size) return std::min(network, kOfTheLargest);
  return isOneRow ? std::min(network, kByDigits) : network;
}

// Operands that are not scalars are tied with one another, and so are the results; the dims in
// `ordered` are blocked, the others tie operands and results.
Result<Rule> ordered(const OpView& view, const std::vector<bool>& orderedDims) {
  RuleBuilder builder(view);
  double perPoint = 0;
  const double points = productOf(view.operandShape(0));
  for (size_t d = 0; d < orderedDims.size(); ++d) {
    const FactorKind kind = orderedDims[d] ? FactorKind::kBlocked : FactorKind::kParallel;
    const int64_t size = view.operandShape(0)[d], resultSize = view.resultShape(0)[d];
    const FactorId in = builder.add(size, kind);
    const FactorId out = orderedDims[d] && size != resultSize ? builder.add(resultSize, kind) : in;
    for (size_t t = 0; t < view.tensorCount(); ++t) {
      const bool scalar = view.shape(t).empty();
      if (!scalar) builder.map(t, d, t < view.operandCount() ? in : out);
    }
    const bool isOneRow = points == static_cast<double>(size);
    if (orderedDims[d]) perPoint += comparisons(size, resultSize, isOneRow);
  }
  builder.flops(perPoint * points);
  return std::move(builder).finish();
}

// Every tensor has the rank of the first operand; operands after the first may be scalars, the
// initial values of ApproxTopK.
Status checkRanks(const OpView& view) {
  Checker check(view);
  check.that(view.operandCount() > 0, "has no operands")
      .that(view.resultCount() > 0, "has no results");
  if (check.failed()) return check.status();
  for (size_t t = 1; t < view.tensorCount(); ++t) {
    const bool scalarOperand = t < view.operandCount() && view.shape(t).empty();
    if (!scalarOperand) check.sameRank(t, 0);
  }
  return check.status();
}

}  // namespace

// n operands sorted together along one dim: ([i, j], [i, j])->([i, j], [i, j]), j blocked.
Result<Rule> sort(const OpView& view) {
  const auto* attrs = view.attributes<program::DimAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  Checker check(view);
  check.that(view.resultCount() > 0, "has no results")
      .counts(view.resultCount(), view.resultCount());
  for (size_t t = 1; t < view.tensorCount(); ++t) check.sameRank(t, 0);
  if (Status bad = check.status()) return *bad;
  // The op counts its dim from either end; -1 is the last.
  const auto rank = static_cast<int64_t>(view.operandShape(0).size());
  const int64_t dim = attrs->dim < 0 ? attrs->dim + rank : attrs->dim;
  if (Status bad = check.dim("dimension", dim, 0).status()) return *bad;
  return ordered(view, maskOf({{dim}}, view.operandShape(0).size()));
}

// The k largest along the last dim: ([i, j])->([i, k], [i, k]), j and k blocked.
Result<Rule> topK(const OpView& view) {
  if (Status bad = checkRanks(view)) return *bad;
  const size_t rank = view.operandShape(0).size();
  Checker check(view);
  check.rankAtLeast(0, 1);
  const auto* attrs = view.attributes<program::DimAttrs>();
  const int64_t dim = attrs != nullptr ? attrs->dim : static_cast<int64_t>(rank) - 1;
  if (Status bad = check.dim("dimension", dim, 0).status()) return *bad;
  return ordered(view, maskOf({{dim}}, rank));
}

// The dim is in a configuration that not every writer gives; without it, any dim that keeps its
// size may still be the one (k of k), so it passes only if another dim shrinks.
Result<Rule> approxTopK(const OpView& view) {
  if (view.attributes<program::DimAttrs>() != nullptr) return topK(view);
  if (Status bad = checkRanks(view)) return *bad;
  const auto in = view.operandShape(0);
  const auto out = view.resultShape(0);
  std::vector<bool> shrinks(in.size());
  bool any = false;
  for (size_t d = 0; d < in.size(); ++d) {
    shrinks[d] = in[d] != out[d];
    any = any || shrinks[d];
  }
  return ordered(view, any ? shrinks : std::vector<bool>(in.size(), true));
}

}  // namespace shardwright::rules
