// Constants of one number.
#pragma once

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "shardwright/program/attributes.h"

namespace shardwright {

using Shape = llvm::ArrayRef<int64_t>;

// Whether constants of this element type can be written: integers, floats, complex numbers.
bool hasNumbers(mlir::Type element);
// A tensor filled with one number. Integers wrap.
mlir::DenseElementsAttr splat(mlir::Type element, Shape shape, int64_t number);
// A tensor filled with the element that changes nothing: 0 for an add, -inf for a max (the least
// number where there is no infinity), true for an and.
mlir::DenseElementsAttr neutral(mlir::Type element, Shape shape, program::Combiner combiner);

}  // namespace shardwright
