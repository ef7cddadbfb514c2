// Assembly of products and convolutions.
#include "mlir/IR/Builders.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"

namespace shardwright::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;

using Dims = llvm::SmallVector<int64_t>;

// -- Products
// --------------------------------------------------------------------------------------------------------

namespace {

// `[0] x [0]`
ParseResult parseDimsPair(AsmParser& parser, Dims& lhs, Dims& rhs) {
  return mlir::failure(parser.parseEqual() || parseDims(parser, lhs) || parser.parseKeyword("x") ||
                       parseDims(parser, rhs));
}

void printDimsPair(AsmPrinter& printer, llvm::StringRef name, llvm::ArrayRef<int64_t> lhs,
                   llvm::ArrayRef<int64_t> rhs) {
  printer << name << " = ";
  printDims(printer, lhs);
  printer << " x ";
  printDims(printer, rhs);
}

ParseResult parsePrecisionList(AsmParser& parser, mlir::ArrayAttr& precision) {
  llvm::SmallVector<mlir::Attribute> values;
  const auto parseOne = [&]() -> ParseResult {
    PrecisionAttr value;
    if (parser.parseCustomAttributeWithFallback(value)) return mlir::failure();
    values.push_back(value);
    return mlir::success();
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne)) {
    return mlir::failure();
  }
  precision = parser.getBuilder().getArrayAttr(values);
  return mlir::success();
}

}  // namespace

ParseResult parseDotDimensionNumbers(AsmParser& parser, DotDimensionNumbersAttr& numbers) {
  Dims lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (mlir::succeeded(parser.parseOptionalKeyword("batching_dims"))) {
    if (parseDimsPair(parser, lhsBatching, rhsBatching) || parser.parseComma())
      return mlir::failure();
  }
  if (parser.parseKeyword("contracting_dims") ||
      parseDimsPair(parser, lhsContracting, rhsContracting)) {
    return mlir::failure();
  }
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching,
                                         lhsContracting, rhsContracting);
  return mlir::success();
}

void printDotDimensionNumbers(AsmPrinter& printer, Operation*, DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() || !numbers.getRhsBatchingDimensions().empty()) {
    printDimsPair(printer, "batching_dims", numbers.getLhsBatchingDimensions(),
                  numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printDimsPair(printer, "contracting_dims", numbers.getLhsContractingDimensions(),
                numbers.getRhsContractingDimensions());
}

ParseResult parsePrecisionConfig(OpAsmParser& parser, mlir::ArrayAttr& precision) {
  if (mlir::failed(parser.parseOptionalComma())) return mlir::success();
  return mlir::failure(parser.parseKeyword("precision") || parsePrecisionList(parser, precision));
}

void printPrecisionConfig(OpAsmPrinter& printer, Operation*, mlir::ArrayAttr precision) {
  if (!precision) return;
  printer << ", precision = [";
  llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr value) { printer.printStrippedAttrOrType(value); });
  printer << "]";
}

ParseResult parsePrecisionAndAlgorithm(OpAsmParser& parser, mlir::ArrayAttr& precision,
                                       DotAlgorithmAttr& algorithm) {
  if (mlir::failed(parser.parseOptionalComma())) return mlir::success();
  if (mlir::succeeded(parser.parseOptionalKeyword("precision"))) {
    if (parsePrecisionList(parser, precision)) return mlir::failure();
    if (mlir::failed(parser.parseOptionalComma())) return mlir::success();
  }
  return mlir::failure(parser.parseKeyword("algorithm") || parser.parseEqual() ||
                       parser.parseCustomAttributeWithFallback(algorithm));
}

void printPrecisionAndAlgorithm(OpAsmPrinter& printer, Operation* op, mlir::ArrayAttr precision,
                                DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm) return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

// -- Dimensions of convolutions
// --------------------------------------------------------------------------------------

