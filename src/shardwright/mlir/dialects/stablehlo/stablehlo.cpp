#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "shardwright/mlir/dialects/stablehlo/dialect.cpp.inc"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"

namespace shardwright::stablehlo {

void StablehloDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerUnaryOps(*this);
  registerBinaryOps(*this);
  registerShapeOps(*this);
  registerLinearOps(*this);
  registerReductionOps(*this);
  registerControlOps(*this);
  registerCollectiveOps(*this);
  registerDynamicOps(*this);
}

mlir::Operation* StablehloDialect::materializeConstant(mlir::OpBuilder& builder,
                                                       mlir::Attribute value, mlir::Type type,
                                                       mlir::Location loc) {
  auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value);
  // A constant of a quantized type holds storage values, so the types need not be equal, but the
  // shape must fit.
  if (!elements || !isTensorOf(type, isElement)) return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

}  // namespace shardwright::stablehlo
