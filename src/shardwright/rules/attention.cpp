#include "shardwright/rules/attention.h"

#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// What a call reads and writes, tensor by tensor. JAX's order is
//   query, key, value, [bias], [lengths of queries, of keys] -> output, [statistics], workspace
//   query, key, value, statistics, gradient of the output, [bias], output, [lengths, lengths]
//       -> gradients of query, key, value, [bias], workspace
enum class Part : uint8_t {
  kQuery,
  kKey,
  kValue,
  kOutput,
  kStatistics,
  kBias,
  kLengths,
  kWorkspace
};

// Sizes, and where they stand: queries are [batch, length, heads, width] or [batch, heads, length,
// width]. Results always have the heads before the length.
struct Attention {
  int64_t batch, queries, keys, heads, keyHeads, width, valueWidth;
  size_t headDim;
  bool causal;
};

bool isBackward(const OpView& view) { return view.name().ends_with("Backward"); }
bool hasBias(const OpView& view) { return view.name().find("Bias") != std::string_view::npos; }

std::vector<Part> partsOf(const OpView& view) {
  using enum Part;
  std::vector<Part> parts;
  const auto add = [&](std::initializer_list<Part> more) {
    for (const Part part : more) parts.push_back(part);
  };
  const bool backward = isBackward(view);
  add({kQuery, kKey, kValue});
  if (backward) add({kStatistics, kOutput});
  if (hasBias(view)) add({kBias});
  if (backward) add({kOutput});
  while (parts.size() < view.operandCount()) add({kLengths});
  if (backward) {
    add({kQuery, kKey, kValue});
  } else {
    add({kOutput});
  }
  // The one result that is not always there.
  if (parts.size() + 2 == view.tensorCount()) add({backward ? kBias : kStatistics});
  add({kWorkspace});
  return parts;
}

Attention attentionOf(const OpView& view, const program::AttentionAttrs& attrs) {
  const auto headDim = static_cast<size_t>(attrs.headDim);
  const size_t lengthDim = 3 - headDim;
  const auto query = view.shape(0), key = view.shape(1), value = view.shape(2);
  return {.batch = query[0],
          .queries = query[lengthDim],
          .keys = key[lengthDim],
          .heads = query[headDim],
          .keyHeads = key[headDim],
          .width = query[3],
          .valueWidth = value[3],
          .headDim = headDim,
          .causal = attrs.causal};
}

// The shape that a part must have; empty for what may have several.
std::vector<int64_t> shapeOf(Part part, const Attention& a, bool isResult) {
  const auto ordered = [&](int64_t heads, int64_t length, int64_t width) {
    const bool headsFirst = isResult || a.headDim == 1;
    return headsFirst ? std::vector{a.batch, heads, length, width}
                      : std::vector{a.batch, length, heads, width};
  };
  switch (part) {
    case Part::kQuery:
      return ordered(a.heads, a.queries, a.width);
    case Part::kOutput:
      return ordered(a.heads, a.queries, a.valueWidth);
    case Part::kKey:
      return ordered(a.keyHeads, a.keys, a.width);
    case Part::kValue:
      return ordered(a.keyHeads, a.keys, a.valueWidth);
    case Part::kStatistics:
      return {a.batch, a.heads, a.queries};
    case Part::kLengths:
      return {a.batch};
    case Part::kBias:
    case Part::kWorkspace:
      break;
  }
  return {};
}

// A bias may be one for all of a batch and for all heads; the gradient of such a one is a sum.
bool isKnownBias(std::span<const int64_t> shape, const Attention& a, bool isResult) {
  if (shape.size() != 4 || shape[2] != a.queries || shape[3] != a.keys) return false;
  const auto isOneOr = [&](int64_t size, int64_t all) {
    return size == all || (size == 1 && !isResult);
  };
  return isOneOr(shape[0], a.batch) && isOneOr(shape[1], a.heads);
}

// Builds the rule: the batch and the heads of the keys can be split, or those of queries where
// there is one key.
class AttentionRule {
 public:
  AttentionRule(const OpView& view, const Attention& attention)
      : view_(view),
        a_(attention),
        builder_(view),
        batch_(builder_.parallel(a_.batch)),
        keyHeads_(builder_.parallel(a_.keyHeads)),
        queries_(builder_.blocked(a_.queries)),
        keys_(builder_.blocked(a_.keys)),
        width_(builder_.blocked(a_.width)),
        valueWidth_(builder_.blocked(a_.valueWidth)) {
    if (a_.heads != a_.keyHeads) headsPerKey_ = addHeadsPerKey();
  }

