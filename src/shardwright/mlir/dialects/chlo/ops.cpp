// Checks and syntax of the ops that are not elementwise.
#include "mlir/IR/TypeUtilities.h"
#include "shardwright/mlir/dialects/chlo/chlo.h"

namespace shardwright::chlo {

using llvm::ArrayRef;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::ShapedType;
using mlir::success;

//===-- Constants ----------------------------------------------------------------------------===//

LogicalResult ConstantLikeOp::verify() {
  const mlir::Type element = mlir::getElementTypeOrSelf(getType());
  if (getValue().getType() == element) return success();
  return emitOpError() << "value has type " << getValue().getType() << ", but the result holds "
                       << element;
}

//===-- TopK ---------------------------------------------------------------------------------===//

void TopKOp::getAsmResultNames(llvm::function_ref<void(mlir::Value, llvm::StringRef)> setName) {
  setName(getValues(), "values");
  setName(getIndices(), "indices");
}

LogicalResult TopKOp::verify() {
  auto operand = llvm::cast<ShapedType>(getOperand().getType());
  const auto k = static_cast<int64_t>(getK());
  if (k < 0) return emitOpError() << "k must not be negative, got " << k;
  if (getValues().getType().getElementType() != operand.getElementType())
    return emitOpError() << "values of " << operand << " cannot be " << getValues().getType();
  if (!getIndices().getType().getElementType().isSignlessInteger(32))
    return emitOpError() << "indices must be i32, got " << getIndices().getType();
  if (!operand.hasRank()) return success();
  if (operand.getRank() < 1) return emitOpError() << "needs a last dim, got " << operand;
  llvm::SmallVector<int64_t> shape(operand.getShape());
  if (!ShapedType::isDynamic(shape.back()) && shape.back() < k)
    return emitOpError() << "k is " << k << ", but the last dim has size " << shape.back();
  shape.back() = k;
  for (mlir::Type type : getResultTypes()) {
    auto result = llvm::cast<ShapedType>(type);
    if (result.hasRank() && failed(mlir::verifyCompatibleShape(shape, result.getShape())))
      return emitOpError() << "the " << k << " largest of " << operand << " cannot be " << type;
  }
  return success();
}

//===-- Ragged dot ---------------------------------------------------------------------------===//

namespace {

// A ragged dot with ranked operands, while it is checked.
class RaggedDotVerifier {
 public:
  explicit RaggedDotVerifier(RaggedDotOp op)
      : op_(op),
        dims_(op.getRaggedDotDimensionNumbers()),
        lhs_(llvm::cast<ShapedType>(op.getLhs().getType()).getShape()),
        rhs_(llvm::cast<ShapedType>(op.getRhs().getType()).getShape()) {}

  LogicalResult verify() {
    return success(succeeded(verifyLists()) &&
                   succeeded(verifyPairs(dims_.getLhsBatchingDimensions(),
                                         dims_.getRhsBatchingDimensions(), "batching")) &&
                   succeeded(verifyPairs(dims_.getLhsContractingDimensions(),
                                         dims_.getRhsContractingDimensions(), "contracting")) &&
                   succeeded(verifyGroups()) && succeeded(verifyResult()));
  }

 private:
  using Lists = std::initializer_list<ArrayRef<int64_t>>;

  // Checks that dims are in range and that none is in two lists of one operand.
  LogicalResult verifyInRange(Lists lists, size_t rank, llvm::StringRef what) {
    llvm::SmallVector<bool> taken(rank, false);
    for (ArrayRef<int64_t> list : lists) {
      for (int64_t dim : list) {
        if (dim < 0 || dim >= static_cast<int64_t>(rank))
          return op_.emitOpError() << what << " dim " << dim << " is not in [0, " << rank << ")";
        if (taken[static_cast<size_t>(dim)])
          return op_.emitOpError() << what << " dim " << dim << " has two roles";
        taken[static_cast<size_t>(dim)] = true;
      }
    }
    return success();
  }

  LogicalResult verifyLists() {
    if (dims_.getLhsRaggedDimensions().size() != 1)
      return op_.emitOpError() << "needs one ragged dim of lhs, got "
                               << dims_.getLhsRaggedDimensions().size();
    if (failed(
            verifyInRange({dims_.getLhsBatchingDimensions(), dims_.getLhsContractingDimensions()},
                          lhs_.size(), "lhs")) ||
        failed(verifyInRange({dims_.getLhsRaggedDimensions()}, lhs_.size(), "lhs")) ||
        failed(verifyInRange({dims_.getRhsBatchingDimensions(), dims_.getRhsContractingDimensions(),
                              dims_.getRhsGroupDimensions()},
                             rhs_.size(), "rhs")))
      return failure();
    const size_t groups = dims_.getRhsGroupDimensions().size();
    const size_t expected = isFree(ragged()) ? 1 : 0;
    if (groups == expected) return success();
    return op_.emitOpError() << "needs " << expected << " group dims of rhs for ragged dim "
                             << ragged() << ", got " << groups;
  }

