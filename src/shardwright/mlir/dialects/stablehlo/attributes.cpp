// Assembly and verification of the dialect's attributes and types.
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"

namespace shardwright::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::ParseResult;

using Dims = llvm::SmallVector<int64_t>;

// -- Pieces that attribute definitions name in `custom<...>`
// -----------------------------------------------------------

namespace {

ParseResult parseDimList(AsmParser& parser, Dims& dims) { return parseDims(parser, dims); }

void printDimList(AsmPrinter& printer, llvm::ArrayRef<int64_t> dims) { printDims(printer, dims); }

// `3, ?`, where a question mark is no bound.
ParseResult parseBounds(AsmParser& parser, Dims& bounds) {
  const auto parseOne = [&]() -> ParseResult {
    if (mlir::succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(mlir::ShapedType::kDynamic);
      return mlir::success();
    }
    return parser.parseInteger(bounds.emplace_back());
  };
  int64_t first = 0;
  if (mlir::succeeded(parser.parseOptionalQuestion())) {
    bounds.push_back(mlir::ShapedType::kDynamic);
  } else {
    const mlir::OptionalParseResult found = parser.parseOptionalInteger(first);
    if (!found.has_value()) return mlir::success();
    if (*found) return mlir::failure();
    bounds.push_back(first);
  }
  while (mlir::succeeded(parser.parseOptionalComma())) {
    if (parseOne()) return mlir::failure();
  }
  return mlir::success();
}

void printBounds(AsmPrinter& printer, llvm::ArrayRef<int64_t> bounds) {
  llvm::interleaveComma(bounds, printer, [&](int64_t bound) {
    if (mlir::ShapedType::isDynamic(bound)) {
      printer << "?";
    } else {
      printer << bound;
    }
  });
}

}  // namespace
}  // namespace shardwright::stablehlo

#include "shardwright/mlir/dialects/stablehlo/enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwright/mlir/dialects/stablehlo/attrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "shardwright/mlir/dialects/stablehlo/types.cpp.inc"

namespace shardwright::stablehlo {

// -- Attributes that are lists of named fields
// -------------------------------------------------------------------------

namespace {

// A field of `<offset_dims = [2], index_vector_dim = 2>`: a list of dimensions or one number.
struct Field {
  llvm::StringRef name;
  Dims* dims = nullptr;
  int64_t* number = nullptr;
  bool seen = false;
};

ParseResult parseField(AsmParser& parser, llvm::MutableArrayRef<Field> fields) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual()) return mlir::failure();
  auto* field =
      llvm::find_if(fields, [&](const Field& candidate) { return candidate.name == name; });
  if (field == fields.end()) return parser.emitError(loc) << "unknown field '" << name << "'";
  if (field->seen) return parser.emitError(loc) << "field '" << name << "' is given twice";
  field->seen = true;
  return field->dims ? parseDims(parser, *field->dims) : parser.parseInteger(*field->number);
}

// Fields in any order; a missing one keeps its value.
ParseResult parseFields(AsmParser& parser, llvm::MutableArrayRef<Field> fields) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                        [&] { return parseField(parser, fields); });
}

class FieldPrinter {
 public:
  explicit FieldPrinter(AsmPrinter& printer) : printer_(printer) { printer_ << "<"; }
  ~FieldPrinter() { printer_ << ">"; }

  void print(llvm::StringRef name, llvm::ArrayRef<int64_t> dims) {
    if (dims.empty()) return;
    start(name);
    printDims(printer_, dims);
  }

  void print(llvm::StringRef name, int64_t number) {
    if (number == 0) return;
    start(name);
    printer_ << number;
  }

 private:
  void start(llvm::StringRef name) {
    printer_ << separator_ << name << " = ";
    separator_ = ", ";
  }

  AsmPrinter& printer_;
  llvm::StringRef separator_ = "";
};

}  // namespace

