#include "shardwright/plan/structure.h"

#include <algorithm>

namespace shardwright::plan {

using analysis::ArgumentDim;
using analysis::ColorId;
using program::OpId;
using program::ValueId;
using rules::FactorId;
using rules::FactorKind;

namespace {

bool inAResult(const rules::Rule& rule, FactorId factor) {
  for (size_t t = rule.operandCount(); t < rule.tensorCount(); ++t) {
    if (stands(rule, t, factor)) return true;
  }
  return false;
}

}  // namespace

bool stands(const rules::Rule& rule, size_t tensor, FactorId factor) {
  for (size_t dim = 0; dim < rule.rank(tensor); ++dim) {
    if (std::ranges::find(rule.dim(tensor, dim), factor) != rule.dim(tensor, dim).end())
      return true;
  }
  return false;
}

bool needsWhole(const rules::Rule& rule, size_t tensor, size_t dim) {
  return std::ranges::any_of(rule.dim(tensor, dim), [&](FactorId factor) {
    return rule.factor(factor).size > 1 && !analysis::canSplit(rule, factor);
  });
}

bool isProduct(const rules::Rule& rule, size_t a, size_t b) {
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const rules::Factor& factor = rule.factor(FactorId(f));
    if (factor.kind == FactorKind::kReduction && factor.size > 1 && stands(rule, a, FactorId(f)) &&
        stands(rule, b, FactorId(f))) {
      return true;
    }
  }
  return false;
}

bool isZero(const Subject& subject, ValueId value) {
  const program::Program& program = subject.program;
  for (;;) {
    const OpId op = program.value(value).definition;
    const auto& attributes = program.attributes(program.op(op).signature);
    if (const auto* constant = std::get_if<program::ConstantAttrs>(&attributes)) {
      return constant->zero;
    }
    const bool passes = program.operands(op).size() == 1 && subject.rule(op).linearGroup(0) == 1;
    if (!passes) return false;
    value = program.operands(op)[0];
  }
}

ColorId colorOfDim(const Subject& subject, ValueId value, size_t dim) {
  const OpId op = subject.program.value(value).definition;
  const rules::Rule& rule = subject.rule(op);
  const size_t tensor = rule.operandCount() + subject.program.resultIndex(value);
  for (const FactorId factor : rule.dim(tensor, dim)) {
    if (rule.factor(factor).size > 1) return subject.analysis.color({op, factor});
  }
  return {};
}

Structure::Structure(const Subject& subject)
    : subject_(subject),
      roles_(classifyArguments(subject)),
      elementwise_(subject),
      updates_(std::ranges::find(roles_, Role::kParameter) != roles_.end()),
      weights_(subject.program.arguments().size(), false),
      inputs_(subject.program.arguments().size(), false),
      frozenVectors_(subject.program.arguments().size(), false),
      data_(subject.program.valueCount(), false),
      source_(subject.program.valueCount(), kNone),
      firstColumn_(subject.analysis.colors().size() + 1, kNone),
      cutSeen_(subject.program.valueCount(), false),
      uses_(subject.analysis.colors().size() + 1) {
  for (const analysis::Color& color : subject.analysis.colors())
    mostFlops_ = std::max(mostFlops_, color.flops);
  findSummed();
  findJoins();
  findLookups();
  findBatch();
  findExamples();
  findWeights();
  spread();
  findProducts();
  findExamples();  // Of products that no gradient belongs to as well.
  countProducts();
  findMeetings();
}

ColorId Structure::color(ArgumentDim dim) const {
  return colorOfDim(subject_, subject_.program.arguments()[dim.argument].value, dim.dim);
}

std::vector<uint32_t> Structure::inputs() const {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i]) found.push_back(i);
  }
  return found;
}

bool Structure::showsAny(uint32_t argument, const std::set<ColorId>& colors) const {
  const size_t rank = subject_.program.shape(subject_.program.arguments()[argument].value).size();
  for (uint32_t d = 0; d < rank; ++d) {
    if (colors.contains(color({argument, d}))) return true;
  }
  return false;
}

