// Builds a Program op by op, in program order. The importer and tests use it.
#pragma once

#include <initializer_list>
#include <unordered_map>

#include "shardwright/program/program.h"

namespace shardwright::program {

// Example: y = x + x.
//   ProgramBuilder builder;
//   const TypeId type = builder.type(DType::kF32, {4, 8});
//   const ValueId x = builder.addArgument({.path = "x"}, type);
//   const OpId add = builder.addOp("stablehlo.add", {}, {x, x}, {type});
//   builder.addResult({.path = "y"}, builder.result(add));
//   Program program = std::move(builder).finish();
//
// A region is opened under the op added last (or any earlier op whose regions are still open) and
// closed before anything else is added after it:
//   const OpId loop = builder.addOp(kWhile, WhileAttrs{10, true}, {}, {});
//   builder.openRegion(loop, RegionKind::kBody, weight); … builder.closeRegion({yields});
class ProgramBuilder {
 public:
  ProgramBuilder();

  TypeId type(DType dtype, std::initializer_list<int64_t> shape) {
    return program_.types_.intern(dtype, std::span<const int64_t>(shape.begin(), shape.size()));
  }
  TypeId type(DType dtype, std::span<const int64_t> shape) {
    return program_.types_.intern(dtype, shape);
  }
  LocationId addLocation(const Location& location) { return program_.locations_.push(location); }

  // The variant of the imported op with the next number; see Program::variant.
  void addVariant(uint32_t variant) { program_.variants_.push_back(variant); }

  NameId name(std::string_view text);
  AttributesId attributes(const Attributes& attributes);

  // Adds an op in the innermost open region. `origin` numbers the imported op.
  OpId addOp(NameId name, AttributesId attributes, std::span<const ValueId> operands,
             std::span<const TypeId> resultTypes, LocationId location = LocationId(0u),
             uint32_t origin = 0);
  OpId addOp(std::string_view opName, const Attributes& opAttributes,
             std::initializer_list<ValueId> operands, std::initializer_list<TypeId> resultTypes,
             LocationId location = LocationId(0u), uint32_t origin = 0);
  ValueId result(OpId op, size_t index = 0) const { return program_.result(op, index); }

  // Replaces an operand of the same type that was not known when the op was added: what a loop's
  // body yields to its `carry`.
  void setOperand(OpId op, size_t index, ValueId value);

  // A carry (of the `index`-th value of the loop to come) with results of the type of `init`; its
  // second operand is `init` until setOperand gives what the body yields.
  OpId addCarry(uint32_t index, ValueId init, LocationId location = LocationId(0u),
                uint32_t origin = 0);
  // A merge: the `index`-th result of the case whose branches yield `yielded`, all of one type.
  OpId addMerge(uint32_t index, std::span<const ValueId> yielded,
                LocationId location = LocationId(0u), uint32_t origin = 0);

  // `argument.value` is filled in.
  ValueId addArgument(Argument argument, TypeId type, LocationId location = LocationId(0u),
                      uint32_t origin = 0);
  // `result.returnOp` is filled in.
  OpId addResult(ProgramResult result, ValueId value, LocationId location = LocationId(0u),
                 uint32_t origin = 0);

  RegionId openRegion(OpId parent, RegionKind kind, double weight);
  void closeRegion(std::span<const ValueId> yields);
  RegionId currentRegion() const { return openRegions_.back(); }
  double currentWeight() const { return program_.regions_[openRegions_.back()].weight; }

  uint32_t addMesh(mesh::Mesh mesh);
  void stateSharding(ValueId value, mesh::Sharding sharding);
  void remark(LocationId location, std::string message);

  const Program& program() const { return program_; }
  // Closes the entry region. The builder is spent.
  Program finish() &&;

 private:
  SignatureId signature(NameId name, AttributesId attributes, std::span<const ValueId> operands,
                        std::span<const TypeId> resultTypes);

  Program program_;
  WordInterner attributesInterner_;
  WordInterner signatureInterner_;
  std::unordered_map<std::string, NameId> nameIds_;
  std::vector<RegionId> openRegions_;
  std::vector<uint64_t> scratch_;
};

}  // namespace shardwright::program
