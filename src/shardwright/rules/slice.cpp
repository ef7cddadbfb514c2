// Ops that take a part of a dim, or put one somewhere. A dim that passes whole is parallel; a
// touched dim is blocked, since a device's part of the result would lie on other devices.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// Ties the dim of `in` with that of the result: parallel if it passes whole.
void passOrBlock(RuleBuilder& builder, const OpView& view, size_t in, size_t dim, bool untouched) {
  const FactorKind kind = untouched ? FactorKind::kParallel : FactorKind::kBlocked;
  tieWhole(builder, view, kind, in, dim, view.operandCount(), dim);
}

// `part` is nowhere longer than `all`; both have the same rank.
Status checkPart(const OpView& view, size_t all, size_t part) {
  Checker check(view);
  for (size_t d = 0; d < view.shape(all).size() && !check.failed(); ++d) {
    const int64_t size = view.shape(all)[d], partSize = view.shape(part)[d];
    check.that(partSize <= size, view.tensorName(part) + " dim " + std::to_string(d) +
                                     " has size " + std::to_string(partSize) + ", more than the " +
                                     std::to_string(size) + " of " + view.tensorName(all));
  }
  return check.status();
}

// A part as long as the dim is the dim.
Result<Rule> partOf(const OpView& view) {
  if (Status bad = checkPart(view, 0, view.operandCount())) return *bad;
  RuleBuilder builder(view);
  const auto in = view.operandShape(0);
  const auto out = view.resultShape(0);
  for (size_t d = 0; d < in.size(); ++d) passOrBlock(builder, view, 0, d, in[d] == out[d]);
  for (size_t t = 1; t < view.operandCount(); ++t) blockAll(builder, view, t);
  return std::move(builder).finish();
}

// The number of elements that a slice takes; -1 if its bounds make no sense.
int64_t sliceLength(int64_t size, int64_t start, int64_t limit, int64_t stride) {
  if (start < 0 || limit < start || size < limit || stride < 1) return -1;
  return limit == start ? 0 : (limit - start - 1) / stride + 1;
}

void checkLength(Checker& check, const OpView& view, size_t dim, int64_t expected) {
  const int64_t size = view.resultShape(0)[dim];
  check.that(size == expected, "result 0 dim " + std::to_string(dim) + " has size " +
                                   std::to_string(size) + ", expected " + std::to_string(expected));
}

// Start indices are scalars.
void checkIndices(Checker& check, const OpView& view, size_t first) {
  for (size_t t = first; t < view.operandCount(); ++t) check.rank(t, 0);
}

}  // namespace

Result<Rule> slice(const OpView& view) {
  const auto* attrs = view.attributes<program::SliceAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  Checker check(view);
  check.counts(1, 1)
      .sameRank(1, 0)
      .perDim("start_indices", attrs->starts, 0)
      .perDim("limit_indices", attrs->limits, 0)
      .perDim("strides", attrs->strides, 0);
  if (Status bad = check.status()) return *bad;
  for (size_t d = 0; d < attrs->starts.size(); ++d) {
    const int64_t length =
        sliceLength(view.operandShape(0)[d], attrs->starts[d], attrs->limits[d], attrs->strides[d]);
    check.that(length >= 0, "bounds " + std::to_string(attrs->starts[d]) + ":" +
                                std::to_string(attrs->limits[d]) + ":" +
                                std::to_string(attrs->strides[d]) + " do not fit dim " +
                                std::to_string(d) + " of size " +
                                std::to_string(view.operandShape(0)[d]));
    checkLength(check, view, d, length);
  }
  if (Status bad = check.status()) return *bad;
  return partOf(view);
}

// The bounds are operands, so only the shapes tell.
Result<Rule> realDynamicSlice(const OpView& view) {
  if (Status bad = Checker(view).counts(4, 1).sameRank(4, 0).status()) return *bad;
  return partOf(view);
}

Result<Rule> dynamicSlice(const OpView& view) {
  const auto* attrs = view.attributes<program::SliceAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  const size_t rank = attrs->limits.size();
  Checker check(view);
  check.counts(1 + rank, 1).rank(0, rank).sameRank(1 + rank, 0);
  checkIndices(check, view, 1);
  if (Status bad = check.status()) return *bad;
  for (size_t d = 0; d < rank; ++d) checkLength(check, view, d, attrs->limits[d]);
  if (Status bad = check.status()) return *bad;
  return partOf(view);
}

