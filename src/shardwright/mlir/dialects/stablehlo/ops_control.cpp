#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_control.cpp.inc"

namespace shardwright::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::OperationState;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;

void registerControlOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_control.cpp.inc"
      >(dialect);
}

// -- while
// -----------------------------------------------------------------------------------------------------------

void WhileOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn setName) {
  for (const mlir::BlockArgument argument : region.getArguments()) setName(argument, "iterArg");
}

namespace {

struct LoopVariables {
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inits;
};

// `(%iterArg = %0, %iterArg_0 = %1)`
ParseResult parseLoopVariables(OpAsmParser& parser, LoopVariables& variables) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
    return mlir::failure(parser.parseArgument(variables.arguments.emplace_back()) ||
                         parser.parseEqual() ||
                         parser.parseOperand(variables.inits.emplace_back()));
  });
}

// `: tensor<i32>, tensor<4xf32>`, which may be missing where there are no variables.
ParseResult parseLoopTypes(OpAsmParser& parser, LoopVariables& variables, OperationState& state) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::SmallVector<Type> types;
  if (!variables.inits.empty() && (parser.parseColon() || parser.parseTypeList(types)))
    return failure();
  if (parser.resolveOperands(variables.inits, types, loc, state.operands)) return failure();
  state.addTypes(types);
  for (auto [argument, type] : llvm::zip_equal(variables.arguments, types)) argument.type = type;
  return success();
}

}  // namespace

// stablehlo.while(%iterArg = %0) : tensor<i32> attributes {...}
//  cond {...} do {...}
ParseResult WhileOp::parse(OpAsmParser& parser, OperationState& state) {
  LoopVariables variables;
  if (parseLoopVariables(parser, variables) || parseLoopTypes(parser, variables, state) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes)) {
    return failure();
  }
  // Both regions call their arguments alike.
  return mlir::failure(
      parser.parseKeyword("cond") || parser.parseRegion(*state.addRegion(), variables.arguments) ||
      parser.parseKeyword("do") || parser.parseRegion(*state.addRegion(), variables.arguments));
}

void WhileOp::print(OpAsmPrinter& printer) {
  mlir::Region& cond = getCond();
  mlir::Region& body = getBody();
  // An op that does not verify has no pretty form.
  if (cond.getNumArguments() != getNumOperands() || body.getNumArguments() != getNumOperands()) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  printer << "(";
  llvm::interleaveComma(llvm::zip_equal(cond.getArguments(), getOperands()), printer,
                        [&](const auto& variable) {
                          printer << std::get<0>(variable) << " = " << std::get<1>(variable);
                        });
  printer << ")";
  if (getNumOperands() > 0) printer << " : " << getOperandTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  if (body.getNumArguments() > 0) printer.shadowRegionArgs(body, cond.getArguments());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(cond, /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

LogicalResult WhileOp::verify() {
  if (getNumResults() != getNumOperands()) {
    return emitOpError() << "has " << getNumOperands() << " operands, but " << getNumResults()
                         << " results";
  }
  for (const auto& [index, operand, result] :
       llvm::enumerate(getOperandTypes(), getResultTypes())) {
    if (typesAgree(operand, result)) continue;
    return emitOpError() << "operand " << index << " has type " << operand
                         << ", but the result has " << result;
  }
  return success();
}

LogicalResult WhileOp::verifyRegions() {
  auto pred = mlir::RankedTensorType::get({}, mlir::IntegerType::get(getContext(), 1));
  if (failed(verifyBodyTypes(*this, getCond(), "condition", getOperandTypes(), Type(pred))))
    return failure();
  return verifyBodyTypes(*this, getBody(), "body", getOperandTypes(), getOperandTypes());
}

// -- Branches
// --------------------------------------------------------------------------------------------------------

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyBodyTypes(*this, getTrueBranch(), "true branch", {}, getResultTypes())))
    return failure();
  return verifyBodyTypes(*this, getFalseBranch(), "false branch", {}, getResultTypes());
}

LogicalResult CaseOp::verify() {
  if (!getBranches().empty()) return success();
  return emitOpError() << "expected at least one branch";
}

LogicalResult CaseOp::verifyRegions() {
  for (auto [index, branch] : llvm::enumerate(getBranches())) {
    if (failed(verifyBodyTypes(*this, branch, "branch " + std::to_string(index), {},
                               getResultTypes()))) {
      return failure();
    }
  }
  return success();
}

// -- Barriers and tuples
// ---------------------------------------------------------------------------------------------

// `stablehlo.optimization_barrier {foo.bar} %0, %1 : tensor<4xf32>, tensor<i32>`, or
// `stablehlo.optimization_barrier()`.
ParseResult OptimizationBarrierOp::parse(OpAsmParser& parser, OperationState& state) {
  if (parser.parseOptionalAttrDict(state.attributes)) return failure();
  if (mlir::succeeded(parser.parseOptionalLParen())) return parser.parseRParen();
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<Type> types;
  if (parser.parseOperandList(operands) || parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, loc, state.operands)) {
    return failure();
  }
  state.addTypes(types);
  return success();
}

void OptimizationBarrierOp::print(OpAsmPrinter& printer) {
  printer.printOptionalAttrDict((*this)->getAttrs());
  if (getNumOperands() == 0) {
    printer << "()";
  } else {
    printer << " " << getOperands() << " : " << getOperandTypes();
  }
}

LogicalResult OptimizationBarrierOp::verify() {
  if (llvm::equal(getOperandTypes(), getResultTypes())) return success();
  return emitOpError() << "operands and results must have the same types";
}

