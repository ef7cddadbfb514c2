// reduce_window and select_and_scatter. Windows that only cut the input up leave each output with
// its own part of the input; others need a halo.
#include "shardwright/rules/window.h"

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {

namespace {

// Whether `count` steps of `step` make up `whole`, and `inner` steps of `innerStep` stay within
// one.
bool nests(int64_t whole, int64_t count, int64_t step, int64_t inner, int64_t innerStep) {
  int64_t reach = 0;
  if (step < 1 || inner < 1 || innerStep < 1) return false;
  if (__builtin_mul_overflow(inner - 1, innerStep, &reach)) return false;
  return reach < step && whole % step == 0 && whole / step == count;
}

}  // namespace

WindowShape windowShape(const WindowDim& dim) {
  if (dim.low != 0 || dim.baseDilation != 1) return WindowShape::kOverlapping;
  // A single window has no neighbour, whatever its stride is.
  const int64_t stride = dim.out == 1 ? dim.in : dim.stride;
  const bool outer = nests(dim.in, dim.out, stride, dim.size, dim.windowDilation);
  if (outer && dim.size == stride) return WindowShape::kTiles;
  const bool windowOuter =
      dim.size > 1 && nests(dim.in, dim.size, dim.windowDilation, dim.out, dim.stride);
  if (windowOuter) return WindowShape::kInterleaved;
  return outer ? WindowShape::kSparse : WindowShape::kOverlapping;
}

namespace {

using program::WindowAttrs;

Status checkWindow(const OpView& view, const WindowAttrs& attrs) {
  Checker check(view);
  check.perDim("window_dimensions", attrs.sizes, 0);
  const size_t rank = attrs.sizes.size();
  const auto optional = [&](std::string_view what, const program::IntList& list, size_t length) {
    check.that(list.empty() || list.size() == length,
               std::string(what) + " has " + std::to_string(list.size()) + " entries, expected " +
                   std::to_string(length));
  };
  optional("window_strides", attrs.strides, rank);
  optional("base_dilations", attrs.baseDilations, rank);
  optional("window_dilations", attrs.windowDilations, rank);
  optional("padding", attrs.padding, 2 * rank);
  return check.status();
}

// Dim `dim` of a window over tensor `big`, one output each in tensor `small`.
WindowDim windowDim(const OpView& view, const WindowAttrs& attrs, size_t big, size_t small,
                    size_t dim) {
  return {.in = view.shape(big)[dim],
          .out = view.shape(small)[dim],
          .size = attrs.sizes[dim],
          .stride = entryOr(attrs.strides, dim, 1),
          .low = entryOr(attrs.padding, 2 * dim, 0),
          .baseDilation = entryOr(attrs.baseDilations, dim, 1),
          .windowDilation = entryOr(attrs.windowDilations, dim, 1)};
}

// A dim made of two factors, major first; a factor of size 1 is left out of a compound.
void mapParts(RuleBuilder& builder, size_t tensor, size_t dim, FactorId major, int64_t majorSize,
              FactorId minor, int64_t minorSize) {
  if (majorSize != 1 || minorSize == 1) builder.map(tensor, dim, major);
  if (minorSize != 1) builder.map(tensor, dim, minor);
}

// One dim of a reduce_window of `count` inputs: operands inputs[count], initial values[count].
class ReducedDim {
 public:
  ReducedDim(RuleBuilder& builder, size_t count, size_t dim, const WindowDim& window,
             program::Combiner combiner, program::DType dtype)
      : builder_(builder),
        count_(count),
        dim_(dim),
        window_(window),
        combiner_(combiner),
        dtype_(dtype) {}

  void write() {
    switch (windowShape(window_)) {
      case WindowShape::kOverlapping:
        return overlapping();
      case WindowShape::kTiles:
        return windowsFirst(true);
      case WindowShape::kSparse:
        return windowsFirst(false);
      case WindowShape::kInterleaved:
        return positionsFirst();
    }
  }

 private:
  void overlapping() {
    const FactorId in = builder_.halo(window_.in);
    const FactorId out = window_.in == window_.out ? in : builder_.halo(window_.out);
    for (size_t n = 0; n < count_; ++n) {
      builder_.map(n, dim_, in);
      builder_.mapResult(n, dim_, out);
    }
  }

  // input = (windows, positions); positions are reduced if they are all there is within a window.
  void windowsFirst(bool reduced) {
    const int64_t within = window_.out == 0 ? 1 : window_.in / window_.out;
    const FactorId windows = builder_.parallel(window_.out);
    FactorId positions;
    if (within != 1) {
      positions = reduced ? reductionOrBlocked(builder_, within, combiner_, dtype_)
                          : builder_.blocked(within);
    }
    for (size_t n = 0; n < count_; ++n) {
      mapParts(builder_, n, dim_, windows, window_.out, positions, within);
      builder_.mapResult(n, dim_, windows);
    }
  }

  // input = (positions, the rest of a dilation), which are the windows if they fill it.
  void positionsFirst() {
    const int64_t dilation = window_.windowDilation;
    const bool filled = window_.out == dilation;
    const FactorId positions = reductionOrBlocked(builder_, window_.size, combiner_, dtype_);
    const FactorId windows = filled ? builder_.parallel(dilation) : builder_.blocked(window_.out);
    const FactorId rest = filled ? windows : builder_.blocked(dilation);
    for (size_t n = 0; n < count_; ++n) {
      mapParts(builder_, n, dim_, positions, window_.size, rest, dilation);
      builder_.mapResult(n, dim_, windows);
    }
  }

  RuleBuilder& builder_;
  size_t count_, dim_;
  WindowDim window_;
  program::Combiner combiner_;
  program::DType dtype_;
};

// Whether each result takes in all that comes before it (or behind): a cumulative maximum.
bool isCumulative(const WindowDim& dim) {
  const bool whole = dim.size > 1 && dim.size == dim.in && dim.out == dim.in;
  return whole && dim.stride == 1 && dim.baseDilation == 1 && dim.windowDilation == 1;
}

// How many elements one result takes. XLA makes cumulative windows in a tree, each element from
// one or two others.
double elementsPerResult(const WindowDim& dim) {
  return isCumulative(dim) ? 2 : static_cast<double>(dim.size);
}

}  // namespace

// 2x2 max pooling of f32[8,8] is ([ij, kl], [])->([i, k]) {…} reduction={j, l}.
Result<Rule> reduceWindow(const OpView& view) {
  const auto* attrs = view.attributes<WindowAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  const size_t count = view.resultCount();
  Checker check(view);
  check.that(count > 0, "has no results").counts(2 * count, count);
  for (size_t n = 0; n < count; ++n) {
    check.sameRank(n, 0).rank(count + n, 0).sameRank(2 * count + n, 0);
  }
  if (Status bad = check.status()) return *bad;
  if (Status bad = checkWindow(view, *attrs)) return *bad;

  RuleBuilder builder(view);
  double elements = 1;
  for (size_t d = 0; d < attrs->sizes.size(); ++d) {
    const WindowDim dim = windowDim(view, *attrs, 0, 2 * count, d);
    ReducedDim(builder, count, d, dim, attrs->combiner, view.dtype(0)).write();
    elements *= elementsPerResult(dim);
    if (isCumulative(dim)) builder.passes(kCumulativePasses);
  }
  if (count == 1 && attrs->combiner == program::Combiner::kAdd) {
    builder.linear(0, 1);
    builder.linear(1, 1);
  }
  for (size_t n = 0; n < count; ++n) builder.countsOnce(count + n, attrs->combiner);
  builder.flops(static_cast<double>(count) * productOf(view.resultShape(0)) * elements);
  return std::move(builder).finish();
}

// Operands: the input, one value per window, the initial value. The values go to the element that
// each window selects.
Result<Rule> selectAndScatter(const OpView& view) {
  const auto* attrs = view.attributes<WindowAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  constexpr size_t kInput = 0, kSource = 1, kResult = 3;
  if (Status bad = Checker(view).counts(3, 1).sameRank(1, 0).rank(2, 0).sameRank(3, 0).status()) {
    return *bad;
  }
  if (Status bad = checkWindow(view, *attrs)) return *bad;

  RuleBuilder builder(view);
  for (size_t d = 0; d < attrs->sizes.size(); ++d) {
    const WindowDim dim = windowDim(view, *attrs, kInput, kSource, d);
    const WindowShape shape = windowShape(dim);
    if (shape != WindowShape::kTiles && shape != WindowShape::kSparse) {
      const FactorId input = builder.halo(dim.in);
      builder.map(kInput, d, input);
      builder.map(kSource, d, builder.blocked(dim.out));
      builder.map(kResult, d, input);
      continue;
    }
    const int64_t within = dim.out == 0 ? 1 : dim.in / dim.out;
    const FactorId windows = builder.parallel(dim.out);
    const FactorId rest = within == 1 ? FactorId() : builder.blocked(within);
    mapParts(builder, kInput, d, windows, dim.out, rest, within);
    mapParts(builder, kResult, d, windows, dim.out, rest, within);
    builder.map(kSource, d, windows);
  }
  builder.flops(productOf(view.operandShape(1)) * productOf(attrs->sizes));
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
