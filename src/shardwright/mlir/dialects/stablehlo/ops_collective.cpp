#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/assembly.h"
#include "shardwright/mlir/dialects/stablehlo/register_ops.h"
#include "shardwright/mlir/dialects/stablehlo/verify.h"

#define GET_OP_CLASSES
#include "shardwright/mlir/dialects/stablehlo/ops_collective.cpp.inc"

namespace shardwright::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

void registerCollectiveOps(mlir::Dialect& dialect) {
  insertOps<
#define GET_OP_LIST
#include "shardwright/mlir/dialects/stablehlo/ops_collective.cpp.inc"
      >(dialect);
}

namespace {

// What a kind of collective asks of its groups.
struct GroupLaw {
  bool fillsUp = false;  // -1 may fill up groups that are shorter than others.
  bool covers = true;    // Every device from 0 on takes part.
};

// Explicit groups are a matrix of distinct device numbers; an empty one stands for all devices.
LogicalResult verifyGroups(Operation* op, mlir::Attribute attribute, GroupLaw law = {}) {
  auto groups = mlir::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  if (!groups) return success();
  if (groups.getType().getRank() != 2) {
    return op->emitOpError() << "replica_groups has rank " << groups.getType().getRank()
                             << ", expected 2";
  }
  Dims devices;
  for (const llvm::APInt& value : groups.getValues<llvm::APInt>()) {
    const int64_t device = value.getSExtValue();
    if (device == -1 && law.fillsUp) continue;
    if (device < 0)
      return op->emitOpError() << "replica_groups holds the negative device " << device;
    devices.push_back(device);
  }
  llvm::sort(devices);
  for (const auto& [index, device] : llvm::enumerate(devices)) {
    if (index > 0 && device == devices[index - 1]) {
      return op->emitOpError() << "replica_groups holds device " << device << " twice";
    }
    if (law.covers && device != static_cast<int64_t>(index)) {
      return op->emitOpError() << "replica_groups holds device " << device << " but not device "
                               << index;
    }
  }
  return success();
}

// Explicit pairs are a matrix of two columns; no device sends or receives twice.
LogicalResult verifyPairs(Operation* op, mlir::DenseIntElementsAttr pairs) {
  const ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2) {
    return op->emitOpError() << "source_target_pairs has type " << type << ", expected pairs";
  }
  Dims ends[2];
  for (const auto& [index, value] : llvm::enumerate(pairs.getValues<llvm::APInt>())) {
    if (value.isNegative()) {
      return op->emitOpError() << "source_target_pairs holds the negative device "
                               << value.getSExtValue();
    }
    ends[index % 2].push_back(value.getSExtValue());
  }
  for (Dims& devices : ends) {
    llvm::sort(devices);
    const auto* twice = std::adjacent_find(devices.begin(), devices.end());
    if (twice != devices.end()) {
      return op->emitOpError() << "source_target_pairs holds device " << *twice
                               << " twice on one side";
    }
  }
  return success();
}

// As many results as operands; each pair of them is handed to `verifyPair`.
template <typename VerifyPair>
LogicalResult verifyEach(Operation* op, mlir::ValueRange operands, VerifyPair verifyPair) {
  if (operands.empty()) return op->emitOpError() << "expected at least one operand";
  if (failed(verifyCount(op, "list of results", op->getNumResults(),
                         static_cast<int64_t>(operands.size())))) {
    return failure();
  }
  for (const auto& [operand, result] : llvm::zip_equal(operands, op->getResults())) {
    if (failed(verifyPair(mlir::cast<RankedTensorType>(operand.getType()),
                          mlir::cast<RankedTensorType>(result.getType())))) {
      return failure();
    }
  }
  return success();
}

// Results of the operands' shapes. Element types may differ where the body promotes them.
LogicalResult verifySameShapes(Operation* op, mlir::ValueRange operands) {
  return verifyEach(op, operands, [&](RankedTensorType operand, RankedTensorType result) {
    return verifyShape(op, "result", result, operand.getShape());
  });
}

// The operands that carry data: all, or all but the last, which says whose they are.
template <typename CollectiveOp>
mlir::OperandRange dataOperands(CollectiveOp op) {
  const mlir::OperandRange operands = op.getOperands();
  return op.getHasDynamicRoot() && !operands.empty() ? operands.drop_back() : operands;
}

}  // namespace

// -- Collectives
// -----------------------------------------------------------------------------------------------------

LogicalResult AllGatherOp::verify() {
  const auto dim = static_cast<int64_t>(getAllGatherDim());
  if (failed(verifyGroups(*this, getReplicaGroups()))) return failure();
  return verifyEach(*this, getOperands(),
                    [&](RankedTensorType operand, RankedTensorType result) -> LogicalResult {
                      if (failed(verifyDim(*this, "all_gather_dim", dim, operand.getRank())))
                        return failure();
                      Dims expected(operand.getShape());
                      const int64_t from = expected[static_cast<size_t>(dim)];
                      expected[static_cast<size_t>(dim)] = ShapedType::kDynamic;
                      if (failed(verifyShape(*this, "result", result, expected))) return failure();
                      const int64_t to = result.getDimSize(static_cast<unsigned>(dim));
                      if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to) ||
                          (from != 0 && to % from == 0))
                        return success();
                      return emitOpError() << "result dimension " << dim << " has size " << to
                                           << ", which is no multiple of " << from;
                    });
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyGroups(*this, getReplicaGroups(), {.fillsUp = true}))) return failure();
  return verifySameShapes(*this, getOperands());
}

