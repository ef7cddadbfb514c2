// Checks of the ops that move data: the axes against the mesh and the result's sharding. Whether
// the operand's sharding and the axes lead to that result is not checked; it takes the sharding of
// the op before, which may not be known yet.
#include "shardwright/mlir/dialects/sdy/sharding.h"

namespace shardwright::sdy {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

LogicalResult verifyOutSharding(mlir::Operation* op, TensorShardingAttr sharding) {
  return verifySharding(sharding, op->getResult(0).getType(), op,
                        [op] { return op->emitOpError("out_sharding: "); });
}

LogicalResult verifyListCount(mlir::Operation* op, ListOfAxisRefListsAttr lists,
                              TensorShardingAttr sharding, StringRef what) {
  if (static_cast<int64_t>(lists.getLists().size()) == sharding.getRank()) return success();
  return op->emitOpError() << what << " has " << lists.getLists().size()
                           << " dims, but out_sharding has " << sharding.getRank();
}

// Checks a collective that has axes per dim.
LogicalResult verifyPerDim(mlir::Operation* op, ListOfAxisRefListsAttr lists,
                           TensorShardingAttr sharding, StringRef what) {
  if (failed(verifyOutSharding(op, sharding)) || failed(verifyListCount(op, lists, sharding, what)))
    return failure();
  auto emitError = [op] { return op->emitOpError(); };
  AxisChecker checker(sharding, op, emitError);
  return checker.add(lists, what);
}

// Checks a collective that has one list of axes.
LogicalResult verifyAxes(mlir::Operation* op, ArrayRef<AxisRefAttr> axes,
                         TensorShardingAttr sharding, StringRef what) {
  if (failed(verifyOutSharding(op, sharding))) return failure();
  auto emitError = [op] { return op->emitOpError(); };
  AxisChecker checker(sharding, op, emitError);
  return success(succeeded(checker.add(axes, what)) &&
                 succeeded(checker.verifyMeshOrder(axes, what)));
}

// Checks that axes that have been reduced are gone from the dims and the unreduced axes of the
// result.
LogicalResult verifyReduced(mlir::Operation* op, ArrayRef<AxisRefAttr> axes,
                            TensorShardingAttr sharding) {
  auto emitError = [op] { return op->emitOpError("out_sharding and reduction_axes: "); };
  AxisChecker checker(sharding, op, emitError);
  if (failed(checker.add(axes, "reduction_axes"))) return failure();
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings()))
    if (failed(checker.add(dim.getAxes(), "dim " + std::to_string(index)))) return failure();
  return checker.add(sharding.getUnreducedAxes(), "unreduced axes");
}

// Checks that the dims of the moves are in range and all different.
LogicalResult verifyDims(AllToAllOp op) {
  const int64_t rank = op.getOutSharding().getRank();
  llvm::SmallVector<bool> taken(static_cast<size_t>(rank), false);
  for (AllToAllParamAttr param : op.getParams().getParams()) {
    for (int64_t dim : {param.getSourceDim(), param.getTargetDim()}) {
      if (dim < 0 || dim >= rank)
        return op.emitOpError() << "dim " << dim << " is not in [0, " << rank << ")";
      if (taken[static_cast<size_t>(dim)])
        return op.emitOpError() << "dim " << dim << " is in more than one move";
      taken[static_cast<size_t>(dim)] = true;
    }
  }
  return success();
}

}  // namespace

LogicalResult AllGatherOp::verify() {
  return verifyPerDim(*this, getGatheringAxes(), getOutSharding(), "gathering_axes");
}

LogicalResult AllSliceOp::verify() {
  return verifyPerDim(*this, getSlicingAxes(), getOutSharding(), "slicing_axes");
}

LogicalResult ReduceScatterOp::verify() {
  return verifyPerDim(*this, getReduceScatterAxes(), getOutSharding(), "reduce_scatter_axes");
}

LogicalResult ShardedToUnreducedOp::verify() {
  return verifyPerDim(*this, getAxes(), getOutSharding(), "axes");
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  return verifyAxes(*this, getAxes().getAxes(), getOutSharding(), "axes");
}

LogicalResult CollectivePermuteOp::verify() { return verifyOutSharding(*this, getOutSharding()); }

LogicalResult AllReduceOp::verify() {
  if (failed(verifyAxes(*this, getReductionAxes().getAxes(), getOutSharding(), "reduction_axes")))
    return failure();
  return verifyReduced(*this, getReductionAxes().getAxes(), getOutSharding());
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyOutSharding(*this, getOutSharding()))) return failure();
  if (getParams().getParams().empty()) return emitOpError("moves no axes");
  auto emitError = [this] { return emitOpError(); };
  AxisChecker checker(getOutSharding(), *this, emitError);
  for (AllToAllParamAttr param : getParams().getParams())
    if (failed(checker.add(param.getAxes(), "params"))) return failure();
  return verifyDims(*this);
}

}  // namespace shardwright::sdy
