#include "shardwright/plan/gradients.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <unordered_set>

#include "shardwright/plan/structure.h"

namespace shardwright::plan {
namespace {

using analysis::ColorId;
using program::OpId;
using program::Program;
using program::ValueId;
using rules::FactorId;

using Results = std::vector<std::optional<uint32_t>>;

// What a value depends on.
constexpr uint8_t kPaired = 1, kOther = 2, kBoth = kPaired | kOther;

class GradientFinder {
 public:
  GradientFinder(const Subject& subject, const Results& paired, const IsUpdate& isUpdate)
      : subject_(subject), program_(subject.program), isUpdate_(isUpdate), pairs_(paired) {
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i] && !mayBePair(i, *pairs_[i])) pairs_[i].reset();
    }
    const auto found = [](const std::optional<uint32_t>& result) { return result.has_value(); };
    if (std::ranges::none_of(pairs_, found)) pairByPosition();
  }

  Results run() {
    findCandidates();
    if (candidates_.empty()) return Results(pairs_.size());
    findShown();
    findDependence();
    std::set<ColorId> summed, shown;  // By the products of witnesses; by their arguments.
    bool linked = false;
    for (const uint32_t i : candidates_) {
      const std::set<ColorId> found = summedByWitness(i);
      if (found.empty()) continue;
      summed.insert(found.begin(), found.end());
      addTo(shown, colorsOf(argument(i)));
      linked = linked || saysParameter(program_.arguments()[i].path) || linkedBothWays(i);
    }
    std::erase_if(summed, [&](ColorId color) { return shown.contains(color); });
    if (summed.empty() || !linked) return Results(pairs_.size());
    dropCarried(summed);
    return std::move(pairs_);
  }

 private:
  ValueId argument(uint32_t i) const { return program_.arguments()[i].value; }
  ValueId returned(uint32_t r) const {
    return program_.operands(program_.results()[r].returnOp)[0];
  }

  // Colours of dims, invalid for those of size 1.
  std::vector<ColorId> colorsOf(ValueId value) const {
    std::vector<ColorId> colors(program_.shape(value).size());
    for (size_t d = 0; d < colors.size(); ++d) colors[d] = colorOfDim(subject_, value, d);
    return colors;
  }

  static void addTo(std::set<ColorId>& set, const std::vector<ColorId>& colors) {
    set.insert(colors.begin(), colors.end());
  }

  bool mayBePair(uint32_t i, uint32_t r) const {
    const program::TypeId type = program_.value(argument(i)).type;
    return type == program_.value(returned(r)).type && argument(i) != returned(r) &&
           program::isFloat(program_.types().dtype(type));
  }

  // Whether each dim of the result has the colour of the argument's, and some dim has one. The
  // first dim of a stack of layers, which loops take apart, has none in common.
  bool alike(uint32_t i, uint32_t r) const {
    const std::vector<ColorId> before = colorsOf(argument(i)), after = colorsOf(returned(r));
    const size_t skip = !before.empty() && before[0] != after[0] ? 1 : 0;
    const auto valid = std::ranges::count_if(before.begin() + static_cast<ptrdiff_t>(skip),
                                             before.end(), [](ColorId c) { return c.valid(); });
    return valid > static_cast<ptrdiff_t>(skip) &&
           std::equal(before.begin() + static_cast<ptrdiff_t>(skip), before.end(),
                      after.begin() + static_cast<ptrdiff_t>(skip));
  }

  void findCandidates() {
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i] && alike(i, *pairs_[i]) && !isUpdate_(i, *pairs_[i])) candidates_.push_back(i);
    }
  }

  // The diagonal run of (argument, result) with most pairs that are alike; the first of equal ones.
  void pairByPosition() {
    struct Run {
      uint32_t length = 0, alike = 0;
    };
    const size_t results = program_.results().size();
    std::vector<Run> above(results + 1), row(results + 1);  // Runs that end here.
    Run best;
    uint32_t lastArgument = 0, lastResult = 0;
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      for (uint32_t r = 0; r < results; ++r) {
        row[r + 1] = {};
        if (!mayBePair(i, r)) continue;
        row[r + 1] = {above[r].length + 1, above[r].alike + (alike(i, r) ? 1u : 0u)};
        const bool longer = row[r + 1].alike == best.alike &&
                            row[r + 1].length == best.length + 1 && i == lastArgument + 1 &&
                            r == lastResult + 1;  // The same run goes on.
        if (row[r + 1].alike <= best.alike && !longer) continue;
        best = row[r + 1];
        lastArgument = i;
        lastResult = r;
      }
      std::swap(above, row);
    }
    if (best.alike == 0) return;
    for (uint32_t k = 0; k < best.length; ++k) pairs_[lastArgument - k] = lastResult - k;
  }

  void findShown() {
    for (uint32_t i = 0; i < pairs_.size(); ++i)
      addTo(pairs_[i] ? shownByPairs_ : shownByOthers_, colorsOf(argument(i)));
  }

  void findDependence() {
    depends_.assign(program_.valueCount(), 0);
    for (uint32_t i = 0; i < pairs_.size(); ++i)
      depends_[argument(i).index()] = pairs_[i] ? kPaired : kOther;
    spread(depends_);
  }

  // Forward over the ops; loops feed back, so until nothing changes.
  void spread(std::vector<uint8_t>& bits) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < program_.opCount(); ++i) changed |= spreadOver(OpId(i), bits);
    }
  }

  bool spreadOver(OpId op, std::vector<uint8_t>& bits) const {
    uint8_t read = 0;
    for (const ValueId operand : program_.operands(op)) read |= bits[operand.index()];
    bool changed = false;
    for (uint32_t i = 0; i < program_.resultCount(op); ++i) {
      uint8_t& known = bits[program_.result(op, i).index()];
      changed |= (known | read) != known;
      known |= read;
    }
    return changed;
  }

  // Whether the result depends on another pair's argument and that pair's result on this argument:
  // a loss links all parameters. The states of layers depend on those before them alone.
  bool linkedBothWays(uint32_t i) const {
    std::vector<uint8_t> from(program_.valueCount(), 0);
    from[argument(i).index()] = 1;
    spread(from);
    const std::unordered_set<uint32_t> behind = madeFrom(returned(*pairs_[i]));
    for (uint32_t j = 0; j < pairs_.size(); ++j) {
      if (j != i && pairs_[j] && from[returned(*pairs_[j]).index()] != 0 &&
          behind.contains(argument(j).index())) {
        return true;
      }
    }
    return false;
  }

  std::unordered_set<uint32_t> madeFrom(ValueId value) const {
    std::vector<ValueId> pending = {value};
    std::unordered_set<uint32_t> seen = {value.index()};
    while (!pending.empty()) {
      const OpId op = program_.value(pending.back()).definition;
      pending.pop_back();
      for (const ValueId operand : program_.operands(op)) {
        if (seen.insert(operand.index()).second) pending.push_back(operand);
      }
    }
    return seen;
  }

  // What the products that the result is made from sum over; nothing if it is no witness.
  std::set<ColorId> summedByWitness(uint32_t i) const {
    std::set<ColorId> summed;
    for (const ValueId value : makers(i)) {
      const OpId op = program_.value(value).definition;
      if (isProduct(op) && isWhole(value, i) && areActivations(program_.operands(op), i))
        addTo(summed, sums(op));
    }
    std::erase_if(summed, [&](ColorId color) { return !isOfData(color); });
    return summed;
  }

  // Walks back from the result through values that have no colours but the argument's, as far as
  // the products that they are made from.
  std::vector<ValueId> makers(uint32_t i) const {
    std::set<ColorId> colors;
    addTo(colors, colorsOf(argument(i)));
    addTo(colors, colorsOf(returned(*pairs_[i])));
    std::vector<ValueId> found = {returned(*pairs_[i])};
    std::unordered_set<uint32_t> seen = {found[0].index()};
    for (size_t next = 0; next < found.size(); ++next) {
      const OpId op = program_.value(found[next]).definition;
      if (isProduct(op)) continue;
      for (const ValueId operand : program_.operands(op)) {
        const bool follow = isStack(operand, i) || within(operand, colors);
        if (follow && seen.insert(operand.index()).second) found.push_back(operand);
      }
    }
    return found;
  }

  // Loops write a stack layer by layer, so its first dim has no colour there.
  bool isStack(ValueId value, uint32_t i) const {
    return program_.value(value).type == program_.value(argument(i)).type;
  }

  // A dim that no argument shows is made from one of the data: parts of a batch, slots, ….
  bool isOfData(ColorId color) const {
    return color.valid() && (shownByOthers_.contains(color) || !shownByPairs_.contains(color));
  }

  bool within(ValueId value, const std::set<ColorId>& colors) const {
    const std::vector<ColorId> own = colorsOf(value);
    const auto shape = program_.shape(value);
    for (size_t d = 0; d < own.size(); ++d) {
      if (shape[d] > 1 && !colors.contains(own[d])) return false;
    }
    return !own.empty();
  }

  bool isProduct(OpId op) const {
    const rules::Rule& rule = subject_.rule(op);
    return rule.operandCount() == 2 && plan::isProduct(rule, 0, 1);
  }

  static bool isSum(const rules::Factor& factor) {
    return factor.kind == rules::FactorKind::kReduction && factor.size > 1;
  }

  std::vector<ColorId> sums(OpId op) const {
    std::vector<ColorId> colors;
    const rules::Rule& rule = subject_.rule(op);
    for (uint32_t f = 0; f < rule.factorCount(); ++f) {
      if (isSum(rule.factor(FactorId(f))))
        colors.push_back(subject_.analysis.color({op, FactorId(f)}));
    }
    return colors;
  }

  // Of a stack of layers a product in a loop makes one.
  bool isWhole(ValueId value, uint32_t i) const {
    const program::TypeTable& types = program_.types();
    return program_.op(program_.value(value).definition).region != program_.entry() ||
           types.elements(program_.value(value).type) ==
               types.elements(program_.value(argument(i)).type);
  }

  bool areActivations(std::span<const ValueId> operands, uint32_t i) const {
    const uint8_t a = depends_[operands[0].index()], b = depends_[operands[1].index()];
    if (a == kBoth && b == kBoth) return true;
    const bool dataAndBoth = (a & b) == kOther && (a | b) == kBoth;
    return dataAndBoth && saysParameter(program_.arguments()[i].path);
  }

  // What shows a dim of the data and is not summed over another is carried from batch to batch.
  // Positions may be a dim of a parameter: its gradient sums over the batch.
  void dropCarried(const std::set<ColorId>& summed) {
    const auto isSummed = [&](ColorId color) { return summed.contains(color); };
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      if (!pairs_[i] || std::ranges::none_of(colorsOf(argument(i)), isSummed)) continue;
      const auto sumsOverData = [&](ValueId value) {
        return std::ranges::any_of(sums(program_.value(value).definition), isSummed);
      };
      if (std::ranges::none_of(makers(i), sumsOverData)) pairs_[i].reset();
    }
  }

  const Subject& subject_;
  const Program& program_;
  const IsUpdate& isUpdate_;
  Results pairs_;
  std::vector<uint32_t> candidates_;                // Arguments that may be those of witnesses.
  std::set<ColorId> shownByPairs_, shownByOthers_;  // Of arguments of pairs, and of the rest.
  std::vector<uint8_t> depends_;                    // Per value.
};

}  // namespace

std::vector<std::optional<uint32_t>> gradientResults(const Subject& subject, const Results& paired,
                                                     const IsUpdate& isUpdate) {
  return GradientFinder(subject, paired, isUpdate).run();
}

bool saysParameter(std::string_view path) {
  std::string lower(path);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("param") != std::string::npos || lower.find("weight") != std::string::npos;
}

}  // namespace shardwright::plan
