#include "shardwright/mlir/dialects/stablehlo/types.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright::stablehlo {

using mlir::RankedTensorType;
using mlir::Type;

bool isQuantized(Type type) { return mlir::isa<mlir::quant::QuantizedType>(type); }

bool isPred(Type type) { return type.isSignlessInteger(1); }

bool isInteger(Type type) { return mlir::isa<mlir::IntegerType>(type); }

bool isIntegerOrIndex(Type type) { return mlir::isa<mlir::IntegerType, mlir::IndexType>(type); }

bool isFloat(Type type) { return mlir::isa<mlir::FloatType>(type) || isQuantized(type); }

bool isFloatOrComplex(Type type) { return isFloat(type) || mlir::isa<mlir::ComplexType>(type); }

bool isNumber(Type type) { return isFloatOrComplex(type) || isInteger(type); }

bool isElement(Type type) { return isNumber(type); }

bool isTensorOf(Type type, bool (*isKind)(Type)) {
  auto tensor = mlir::dyn_cast<RankedTensorType>(type);
  return tensor && isKind(tensor.getElementType());
}

bool isValueType(Type type) {
  if (auto tuple = mlir::dyn_cast<mlir::TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isValueType);
  return mlir::isa<RankedTensorType, mlir::BaseMemRefType, TokenType, FutureType>(type);
}

bool sizesAgree(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b);
}

bool elementsAgree(Type a, Type b) {
  if (a == b) return true;
  const auto expressed = [](Type type) {
    auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(type);
    return quantized ? quantized.getExpressedType() : type;
  };
  return (isQuantized(a) || isQuantized(b)) && expressed(a) == expressed(b);
}

bool typesAgree(Type a, Type b) {
  if (a == b) return true;
  auto tupleA = mlir::dyn_cast<mlir::TupleType>(a);
  auto tupleB = mlir::dyn_cast<mlir::TupleType>(b);
  if (tupleA && tupleB)
    return tupleA.size() == tupleB.size() &&
           llvm::equal(tupleA.getTypes(), tupleB.getTypes(), typesAgree);
  auto tensorA = mlir::dyn_cast<RankedTensorType>(a);
  auto tensorB = mlir::dyn_cast<RankedTensorType>(b);
  return tensorA && tensorB && tensorA.getRank() == tensorB.getRank() &&
         llvm::equal(tensorA.getShape(), tensorB.getShape(), sizesAgree) &&
         elementsAgree(tensorA.getElementType(), tensorB.getElementType());
}

namespace {

// What a diagnostic calls the value at `index`, counting operands first.
std::string valueName(mlir::Operation* op, unsigned index) {
  const unsigned operands = op->getNumOperands();
  return index < operands ? "operand " + std::to_string(index)
                          : "result " + std::to_string(index - operands);
}

mlir::LogicalResult verifyShapesMatch(mlir::Operation* op, unsigned index, RankedTensorType first,
                                      RankedTensorType other) {
  if (first.getRank() != other.getRank()) {
    return op->emitOpError() << valueName(op, index) << " has rank " << other.getRank() << ", but "
                             << valueName(op, 0) << " has rank " << first.getRank();
  }
  for (const auto& [dim, size, wanted] : llvm::enumerate(other.getShape(), first.getShape())) {
    if (sizesAgree(size, wanted)) continue;
    return op->emitOpError() << "dimension " << dim << " of " << valueName(op, index)
                             << " has size " << size << ", but that of " << valueName(op, 0)
                             << " has size " << wanted;
  }
  return mlir::success();
}

mlir::LogicalResult verifyAgainstFirst(mlir::Operation* op, bool elementsToo) {
  llvm::SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  auto first = types.empty() ? nullptr : mlir::dyn_cast<RankedTensorType>(types.front());
  if (!first) return mlir::success();
  for (unsigned index = 1; index < types.size(); ++index) {
    auto other = mlir::dyn_cast<RankedTensorType>(types[index]);
    if (!other) continue;
    if (mlir::failed(verifyShapesMatch(op, index, first, other))) return mlir::failure();
    if (elementsToo && !elementsAgree(first.getElementType(), other.getElementType())) {
      return op->emitOpError() << valueName(op, index) << " has element type "
                               << other.getElementType() << ", but " << valueName(op, 0) << " has "
                               << first.getElementType();
    }
  }
  return mlir::success();
}

}  // namespace

mlir::LogicalResult detail::verifySameShape(mlir::Operation* op) {
  return verifyAgainstFirst(op, false);
}

mlir::LogicalResult detail::verifySameShapeAndElement(mlir::Operation* op) {
  return verifyAgainstFirst(op, true);
}

}  // namespace shardwright::stablehlo
