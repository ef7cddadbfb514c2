// The scan: syntax and checks.
//
//   %0:2 = chlo.scan(%xs) inits (%init) dimension=0  {
//   ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
//     ...
//   } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
#include "mlir/IR/TypeUtilities.h"
#include "shardwright/mlir/dialects/chlo/chlo.h"

namespace shardwright::chlo {

using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::OpAsmParser;
using mlir::ParseResult;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;

//===-- Syntax -------------------------------------------------------------------------------===//

namespace {

using Operands = llvm::SmallVector<OpAsmParser::UnresolvedOperand>;

// Parses `(%xs) inits (%init) dimension=0`.
ParseResult parseHead(OpAsmParser& parser, ScanOp::Properties& properties, Operands& inputs,
                      Operands& inits) {
  int64_t dimension = 0;
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() || parser.parseInteger(dimension))
    return failure();
  properties.dimension = parser.getBuilder().getI64IntegerAttr(dimension);
  return success();
}

// Parses the attributes; those that the head or the types tell must not be among them.
ParseResult parseAttributes(OpAsmParser& parser, mlir::OperationState& result) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes)) return failure();
  for (llvm::StringRef name : {"dimension", "operandSegmentSizes", "resultSegmentSizes"})
    if (result.attributes.get(name))
      return parser.emitError(loc) << "'" << name << "' must not be in the attributes";
  return ScanOp::verifyInherentAttrs(result.name, result.attributes,
                                     [&] { return parser.emitError(loc); });
}

// Parses the types and gives them to operands and results.
ParseResult parseTypes(OpAsmParser& parser, mlir::OperationState& result, const Operands& inputs,
                       const Operands& inits) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  mlir::FunctionType type;
  if (parser.parseColonType(type)) return failure();
  if (type.getNumInputs() != inputs.size() + inits.size())
    return parser.emitError(loc) << "has " << inputs.size() << " inputs and " << inits.size()
                                 << " inits, but " << type.getNumInputs() << " operand types";
  if (type.getNumResults() < inits.size())
    return parser.emitError(loc) << "carries " << inits.size() << " values, but has "
                                 << type.getNumResults() << " results";
  auto& properties = result.getOrAddProperties<ScanOp::Properties>();
  const auto carries = static_cast<int32_t>(inits.size());
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()), carries};
  properties.resultSegmentSizes = {static_cast<int32_t>(type.getNumResults()) - carries, carries};
  result.addTypes(type.getResults());
  return success(succeeded(parser.resolveOperands(
                     inputs, type.getInputs().take_front(inputs.size()), loc, result.operands)) &&
                 succeeded(parser.resolveOperands(inits, type.getInputs().drop_front(inputs.size()),
                                                  loc, result.operands)));
}

}  // namespace

ParseResult ScanOp::parse(OpAsmParser& parser, mlir::OperationState& result) {
  Operands inputs;
  Operands inits;
  mlir::Region* body = result.addRegion();
  if (parseHead(parser, result.getOrAddProperties<Properties>(), inputs, inits) ||
      parseAttributes(parser, result) || parser.parseRegion(*body))
    return failure();
  return parseTypes(parser, result, inputs, inits);
}

void ScanOp::print(mlir::OpAsmPrinter& printer) {
  printer << "(" << getInputs() << ") inits (" << getInits() << ") dimension=" << getDimension()
          << " ";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << " ";
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

void ScanOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn setName) {
  for (mlir::BlockArgument argument : region.getArguments())
    setName(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
}

//===-- Checks -------------------------------------------------------------------------------===//

namespace {

bool mayBeSame(Type a, Type b) {
  return mlir::getElementTypeOrSelf(a) == mlir::getElementTypeOrSelf(b) &&
         succeeded(mlir::verifyCompatibleShape(a, b));
}

// Finds what the body sees of `whole`: the tensor without the scanned dim. `size` is the length of
// the scan as known so far (kDynamic if not), and learns from the tensor.
LogicalResult sliceOf(ScanOp op, Type whole, llvm::StringRef what, size_t index, int64_t& size,
                      Type& slice) {
  auto shaped = llvm::cast<ShapedType>(whole);
  const auto dimension = static_cast<int64_t>(op.getDimension());
  if (!shaped.hasRank())
    return op.emitOpError() << what << " " << index << " needs a rank, got " << whole;
  if (dimension >= shaped.getRank())
    return op.emitOpError() << what << " " << index << " of type " << whole << " has no dim "
                            << dimension;
  llvm::SmallVector<int64_t> shape(shaped.getShape());
  const int64_t length = shape[static_cast<size_t>(dimension)];
  if (failed(mlir::verifyCompatibleShape({length}, {size})))
    return op.emitOpError() << what << " " << index << " is scanned over " << length
                            << " steps, others over " << size;
  if (!ShapedType::isDynamic(length)) size = length;
  shape.erase(shape.begin() + dimension);
  slice = mlir::RankedTensorType::get(shape, shaped.getElementType());
  return success();
}

LogicalResult verifyBodyType(ScanOp op, Type expected, Type actual, llvm::StringRef what,
                             size_t index) {
  if (mayBeSame(expected, actual)) return success();
  return op.emitOpError() << what << " " << index << " of the body should be " << expected
                          << ", got " << actual;
}

LogicalResult verifyArguments(ScanOp op, int64_t& size) {
  auto arguments = op.getBody().getArgumentTypes();
  if (arguments.size() != op->getNumOperands())
    return op.emitOpError() << "has " << op->getNumOperands() << " operands, but its body takes "
                            << arguments.size();
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes())) {
    Type expected = type;
    if (index < op.getInputs().size() && failed(sliceOf(op, type, "input", index, size, expected)))
      return failure();
    if (failed(verifyBodyType(op, expected, arguments[index], "argument", index))) return failure();
  }
  return success();
}

LogicalResult verifyResults(ScanOp op, int64_t& size) {
  auto returned = op.getBody().front().getTerminator()->getOperandTypes();
  if (returned.size() != op->getNumResults())
    return op.emitOpError() << "has " << op->getNumResults() << " results, but its body returns "
                            << returned.size();
  for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
    Type expected = type;
    if (index < op.getOutputs().size() &&
        failed(sliceOf(op, type, "output", index, size, expected)))
      return failure();
    if (failed(verifyBodyType(op, expected, returned[index], "result", index))) return failure();
  }
  return success();
}

}  // namespace

LogicalResult ScanOp::verify() {
  if (getInputs().empty() && getOutputs().empty())
    return emitOpError("needs an input or an output");
  if (getCarries().size() != getInits().size())
    return emitOpError() << "has " << getInits().size() << " inits, but carries out "
                         << getCarries().size() << " values";
  int64_t size = ShapedType::kDynamic;
  if (getScanDimSize()) size = static_cast<int64_t>(*getScanDimSize());
  return success(succeeded(verifyArguments(*this, size)) && succeeded(verifyResults(*this, size)));
}

}  // namespace shardwright::chlo
