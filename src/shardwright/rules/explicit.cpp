// Rules that come with the program (`sdy.sharding_rule`). Nothing in them is trusted.
#include "shardwright/rules/checks.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

using program::ExplicitRuleAttrs;
using program::IntList;

// The dims of tensor `index`, operands first.
const std::vector<IntList>& dimsOf(const ExplicitRuleAttrs& attrs, size_t index) {
  const size_t operands = attrs.operandDims.size();
  return index < operands ? attrs.operandDims[index] : attrs.resultDims[index - operands];
}

void checkFactor(Checker& check, const ExplicitRuleAttrs& attrs, int64_t factor) {
  const bool known = factor >= 0 && static_cast<uint64_t>(factor) < attrs.factorSizes.size();
  if (known) return;
  check.that(false, "its sharding rule names factor " + std::to_string(factor) + " of " +
                        std::to_string(attrs.factorSizes.size()));
}

Status checkShape(const OpView& view, const ExplicitRuleAttrs& attrs) {
  Checker check(view);
  check.that(attrs.operandDims.size() == view.operandCount() &&
                 attrs.resultDims.size() == view.resultCount(),
             "its sharding rule is for " + std::to_string(attrs.operandDims.size()) +
                 " operands and " + std::to_string(attrs.resultDims.size()) +
                 " results, but it has " + std::to_string(view.operandCount()) + " and " +
                 std::to_string(view.resultCount()));
  if (check.failed()) return check.status();
  std::vector<bool> used(attrs.factorSizes.size());
  for (size_t t = 0; t < view.tensorCount() && !check.failed(); ++t) {
    check.rank(t, dimsOf(attrs, t).size());
    for (const IntList& dim : dimsOf(attrs, t)) {
      for (const int64_t factor : dim) {
        checkFactor(check, attrs, factor);
        if (!check.failed()) used[static_cast<size_t>(factor)] = true;
      }
    }
  }
  for (size_t f = 0; f < used.size() && !check.failed(); ++f) {
    if (!used[f])
      check.that(false, "its sharding rule puts factor " + std::to_string(f) + " in no dim (R2)");
  }
  return check.status();
}

// Reads the kind of each factor. A factor without a kind is parallel.
Result<std::vector<FactorKind>> kindsOf(const OpView& view, const ExplicitRuleAttrs& attrs) {
  std::vector<FactorKind> kinds(attrs.factorSizes.size(), FactorKind::kParallel);
  Checker check(view);
  const auto read = [&](const IntList& factors, FactorKind kind) {
    for (const int64_t factor : factors) {
      checkFactor(check, attrs, factor);
      if (check.failed()) return;
      FactorKind& known = kinds[static_cast<size_t>(factor)];
      check.that(known == FactorKind::kParallel,
                 "its sharding rule gives factor " + std::to_string(factor) + " two kinds");
      known = kind;
    }
  };
  read(attrs.reduction, FactorKind::kReduction);
  read(attrs.needReplication, FactorKind::kBlocked);
  read(attrs.permutation, FactorKind::kHalo);
  if (check.failed()) return *check.status();
  return kinds;
}

// A parallel factor is a loop of which each device runs a part, so an operand and every result have
// it. Rules leave the kind out of dims that must be whole, too: `([i, j])->([k, l])` is how JAX
// writes a decomposition. Those factors are blocked.
void blockLooseFactors(const ExplicitRuleAttrs& attrs, std::vector<FactorKind>& kinds) {
  const size_t operands = attrs.operandDims.size(), results = attrs.resultDims.size();
  std::vector<size_t> inOperands(kinds.size()), inResults(kinds.size());
  for (size_t t = 0; t < operands + results; ++t) {
    std::vector<bool> has(kinds.size());
    for (const IntList& dim : dimsOf(attrs, t)) {
      for (const int64_t factor : dim) has[static_cast<size_t>(factor)] = true;
    }
    for (size_t f = 0; f < kinds.size(); ++f) (t < operands ? inOperands : inResults)[f] += has[f];
  }
  for (size_t f = 0; f < kinds.size(); ++f) {
    const bool loose = inOperands[f] == 0 || results == 0 || inResults[f] < results;
    if (kinds[f] == FactorKind::kParallel && loose) kinds[f] = FactorKind::kBlocked;
  }
}

// Copies the rule factor by factor.
class Copier {
 public:
  Copier(const OpView& view, const ExplicitRuleAttrs& attrs, std::vector<FactorKind> kinds)
      : view_(view), attrs_(attrs), kinds_(std::move(kinds)), builder_(view), ids_(kinds_.size()) {}

  Result<Rule> rule() && {
    for (size_t t = 0; t < view_.tensorCount(); ++t) {
      const auto& dims = dimsOf(attrs_, t);
      for (size_t d = 0; d < dims.size(); ++d) copyDim(t, d, dims[d]);
    }
    return std::move(builder_).finish();
  }

 private:
  // Shardy lets a factor that must be whole tie dims of different sizes (a slice, say), which R1
  // does not. What must be whole gains nothing from the tie, so such a dim gets its own factor.
  void copyDim(size_t tensor, size_t dim, const IntList& factors) {
    const int64_t size = view_.shape(tensor)[dim];
    if (allWhole(factors) && productOfSizes(factors) != size) {
      builder_.map(tensor, dim, builder_.blocked(size));
      return;
    }
    for (const int64_t factor : factors)
      builder_.map(tensor, dim, idOf(static_cast<size_t>(factor)));
  }

  FactorId idOf(size_t factor) {
    if (!ids_[factor].valid()) {
      // Shardy does not say how partial results combine; it always adds.
      ids_[factor] =
          builder_.add(attrs_.factorSizes[factor], kinds_[factor],
                       kinds_[factor] == FactorKind::kReduction ? program::Combiner::kAdd
                                                                : program::Combiner::kOther);
    }
    return ids_[factor];
  }

  bool allWhole(const IntList& factors) const {
    for (const int64_t factor : factors) {
      const FactorKind kind = kinds_[static_cast<size_t>(factor)];
      if (kind == FactorKind::kParallel || kind == FactorKind::kReduction) return false;
    }
    return true;
  }

  std::optional<int64_t> productOfSizes(const IntList& factors) const {
    IntList sizes;
    for (const int64_t factor : factors)
      sizes.push_back(attrs_.factorSizes[static_cast<size_t>(factor)]);
    return exactProductOf(sizes);
  }

  const OpView& view_;
  const ExplicitRuleAttrs& attrs_;
  std::vector<FactorKind> kinds_;
  RuleBuilder builder_;
  std::vector<FactorId> ids_;  // By number in the attributes; made when first used.
};

}  // namespace

Result<Rule> explicitRule(const OpView& view) {
  const auto* attrs = view.attributes<ExplicitRuleAttrs>();
  if (attrs == nullptr) return view.missingAttributes();
  if (Status bad = checkShape(view, *attrs)) return *bad;
  Result<std::vector<FactorKind>> kinds = kindsOf(view, *attrs);
  if (!kinds) return kinds.error();
  blockLooseFactors(*attrs, *kinds);
  return Copier(view, *attrs, *std::move(kinds)).rule();
}

}  // namespace shardwright::rules