// ([i, k], [j, k], [], [])->([i, k]): dim 0 is updated in part, dim 1 whole.
Result<Rule> dynamicUpdateSlice(const OpView& view) {
  const size_t operands = view.operandCount();
  Checker check(view);
  check.that(operands >= 2, "has fewer than 2 operands").counts(operands, 1);
  if (Status bad = check.status()) return *bad;
  check.sameRank(1, 0).sameRank(operands, 0).rank(0, operands - 2);
  checkIndices(check, view, 2);
  if (Status bad = check.status()) return *bad;
  if (Status bad = checkPart(view, 0, 1)) return *bad;
  RuleBuilder builder(view);
  const auto in = view.operandShape(0);
  const auto update = view.operandShape(1);
  for (size_t d = 0; d < in.size(); ++d) {
    const bool replaced = in[d] == update[d];
    const FactorId factor =
        builder.add(in[d], replaced ? FactorKind::kParallel : FactorKind::kBlocked);
    builder.map(0, d, factor);
    builder.map(1, d, replaced ? factor : builder.blocked(update[d]));
    builder.mapResult(0, d, factor);
  }
  builder.linear(0, 1);
  builder.linear(1, 1);
  return std::move(builder).finish();
}

// The joined dim is blocked in every operand and in the result.
Result<Rule> concatenate(const OpView& view) {
  const auto* attrs = view.attributes<program::DimAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  const size_t operands = view.operandCount();
  Checker check(view);
  check.that(operands > 0, "has no operands")
      .counts(operands, 1)
      .dim("dimension", attrs->dim, operands);
  for (size_t t = 0; t < operands; ++t) check.sameRank(t, operands);
  if (Status bad = check.status()) return *bad;

  RuleBuilder builder(view);
  const auto joinedDim = static_cast<size_t>(attrs->dim);
  const auto out = view.resultShape(0);
  for (size_t d = 0; d < out.size(); ++d) {
    const FactorId factor = d == joinedDim ? builder.blocked(out[d]) : builder.parallel(out[d]);
    builder.mapResult(0, d, factor);
    for (size_t t = 0; t < operands; ++t) {
      const int64_t size = view.operandShape(t)[d];
      const bool own = d == joinedDim && size != out[d];
      builder.map(t, d, own ? builder.blocked(size) : factor);
    }
  }
  return std::move(builder).finish();
}

namespace {

// low + size + (size - 1) * interior + high; empty if it does not fit.
std::optional<int64_t> paddedSize(int64_t size, int64_t low, int64_t high, int64_t interior) {
  int64_t gaps = 0, total = size;
  const bool overflow = __builtin_mul_overflow(size > 0 ? size - 1 : 0, interior, &gaps) ||
                        __builtin_add_overflow(total, gaps, &total) ||
                        __builtin_add_overflow(total, low, &total) ||
                        __builtin_add_overflow(total, high, &total);
  if (overflow || interior < 0) return std::nullopt;
  return total;
}

}  // namespace

Result<Rule> pad(const OpView& view) {
  const auto* attrs = view.attributes<program::PadAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  Checker check(view);
  check.counts(2, 1)
      .sameRank(2, 0)
      .rank(1, 0)
      .perDim("edge_padding_low", attrs->low, 0)
      .perDim("edge_padding_high", attrs->high, 0)
      .perDim("interior_padding", attrs->interior, 0);
  if (Status bad = check.status()) return *bad;
  RuleBuilder builder(view);
  for (size_t d = 0; d < attrs->low.size(); ++d) {
    const auto padded =
        paddedSize(view.operandShape(0)[d], attrs->low[d], attrs->high[d], attrs->interior[d]);
    check.that(padded.has_value(), "padding of dim " + std::to_string(d) + " is out of range");
    checkLength(check, view, d, padded.value_or(0));
    const bool untouched = attrs->low[d] == 0 && attrs->high[d] == 0 && attrs->interior[d] == 0;
    passOrBlock(builder, view, 0, d, untouched);
  }
  if (Status bad = check.status()) return *bad;
  return std::move(builder).finish();
}

Result<Rule> reverse(const OpView& view) {
  const auto* attrs = view.attributes<program::DimsAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad =
          Checker(view).counts(1, 1).sameRank(1, 0).dims("dimensions", attrs->dims, 0).status()) {
    return *bad;
  }
  RuleBuilder builder(view);
  const std::vector<bool> reversed = maskOf(attrs->dims, view.operandShape(0).size());
  for (size_t d = 0; d < reversed.size(); ++d) {
    const FactorId factor = builder.add(view.resultShape(0)[d],
                                        reversed[d] ? FactorKind::kBlocked : FactorKind::kParallel);
    builder.map(0, d, factor);
    builder.mapResult(0, d, factor);
  }
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