LogicalResult TupleOp::verify() {
  if (llvm::equal(getOperandTypes(), mlir::cast<mlir::TupleType>(getType()).getTypes()))
    return success();
  return emitOpError() << "operands have types " << getOperandTypes() << ", but the result has "
                       << getType();
}

LogicalResult GetTupleElementOp::verify() {
  auto tuple = mlir::cast<mlir::TupleType>(getOperand().getType());
  const auto index = static_cast<int32_t>(getIndex());
  if (index < 0 || static_cast<size_t>(index) >= tuple.size()) {
    return emitOpError() << "index " << index << " is out of range for a tuple of " << tuple.size()
                         << " elements";
  }
  const Type expected = tuple.getType(static_cast<size_t>(index));
  if (typesAgree(getType(), expected)) return success();
  return emitOpError() << "result has type " << getType() << ", but element " << index << " has "
                       << expected;
}

// -- Calls
// -----------------------------------------------------------------------------------------------------------

namespace {

// `my_namespace.my_op`: a letter, then letters, digits and underscores, then at least one more such
// part after a dot.
bool isOpName(llvm::StringRef name) {
  const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '.');
  if (parts.size() < 2 || parts.front().empty() || !llvm::isAlpha(parts.front().front()))
    return false;
  if (!llvm::all_of(parts.front(), isWord)) return false;
  return llvm::all_of(llvm::drop_begin(parts), [&](llvm::StringRef part) {
    return !part.empty() && llvm::all_of(part, [&](char c) { return isWord(c) || c == '$'; });
  });
}

}  // namespace

LogicalResult CompositeOp::verify() {
  if (isOpName(getName())) return success();
  return emitOpError() << "name '" << getName()
                       << "' must be a namespaced op name such as my_namespace.my_op";
}

LogicalResult CompositeOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  auto function = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(
      symbols.lookupNearestSymbolFrom(*this, getDecompositionAttr()));
  if (!function)
    return emitOpError() << "no function @" << getDecomposition() << " to decompose to";
  if (!llvm::equal(function.getArgumentTypes(), getOperandTypes(), typesAgree)) {
    return emitOpError() << "operands have types " << getOperandTypes() << ", but @"
                         << getDecomposition() << " takes " << function.getArgumentTypes();
  }
  if (!llvm::equal(function.getResultTypes(), getResultTypes(), typesAgree)) {
    return emitOpError() << "results have types " << getResultTypes() << ", but @"
                         << getDecomposition() << " returns " << function.getResultTypes();
  }
  return success();
}

void CustomCallOp::getEffects(
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>&
        effects) {
  if (!getHasSideEffect()) return;
  // Nothing is known of what it touches, so that it may be neither removed nor reordered.
  effects.emplace_back(mlir::MemoryEffects::Allocate::get());
  effects.emplace_back(mlir::MemoryEffects::Free::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get());
  effects.emplace_back(mlir::MemoryEffects::Read::get());
}

namespace {

// Whether `layout` is a vector that holds each dimension of a tensor of this rank once, most minor
// first.
bool isLayout(mlir::Attribute attribute, int64_t rank) {
  auto layout = mlir::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  if (!layout || layout.getType().getRank() != 1 || layout.getNumElements() != rank) return false;
  Dims dims = llvm::to_vector(
      llvm::map_range(layout.getValues<llvm::APInt>(),
                      [](const llvm::APInt& value) { return value.getSExtValue(); }));
  llvm::sort(dims);
  return llvm::all_of(llvm::enumerate(dims), [](const auto& dim) {
    return dim.value() == static_cast<int64_t>(dim.index());
  });
}

// One layout per value; a single tuple stands for its elements. What has no shape has an empty one.
LogicalResult verifyLayouts(CustomCallOp op, llvm::StringRef name,
                            std::optional<mlir::ArrayAttr> layouts, mlir::TypeRange values) {
  if (!layouts) return success();
  llvm::SmallVector<Type> types(values);
  if (auto tuple = types.size() == 1 ? mlir::dyn_cast<mlir::TupleType>(types.front()) : nullptr) {
    types.assign(tuple.getTypes().begin(), tuple.getTypes().end());
  }
  if (failed(verifyCount(op, name, layouts->size(), static_cast<int64_t>(types.size()))))
    return failure();
  for (const auto& [index, type, layout] : llvm::enumerate(types, *layouts)) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    // Nothing can be said about a layout of an unknown rank.
    if ((shaped && !shaped.hasRank()) || isLayout(layout, shaped ? shaped.getRank() : 0)) continue;
    return op.emitOpError() << "entry " << index << " of " << name << " is no layout of " << type
                            << ": " << layout;
  }
  return success();
}

LogicalResult verifyAliases(CustomCallOp op) {
  for (const auto alias : op.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
    const int64_t index = alias.getOperandIndex();
    if (index >= 0 && index < static_cast<int64_t>(op.getNumOperands())) continue;
    return op.emitOpError() << "an alias names operand " << index << " of " << op.getNumOperands();
  }
  return success();
}

}  // namespace

LogicalResult CustomCallOp::verify() {
  if (getOperandLayouts().has_value() != getResultLayouts().has_value()) {
    return emitOpError() << "layouts must be given for both operands and results, or for neither";
  }
  if (failed(verifyLayouts(*this, "operand_layouts", getOperandLayouts(), getOperandTypes())) ||
      failed(verifyAliases(*this))) {
    return failure();
  }
  return verifyLayouts(*this, "result_layouts", getResultLayouts(), getResultTypes());
}

}  // namespace shardwright::stablehlo
