#include "shardwright/mlir/dialects/stablehlo/assembly.h"

#include "mlir/IR/Builders.h"

namespace shardwright::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::FunctionType;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::Type;

// -- Types
// -----------------------------------------------------------------------------------------------------------

namespace {

// Splits `function` into `types`, whose last is the result.
ParseResult assignFunctionType(OpAsmParser& parser, llvm::SMLoc loc, FunctionType function,
                               llvm::ArrayRef<Type*> types) {
  const size_t operands = types.size() - 1;
  if (function.getNumInputs() != operands || function.getNumResults() != 1) {
    return parser.emitError(loc) << "expected a type of " << operands
                                 << " operands and 1 result, got " << function;
  }
  for (auto [slot, type] : llvm::zip_first(types.drop_back(), function.getInputs())) *slot = type;
  *types.back() = function.getResult(0);
  return mlir::success();
}

void printFunctionType(OpAsmPrinter& printer, llvm::ArrayRef<Type> types) {
  printer.printFunctionalType(types.drop_back(), types.take_back());
}

// The type of the real part of a tensor of complex numbers; the type itself if it is none.
Type realPartType(Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  auto element = tensor ? mlir::dyn_cast<mlir::ComplexType>(tensor.getElementType()) : nullptr;
  if (!element) return type;
  return mlir::RankedTensorType::get(tensor.getShape(), element.getElementType(),
                                     tensor.getEncoding());
}

}  // namespace

ParseResult detail::parseSameTypes(OpAsmParser& parser, llvm::ArrayRef<Type*> types) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return mlir::failure();
  if (auto function = mlir::dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, types);
  for (Type* slot : types) *slot = type;
  return mlir::success();
}

void detail::printSameTypes(OpAsmPrinter& printer, llvm::ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    printer << types.front();
  } else {
    printFunctionType(printer, types);
  }
}

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser& parser, Operands& operands,
                                                   llvm::SmallVectorImpl<Type>& operandTypes,
                                                   Type& resultType) {
  operandTypes.resize(operands.size());
  llvm::SmallVector<Type*> slots;
  for (Type& type : operandTypes) slots.push_back(&type);
  slots.push_back(&resultType);
  return detail::parseSameTypes(parser, slots);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter& printer, Operation*, mlir::OperandRange,
                                            mlir::TypeRange operandTypes, Type resultType) {
  llvm::SmallVector<Type> types(operandTypes);
  types.push_back(resultType);
  detail::printSameTypes(printer, types);
}

ParseResult parseComplexType(OpAsmParser& parser, Type& lhs, Type& rhs, Type& result) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return mlir::failure();
  if (auto function = mlir::dyn_cast<FunctionType>(type)) {
    return assignFunctionType(parser, loc, function, {&lhs, &rhs, &result});
  }
  lhs = rhs = realPartType(type);
  result = type;
  if (lhs == result)
    return parser.emitError(loc) << "expected a tensor of complex numbers, got " << type;
  return mlir::success();
}

void printComplexType(OpAsmPrinter& printer, Operation*, Type lhs, Type rhs, Type result) {
  if (const Type real = realPartType(result); lhs == real && rhs == real) {
    printer << result;
  } else {
    printFunctionType(printer, {lhs, rhs, result});
  }
}

ParseResult parseSelectType(OpAsmParser& parser, Type& pred, Type& onTrue, Type& onFalse,
                            Type& result) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(pred)) return mlir::failure();
  if (auto function = mlir::dyn_cast<FunctionType>(pred)) {
    return assignFunctionType(parser, loc, function, {&pred, &onTrue, &onFalse, &result});
  }
  if (parser.parseComma() || parser.parseType(result)) return mlir::failure();
  onTrue = onFalse = result;
  return mlir::success();
}

void printSelectType(OpAsmPrinter& printer, Operation*, Type pred, Type onTrue, Type onFalse,
                     Type result) {
  if (onTrue == result && onFalse == result) {
    printer << pred << ", " << result;
  } else {
    printFunctionType(printer, {pred, onTrue, onFalse, result});
  }
}

ParseResult parseTupleType(OpAsmParser& parser, llvm::SmallVectorImpl<Type>& operands,
                           Type& result) {
  mlir::TupleType tuple;
  if (parser.parseType(tuple)) return mlir::failure();
  llvm::append_range(operands, tuple.getTypes());
  result = tuple;
  return mlir::success();
}

void printTupleType(OpAsmPrinter& printer, Operation*, mlir::TypeRange, Type result) {
  printer << result;
}

// -- Operands and regions
// --------------------------------------------------------------------------------------------