LogicalResult AllReduceOp::verifyRegions() {
  return verifyCombiner(*this, getComputation(), "computation", 1);
}

LogicalResult ReduceScatterOp::verify() {
  const RankedTensorType operand = getOperand().getType();
  const auto dim = static_cast<int64_t>(getScatterDimension());
  if (failed(verifyGroups(*this, getReplicaGroups())) ||
      failed(verifyDim(*this, "scatter_dimension", dim, operand.getRank()))) {
    return failure();
  }
  Dims expected(operand.getShape());
  const int64_t from = expected[static_cast<size_t>(dim)];
  expected[static_cast<size_t>(dim)] = ShapedType::kDynamic;
  if (failed(verifyShape(*this, "result", getType(), expected))) return failure();
  const int64_t to = getType().getDimSize(static_cast<unsigned>(dim));
  if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to) || (to != 0 && from % to == 0))
    return success();
  return emitOpError() << "operand dimension " << dim << " has size " << from
                       << ", which is no multiple of " << to;
}

LogicalResult ReduceScatterOp::verifyRegions() {
  return verifyCombiner(*this, getComputation(), "computation", 1);
}

LogicalResult AllToAllOp::verify() {
  const auto split = static_cast<int64_t>(getSplitDimension());
  const auto concat = static_cast<int64_t>(getConcatDimension());
  const auto count = static_cast<int64_t>(getSplitCount());
  if (count < 1) return emitOpError() << "split_count is " << count << ", expected at least 1";
  if (failed(verifyGroups(*this, getReplicaGroups()))) return failure();
  return verifyEach(*this, getOperands(),
                    [&](RankedTensorType operand, RankedTensorType result) -> LogicalResult {
                      if (failed(verifyDim(*this, "split_dimension", split, operand.getRank())) ||
                          failed(verifyDim(*this, "concat_dimension", concat, operand.getRank()))) {
                        return failure();
                      }
                      Dims expected(operand.getShape());
                      int64_t& splitSize = expected[static_cast<size_t>(split)];
                      if (!ShapedType::isDynamic(splitSize)) {
                        if (splitSize % count != 0) {
                          return emitOpError()
                                 << "split dimension " << split << " has size " << splitSize
                                 << ", which is no multiple of split_count " << count;
                        }
                        splitSize /= count;
                      }
                      int64_t& concatSize = expected[static_cast<size_t>(concat)];
                      if (!ShapedType::isDynamic(concatSize)) {
                        const std::optional<int64_t> size = checkedMul(concatSize, count);
                        if (!size)
                          return emitOpError() << "the size of dimension " << concat
                                               << " of the result exceeds 64 bits";
                        concatSize = *size;
                      }
                      return verifyShape(*this, "result", result, expected);
                    });
}

LogicalResult CollectivePermuteOp::verify() { return verifyPairs(*this, getSourceTargetPairs()); }

LogicalResult CollectiveBroadcastOp::verify() {
  if (failed(verifyGroups(*this, getReplicaGroups(), {.covers = false}))) return failure();
  return verifySameShapes(*this, dataOperands(*this));
}

LogicalResult CollectiveReduceOp::verify() {
  if (failed(verifyGroups(*this, getReplicaGroups(), {.fillsUp = true}))) return failure();
  return verifySameShapes(*this, dataOperands(*this));
}

LogicalResult CollectiveReduceOp::verifyRegions() {
  return verifyCombiner(*this, getComputation(), "computation", 1);
}

LogicalResult PartitionIdOp::verify() { return verifyRank(*this, "result", getType(), 0); }

LogicalResult ReplicaIdOp::verify() { return verifyRank(*this, "result", getType(), 0); }

// -- Asynchronous work
// -----------------------------------------------------------------------------------------------

LogicalResult AsyncStartOp::verifyRegions() {
  // The body may take the operands as arguments or use them directly.
  Operation* end = verifyBody(*this, getBody(), "body");
  if (!end) return failure();
  if (getBody().getNumArguments() == 0)
    return verifyBodyTypes(*this, getBody(), "body", {}, getType().getTypes());
  return verifyBodyTypes(*this, getBody(), "body", getOperandTypes(), getType().getTypes());
}

LogicalResult AsyncDoneOp::verify() {
  const llvm::ArrayRef<mlir::Type> types = getOperand().getType().getTypes();
  if (failed(verifyCount(*this, "list of results", getNumResults(),
                         static_cast<int64_t>(types.size())))) {
    return failure();
  }
  for (const auto& [index, type, expected] : llvm::enumerate(getResultTypes(), types)) {
    if (typesAgree(type, expected)) continue;
    return emitOpError() << "result " << index << " has type " << type << ", expected " << expected;
  }
  return success();
}

// -- Feeds and channels
// ----------------------------------------------------------------------------------------------

namespace {

// Tensors and then a token.
LogicalResult verifyTensorsThenToken(Operation* op) {
  const mlir::TypeRange types = op->getResultTypes();
  if (types.empty() || !mlir::isa<TokenType>(types.back())) {
    return op->emitOpError() << "the last result must be a token";
  }
  for (const auto& [index, type] : llvm::enumerate(types.drop_back())) {
    if (!mlir::isa<RankedTensorType>(type)) {
      return op->emitOpError() << "result " << index << " has type " << type
                               << ", expected a tensor";
    }
  }
  return success();
}

}  // namespace

LogicalResult InfeedOp::verify() { return verifyTensorsThenToken(*this); }

LogicalResult RecvOp::verify() { return verifyTensorsThenToken(*this); }

}  // namespace shardwright::stablehlo