  Result<Rule> write() && {
    const std::vector<Part> parts = partsOf(view_);
    for (size_t t = 0; t < parts.size(); ++t) map(t, parts[t]);
    // Of what comes later than a query, cuDNN skips whole tiles.
    const double products = (isBackward(view_) ? 5 : 2) * (a_.causal ? 0.5 : 1);
    builder_.flops(products * 2 * static_cast<double>(a_.batch * a_.heads) *
                   static_cast<double>(a_.queries * a_.keys) * static_cast<double>(a_.width));
    return std::move(builder_).finish();
  }

 private:
  // Heads that all have one key and value can be split beside them; their gradients are sums over
  // the heads.
  FactorId addHeadsPerKey() {
    const int64_t size = a_.heads / a_.keyHeads;
    const bool share = a_.keyHeads == 1 && !isBackward(view_);
    return share ? builder_.parallel(size) : builder_.blocked(size);
  }

  void map(size_t t, Part part) {
    switch (part) {
      case Part::kQuery:
        return mapRows(t, true, width_);
      case Part::kOutput:
        return mapRows(t, true, valueWidth_);
      case Part::kKey:
        return mapRows(t, false, width_);
      case Part::kValue:
        return mapRows(t, false, valueWidth_);
      case Part::kStatistics:
        builder_.map(t, 0, batch_);
        mapHeads(t, 1);
        return builder_.map(t, 2, queries_);
      case Part::kBias:
        if (view_.shape(t)[0] == a_.batch) builder_.map(t, 0, batch_);
        if (view_.shape(t)[1] == a_.heads) mapHeads(t, 1);
        builder_.map(t, 2, queries_);
        return builder_.map(t, 3, keys_);
      case Part::kLengths:
        return builder_.map(t, 0, batch_);
      case Part::kWorkspace:
        return blockAll(builder_, view_, t);
    }
  }

  void mapRows(size_t t, bool ofQueries, FactorId width) {
    const bool headsFirst = t >= view_.operandCount() || a_.headDim == 1;
    const size_t headDim = headsFirst ? 1 : 2;
    builder_.map(t, 0, batch_);
    builder_.map(t, 3 - headDim, ofQueries ? queries_ : keys_);
    if (ofQueries) {
      mapHeads(t, headDim);
    } else {
      builder_.map(t, headDim, keyHeads_);
    }
    builder_.map(t, 3, width);
  }

  // Heads that share a key stand together.
  void mapHeads(size_t t, size_t dim) {
    if (a_.keyHeads != 1 || a_.heads == 1) builder_.map(t, dim, keyHeads_);
    if (headsPerKey_.valid()) builder_.map(t, dim, headsPerKey_);
  }

  const OpView& view_;
  Attention a_;
  RuleBuilder builder_;
  FactorId batch_, keyHeads_, queries_, keys_, width_, valueWidth_;
  FactorId headsPerKey_;  // Where several heads share a key.
};

}  // namespace

bool isKnownAttention(const OpView& view) {
  const auto* attrs = view.attributes<program::AttentionAttrs>();
  if (attrs == nullptr || (attrs->headDim != 1 && attrs->headDim != 2)) return false;
  if (view.operandCount() < 3 || view.resultCount() < 2) return false;
  for (size_t t = 0; t < 3; ++t) {
    if (view.shape(t).size() != 4) return false;
  }
  const Attention a = attentionOf(view, *attrs);
  if (a.keyHeads < 1 || a.heads % a.keyHeads != 0) return false;
  const std::vector<Part> parts = partsOf(view);
  if (parts.size() != view.tensorCount()) return false;
  for (size_t t = 0; t < parts.size(); ++t) {
    const bool isResult = t >= view.operandCount();
    const auto shape = view.shape(t);
    const std::vector<int64_t> wanted = shapeOf(parts[t], a, isResult);
    if (!wanted.empty() && !std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end())) {
      return false;
    }
    if (parts[t] == Part::kBias && !isKnownBias(shape, a, isResult)) return false;
  }
  return true;
}

// ([b, q, hg, w], [b, k, h, w], [b, k, h, v])->([b, hg, q, v], …), all but b and h blocked.
Result<Rule> fusedAttention(const OpView& view) {
  if (!isKnownAttention(view)) return view.missingAttributes();
  return AttentionRule(view, attentionOf(view, *view.attributes<program::AttentionAttrs>()))
      .write();
}

}  // namespace shardwright::rules
