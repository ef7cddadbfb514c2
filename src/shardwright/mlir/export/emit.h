// Small StableHLO expressions, for the arithmetic that partitioning adds.
#pragma once

#include <cstdint>

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"
#include "shardwright/mlir/import/numbers.h"
#include "shardwright/program/attributes.h"

namespace shardwright {

mlir::RankedTensorType tensorType(mlir::Value value);
Shape shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);
// `type` with another shape; types that are no tensors (tokens) stay.
mlir::Type withShape(mlir::Type type, Shape shape);

// Writes ops where its builder stands, all with one location. Operands of binary ops have one type.
class Emit {
 public:
  Emit(mlir::OpBuilder& builder, mlir::Location location)
      : builder_(builder), location_(location) {}

  mlir::OpBuilder& builder() { return builder_; }
  mlir::Location location() const { return location_; }
  mlir::Type i32() { return builder_.getI32Type(); }
  mlir::Type i64() { return builder_.getI64Type(); }

  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value number(mlir::Type element, Shape shape, int64_t value) {
    return constant(splat(element, shape, value));
  }
  // A vector of integers.
  mlir::Value numbers(mlir::Type element, Shape values);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  mlir::Value broadcast(mlir::Value value, Shape shape, Shape dims);
  // A scalar, everywhere.
  mlir::Value fill(mlir::Value scalar, Shape shape) { return broadcast(scalar, shape, {}); }
  mlir::Value reshape(mlir::Value value, Shape shape);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value divide(mlir::Value a, mlir::Value b);
  mlir::Value remainder(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);  // Logical and.
  mlir::Value compare(mlir::Value a, mlir::Value b, stablehlo::ComparisonDirection direction);
  mlir::Value clamp(mlir::Value low, mlir::Value value, mlir::Value high);
  // `condition` may be a scalar.
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  // The value, past which nothing is moved or fused.
  mlir::Value barrier(mlir::Value value);
  // The values one after another along `dim`.
  mlir::Value concatenate(mlir::ValueRange values, int64_t dim);
  // `size` points of `dim` from `start` on.
  mlir::Value slice(mlir::Value value, int64_t dim, int64_t start, int64_t size);

  // 0, 1, 2, … along `dim`.
  mlir::Value iota(mlir::Type element, Shape shape, int64_t dim);

  // All elements along `dim` combined; the dim goes.
  mlir::Value reduceAlong(mlir::Value value, int64_t dim, program::Combiner combiner);
  // Fills the region of a reduce, all_reduce or reduce_scatter.
  void combinerBody(mlir::Region& region, mlir::Type element, program::Combiner combiner);

 private:
  mlir::Value combine(mlir::Value a, mlir::Value b, program::Combiner combiner);

  mlir::OpBuilder& builder_;
  mlir::Location location_;
};

}  // namespace shardwright
