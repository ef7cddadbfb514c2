#include "shardwright/mlir/import/numbers.h"

#include <complex>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

namespace shardwright {
namespace {

using program::Combiner;

llvm::APFloat lowest(const llvm::fltSemantics& semantics, bool negative) {
  return llvm::APFloat::semanticsHasInf(semantics) ? llvm::APFloat::getInf(semantics, negative)
                                                   : llvm::APFloat::getLargest(semantics, negative);
}

// The number that wins no comparison: the least for a max, the greatest for a min.
mlir::DenseElementsAttr extreme(mlir::RankedTensorType type, bool least) {
  const mlir::Type element = type.getElementType();
  if (const auto real = mlir::dyn_cast<mlir::FloatType>(element)) {
    return mlir::DenseElementsAttr::get(type, lowest(real.getFloatSemantics(), least));
  }
  const auto integer = mlir::cast<mlir::IntegerType>(element);
  const unsigned width = integer.getWidth();
  if (integer.isUnsigned() || width == 1) {
    return mlir::DenseElementsAttr::get(
        type, least ? llvm::APInt::getZero(width) : llvm::APInt::getAllOnes(width));
  }
  return mlir::DenseElementsAttr::get(
      type, least ? llvm::APInt::getSignedMinValue(width) : llvm::APInt::getSignedMaxValue(width));
}

llvm::APFloat realNumber(mlir::FloatType type, int64_t number) {
  llvm::APFloat value(type.getFloatSemantics());
  value.convertFromAPInt(llvm::APInt(64, static_cast<uint64_t>(number), true), true,
                         llvm::APFloat::rmNearestTiesToEven);
  return value;
}

}  // namespace

bool hasNumbers(mlir::Type element) {
  return mlir::isa<mlir::IntegerType, mlir::FloatType, mlir::ComplexType>(element);
}

mlir::DenseElementsAttr splat(mlir::Type element, Shape shape, int64_t number) {
  const auto type = mlir::RankedTensorType::get(shape, element);
  if (const auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    const auto part = mlir::cast<mlir::FloatType>(complex.getElementType());
    return mlir::DenseElementsAttr::get(
        type, std::complex<llvm::APFloat>(realNumber(part, number), realNumber(part, 0)));
  }
  if (const auto real = mlir::dyn_cast<mlir::FloatType>(element)) {
    return mlir::DenseElementsAttr::get(type, realNumber(real, number));
  }
  const unsigned width = mlir::cast<mlir::IntegerType>(element).getWidth();
  return mlir::DenseElementsAttr::get(
      type, llvm::APInt(width, static_cast<uint64_t>(number), true, /*implicitTrunc=*/true));
}

mlir::DenseElementsAttr neutral(mlir::Type element, Shape shape, Combiner combiner) {
  switch (combiner) {
    case Combiner::kMul:
      return splat(element, shape, 1);
    case Combiner::kMin:
    case Combiner::kMax:
      return extreme(mlir::RankedTensorType::get(shape, element), combiner == Combiner::kMax);
    case Combiner::kAnd:
      return splat(element, shape, -1);
    default:
      return splat(element, shape, 0);
  }
}

}  // namespace shardwright
