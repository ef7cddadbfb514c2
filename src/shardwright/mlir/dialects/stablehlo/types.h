// Predicates over the types that ops of the stablehlo dialect take, and the dialect's shape laws.
// The op definitions name the predicates as type constraints.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace shardwright::stablehlo {

// Kinds of element types. A quantized type counts with the kinds it can stand for: it is an
// element, a float and a number, but no integer.
[[nodiscard]] bool isElement(mlir::Type type);
[[nodiscard]] bool isPred(mlir::Type type);
[[nodiscard]] bool isInteger(mlir::Type type);
[[nodiscard]] bool isIntegerOrIndex(mlir::Type type);
[[nodiscard]] bool isFloat(mlir::Type type);
[[nodiscard]] bool isFloatOrComplex(mlir::Type type);
[[nodiscard]] bool isNumber(mlir::Type type);
[[nodiscard]] bool isQuantized(mlir::Type type);

// Whether `type` is a ranked tensor of elements of a kind.
[[nodiscard]] bool isTensorOf(mlir::Type type, bool (*isKind)(mlir::Type));

// Whether `type` may flow through control flow, tuples and calls: a ranked tensor, a buffer, a
// token, a future, or a tuple of such.
[[nodiscard]] bool isValueType(mlir::Type type);

// Whether two sizes of a dimension can be equal: they are, or one of them is unknown.
//   sizesAgree(4, 4), sizesAgree(4, kDynamic), but not sizesAgree(4, 5)
[[nodiscard]] bool sizesAgree(int64_t a, int64_t b);

// Whether two element types can stand for one another: equal, or quantized forms of one type.
[[nodiscard]] bool elementsAgree(mlir::Type a, mlir::Type b);

// Whether two types can be the same at run time: equal, or tensors whose sizes and elements agree,
// or tuples of such.
[[nodiscard]] bool typesAgree(mlir::Type a, mlir::Type b);

namespace detail {
mlir::LogicalResult verifySameShape(mlir::Operation* op);
mlir::LogicalResult verifySameShapeAndElement(mlir::Operation* op);
}  // namespace detail

// All operands and results are tensors with shapes that can be equal.
template <typename ConcreteOp>
// MLIR derives ops from their traits. NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
class SameShape : public mlir::OpTrait::TraitBase<ConcreteOp, SameShape> {
 public:
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) {
    return detail::verifySameShape(op);
  }
};

// And their element types agree.
template <typename ConcreteOp>
// MLIR derives ops from their traits. NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
class SameShapeAndElement : public mlir::OpTrait::TraitBase<ConcreteOp, SameShapeAndElement> {
 public:
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) {
    return detail::verifySameShapeAndElement(op);
  }
};

}  // namespace shardwright::stablehlo