// Whether the numbers of an argument that is read only can be those of a weight. Whole numbers in a
// matrix may be quantized ones if they are small, else they are tokens.
bool Structure::mayBeWeight(uint32_t argument) const {
  const program::Program& program = subject_.program;
  const ValueId value = program.arguments()[argument].value;
  const program::DType dtype = program.types().dtype(program.value(value).type);
  const size_t rank = program.shape(value).size();
  if (roles_[argument] != Role::kInput || rank == 0 || showsAny(argument, examples_)) return false;
  const bool small = dtype != program::DType::kPred && program::bitWidth(dtype) <= 8;
  return program::isFloat(dtype) || rank > 2 || (rank == 2 && small);
}

void Structure::findWeights() {
  for (uint32_t i = 0; i < roles_.size(); ++i) {
    const size_t rank = subject_.program.shape(subject_.program.arguments()[i].value).size();
    const bool frozen = updates_ && !summed_.empty() && mayBeWeight(i) && !showsAny(i, summed_);
    // Vectors may be schedules as well as scales of quantized weights: they are neither.
    weights_[i] = updates_ ? roles_[i] == Role::kParameter || (frozen && rank > 1) : mayBeWeight(i);
    const bool read = !updates_ || roles_[i] == Role::kInput || roles_[i] == Role::kState;
    frozenVectors_[i] = frozen && rank == 1;
    inputs_[i] = rank > 0 && read && !weights_[i] && !frozen;
    if (weights_[i]) weightColors_.insert(colorsOf(subject_.program.arguments()[i].value));
  }
}

// Data and weights flow forward; loops feed back, so until nothing changes.
void Structure::spread() {
  for (uint32_t i = 0; i < weights_.size(); ++i) {
    const ValueId value = subject_.program.arguments()[i].value;
    data_[value.index()] = inputs_[i];
    if (weights_[i]) source_[value.index()] = i;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < subject_.program.opCount(); ++i) spreadOver(OpId(i), changed);
  }
}

void Structure::spreadOver(OpId op, bool& changed) {
  const auto operands = subject_.program.operands(op);
  // The turns of a loop that trains see a weight, whatever moved it before; behind the loop it is a
  // moved one.
  const uint32_t inLoop = trains(op) ? 2 : 0;
  for (uint32_t i = 0; i < subject_.program.resultCount(op); ++i) {
    const bool first = i < inLoop;
    changed |= spreadTo(subject_.program.result(op, i), first ? operands.first(1) : operands);
  }
}

bool Structure::spreadTo(ValueId result, std::span<const ValueId> operands) {
  char& data = data_[result.index()];
  uint32_t& source = source_[result.index()];
  const bool wasData = data != 0;
  const uint32_t before = source;
  for (const ValueId operand : operands) {
    data = data || data_[operand.index()];
    source = std::min(source, source_[operand.index()]);
  }
  return wasData != (data != 0) || before != source;
}

// Whether a loop carries a parameter and passes on an update of it. What a network starts from for
// each example (a learned state, learned queries) has the batch dim, and what becomes of it is
// data.
bool Structure::trains(OpId op) const {
  if (subject_.program.name(op) != program::kCarry) return false;
  const ValueId init = subject_.program.operands(op)[0];
  if (!isWeightValue(init) || roles_[source_[init.index()]] != Role::kParameter) return false;
  return hasDimsOfAWeight(init) && elementwise_.inBody(op);
}

double Structure::resultBytes(OpId op) const {
  double bytes = 0;
  for (const program::TypeId type : subject_.program.resultTypes(subject_.program.op(op).signature))
    bytes += static_cast<double>(subject_.program.types().bytes(type));
  return bytes * subject_.program.region(subject_.program.op(op).region).weight;
}

ColorUse& Structure::useOf(OpId op, FactorId factor) {
  const ColorId color = subject_.analysis.color({op, factor});
  return color.valid() ? uses_[color.index()] : uses_.back();
}

