// The pieces of assembly that op definitions name in `custom<...>`. Each has a parse and a print
// function; what one prints, the other parses. The spacing around them is that of jaxlib.
#pragma once

#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright::stablehlo {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

// -- Types
// -----------------------------------------------------------------------------------------------------------

namespace detail {
mlir::ParseResult parseSameTypes(mlir::OpAsmParser& parser, llvm::ArrayRef<mlir::Type*> types);
void printSameTypes(mlir::OpAsmPrinter& printer, llvm::ArrayRef<mlir::Type> types);
}  // namespace detail

// One type if operands and result have the same, a function type otherwise. The last of `types` is
// the result.
//   tensor<4xf32>
//   (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
template <typename... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser& parser, Types&... types) {
  return detail::parseSameTypes(parser, {&types...});
}
template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation*, Types... types) {
  detail::printSameTypes(printer, {types...});
}

// The same for any number of operands.
mlir::ParseResult parseVariadicSameOperandsAndResultType(
    mlir::OpAsmParser& parser, Operands& operands, llvm::SmallVectorImpl<mlir::Type>& operandTypes,
    mlir::Type& resultType);
void printVariadicSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                            mlir::OperandRange operands,
                                            mlir::TypeRange operandTypes, mlir::Type resultType);

// The result type if both operands have the type of its real part, a function type otherwise.
//   tensor<4xcomplex<f32>>
mlir::ParseResult parseComplexType(mlir::OpAsmParser& parser, mlir::Type& lhs, mlir::Type& rhs,
                                   mlir::Type& result);
void printComplexType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type lhs,
                      mlir::Type rhs, mlir::Type result);

// The types of predicate and result if the result has the type of both choices, a function type
// otherwise.
//   tensor<i1>, tensor<4xf32>
mlir::ParseResult parseSelectType(mlir::OpAsmParser& parser, mlir::Type& pred, mlir::Type& onTrue,
                                  mlir::Type& onFalse, mlir::Type& result);
void printSelectType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type pred,
                     mlir::Type onTrue, mlir::Type onFalse, mlir::Type result);

// The tuple type, which names its operands' types.
mlir::ParseResult parseTupleType(mlir::OpAsmParser& parser,
                                 llvm::SmallVectorImpl<mlir::Type>& operands, mlir::Type& result);
void printTupleType(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::TypeRange operands,
                    mlir::Type result);

// -- Operands and regions
// --------------------------------------------------------------------------------------------

// Operands with a comma after each: `%a, %b,`.
mlir::ParseResult parseOperandsThenComma(mlir::OpAsmParser& parser, Operands& operands);
void printOperandsThenComma(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                            mlir::OperandRange operands);

// Regions in parentheses, ` ({...}, {...})`, or nothing.
mlir::ParseResult parseCompositeRegions(
    mlir::OpAsmParser& parser, llvm::SmallVectorImpl<std::unique_ptr<mlir::Region>>& regions);
void printCompositeRegions(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           llvm::MutableArrayRef<mlir::Region> regions);

// -- Attributes
// ------------------------------------------------------------------------------------------------------

// `[0, 2]`, for attributes and for lists within them.
mlir::ParseResult parseDims(mlir::AsmParser& parser, llvm::SmallVectorImpl<int64_t>& dims);
void printDims(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> dims);
mlir::ParseResult parseDimArray(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& dims);
void printDimArray(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::DenseI64ArrayAttr dims);

// `e8m7`
mlir::ParseResult parseExponentMantissa(mlir::AsmParser& parser, mlir::IntegerAttr& exponent,
                                        mlir::IntegerAttr& mantissa);
void printExponentMantissa(mlir::AsmPrinter& printer, mlir::Operation* op,
                           mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);

// `[0:4, 2:16:3]`; a stride of 1 is left out.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& start,
                                   mlir::DenseI64ArrayAttr& limit,
                                   mlir::DenseI64ArrayAttr& strides);
void printSliceRanges(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                      llvm::ArrayRef<int64_t> start, llvm::ArrayRef<int64_t> limit,
                      llvm::ArrayRef<int64_t> strides);

// `@target`
mlir::ParseResult parseCustomCallTarget(mlir::AsmParser& parser, mlir::StringAttr& target);
void printCustomCallTarget(mlir::AsmPrinter& printer, mlir::Operation* op, mlir::StringAttr target);

// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`; no batching dimensions are left out.
mlir::ParseResult parseDotDimensionNumbers(mlir::AsmParser& parser,
                                           DotDimensionNumbersAttr& numbers);
void printDotDimensionNumbers(mlir::AsmPrinter& printer, mlir::Operation* op,
                              DotDimensionNumbersAttr numbers);

// `, precision = [HIGH, DEFAULT]`, or nothing.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser& parser, mlir::ArrayAttr& precision);
void printPrecisionConfig(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                          mlir::ArrayAttr precision);

// The same, and then `, algorithm = <...>`, or nothing.
mlir::ParseResult parsePrecisionAndAlgorithm(mlir::OpAsmParser& parser, mlir::ArrayAttr& precision,
                                             DotAlgorithmAttr& algorithm);
void printPrecisionAndAlgorithm(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                mlir::ArrayAttr precision, DotAlgorithmAttr algorithm);

// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
mlir::ParseResult parseConvDimensions(mlir::AsmParser& parser, ConvDimensionNumbersAttr& numbers);
void printConvDimensions(mlir::AsmPrinter& printer, mlir::Operation* op,
                         ConvDimensionNumbersAttr numbers);

// `{stride = [1, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse =
// [false, true]}`, each part only if it is there, in any order when parsed.
mlir::ParseResult parseWindow(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                              mlir::DenseIntElementsAttr& padding,
                              mlir::DenseI64ArrayAttr& lhsDilation,
                              mlir::DenseI64ArrayAttr& rhsDilation,
                              mlir::DenseBoolArrayAttr& reversal);
void printWindow(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::DenseI64ArrayAttr strides,
                 mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhsDilation,
                 mlir::DenseI64ArrayAttr rhsDilation, mlir::DenseBoolArrayAttr reversal);

}  // namespace shardwright::stablehlo