  LogicalResult verifyPairs(ArrayRef<int64_t> left, ArrayRef<int64_t> right, llvm::StringRef what) {
    if (left.size() != right.size())
      return op_.emitOpError() << "has " << left.size() << " " << what << " dims of lhs and "
                               << right.size() << " of rhs";
    for (auto [l, r] : llvm::zip_equal(left, right)) {
      const int64_t leftSize = lhs_[static_cast<size_t>(l)];
      const int64_t rightSize = rhs_[static_cast<size_t>(r)];
      if (failed(mlir::verifyCompatibleShape({leftSize}, {rightSize})))
        return op_.emitOpError() << what << " dims " << l << " of lhs and " << r
                                 << " of rhs have sizes " << leftSize << " and " << rightSize;
    }
    return success();
  }

  // Number of groups: the last dim of group_sizes.
  int64_t groupCount() {
    return llvm::cast<ShapedType>(op_.getGroupSizes().getType()).getShape().back();
  }

  LogicalResult verifyGroups() {
    if (llvm::cast<ShapedType>(op_.getGroupSizes().getType()).getRank() < 1)
      return op_.emitOpError("group_sizes needs at least one dim");
    if (dims_.getRhsGroupDimensions().empty()) return success();
    const int64_t size = rhs_[static_cast<size_t>(dims_.getRhsGroupDimensions().front())];
    if (succeeded(mlir::verifyCompatibleShape({size}, {groupCount()}))) return success();
    return op_.emitOpError() << "group dim of rhs has size " << size << ", but there are "
                             << groupCount() << " group sizes";
  }

  LogicalResult verifyResult() {
    llvm::SmallVector<int64_t> shape;
    if (llvm::is_contained(dims_.getLhsContractingDimensions(), ragged()))
      shape.push_back(groupCount());
    for (int64_t dim : dims_.getLhsBatchingDimensions())
      shape.push_back(lhs_[static_cast<size_t>(dim)]);
    appendFree(shape, lhs_,
               {dims_.getLhsBatchingDimensions(), dims_.getLhsContractingDimensions()});
    appendFree(shape, rhs_,
               {dims_.getRhsBatchingDimensions(), dims_.getRhsContractingDimensions(),
                dims_.getRhsGroupDimensions()});
    auto result = llvm::cast<ShapedType>(op_.getType());
    if (!result.hasRank() || succeeded(mlir::verifyCompatibleShape(shape, result.getShape())))
      return success();
    auto expected = mlir::RankedTensorType::get(shape, result.getElementType());
    return op_.emitOpError() << "result should have the shape of " << expected << ", got "
                             << result;
  }

  static void appendFree(llvm::SmallVectorImpl<int64_t>& shape, ArrayRef<int64_t> from,
                         Lists lists) {
    for (auto [dim, size] : llvm::enumerate(from)) {
      auto contains = [position = dim](ArrayRef<int64_t> list) {
        return llvm::is_contained(list, static_cast<int64_t>(position));
      };
      if (llvm::none_of(lists, contains)) shape.push_back(size);
    }
  }

  int64_t ragged() { return dims_.getLhsRaggedDimensions().front(); }

  bool isFree(int64_t dim) {
    return !llvm::is_contained(dims_.getLhsBatchingDimensions(), dim) &&
           !llvm::is_contained(dims_.getLhsContractingDimensions(), dim);
  }

  RaggedDotOp op_;
  RaggedDotDimensionNumbersAttr dims_;
  ArrayRef<int64_t> lhs_;
  ArrayRef<int64_t> rhs_;
};

}  // namespace

LogicalResult RaggedDotOp::verify() {
  if (getPrecisionConfig() && getPrecisionConfig()->size() > 2)
    return emitOpError() << "has " << getPrecisionConfig()->size()
                         << " precisions for two operands";
  if (!llvm::cast<ShapedType>(getLhs().getType()).hasRank() ||
      !llvm::cast<ShapedType>(getRhs().getType()).hasRank())
    return success();
  return RaggedDotVerifier(*this).verify();
}

}  // namespace shardwright::chlo