void Structure::findProducts() {
  for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
    const OpId op(i);
    const auto operands = subject_.program.operands(op);
    for (size_t w = 0; w < operands.size(); ++w) {
      if (!isWeightValue(operands[w])) continue;
      for (size_t x = 0; x < operands.size(); ++x) {
        if (!data_[operands[x].index()] || !isProduct(subject_.rule(op), w, x)) continue;
        products_.push_back({op, w, x, source_[operands[w].index()]});
        break;
      }
    }
  }
}

// Of each weight the first.
void Structure::countProducts() {
  std::vector<char> seen(weights_.size(), false);
  auto next = products_.begin();
  for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
    countCuts(OpId(i));
    for (; next != products_.end() && next->op == OpId(i); ++next) {
      if (!seen[next->argument]) countProduct(*next);
      seen[next->argument] = true;
    }
    countOther(OpId(i));
  }
}

void Structure::countProduct(const Product& product) {
  const rules::Rule& rule = subject_.rule(product.op);
  const double bytes = resultBytes(product.op);
  const ValueId weight = subject_.program.arguments()[product.argument].value;
  const double weightBytes =
      static_cast<double>(subject_.program.types().bytes(subject_.program.value(weight).type));
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const FactorId factor(f);
    if (!analysis::canSplit(rule, factor) || !stands(rule, product.weight, factor)) continue;
    ColorUse& use = useOf(product.op, factor);
    const bool inData = stands(rule, product.data, factor);
    const bool column = !inData && inAResult(rule, factor);
    const bool row = inData && rule.factor(factor).kind == FactorKind::kReduction;
    uint32_t& first = firstColumn_[static_cast<size_t>(&use - uses_.data())];
    if (use.weightBytes == 0 && first == kNone && column) first = product.argument;
    use.columnFirst = first != kNone;
    use.rowOfAnother = use.rowOfAnother || (row && first != kNone && first != product.argument);
    use.weightBytes += weightBytes;
    if (column) use.columnBytes += bytes;
    if (row) use.rowBytes += bytes;
    if (inData && inAResult(rule, factor)) use.batchBytes += bytes;
  }
}

void Structure::countOther(OpId op) {
  const auto operands = subject_.program.operands(op);
  const auto isData = [&](ValueId value) { return static_cast<bool>(data_[value.index()]); };
  if (std::ranges::none_of(operands, isData)) return;
  const bool inUpdate = !batch_.empty() && !shows(op, examples_);
  const bool hasWeight = std::ranges::any_of(
      operands, [&](ValueId value) { return isWeightValue(value) || isMovedWeight(value); });
  countReductions(op, hasWeight || inUpdate);
  if (!inUpdate) countWhole(op);
}

bool Structure::isMovedWeight(ValueId value) const {
  return data_[value.index()] && hasDimsOfAWeight(value);
}

// Of one with two dims or more.
bool Structure::hasDimsOfAWeight(ValueId value) const {
  return subject_.program.shape(value).size() > 1 && weightColors_.contains(colorsOf(value));
}

std::vector<ColorId> Structure::colorsOf(ValueId value) const {
  std::vector<ColorId> colors(subject_.program.shape(value).size());
  for (size_t d = 0; d < colors.size(); ++d) colors[d] = colorOfDim(subject_, value, d);
  return colors;
}

bool Structure::shows(OpId op, const std::set<ColorId>& colors) const {
  const rules::Rule& rule = subject_.rule(op);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const ColorId color = subject_.analysis.color({op, FactorId(f)});
    if (color.valid() && colors.contains(color)) return true;
  }
  return false;
}

void Structure::countReductions(OpId op, bool free) {
  const rules::Rule& rule = subject_.rule(op);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const FactorId factor(f);
    if (rule.factor(factor).kind != FactorKind::kReduction || !analysis::canSplit(rule, factor))
      continue;
    ColorUse& use = useOf(op, factor);
    if (rule.factor(factor).combiner == program::Combiner::kMax) countMaximum(op, factor);
    if (!free) use.otherBytes += resultBytes(op);
    use.lookedUp = use.lookedUp || isLookup(op, factor);
  }
}