Attribute DotDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  Dims lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  Field fields[] = {{"lhs_batching_dimensions", &lhsBatching},
                    {"rhs_batching_dimensions", &rhsBatching},
                    {"lhs_contracting_dimensions", &lhsContracting},
                    {"rhs_contracting_dimensions", &rhsContracting}};
  if (parseFields(parser, fields)) return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  FieldPrinter fields(printer);
  fields.print("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.print("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.print("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.print("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  Dims offset, collapsed, operandBatching, indicesBatching, indexMap;
  int64_t indexVectorDim = 0;
  Field fields[] = {{"offset_dims", &offset},
                    {"collapsed_slice_dims", &collapsed},
                    {"operand_batching_dims", &operandBatching},
                    {"start_indices_batching_dims", &indicesBatching},
                    {"start_index_map", &indexMap},
                    {"index_vector_dim", nullptr, &indexVectorDim}};
  if (parseFields(parser, fields)) return {};
  return get(parser.getContext(), offset, collapsed, operandBatching, indicesBatching, indexMap,
             indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter& printer) const {
  FieldPrinter fields(printer);
  fields.print("offset_dims", getOffsetDims());
  fields.print("collapsed_slice_dims", getCollapsedSliceDims());
  fields.print("operand_batching_dims", getOperandBatchingDims());
  fields.print("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.print("start_index_map", getStartIndexMap());
  fields.print("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  Dims window, inserted, inputBatching, indicesBatching, toOperand;
  int64_t indexVectorDim = 0;
  Field fields[] = {{"update_window_dims", &window},
                    {"inserted_window_dims", &inserted},
                    {"input_batching_dims", &inputBatching},
                    {"scatter_indices_batching_dims", &indicesBatching},
                    {"scatter_dims_to_operand_dims", &toOperand},
                    {"index_vector_dim", nullptr, &indexVectorDim}};
  if (parseFields(parser, fields)) return {};
  return get(parser.getContext(), window, inserted, inputBatching, indicesBatching, toOperand,
             indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter& printer) const {
  FieldPrinter fields(printer);
  fields.print("update_window_dims", getUpdateWindowDims());
  fields.print("inserted_window_dims", getInsertedWindowDims());
  fields.print("input_batching_dims", getInputBatchingDims());
  fields.print("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.print("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  fields.print("index_vector_dim", getIndexVectorDim());
}

// -- Convolutions
// --------------------------------------------------------------------------------------------------

namespace {

// Whether two named and the spatial dimensions together are each of 0 .. n-1 once.
bool isPermutation(int64_t first, int64_t second, llvm::ArrayRef<int64_t> spatial) {
  llvm::SmallVector<bool> seen(spatial.size() + 2, false);
  Dims dims(spatial);
  dims.append({first, second});
  for (const int64_t dim : dims) {
    if (dim < 0 || dim >= static_cast<int64_t>(seen.size()) || seen[static_cast<size_t>(dim)])
      return false;
    seen[static_cast<size_t>(dim)] = true;
  }
  return true;
}

// Whether `[b, 0, 1, f]x[...]->[...]` can say it.
bool hasShortForm(ConvDimensionNumbersAttr numbers) {
  return isPermutation(numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
                       numbers.getInputSpatialDimensions()) &&
         isPermutation(numbers.getKernelInputFeatureDimension(),
                       numbers.getKernelOutputFeatureDimension(),
                       numbers.getKernelSpatialDimensions()) &&
         isPermutation(numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
                       numbers.getOutputSpatialDimensions());
}

// The long form, which can also say what no convolution accepts: `raw input_batch_dimension = 0,
// ...`.
Attribute parseRawConv(AsmParser& parser) {
  int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0, outputBatch = 0,
          outputFeature = 0;
  Dims inputSpatial, kernelSpatial, outputSpatial;
  Field fields[] = {{"input_batch_dimension", nullptr, &inputBatch},
                    {"input_feature_dimension", nullptr, &inputFeature},
                    {"input_spatial_dimensions", &inputSpatial},
                    {"kernel_input_feature_dimension", nullptr, &kernelInput},
                    {"kernel_output_feature_dimension", nullptr, &kernelOutput},
                    {"kernel_spatial_dimensions", &kernelSpatial},
                    {"output_batch_dimension", nullptr, &outputBatch},
                    {"output_feature_dimension", nullptr, &outputFeature},
                    {"output_spatial_dimensions", &outputSpatial}};
  if (parser.parseCommaSeparatedList([&] { return parseField(parser, fields); })) return {};
  return ConvDimensionNumbersAttr::get(parser.getContext(), inputBatch, inputFeature, inputSpatial,
                                       kernelInput, kernelOutput, kernelSpatial, outputBatch,
                                       outputFeature, outputSpatial);
}

void printRawConv(AsmPrinter& printer, ConvDimensionNumbersAttr numbers) {
  const auto printSpatial = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> dims) {
    printer << ", " << name << " = ";
    printDims(printer, dims);
  };
  printer << "raw input_batch_dimension = " << numbers.getInputBatchDimension()
          << ", input_feature_dimension = " << numbers.getInputFeatureDimension();
  printSpatial("input_spatial_dimensions", numbers.getInputSpatialDimensions());
  printer << ", kernel_input_feature_dimension = " << numbers.getKernelInputFeatureDimension()
          << ", kernel_output_feature_dimension = " << numbers.getKernelOutputFeatureDimension();
  printSpatial("kernel_spatial_dimensions", numbers.getKernelSpatialDimensions());
  printer << ", output_batch_dimension = " << numbers.getOutputBatchDimension()
          << ", output_feature_dimension = " << numbers.getOutputFeatureDimension();
  printSpatial("output_spatial_dimensions", numbers.getOutputSpatialDimensions());
}

}  // namespace

Attribute ConvDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  if (parser.parseLess()) return {};
  ConvDimensionNumbersAttr numbers;
  if (mlir::succeeded(parser.parseOptionalKeyword("raw"))) {
    numbers = mlir::cast_if_present<ConvDimensionNumbersAttr>(parseRawConv(parser));
    if (!numbers) return {};
  } else if (parseConvDimensions(parser, numbers)) {
    return {};
  }
  return parser.parseGreater() ? ConvDimensionNumbersAttr() : numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << "<";
  if (hasShortForm(*this)) {
    printConvDimensions(printer, nullptr, *this);
  } else {
    printRawConv(printer, *this);
  }
  printer << ">";
}

// -- Accuracy
// ------------------------------------------------------------------------------------------------------

ResultAccuracyAttr ResultAccuracyAttr::getDefault(mlir::MLIRContext* context) {
  return get(context, llvm::APFloat(0.0), llvm::APFloat(0.0), 0,
             ResultAccuracyModeAttr::get(context, ResultAccuracyMode::DEFAULT));
}

Attribute ResultAccuracyAttr::parse(AsmParser& parser, mlir::Type) {
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  const auto parseTolerance = [&](llvm::StringRef label, auto parseValue) -> ParseResult {
    if (mlir::failed(parser.parseOptionalKeyword(label))) return mlir::success();
    return mlir::failure(parser.parseEqual() || parseValue() || parser.parseComma());
  };
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseTolerance("atol", [&] { return parser.parseFloat(atol); }) ||
      parseTolerance("rtol", [&] { return parser.parseFloat(rtol); }) ||
      parseTolerance("ulps", [&] { return parser.parseInteger(ulps); }) ||
      parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) ||
      parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<ResultAccuracyAttr>(loc, parser.getContext(), llvm::APFloat(atol),
                                               llvm::APFloat(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter& printer) const {
  printer << "<";
  const auto printTolerance = [&](llvm::StringRef label, const llvm::APFloat& value) {
    if (value.isZero()) return;
    printer << label << " = ";
    printer.printFloat(value);
    printer << ", ";
  };
  printTolerance("atol", getAtol());
  printTolerance("rtol", getRtol());
  if (getUlps() != 0) printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << getMode() << ">";
}

// The signature is the generator's. NOLINTBEGIN(performance-unnecessary-value-param)
mlir::LogicalResult ResultAccuracyAttr::verify(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError, llvm::APFloat atol,
    llvm::APFloat rtol, int64_t ulps, ResultAccuracyModeAttr mode) {
  // NOLINTEND(performance-unnecessary-value-param)
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "tolerances must not be negative";
  const bool hasTolerance = !atol.isZero() || !rtol.isZero() || ulps != 0;
  if (hasTolerance && mode.getValue() != ResultAccuracyMode::TOLERANCE) {
    return emitError() << "tolerances are only allowed in mode TOLERANCE, not in mode "
                       << stringifyResultAccuracyMode(mode.getValue());
  }
  return mlir::success();
}

// -- Bounds
// --------------------------------------------------------------------------------------------------------

mlir::LogicalResult TypeExtensionsAttr::verifyEncoding(
    llvm::ArrayRef<int64_t> shape, mlir::Type,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size()) {
    return emitError() << getBounds().size() << " bounds for a tensor of rank " << shape.size();
  }
  for (const auto& [dim, bound, size] : llvm::enumerate(getBounds(), shape)) {
    if (!mlir::ShapedType::isDynamic(bound) && !mlir::ShapedType::isDynamic(size)) {
      return emitError() << "dimension " << dim << " has size " << size
                         << " and therefore no bound, got " << bound;
    }
  }
  return mlir::success();
}

// -- Types
// ---------------------------------------------------------------------------------------------------------

mlir::LogicalResult FutureType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                       llvm::ArrayRef<mlir::Type> types) {
  for (const mlir::Type type : types) {
    if (!mlir::isa<mlir::RankedTensorType>(type))
      return emitError() << "expected a future of tensors, got " << type;
  }
  return mlir::success();
}

// -- Dialect
// -------------------------------------------------------------------------------------------------------

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwright/mlir/dialects/stablehlo/attrs.cpp.inc"
      >();
}

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "shardwright/mlir/dialects/stablehlo/types.cpp.inc"
      >();
}

Attribute StablehloDialect::parseAttribute(mlir::DialectAsmParser& parser, mlir::Type type) const {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef mnemonic;
  Attribute attribute;
  const mlir::OptionalParseResult known =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (known.has_value()) return attribute;
  if (mnemonic == "bounds") {
    Dims bounds;
    if (parser.parseLess() || parseBounds(parser, bounds) || parser.parseGreater()) return {};
    return TypeExtensionsAttr::get(parser.getContext(), bounds);
  }
  parser.emitError(loc) << "unknown stablehlo attribute '" << mnemonic << "'";
  return {};
}

namespace {

// `precision HIGH`, if `attribute` is of the given kind.
template <typename EnumAttr>
bool printEnum(Attribute attribute, mlir::DialectAsmPrinter& printer) {
  auto value = mlir::dyn_cast<EnumAttr>(attribute);
  if (!value) return false;
  printer << EnumAttr::getMnemonic() << " ";
  value.print(printer);
  return true;
}

template <typename... EnumAttrs>
bool printEnums(Attribute attribute, mlir::DialectAsmPrinter& printer) {
  return (printEnum<EnumAttrs>(attribute, printer) || ...);
}

}  // namespace

void StablehloDialect::printAttribute(Attribute attribute, mlir::DialectAsmPrinter& printer) const {
  if (auto extensions = mlir::dyn_cast<TypeExtensionsAttr>(attribute)) {
    printer << "bounds<";
    printBounds(printer, extensions.getBounds());
    printer << ">";
    return;
  }
  // Every other attribute of the dialect is generated.
  const bool isEnum =
      printEnums<PrecisionAttr, FftTypeAttr, ComparisonDirectionAttr, ComparisonTypeAttr,
                 TransposeAttr, RngDistributionAttr, RngAlgorithmAttr>(attribute, printer);
  if (!isEnum) (void)generatedAttributePrinter(attribute, printer);
}

}  // namespace shardwright::stablehlo
