// Ragged dots whose ragged dim is split. Groups lie one after the other along it, so a device's
// part has the end of one group, some whole ones, and the beginning of another: the same op with
// sizes of its own.
#include "shardwright/mlir/export/parts.h"

namespace shardwright {
namespace {

// Of each group, where the last of its rows is, by one: sums of the sizes up to it.
mlir::Value endsOf(Emit& emit, mlir::Value sizes) {
  const mlir::Type type = elementOf(sizes);
  const int64_t count = shapeOf(sizes)[0];
  const int64_t square[] = {count, count};
  const mlir::Value isBefore = emit.compare(emit.iota(type, square, 1), emit.iota(type, square, 0),
                                            stablehlo::ComparisonDirection::LE);
  const mlir::Value terms =
      emit.select(isBefore, emit.broadcast(sizes, square, {1}), emit.number(type, square, 0));
  return emit.reduceAlong(terms, 1, program::Combiner::kAdd);
}

// How many rows of each group lie among the `rows` from `begin` on.
mlir::Value sizesWithin(Emit& emit, mlir::Value sizes, mlir::Value begin, int64_t rows) {
  const Shape shape = shapeOf(sizes);
  const mlir::Type type = elementOf(sizes);
  const mlir::Value none = emit.number(type, shape, 0), all = emit.number(type, shape, rows);
  const mlir::Value before = emit.fill(begin, shape);
  const auto within = [&](mlir::Value bound) {
    return emit.clamp(none, emit.subtract(bound, before), all);
  };
  const mlir::Value ends = endsOf(emit, sizes);
  return emit.subtract(within(ends), within(emit.subtract(ends, sizes)));
}

}  // namespace

Values localRaggedDot(LocalOp& op, chlo::RaggedDotOp dot) {
  const int64_t ragged = dot.getRaggedDotDimensionNumbers().getLhsRaggedDimensions().front();
  const mesh::AxisList axes = op.operandAxes(0, static_cast<size_t>(ragged));
  if (!axes.empty()) {
    Emit& emit = op.emit;
    mlir::Value& sizes = op.operands[2];
    const mlir::Type given = elementOf(sizes);
    const mlir::Type type = given.isInteger(64) ? emit.i64() : emit.i32();
    const int64_t rows = shapeOf(op.operands[0])[static_cast<size_t>(ragged)];
    const mlir::Value begin = op.positions.offset(axes, rows, type);
    sizes = emit.convert(sizesWithin(emit, emit.convert(sizes, type), begin, rows), given);
  }
  return Values(cloneLocal(op)->getResults());
}

}  // namespace shardwright
