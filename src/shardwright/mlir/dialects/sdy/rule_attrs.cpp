// Syntax of sharding rules and of the debug information that propagation leaves.
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/mlir/dialects/sdy/sharding.h"
#include "shardwright/mlir/dialects/sdy/syntax.h"

namespace shardwright::sdy {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;
using Delimiter = AsmParser::Delimiter;

//===-- Factors ------------------------------------------------------------------------------===//

namespace {

// Factors are called i to z, then z_1, z_2, ...
constexpr int64_t kLastLetter = 'z' - 'i';

// Takes the first factor off `text`. Fails where none stands there, also on a number with a leading
// zero or too long.
std::optional<int64_t> consumeFactor(StringRef& text) {
  if (text.empty() || text.front() < 'i' || text.front() > 'z') return std::nullopt;
  const int64_t letter = text.front() - 'i';
  text = text.drop_front();
  if (letter != kLastLetter || !text.consume_front("_")) return letter;
  if (text.starts_with("0")) return std::nullopt;
  uint32_t number = 0;
  if (text.consumeInteger(10, number)) return std::nullopt;
  return kLastLetter + number;
}

// Parses factors written without blanks, `ijz_1k`; at least one.
ParseResult parseFactors(AsmParser& parser, SmallVectorImpl<int64_t>& factors) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word)) return failure();
  for (StringRef rest = word; !rest.empty();) {
    const std::optional<int64_t> factor = consumeFactor(rest);
    if (!factor)
      return parser.emitError(loc)
             << "expected factors named i to z, z_1, z_2 and so on, got '" << word << "'";
    factors.push_back(*factor);
  }
  return success();
}

ParseResult parseFactor(AsmParser& parser, int64_t& factor) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors)) return failure();
  if (factors.size() != 1)
    return parser.emitError(loc) << "expected one factor, got " << factors.size();
  factor = factors.front();
  return success();
}

// Parses ` {i=8, j=4}`, or nothing. The factors must come in order.
ParseResult parseFactorSizes(AsmParser& parser, SmallVectorImpl<int64_t>& sizes) {
  return parser.parseCommaSeparatedList(Delimiter::OptionalBraces, [&]() -> ParseResult {
    const llvm::SMLoc loc = parser.getCurrentLocation();
    int64_t factor = 0;
    if (parseFactor(parser, factor) || parser.parseEqual()) return failure();
    if (factor != static_cast<int64_t>(sizes.size()))
      return parser.emitError(loc)
             << "expected factor " << factorName(static_cast<int64_t>(sizes.size())) << ", got "
             << factorName(factor);
    return parser.parseInteger(sizes.emplace_back());
  });
}

// Parses ` reduction={i, k}`, or nothing.
ParseResult parseSpecialFactors(AsmParser& parser, StringRef name,
                                SmallVectorImpl<int64_t>& factors) {
  if (failed(parser.parseOptionalKeyword(name))) return success();
  if (parser.parseEqual()) return failure();
  return parser.parseCommaSeparatedList(
      Delimiter::Braces, [&] { return parseFactor(parser, factors.emplace_back()); });
}

void printSpecialFactors(AsmPrinter& printer, StringRef name, ArrayRef<int64_t> factors) {
  if (factors.empty()) return;
  printer << " " << name << "={";
  llvm::interleaveComma(factors, printer.getStream(),
                        [&](int64_t factor) { printer << factorName(factor); });
  printer << "}";
}

ParseResult parseCustomMark(AsmParser& parser, bool& isCustom) {
  isCustom = succeeded(parser.parseOptionalComma());
  return isCustom ? parser.parseKeyword("custom") : ParseResult(success());
}

}  // namespace

std::string factorName(int64_t index) {
  if (index <= kLastLetter) return std::string(1, static_cast<char>('i' + index));
  return "z_" + std::to_string(index - kLastLetter);
}

Attribute DimMappingAttr::parse(AsmParser& parser, Type) {
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors)) return {};
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter& printer) const {
  for (int64_t factor : getFactorIndices()) printer << factorName(factor);
}

Attribute TensorMappingAttr::parse(AsmParser& parser, Type) {
  SmallVector<DimMappingAttr> dims;
  if (parseElements(parser, Delimiter::Square, dims)) return {};
  return get(parser.getContext(), dims);
}

void TensorMappingAttr::print(AsmPrinter& printer) const {
  printElements(printer, getDimMappings(), "[", "]");
}