namespace {

// One tensor of a convolution: two named dimensions, `b` and `f` or `i` and `o`, and spatial ones.
struct ConvTensor {
  char firstName;
  char secondName;
  int64_t first = -1;
  int64_t second = -1;
  Dims spatial;
};

// Puts `dim` into the slot of a named dimension, unless it is taken.
ParseResult setNamed(AsmParser& parser, llvm::SMLoc loc, int64_t& slot, int64_t dim,
                     llvm::StringRef name) {
  if (slot >= 0) return parser.emitError(loc) << "dimension '" << name << "' is given twice";
  slot = dim;
  return mlir::success();
}

// Parses `b`, `f`, or the number of a spatial dimension; `dim` is the position in the list.
ParseResult parseConvDim(AsmParser& parser, ConvTensor& tensor,
                         llvm::SmallVectorImpl<std::pair<int64_t, int64_t>>& found, int64_t dim) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  int64_t number = 0;
  const mlir::OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    if (*isNumber) return mlir::failure();
    found.emplace_back(number, dim);
    return mlir::success();
  }
  llvm::StringRef name;
  if (parser.parseKeyword(&name)) return mlir::failure();
  if (name == llvm::StringRef(&tensor.firstName, 1))
    return setNamed(parser, loc, tensor.first, dim, name);
  if (name == llvm::StringRef(&tensor.secondName, 1))
    return setNamed(parser, loc, tensor.second, dim, name);
  return parser.emitError(loc) << "expected '" << llvm::StringRef(&tensor.firstName, 1) << "', '"
                               << llvm::StringRef(&tensor.secondName, 1)
                               << "' or the number of a spatial dimension, got '" << name << "'";
}

// Orders the spatial dimensions by number, which must run from 0 without holes.
ParseResult orderSpatial(AsmParser& parser, llvm::SMLoc loc, ConvTensor& tensor,
                         llvm::ArrayRef<std::pair<int64_t, int64_t>> found) {
  tensor.spatial.assign(found.size(), -1);
  for (const auto& [number, dim] : found) {
    if (number < 0 || number >= static_cast<int64_t>(found.size())) {
      return parser.emitError(loc) << "spatial dimension " << number << " is out of range for "
                                   << found.size() << " spatial dimensions";
    }
    int64_t& slot = tensor.spatial[static_cast<size_t>(number)];
    if (slot >= 0)
      return parser.emitError(loc) << "spatial dimension " << number << " is given twice";
    slot = dim;
  }
  return mlir::success();
}

ParseResult parseConvTensor(AsmParser& parser, ConvTensor& tensor) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::SmallVector<std::pair<int64_t, int64_t>> found;
  int64_t dim = 0;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseConvDim(parser, tensor, found, dim++); })) {
    return mlir::failure();
  }
  if (tensor.first < 0 || tensor.second < 0) {
    return parser.emitError(loc) << "expected dimensions '" << llvm::StringRef(&tensor.firstName, 1)
                                 << "' and '" << llvm::StringRef(&tensor.secondName, 1) << "'";
  }
  return orderSpatial(parser, loc, tensor, found);
}

void printConvTensor(AsmPrinter& printer, const ConvTensor& tensor) {
  llvm::SmallVector<std::string> names(tensor.spatial.size() + 2, "?");
  const auto put = [&](int64_t dim, std::string name) {
    if (dim >= 0 && dim < static_cast<int64_t>(names.size()))
      names[static_cast<size_t>(dim)] = std::move(name);
  };
  put(tensor.first, std::string(1, tensor.firstName));
  put(tensor.second, std::string(1, tensor.secondName));
  for (const auto& [number, dim] : llvm::enumerate(tensor.spatial))
    put(dim, std::to_string(number));
  printer << "[";
  llvm::interleaveComma(names, printer);
  printer << "]";
}

}  // namespace

ParseResult parseConvDimensions(AsmParser& parser, ConvDimensionNumbersAttr& numbers) {
  ConvTensor input{'b', 'f', -1, -1, {}};
  ConvTensor kernel{'i', 'o', -1, -1, {}};
  ConvTensor output{'b', 'f', -1, -1, {}};
  if (parseConvTensor(parser, input) || parser.parseKeyword("x") ||
      parseConvTensor(parser, kernel) || parser.parseArrow() || parseConvTensor(parser, output)) {
    return mlir::failure();
  }
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial, kernel.first, kernel.second,
      kernel.spatial, output.first, output.second, output.spatial);
  return mlir::success();
}

void printConvDimensions(AsmPrinter& printer, Operation*, ConvDimensionNumbersAttr numbers) {
  printConvTensor(printer,
                  {'b', 'f', numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
                   Dims(numbers.getInputSpatialDimensions())});
  printer << "x";
  printConvTensor(printer, {'i', 'o', numbers.getKernelInputFeatureDimension(),
                            numbers.getKernelOutputFeatureDimension(),
                            Dims(numbers.getKernelSpatialDimensions())});
  printer << "->";
  printConvTensor(printer,
                  {'b', 'f', numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
                   Dims(numbers.getOutputSpatialDimensions())});
}

