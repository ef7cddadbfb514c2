// Syntax and checks of the ops that state or steer shardings.
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/sdy/sharding.h"
#include "shardwright/mlir/dialects/sdy/syntax.h"

namespace shardwright::sdy {

using llvm::StringRef;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;
using mlir::success;

//===-- Directives of the assembly formats ---------------------------------------------------===//

namespace {

// Shardings of operands or results: [<@mesh, [{"x"}]>, <@mesh, []>].
ParseResult parseShardings(OpAsmParser& parser, TensorShardingPerValueAttr& shardings) {
  llvm::SmallVector<TensorShardingAttr> elements;
  if (parseElements(parser, OpAsmParser::Delimiter::Square, elements)) return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), elements);
  return success();
}

void printShardings(OpAsmPrinter& printer, mlir::Operation*, TensorShardingPerValueAttr shardings) {
  printElements(printer, shardings.getShardings(), "[", "]");
}

// A body of one block whose arguments stand before it: (%arg0: tensor<4xf32>) {...}.
ParseResult parseRegionWithArguments(OpAsmParser& parser, mlir::Region& region) {
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  return parser.parseRegion(region, arguments);
}

void printRegionWithArguments(OpAsmPrinter& printer, mlir::Operation*, mlir::Region& region) {
  printer << "(";
  llvm::interleaveComma(
      region.getArguments(), printer.getStream(),
      [&](mlir::BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

}  // namespace

}  // namespace shardwright::sdy

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/sdy/ops.cpp.inc"

namespace shardwright::sdy {

//===-- Ops with one sharding ----------------------------------------------------------------===//

LogicalResult ShardingConstraintOp::verify() {
  return verifySharding(getSharding(), getType(), *this, [this] { return emitOpError(); });
}

LogicalResult ReshardOp::verify() {
  return verifySharding(getSharding(), getType(), *this, [this] { return emitOpError(); });
}

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() != PropagationDirection::BOTH) return success();
  return emitOpError("allows BOTH directions, so it is no barrier");
}

namespace {

// An edge stands for a value in every use, so it must be the only user.
LogicalResult verifyEdge(mlir::Operation* op) {
  auto type = llvm::cast<mlir::ShapedType>(op->getResult(0).getType());
  if (!type.hasStaticShape()) return op->emitOpError() << "needs a static shape, got " << type;
  if (!op->getOperand(0).hasOneUse())
    return op->emitOpError("must be the only user of its operand");
  return success();
}

}  // namespace

LogicalResult DataFlowEdgeOp::verify() {
  if (failed(verifyEdge(*this))) return failure();
  if (!getSharding()) return success();
  return verifySharding(*getSharding(), getType(), *this, [this] { return emitOpError(); });
}

LogicalResult FuncDataFlowEdgeOp::verify() { return verifyEdge(*this); }

//===-- Computations -------------------------------------------------------------------------===//

namespace {

// Types of what the body returns. SingleBlockImplicitTerminator has checked that it returns.
mlir::TypeRange returnedTypes(mlir::Region& body) {
  return body.front().getTerminator()->getOperandTypes();
}

LogicalResult verifyCount(mlir::Operation* op, size_t outside, size_t inside, StringRef what,
                          StringRef inBody) {
  if (outside == inside) return success();
  return op->emitOpError() << "has " << outside << " " << what << "s, but its body " << inBody
                           << " " << inside;
}

// Checks that body types are the same as those outside.
LogicalResult verifySameTypes(mlir::Operation* op, mlir::TypeRange outside, mlir::TypeRange inside,
                              StringRef what, StringRef inBody) {
  if (failed(verifyCount(op, outside.size(), inside.size(), what, inBody))) return failure();
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(outside, inside)))
    if (std::get<0>(pair) != std::get<1>(pair))
      return op->emitOpError() << what << " " << index << " has type " << std::get<0>(pair)
                               << ", but its body " << inBody << " " << std::get<1>(pair);
  return success();
}

bool isManual(AxisRefAttr axis, ManualAxesAttr manual) {
  return llvm::any_of(manual.getAxes(),
                      [&](mlir::StringAttr name) { return name.getValue() == axis.getName(); });
}

int64_t axisSize(AxisRefAttr axis, MeshAttr mesh) {
  if (SubAxisInfoAttr part = axis.getSubAxisInfo()) return part.getSize();
  return mesh.getAxisSize(axis.getName()).value_or(1);
}

