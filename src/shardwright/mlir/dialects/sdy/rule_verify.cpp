// Sharding rules against the op they are attached to.
#include "llvm/ADT/SmallSet.h"
#include "shardwright/mlir/dialects/sdy/sharding.h"

namespace shardwright::sdy {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

using FactorSet = llvm::SmallSet<int64_t, 8>;

// Checks the factors of one dim and adds them to those `inTensor`.
LogicalResult verifyDimMapping(DimMappingAttr dim, ArrayRef<int64_t> sizes, FactorSet& inTensor,
                               EmitError emitError) {
  for (int64_t factor : dim.getFactorIndices()) {
    if (factor < 0 || factor >= static_cast<int64_t>(sizes.size()))
      return emitError() << "factor " << factorName(factor) << " has no size; the rule has "
                         << sizes.size() << " factors";
    if (!inTensor.insert(factor).second)
      return emitError() << "factor " << factorName(factor) << " is used more than once";
    if (dim.getFactorIndices().size() > 1 && sizes[static_cast<size_t>(factor)] == 1)
      return emitError() << "factor " << factorName(factor)
                         << " of size 1 shares a dim with others";
  }
  return success();
}

// Checks the mapping of one operand or result and adds its factors to `used`.
LogicalResult verifyTensorMapping(TensorMappingAttr mapping, mlir::Type type,
                                  ArrayRef<int64_t> sizes, FactorSet& used, EmitError emitError) {
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
  if (shaped && !shaped.hasRank())
    return emitError() << "a mapping needs a type with a rank, got " << type;
  const int64_t rank = shaped ? shaped.getRank() : 0;
  if (mapping.getRank() != rank)
    return emitError() << "mapping has " << mapping.getRank() << " dims, but " << type
                       << " has rank " << rank;
  FactorSet inTensor;
  for (DimMappingAttr dim : mapping.getDimMappings())
    if (failed(verifyDimMapping(dim, sizes, inTensor, emitError))) return failure();
  for (int64_t factor : inTensor) used.insert(factor);
  return success();
}

LogicalResult verifyMappings(ArrayRef<TensorMappingAttr> mappings, mlir::TypeRange types,
                             StringRef what, ArrayRef<int64_t> sizes, FactorSet& used,
                             mlir::Operation* op) {
  if (mappings.size() != types.size())
    return op->emitOpError() << "has " << types.size() << " " << what
                             << "s, but its sharding rule maps " << mappings.size();
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(mappings, types))) {
    auto emitError = [&, position = index] {
      return op->emitOpError() << "sharding rule, " << what << " " << position << ": ";
    };
    if (failed(verifyTensorMapping(std::get<0>(pair), std::get<1>(pair), sizes, used, emitError)))
      return failure();
  }
  return success();
}

// Checks that `factors` exist, ascend, and are in no set before.
LogicalResult verifySpecialFactors(ArrayRef<int64_t> factors, StringRef what, size_t factorCount,
                                   FactorSet* before, mlir::Operation* op) {
  int64_t previous = -1;
  for (int64_t factor : factors) {
    if (factor < 0 || factor >= static_cast<int64_t>(factorCount))
      return op->emitOpError() << "sharding rule: " << what << " factor " << factorName(factor)
                               << " has no size";
    if (factor <= previous)
      return op->emitOpError() << "sharding rule: " << what << " factors must ascend, got "
                               << factorName(factor) << " after " << factorName(previous);
    if (before && !before->insert(factor).second)
      return op->emitOpError() << "sharding rule: factor " << factorName(factor)
                               << " is in more than one special set";
    previous = factor;
  }
  return success();
}

LogicalResult verifySpecialSets(OpShardingRuleAttr rule, mlir::Operation* op) {
  const size_t count = rule.getFactorSizes().size();
  FactorSet sets;
  return success(
      succeeded(verifySpecialFactors(rule.getReductionFactors(), "reduction", count, &sets, op)) &&
      succeeded(verifySpecialFactors(rule.getNeedReplicationFactors(), "need_replication", count,
                                     &sets, op)) &&
      succeeded(
          verifySpecialFactors(rule.getPermutationFactors(), "permutation", count, &sets, op)) &&
      // Any factor may be blocked, whatever else it is.
      succeeded(verifySpecialFactors(rule.getBlockedPropagationFactors(), "blocked_propagation",
                                     count, nullptr, op)));
}

}  // namespace

LogicalResult verifyShardingRule(OpShardingRuleAttr rule, mlir::Operation* op) {
  const ArrayRef<int64_t> sizes = rule.getFactorSizes();
  FactorSet inOperands;
  FactorSet inResults;
  if (failed(verifyMappings(rule.getOperandMappings(), op->getOperandTypes(), "operand", sizes,
                            inOperands, op)) ||
      failed(verifyMappings(rule.getResultMappings(), op->getResultTypes(), "result", sizes,
                            inResults, op)) ||
      failed(verifySpecialSets(rule, op)))
    return failure();
  for (int64_t factor = 0; factor < static_cast<int64_t>(sizes.size()); ++factor)
    if (!inOperands.contains(factor) && !inResults.contains(factor))
      return op->emitOpError() << "sharding rule: factor " << factorName(factor)
                               << " is in no operand and no result";
  for (int64_t factor : rule.getReductionFactors())
    if (inResults.contains(factor))
      return op->emitOpError() << "sharding rule: reduction factor " << factorName(factor)
                               << " is in a result";
  return success();
}

}  // namespace shardwright::sdy