// -- Windows
// ---------------------------------------------------------------------------------------------------------

namespace {

// `[[0, 0], [1, 1]]`
ParseResult parsePadding(OpAsmParser& parser, mlir::DenseIntElementsAttr& padding) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  Dims values;
  int64_t rows = 0;
  const auto parseRow = [&]() -> ParseResult {
    const size_t before = values.size();
    if (parseDims(parser, values)) return mlir::failure();
    if (values.size() != before + 2)
      return parser.emitError(loc) << "expected two padding amounts per dimension";
    ++rows;
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
    return mlir::failure();
  auto type = mlir::RankedTensorType::get({rows, 2}, parser.getBuilder().getI64Type());
  padding = mlir::DenseIntElementsAttr::get(type, values);
  return mlir::success();
}

// `[false, true]`, or the same as 0 and 1.
ParseResult parseReversal(OpAsmParser& parser, mlir::DenseBoolArrayAttr& reversal) {
  llvm::SmallVector<bool> values;
  const auto parseOne = [&]() -> ParseResult {
    const llvm::SMLoc loc = parser.getCurrentLocation();
    const bool isTrue = mlir::succeeded(parser.parseOptionalKeyword("true"));
    if (isTrue || mlir::succeeded(parser.parseOptionalKeyword("false"))) {
      values.push_back(isTrue);
      return mlir::success();
    }
    int64_t value = 0;
    if (parser.parseInteger(value)) return mlir::failure();
    if (value != 0 && value != 1)
      return parser.emitError(loc) << "expected true or false, got " << value;
    values.push_back(value == 1);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return mlir::failure();
  reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
  return mlir::success();
}

void printPadding(OpAsmPrinter& printer, mlir::DenseIntElementsAttr padding) {
  printer << "[";
  // Pairs in the order of the elements; a verified op has two per dimension.
  const Dims values = llvm::to_vector(
      llvm::map_range(padding.getValues<llvm::APInt>(),
                      [](const llvm::APInt& value) { return value.getSExtValue(); }));
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    if (i > 0) printer << ", ";
    printDims(printer, {values[i], values[i + 1]});
  }
  printer << "]";
}

void printReversal(OpAsmPrinter& printer, mlir::DenseBoolArrayAttr reversal) {
  printer << "[";
  llvm::interleaveComma(reversal.asArrayRef(), printer,
                        [&](bool value) { printer << (value ? "true" : "false"); });
  printer << "]";
}

}  // namespace

ParseResult parseWindow(OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                        mlir::DenseIntElementsAttr& padding, mlir::DenseI64ArrayAttr& lhsDilation,
                        mlir::DenseI64ArrayAttr& rhsDilation, mlir::DenseBoolArrayAttr& reversal) {
  const auto parsePart = [&]() -> ParseResult {
    const llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual()) return mlir::failure();
    if (name == "stride" && !strides) return parseDimArray(parser, strides);
    if (name == "pad" && !padding) return parsePadding(parser, padding);
    if (name == "lhs_dilate" && !lhsDilation) return parseDimArray(parser, lhsDilation);
    if (name == "rhs_dilate" && !rhsDilation) return parseDimArray(parser, rhsDilation);
    if (name == "reverse" && !reversal) return parseReversal(parser, reversal);
    return parser.emitError(loc) << "unknown or repeated part of a window: '" << name << "'";
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parsePart);
}

void printWindow(OpAsmPrinter& printer, Operation*, mlir::DenseI64ArrayAttr strides,
                 mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhsDilation,
                 mlir::DenseI64ArrayAttr rhsDilation, mlir::DenseBoolArrayAttr reversal) {
  llvm::StringRef separator = "{";
  const auto start = [&](llvm::StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  const auto printArray = [&](llvm::StringRef name, mlir::DenseI64ArrayAttr values) {
    if (!values) return;
    start(name);
    printDims(printer, values.asArrayRef());
  };
  printArray("stride", strides);
  if (padding) {
    start("pad");
    printPadding(printer, padding);
  }
  printArray("lhs_dilate", lhsDilation);
  printArray("rhs_dilate", rhsDilation);
  if (reversal) {
    start("reverse");
    printReversal(printer, reversal);
  }
  printer << (separator == "{" ? "{}" : "}");
}

}  // namespace shardwright::stablehlo