// Multiplies up the manual axes of a dim; fails where one comes after an axis that is not manual.
LogicalResult manualSize(DimensionShardingAttr dim, ManualAxesAttr manual, MeshAttr mesh,
                         EmitError emitError, int64_t& size) {
  bool seenFree = false;
  size = 1;
  for (AxisRefAttr axis : dim.getAxes()) {
    if (!isManual(axis, manual)) {
      seenFree = true;
      continue;
    }
    if (seenFree)
      return emitError() << "manual axis " << axis.toString()
                         << " comes after an axis that is not manual";
    // No overflow: a sharding uses no axis twice, and the size of the whole mesh fits.
    size *= axisSize(axis, mesh);
  }
  return success();
}

// Finds the type that one device of the manual axes sees.
LogicalResult localType(mlir::Type type, TensorShardingAttr sharding, ManualAxesAttr manual,
                        MeshAttr mesh, EmitError emitError, mlir::Type& local) {
  local = type;
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || mesh.isMaximal()) return success();
  llvm::SmallVector<int64_t> shape(tensor.getShape());
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    int64_t size = 1;
    auto emitDimError = [&, position = index] { return emitError() << "dim " << position << ": "; };
    if (failed(manualSize(dim, manual, mesh, emitDimError, size))) return failure();
    if (mlir::ShapedType::isDynamic(shape[index])) continue;
    if (shape[index] % size != 0)
      return emitDimError() << "size " << shape[index] << " does not split over the " << size
                            << " devices of its manual axes";
    shape[index] /= size;
  }
  local = tensor.clone(shape);
  return success();
}

// Checks that the body sees the local shape of each value outside.
LogicalResult verifyLocalTypes(ManualComputationOp op, mlir::TypeRange outside,
                               TensorShardingPerValueAttr shardings, mlir::TypeRange inside,
                               StringRef what, StringRef inBody) {
  if (failed(verifyCount(op, outside.size(), inside.size(), what, inBody))) return failure();
  for (size_t i = 0; i < outside.size(); ++i) {
    auto emitError = [&] { return op.emitOpError() << what << " " << i << ": "; };
    const TensorShardingAttr sharding = shardings.getShardings()[i];
    mlir::Type local;
    if (failed(localType(outside[i], sharding, op.getManualAxes(),
                         lookupMesh(sharding.getMeshOrRef(), op), emitError, local)))
      return failure();
    if (local != inside[i])
      return emitError() << "local type is " << local << ", but the body " << inBody << " "
                         << inside[i];
  }
  return success();
}

// Checks that all shardings are on one mesh; empty meshes go with any.
LogicalResult verifyOneMesh(ManualComputationOp op) {
  MeshAttr common;
  for (TensorShardingPerValueAttr list : {op.getInShardings(), op.getOutShardings()}) {
    for (TensorShardingAttr sharding : list.getShardings()) {
      const MeshAttr mesh = lookupMesh(sharding.getMeshOrRef(), op);
      if (mesh.isEmpty()) continue;
      if (common && mesh != common)
        return op.emitOpError() << "has shardings on two meshes, " << common << " and " << mesh;
      common = mesh;
    }
  }
  return success();
}

LogicalResult verifyManualAxes(ManualComputationOp op) {
  for (auto outer = op->getParentOfType<ManualComputationOp>(); outer;
       outer = outer->getParentOfType<ManualComputationOp>())
    for (mlir::StringAttr axis : op.getManualAxes().getAxes())
      if (llvm::is_contained(outer.getManualAxes().getAxes(), axis))
        return op.emitOpError() << "axis " << axis
                                << " is manual in an enclosing sdy.manual_computation";
  return success();
}

}  // namespace

LogicalResult ManualComputationOp::verify() {
  if (failed(verifyShardings(getInShardings(), getOperandTypes(), *this, "operand")) ||
      failed(verifyShardings(getOutShardings(), getResultTypes(), *this, "result")) ||
      failed(verifyOneMesh(*this)) || failed(verifyManualAxes(*this)))
    return failure();
  return success(succeeded(verifyLocalTypes(*this, getOperandTypes(), getInShardings(),
                                            getBody().getArgumentTypes(), "operand", "takes")) &&
                 succeeded(verifyLocalTypes(*this, getResultTypes(), getOutShardings(),
                                            returnedTypes(getBody()), "result", "returns")));
}

LogicalResult NamedComputationOp::verify() {
  if (getInShardings() &&
      failed(verifyShardings(*getInShardings(), getOperandTypes(), *this, "operand")))
    return failure();
  if (getOutShardings() &&
      failed(verifyShardings(*getOutShardings(), getResultTypes(), *this, "result")))
    return failure();
  return success(succeeded(verifySameTypes(*this, getOperandTypes(), getBody().getArgumentTypes(),
                                           "operand", "takes")) &&
                 succeeded(verifySameTypes(*this, getResultTypes(), returnedTypes(getBody()),
                                           "result", "returns")));
}

}  // namespace shardwright::sdy
