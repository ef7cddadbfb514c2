// The dialect: what it registers, and its checks of discardable attributes.
#include "shardwright/mlir/dialects/sdy/sdy.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "shardwright/mlir/dialects/sdy/dialect.cpp.inc"
#include "shardwright/mlir/dialects/sdy/enums.cpp.inc"
#include "shardwright/mlir/dialects/sdy/sharding.h"

namespace shardwright::sdy {

void SdyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/sdy/ops.cpp.inc"
      >();
}

namespace {

// Type of argument `index` of a region, also where the region has no body.
mlir::Type argumentType(mlir::Operation* op, unsigned region, unsigned index) {
  if (auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op))
    return index < function.getNumArguments() ? function.getArgumentTypes()[index] : nullptr;
  if (region >= op->getNumRegions() || op->getRegion(region).empty()) return nullptr;
  mlir::Block& entry = op->getRegion(region).front();
  return index < entry.getNumArguments() ? entry.getArgument(index).getType() : nullptr;
}

mlir::Type resultType(mlir::Operation* op, unsigned index) {
  if (auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op))
    return index < function.getNumResults() ? function.getResultTypes()[index] : nullptr;
  return index < op->getNumResults() ? op->getResult(index).getType() : nullptr;
}

// Checks `sdy.sharding` of one argument or result, `what` and `index`.
mlir::LogicalResult verifyValueAttribute(mlir::Operation* op, mlir::StringRef what, unsigned index,
                                         mlir::Type type, mlir::NamedAttribute attribute) {
  if (attribute.getName() != kShardingAttr) return mlir::success();
  auto emitError = [&] { return op->emitOpError() << what << " " << index << ": "; };
  auto sharding = llvm::dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding)
    return emitError() << "sdy.sharding must be a #sdy.sharding, got " << attribute.getValue();
  return type ? verifySharding(sharding, type, op, emitError) : mlir::success();
}

}  // namespace

mlir::LogicalResult SdyDialect::verifyOperationAttribute(mlir::Operation* op,
                                                         mlir::NamedAttribute attribute) {
  if (attribute.getName() == kShardingAttr) {
    auto shardings = llvm::dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
    if (!shardings)
      return op->emitOpError() << "sdy.sharding of an op must be a #sdy.sharding_per_value, got "
                               << attribute.getValue();
    return verifyShardings(shardings, op->getResultTypes(), op, "result");
  }
  if (attribute.getName() == kShardingRuleAttr) {
    auto rule = llvm::dyn_cast<OpShardingRuleAttr>(attribute.getValue());
    if (!rule)
      return op->emitOpError() << "sdy.sharding_rule must be a #sdy.op_sharding_rule, got "
                               << attribute.getValue();
    return verifyShardingRule(rule, op);
  }
  if (attribute.getName() == kPropagationEdgesAttr &&
      !llvm::isa<PropagationEdgesAttr>(attribute.getValue()))
    return op->emitOpError() << "sdy.propagation_edges must be a #sdy.propagation_edges, got "
                             << attribute.getValue();
  return mlir::success();
}

mlir::LogicalResult SdyDialect::verifyRegionArgAttribute(mlir::Operation* op, unsigned region,
                                                         unsigned index,
                                                         mlir::NamedAttribute attribute) {
  return verifyValueAttribute(op, "argument", index, argumentType(op, region, index), attribute);
}

mlir::LogicalResult SdyDialect::verifyRegionResultAttribute(mlir::Operation* op,
                                                            unsigned /*region*/, unsigned index,
                                                            mlir::NamedAttribute attribute) {
  return verifyValueAttribute(op, "result", index, resultType(op, index), attribute);
}

}  // namespace shardwright::sdy
