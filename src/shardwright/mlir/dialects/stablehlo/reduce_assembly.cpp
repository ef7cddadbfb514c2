// The two printed forms of stablehlo.reduce.
//
//   stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (...) ->
//   tensor<4xf32> stablehlo.reduce(%0 init: %2), (%1 init: %3) across dimensions = [1] : (...) ->
//   (...)
//    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>)  {...}
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"

namespace shardwright::stablehlo {

using mlir::failure;
using mlir::FunctionType;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::OperationName;
using mlir::OperationState;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::success;

namespace {

// Whether `applies` can name an op of this kind: commutative, so that the order of its operands
// need not be told.
bool isShortCombiner(OperationName name) {
  return name.isRegistered() &&
         name.getDialectNamespace() == StablehloDialect::getDialectNamespace() &&
         name.hasTrait<mlir::OpTrait::IsCommutative>() &&
         name.hasTrait<mlir::OpTrait::NOperands<2>::Impl>() &&
         name.hasTrait<mlir::OpTrait::OneResult>() && name.hasTrait<mlir::OpTrait::ZeroRegions>();
}

// The op that the short form may stand for: the body is nothing but that op on its two arguments,
// in order, in the type of the input's elements. Null if there is none. An op with attributes does
// not count: they would be lost.
Operation* shortCombiner(ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getInitValues().size() != 1 || !op.getBody().hasOneBlock())
    return nullptr;
  mlir::Block& block = op.getBody().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2)) return nullptr;
  Operation& combiner = block.front();
  Operation& end = block.back();
  if (!isShortCombiner(combiner.getName()) || !mlir::isa<ReturnOp>(end)) return nullptr;
  if (combiner.getOperand(0) != block.getArgument(0) ||
      combiner.getOperand(1) != block.getArgument(1))
    return nullptr;
  if (end.getNumOperands() != 1 || end.getOperand(0) != combiner.getResult(0)) return nullptr;
  if (!combiner.getAttrs().empty() || !end.getAttrs().empty()) return nullptr;
  auto input = mlir::cast<RankedTensorType>(op.getInputs().front().getType());
  auto init = mlir::cast<RankedTensorType>(op.getInitValues().front().getType());
  auto scalar = RankedTensorType::get({}, input.getElementType());
  const bool sameTypes =
      init.getElementType() == input.getElementType() &&
      llvm::all_of(combiner.getOperandTypes(), [&](mlir::Type type) { return type == scalar; }) &&
      combiner.getResult(0).getType() == scalar;
  return sameTypes ? &combiner : nullptr;
}

// `(%0 init: %1), (%2 init: %3)`
ParseResult parseInputs(OpAsmParser& parser, Operands& inputs, Operands& inits) {
  return parser.parseCommaSeparatedList([&] {
    return mlir::failure(parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
                         parser.parseKeyword("init") || parser.parseColon() ||
                         parser.parseOperand(inits.emplace_back()) || parser.parseRParen());
  });
}

// `applies stablehlo.add`, or nothing.
ParseResult parseCombinerName(OpAsmParser& parser, std::optional<OperationName>& name) {
  if (mlir::failed(parser.parseOptionalKeyword("applies"))) return success();
  const llvm::SMLoc loc = parser.getCurrentLocation();
  const mlir::FailureOr<OperationName> parsed = parser.parseCustomOperationName();
  if (failed(parsed)) return failure();
  if (!isShortCombiner(*parsed)) {
    return parser.emitError(loc)
           << "expected a commutative binary op of the stablehlo dialect, got '" << *parsed << "'";
  }
  name = *parsed;
  return success();
}

// `across dimensions = [1] {attributes} : (...) -> ...`
ParseResult parseDimensionsAndType(OpAsmParser& parser, OperationState& state, FunctionType& type) {
  mlir::DenseI64ArrayAttr dimensions;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseDimArray(parser, dimensions) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColon() || parser.parseType(type)) {
    return failure();
  }
  state.attributes.set(ReduceOp::getDimensionsAttrName(state.name), dimensions);
  return success();
}