Attribute OpShardingRuleAttr::parse(AsmParser& parser, Type) {
  SmallVector<TensorMappingAttr> operands;
  SmallVector<TensorMappingAttr> results;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> reduction;
  SmallVector<int64_t> replication;
  SmallVector<int64_t> permutation;
  SmallVector<int64_t> blocked;
  bool isCustom = false;
  if (parser.parseLess() || parseElements(parser, Delimiter::Paren, operands) ||
      parser.parseArrow() || parseElements(parser, Delimiter::Paren, results) ||
      parseFactorSizes(parser, sizes) || parseSpecialFactors(parser, "reduction", reduction) ||
      parseSpecialFactors(parser, "need_replication", replication) ||
      parseSpecialFactors(parser, "permutation", permutation) ||
      parseSpecialFactors(parser, "blocked_propagation", blocked) ||
      parseCustomMark(parser, isCustom) || parser.parseGreater())
    return {};
  return get(parser.getContext(), sizes, operands, results, reduction, replication, permutation,
             blocked, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter& printer) const {
  printElements(printer, getOperandMappings(), "<(", ")->");
  printElements(printer, getResultMappings(), "(", ")");
  if (!getFactorSizes().empty()) {
    printer << " {";
    llvm::interleaveComma(
        llvm::enumerate(getFactorSizes()), printer.getStream(), [&](const auto& factor) {
          printer << factorName(static_cast<int64_t>(factor.index())) << "=" << factor.value();
        });
    printer << "}";
  }
  printSpecialFactors(printer, "reduction", getReductionFactors());
  printSpecialFactors(printer, "need_replication", getNeedReplicationFactors());
  printSpecialFactors(printer, "permutation", getPermutationFactors());
  printSpecialFactors(printer, "blocked_propagation", getBlockedPropagationFactors());
  printer << (getIsCustomRule() ? ", custom>" : ">");
}

//===-- Debug information --------------------------------------------------------------------===//

Attribute EdgeValueRefAttr::parse(AsmParser& parser, Type) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  int64_t index = 0;
  if (parser.parseKeyword(&word)) return {};
  const std::optional<EdgeNodeType> type = symbolizeEdgeNodeType(word);
  if (!type) {
    parser.emitError(loc) << "expected 'operand' or 'result', got '" << word << "'";
    return {};
  }
  if (parser.parseMinus() || parser.parseInteger(index)) return {};
  return get(parser.getContext(), *type, index);
}

void EdgeValueRefAttr::print(AsmPrinter& printer) const {
  printer << stringifyEdgeNodeType(getType()) << "-" << getIndex();
}

Attribute AxisToPropagationDetailsAttr::parse(AsmParser& parser, Type) {
  AxisRefAttr axis;
  EdgeValueRefAttr source;
  SmallVector<EdgeValueRefAttr> targets;
  if (parser.parseLBrace() || parser.parseCustomAttributeWithFallback(axis) ||
      parser.parseEqual() || parser.parseCustomAttributeWithFallback(source) ||
      parser.parseArrow() || parseElements(parser, Delimiter::Square, targets) ||
      parser.parseRBrace())
    return {};
  return get(parser.getContext(), axis, source, targets);
}

void AxisToPropagationDetailsAttr::print(AsmPrinter& printer) const {
  printer << "{";
  printer.printStrippedAttrOrType(getAxisName());
  printer << " = ";
  printer.printStrippedAttrOrType(getSource());
  printElements(printer, getTargets(), " -> [", "]}");
}

Attribute PropagationOneStepAttr::parse(AsmParser& parser, Type) {
  int64_t step = 0;
  SmallVector<AxisToPropagationDetailsAttr> entries;
  if (parser.parseLBrace() || parser.parseKeyword("step") || parser.parseMinus() ||
      parser.parseInteger(step) || parser.parseEqual() ||
      parseElements(parser, Delimiter::Square, entries) || parser.parseRBrace())
    return {};
  return get(parser.getContext(), step, entries);
}

void PropagationOneStepAttr::print(AsmPrinter& printer) const {
  printer << "{step-" << getStepIndex();
  printElements(printer, getAxisEntries(), " = [", "]}");
}

Attribute PropagationEdgesAttr::parse(AsmParser& parser, Type) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<PropagationOneStepAttr> steps;
  if (parser.parseLess() || parseElements(parser, Delimiter::Square, steps) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PropagationEdgesAttr>(loc, parser.getContext(), ArrayRef(steps));
}

void PropagationEdgesAttr::print(AsmPrinter& printer) const {
  printElements(printer, getSteps(), "<[", "]>");
}

LogicalResult PropagationEdgesAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                           ArrayRef<PropagationOneStepAttr> steps) {
  for (PropagationOneStepAttr step : steps)
    if (step.getStepIndex() < 0)
      return emitError() << "step must not be negative, got " << step.getStepIndex();
  return success();
}

}  // namespace shardwright::sdy
