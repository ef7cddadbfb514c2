#include "shardwright/rules/rule.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "shardwright/rules/checks.h"

namespace shardwright::rules {
namespace {

std::string factorName(size_t index) {
  constexpr size_t kLetters = 'z' - 'i' + 1;
  if (index < kLetters) return std::string(1, static_cast<char>('i' + index));
  return "z_" + std::to_string(index - kLetters + 1);
}

// "[i, jk]".
std::string tensorStr(const Rule& rule, size_t tensor) {
  std::string text = "[";
  for (size_t d = 0; d < rule.rank(tensor); ++d) {
    if (d != 0) text += ", ";
    for (const FactorId factor : rule.dim(tensor, d)) text += factorName(factor.index());
  }
  return text + "]";
}

// "([i, k], [k, j])".
std::string tensorsStr(const Rule& rule, size_t begin, size_t end) {
  std::string text = "(";
  for (size_t t = begin; t < end; ++t) {
    if (t != begin) text += ", ";
    text += tensorStr(rule, t);
  }
  return text + ")";
}

// " {i=16, j=64}"; nothing for a rule without factors.
std::string sizesStr(const Rule& rule) {
  std::string text;
  for (size_t f = 0; f < rule.factorCount(); ++f) {
    text += f == 0 ? " {" : ", ";
    text += factorName(f) + "=" + std::to_string(rule.factors()[f].size);
  }
  return text.empty() ? text : text + "}";
}

// " reduction={k}"; nothing if no factor is of that kind.
std::string kindStr(const Rule& rule, FactorKind kind, std::string_view word) {
  std::string text;
  for (size_t f = 0; f < rule.factorCount(); ++f) {
    if (rule.factors()[f].kind != kind) continue;
    text += text.empty() ? " " + std::string(word) + "={" : ", ";
    text += factorName(f);
  }
  return text.empty() ? text : text + "}";
}

double pointsOf(std::span<const Factor> factors) {
  double points = 1;
  for (const Factor& factor : factors) {
    if (factor.counts()) points *= static_cast<double>(factor.size);
  }
  return points;
}

// No points, or more than a double holds: nothing to spread over.
double spread(double total, double points) {
  return points > 0 && std::isfinite(points) ? total / points : 0;
}

Status checkShape(const Rule& rule, const OpView& view) {
  if (rule.operandCount() != view.operandCount() || rule.tensorCount() != view.tensorCount()) {
    return view.error("its rule is for another number of tensors");
  }
  Checker checker(view);
  for (size_t t = 0; t < view.tensorCount(); ++t) checker.rank(t, rule.rank(t));
  return checker.status();
}

Status checkDimSize(const Rule& rule, const OpView& view, size_t tensor, size_t dim) {
  const int64_t size = view.shape(tensor)[dim];
  std::vector<int64_t> sizes;
  for (const FactorId factor : rule.dim(tensor, dim)) sizes.push_back(rule.factor(factor).size);
  const std::optional<int64_t> product = exactProductOf(sizes);
  if (product == size) return std::nullopt;
  return view.error(view.tensorName(tensor) + " dim " + std::to_string(dim) + " has size " +
                    std::to_string(size) + ", but its factors multiply to " +
                    (product ? std::to_string(*product) : "more than 64 bits hold") + " (R1)");
}

Status checkR1(const Rule& rule, const OpView& view) {
  for (size_t t = 0; t < rule.tensorCount(); ++t) {
    for (size_t d = 0; d < rule.rank(t); ++d) {
      if (Status bad = checkDimSize(rule, view, t, d)) return bad;
    }
  }
  return std::nullopt;
}

// R3, and on the way which factors stand in operands and which in results.
struct Use {
  std::vector<bool> inOperand, inResult;
};

Status checkR3(const Rule& rule, const OpView& view, Use& use) {
  use.inOperand.assign(rule.factorCount(), false);
  use.inResult.assign(rule.factorCount(), false);
  std::vector<size_t> lastTensor(rule.factorCount(), rule.tensorCount());
  for (size_t t = 0; t < rule.tensorCount(); ++t) {
    for (size_t d = 0; d < rule.rank(t); ++d) {
      for (const FactorId factor : rule.dim(t, d)) {
        if (lastTensor[factor.index()] == t) {
          return view.error("factor " + factorName(factor.index()) + " stands twice in " +
                            view.tensorName(t) + " (R3)");
        }
        lastTensor[factor.index()] = t;
        (t < rule.operandCount() ? use.inOperand : use.inResult)[factor.index()] = true;
      }
    }
  }
  return std::nullopt;
}

Status checkFactor(const Rule& rule, const OpView& view, const Use& use, size_t index) {
  const Factor& factor = rule.factors()[index];
  const std::string name = "factor " + factorName(index);
  if (factor.size < 0) {
    return view.error(name + " has size " + std::to_string(factor.size) + " (R5)");
  }
  if (!use.inOperand[index] && !use.inResult[index]) {
    return view.error(name + " stands in no dim (R2)");
  }
  if (factor.kind != FactorKind::kReduction) return std::nullopt;
  if (use.inResult[index]) return view.error("reduction " + name + " stands in a result (R4)");
  return std::nullopt;
}

}  // namespace

std::span<const FactorId> Rule::dim(size_t tensor, size_t dim) const {
  const size_t flat = dimsBegin_[tensor] + dim;
  return std::span(dimFactors_)
      .subspan(factorsBegin_[flat], factorsBegin_[flat + 1] - factorsBegin_[flat]);
}

double Rule::flops() const { return flopsPerPoint_ == 0 ? 0 : flopsPerPoint_ * pointsOf(factors_); }

void Rule::findLeading() {
  canSplit_.clear();
  for (const Factor& factor : factors_) canSplit_.push_back(factor.splittable() ? 1 : 0);
  for (size_t flat = 0; flat + 1 < factorsBegin_.size(); ++flat) {
    FactorId first;
    for (uint32_t i = factorsBegin_[flat]; i < factorsBegin_[flat + 1]; ++i) {
      const FactorId factor = dimFactors_[i];
      if (first.valid()) canSplit_[factor.index()] = 0;
      if (!first.valid() && factors_[factor.index()].size != 1) first = factor;
    }
    leading_.push_back(first);
  }
}

bool Rule::isGrouped(size_t operand) const {
  for (size_t d = 0; rows_.valid() && d < rank(operand); ++d) {
    if (std::ranges::find(dim(operand, d), rows_) != dim(operand, d).end()) return true;
  }
  return false;
}

Rule Rule::withLinearGroups(std::vector<uint8_t> groups) && {
  SW_CHECK(groups.size() == operandCount_);
  linearGroups_ = std::move(groups);
  return std::move(*this);
}

Rule Rule::withFlops(double total) && {
  flopsPerPoint_ = spread(total, pointsOf(factors_));
  return std::move(*this);
}

std::string Rule::str() const {
  return tensorsStr(*this, 0, operandCount_) + "->" +
         tensorsStr(*this, operandCount_, tensorCount()) + sizesStr(*this) +
         kindStr(*this, FactorKind::kReduction, "reduction") +
         kindStr(*this, FactorKind::kBlocked, "need_replication") +
         kindStr(*this, FactorKind::kHalo, "permutation");
}

OpView::OpView(const program::Program& program, program::SignatureId signature)
    : program_(program),
      signature_(signature),
      operandTypes_(program.operandTypes(signature)),
      resultTypes_(program.resultTypes(signature)) {}

std::span<const int64_t> OpView::shape(size_t tensor) const {
  SW_CHECK(tensor < tensorCount());
  return program_.types().shape(tensor < operandCount() ? operandTypes_[tensor]
                                                        : resultTypes_[tensor - operandCount()]);
}

program::DType OpView::dtype(size_t tensor) const {
  SW_CHECK(tensor < tensorCount());
  return program_.types().dtype(tensor < operandCount() ? operandTypes_[tensor]
                                                        : resultTypes_[tensor - operandCount()]);
}

std::string OpView::tensorName(size_t tensor) const {
  return tensor < operandCount() ? "operand " + std::to_string(tensor)
                                 : "result " + std::to_string(tensor - operandCount());
}

Diagnostic OpView::error(const std::string& message) const {
  return {.message = std::string(name()) + ": " + message, .location = {}, .notes = {}};
}

RuleBuilder::RuleBuilder(const OpView& view)
    : view_(view), operandCount_(view.operandCount()), dims_(view.tensorCount()) {
  for (size_t t = 0; t < dims_.size(); ++t) dims_[t].resize(view.shape(t).size());
}

FactorId RuleBuilder::add(int64_t size, FactorKind kind, program::Combiner combiner) {
  factors_.push_back({.size = size, .kind = kind, .combiner = combiner});
  return FactorId(factors_.size() - 1);
}

void RuleBuilder::map(size_t tensor, size_t dim, FactorId factor) {
  SW_CHECK(tensor < dims_.size() && dim < dims_[tensor].size());
  SW_CHECK(factor.index() < factors_.size());
  dims_[tensor][dim].push_back(factor);
}

void RuleBuilder::linear(size_t operand, uint8_t group) {
  linearGroups_.resize(operandCount_, 0);
  linearGroups_[operand] = group;
}

void RuleBuilder::countsOnce(size_t operand, program::Combiner combiner) {
  if (combiner != program::Combiner::kAdd && combiner != program::Combiner::kMul) return;
  countedOnce_.resize(operandCount_, 0);
  countedOnce_[operand] = 1;
}

void RuleBuilder::flops(double total) { totalFlops_ = total; }

Result<Rule> RuleBuilder::finish() && {
  Rule rule;
  rule.factors_ = std::move(factors_);
  rule.operandCount_ = static_cast<uint32_t>(operandCount_);
  rule.factorsBegin_.push_back(0);
  for (const auto& tensor : dims_) {
    for (const auto& dim : tensor) {
      rule.dimFactors_.insert(rule.dimFactors_.end(), dim.begin(), dim.end());
      rule.factorsBegin_.push_back(static_cast<uint32_t>(rule.dimFactors_.size()));
    }
    rule.dimsBegin_.push_back(static_cast<uint32_t>(rule.factorsBegin_.size() - 1));
  }
  rule.flopsPerPoint_ =
      totalFlops_ < 0 ? flopsPerPoint_ : spread(totalFlops_, pointsOf(rule.factors_));
  rule.passes_ = passes_;
  rule.rows_ = rows_;
  rule.groups_ = groups_;
  rule.linearGroups_ = std::move(linearGroups_);
  rule.countedOnce_ = std::move(countedOnce_);
  rule.findLeading();
  if (Status bad = check(rule, view_)) return *bad;
  return rule;
}

Status check(const Rule& rule, const OpView& view) {
  if (Status bad = checkShape(rule, view)) return bad;
  Use use;
  if (Status bad = checkR3(rule, view, use)) return bad;
  for (size_t f = 0; f < rule.factorCount(); ++f) {
    if (Status bad = checkFactor(rule, view, use, f)) return bad;
  }
  return checkR1(rule, view);
}

}  // namespace shardwright::rules
