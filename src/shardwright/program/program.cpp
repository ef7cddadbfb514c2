#include "shardwright/program/program.h"

namespace shardwright::program {

bool standsForAValue(std::string_view opName) {
  return opName == kArgument || opName == kReturn || opName == kCarry || opName == kMerge;
}

std::span<const TypeId> Program::operandTypes(SignatureId id) const {
  const Signature& signature = signatures_[id];
  return {signatureTypes_.data() + signature.typesBegin, signature.operandCount};
}

std::span<const TypeId> Program::resultTypes(SignatureId id) const {
  const Signature& signature = signatures_[id];
  return {signatureTypes_.data() + signature.typesBegin + signature.operandCount,
          signature.resultCount};
}

std::span<const RegionId> Program::regions(OpId id) const {
  const auto found = regionsOfOp_.find(id.index());
  if (found == regionsOfOp_.end()) return {};
  return found->second;
}

SourceLocation Program::source(LocationId id) const {
  const Location& location = locations_[id];
  if (!location.file.valid()) return {};
  return {names_[location.file], location.line, location.column};
}

size_t Program::capacityBytes() const {
  return ops_.capacityBytes() + values_.capacityBytes() + operands_.capacity() * sizeof(ValueId) +
         regions_.capacityBytes() + attributes_.capacityBytes() + signatures_.capacityBytes() +
         signatureTypes_.capacity() * sizeof(TypeId) + locations_.capacityBytes() +
         arguments_.capacity() * sizeof(Argument) + results_.capacity() * sizeof(ProgramResult);
}

}  // namespace shardwright::program