void Structure::countMaximum(OpId op, FactorId factor) {
  const rules::Rule& rule = subject_.rule(op);
  useOf(op, factor).maximum = true;
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    if (rule.factor(FactorId(f)).kind == FactorKind::kParallel) useOf(op, FactorId(f)).head = true;
  }
}

// A dim of a weight that no other operand has is picked from, and integer data say where.
bool Structure::isLookup(OpId op, FactorId factor) const {
  const rules::Rule& rule = subject_.rule(op);
  const auto operands = subject_.program.operands(op);
  bool weight = false, others = false, indices = false;
  for (size_t t = 0; t < operands.size(); ++t) {
    const program::DType dtype =
        subject_.program.types().dtype(subject_.program.value(operands[t]).type);
    const bool shows = stands(rule, t, factor);
    weight = weight || (shows && isWeightValue(operands[t]));
    others = others || (shows && !isWeightValue(operands[t]));
    indices = indices || (data_[operands[t].index()] && !program::isFloat(dtype));
  }
  return weight && !others && indices;
}

// Values that arrive with a colour at a dim that the op needs whole.
void Structure::countWhole(OpId op) {
  const rules::Rule& rule = subject_.rule(op);
  const auto operands = subject_.program.operands(op);
  const double times = subject_.program.region(subject_.program.op(op).region).weight;
  for (size_t t = 0; t < operands.size(); ++t) {
    if (!data_[operands[t].index()]) continue;
    for (size_t d = 0; d < rule.rank(t); ++d) {
      const ColorId color = colorOfDim(subject_, operands[t], d);
      const auto factors = rule.dim(t, d);
      const auto leads = std::ranges::find_if(
          factors, [&](FactorId factor) { return rule.factor(factor).size > 1; });
      if (!color.valid() || leads == factors.end() || analysis::canSplit(rule, *leads)) continue;
      // The gradient of a column would be combined, which does not count either.
      if (cutOutOf_.contains(color) && putsTogether(op, t, d)) continue;
      const auto type = subject_.program.value(operands[t]).type;
      uses_[color.index()].otherBytes +=
          times * static_cast<double>(subject_.program.types().bytes(type));
    }
  }
}

// The gradient of a weight is a product of data, too: it sums over the batch.
bool Structure::sumsOverBatch(OpId op) const {
  const rules::Rule& rule = subject_.rule(op);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const bool sum = rule.factor(FactorId(f)).kind == FactorKind::kReduction;
    const ColorId color = subject_.analysis.color({op, FactorId(f)});
    if (sum && color.valid() && examples_.contains(color)) return true;
  }
  return false;
}

void Structure::findMeetings() {
  const program::Program& program = subject_.program;
  std::vector<char> dataProducts(program.opCount(), false),
      weightProducts(program.opCount(), false);
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const auto operands = program.operands(OpId(i));
    if (operands.size() != 2 || !isProduct(subject_.rule(OpId(i)), 0, 1)) continue;
    const bool data = data_[operands[0].index()] && data_[operands[1].index()];
    // Nor what an optimizer multiplies: a gradient with itself, as Shampoo and SOAP do.
    const bool inUpdate = updates_ && !batch_.empty() && !shows(OpId(i), examples_);
    dataProducts[i] = data && !inUpdate && !sumsOverBatch(OpId(i));
    weightProducts[i] = isWeightValue(operands[0]) || isWeightValue(operands[1]);
  }
  for (const analysis::Conflict& conflict : subject_.analysis.conflicts()) {
    ColorUse& use = uses_[conflict.color.index()];
    use.meetsItselfInData = use.meetsItselfInData || dataProducts[conflict.op.index()];
    use.meetsItselfInWeight = use.meetsItselfInWeight || weightProducts[conflict.op.index()];
  }
}

}  // namespace shardwright::plan