ParseResult parseOperandsThenComma(OpAsmParser& parser, Operands& operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    const mlir::OptionalParseResult found = parser.parseOptionalOperand(operand);
    if (!found.has_value()) break;
    if (*found || parser.parseComma()) return mlir::failure();
    operands.push_back(operand);
  }
  // jaxlib prints a lone comma where there are no operands (a dynamic_slice of a scalar), though it
  // cannot read it.
  if (operands.empty()) (void)parser.parseOptionalComma();
  return mlir::success();
}

void printOperandsThenComma(OpAsmPrinter& printer, Operation*, mlir::OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  if (!operands.empty()) printer << ",";
}

ParseResult parseCompositeRegions(OpAsmParser& parser,
                                  llvm::SmallVectorImpl<std::unique_ptr<mlir::Region>>& regions) {
  if (mlir::failed(parser.parseOptionalLParen())) return mlir::success();
  return mlir::failure(parser.parseCommaSeparatedList([&]() -> ParseResult {
    auto region = std::make_unique<mlir::Region>();
    if (parser.parseRegion(*region)) return mlir::failure();
    regions.push_back(std::move(region));
    return mlir::success();
  }) || parser.parseRParen());
}

void printCompositeRegions(OpAsmPrinter& printer, Operation*,
                           llvm::MutableArrayRef<mlir::Region> regions) {
  if (regions.empty()) return;
  printer << " (";
  llvm::interleaveComma(regions, printer,
                        [&](mlir::Region& region) { printer.printRegion(region); });
  printer << ")";
}

// -- Attributes
// ------------------------------------------------------------------------------------------------------

ParseResult parseDims(AsmParser& parser, llvm::SmallVectorImpl<int64_t>& dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(dims.emplace_back()); });
}

void printDims(AsmPrinter& printer, llvm::ArrayRef<int64_t> dims) {
  printer << "[";
  llvm::interleaveComma(dims, printer);
  printer << "]";
}

ParseResult parseDimArray(OpAsmParser& parser, mlir::DenseI64ArrayAttr& dims) {
  llvm::SmallVector<int64_t> values;
  if (parseDims(parser, values)) return mlir::failure();
  dims = parser.getBuilder().getDenseI64ArrayAttr(values);
  return mlir::success();
}

void printDimArray(OpAsmPrinter& printer, Operation*, mlir::DenseI64ArrayAttr dims) {
  printDims(printer, dims.asArrayRef());
}

ParseResult parseExponentMantissa(AsmParser& parser, mlir::IntegerAttr& exponent,
                                  mlir::IntegerAttr& mantissa) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef text;
  if (parser.parseKeyword(&text)) return mlir::failure();
  int32_t exponentBits = 0;
  int32_t mantissaBits = 0;
  if (!text.consume_front("e") || text.consumeInteger(10, exponentBits) ||
      !text.consume_front("m") || text.consumeInteger(10, mantissaBits) || !text.empty()) {
    return parser.emitError(loc) << "expected a float format such as e8m7";
  }
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return mlir::success();
}

void printExponentMantissa(AsmPrinter& printer, Operation*, mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa) {
  printer << "e" << exponent.getValue() << "m" << mantissa.getValue();
}

ParseResult parseSliceRanges(OpAsmParser& parser, mlir::DenseI64ArrayAttr& start,
                             mlir::DenseI64ArrayAttr& limit, mlir::DenseI64ArrayAttr& strides) {
  llvm::SmallVector<int64_t> starts, limits, steps;
  const auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limits.emplace_back())) {
      return mlir::failure();
    }
    steps.push_back(1);
    return mlir::failure(mlir::succeeded(parser.parseOptionalColon()) &&
                         parser.parseInteger(steps.back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return mlir::failure();
  start = parser.getBuilder().getDenseI64ArrayAttr(starts);
  limit = parser.getBuilder().getDenseI64ArrayAttr(limits);
  strides = parser.getBuilder().getDenseI64ArrayAttr(steps);
  return mlir::success();
}

void printSliceRanges(OpAsmPrinter& printer, Operation*, llvm::ArrayRef<int64_t> start,
                      llvm::ArrayRef<int64_t> limit, llvm::ArrayRef<int64_t> strides) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(start, limit, strides), printer, [&](const auto& range) {
    const auto [from, to, step] = range;
    printer << from << ":" << to;
    if (step != 1) printer << ":" << step;
  });
  printer << "]";
}

ParseResult parseCustomCallTarget(AsmParser& parser, mlir::StringAttr& target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(AsmPrinter& printer, Operation*, mlir::StringAttr target) {
  printer.printSymbolName(target.getValue());
}

}  // namespace shardwright::stablehlo