// A location behind the op is that of the body's ops too, so that it has to be known before they
// are made.
ParseResult parseShortLocation(OpAsmParser& parser, OperationState& state) {
  std::optional<mlir::Location> given;
  if (parser.parseOptionalLocationSpecifier(given)) return failure();
  if (given) state.location = *given;
  return success();
}

// Makes the body that `applies name` stands for.
ParseResult buildShortBody(OpAsmParser& parser, llvm::SMLoc loc, OperationName name,
                           FunctionType type, OperationState& state) {
  auto input =
      type.getNumInputs() == 2 ? mlir::dyn_cast<RankedTensorType>(type.getInput(0)) : nullptr;
  if (!input)
    return parser.emitError(loc) << "expected the type of one reduced tensor, got " << type;
  auto scalar = RankedTensorType::get({}, input.getElementType());
  mlir::Block& block = state.addRegion()->emplaceBlock();
  block.addArguments({scalar, scalar}, {state.location, state.location});
  mlir::OpBuilder builder(state.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState combinerState(state.location, name);
  combinerState.addOperands(block.getArguments());
  combinerState.addTypes(scalar);
  Operation* combiner = builder.create(combinerState);
  ReturnOp::create(builder, state.location, combiner->getResults());
  return success();
}

// `reducer(%a: t, %b: t) (%c: u, %d: u) {...}`: pairs of accumulated value and next element, while
// the body takes all accumulated values first.
ParseResult parseReducer(OpAsmParser& parser, size_t count, OperationState& state) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword("reducer")) return failure();
  llvm::SmallVector<OpAsmParser::Argument> accumulated, next;
  while (mlir::succeeded(parser.parseOptionalLParen())) {
    if (parser.parseArgument(accumulated.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() || parser.parseArgument(next.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen()) {
      return failure();
    }
  }
  if (accumulated.size() != count) {
    return parser.emitError(loc) << "expected " << count << " pairs of reducer arguments, got "
                                 << accumulated.size();
  }
  llvm::append_range(accumulated, next);
  return parser.parseRegion(*state.addRegion(), accumulated);
}

}  // namespace

ParseResult ReduceOp::parse(OpAsmParser& parser, OperationState& state) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  // jaxlib places a reduction without a location behind its name.
  state.location = parser.getEncodedSourceLoc(loc);
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  std::optional<OperationName> combiner;
  FunctionType type;
  if (parseInputs(parser, operands, inits) || parseCombinerName(parser, combiner) ||
      parseDimensionsAndType(parser, state, type)) {
    return failure();
  }
  const size_t count = operands.size();
  llvm::append_range(operands, inits);
  if (parser.resolveOperands(operands, type.getInputs(), loc, state.operands)) return failure();
  state.addTypes(type.getResults());
  if (!combiner) return parseReducer(parser, count, state);
  if (parseShortLocation(parser, state)) return failure();
  return buildShortBody(parser, loc, *combiner, type, state);
}

void ReduceOp::print(OpAsmPrinter& printer) {
  const size_t count = getInputs().size();
  // An op that does not verify has no pretty form.
  if (count == 0 || getBody().getNumArguments() != 2 * count) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  llvm::interleaveComma(
      llvm::zip_equal(getInputs(), getInitValues()), printer, [&](const auto& pair) {
        printer << "(" << std::get<0>(pair) << " init: " << std::get<1>(pair) << ")";
      });
  Operation* combiner = shortCombiner(*this);
  if (combiner) printer << " applies " << combiner->getName();
  printer << " across dimensions = ";
  printDims(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (combiner) return;
  printer.printNewline();
  printer << " reducer";
  for (size_t i = 0; i < count; ++i) {
    printer << "(";
    printer.printRegionArgument(getBody().getArgument(static_cast<unsigned>(i)));
    printer << ", ";
    printer.printRegionArgument(getBody().getArgument(static_cast<unsigned>(count + i)));
    printer << ") ";
  }
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

}  // namespace shardwright::stablehlo
