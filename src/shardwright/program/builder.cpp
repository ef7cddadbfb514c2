#include "shardwright/program/builder.h"

#include <utility>

namespace shardwright::program {

ProgramBuilder::ProgramBuilder() {
  program_.locations_.push({});
  program_.regions_.push({});
  openRegions_.push_back(program_.entry());
}

NameId ProgramBuilder::name(std::string_view text) {
  const auto [entry, isNew] = nameIds_.try_emplace(std::string(text), NameId());
  if (isNew) entry->second = program_.names_.push(std::string(text));
  return entry->second;
}

AttributesId ProgramBuilder::attributes(const Attributes& attributes) {
  scratch_.clear();
  encode(attributes, scratch_);
  const auto [id, isNew] = attributesInterner_.intern(scratch_);
  if (isNew) program_.attributes_.push(attributes);
  return AttributesId(id);
}

SignatureId ProgramBuilder::signature(NameId name, AttributesId attributes,
                                      std::span<const ValueId> operands,
                                      std::span<const TypeId> resultTypes) {
  scratch_ = {name.index(), attributes.index(), operands.size()};
  for (const ValueId operand : operands) {
    scratch_.push_back(program_.values_[operand].type.index());
  }
  for (const TypeId type : resultTypes) scratch_.push_back(type.index());
  const auto [id, isNew] = signatureInterner_.intern(scratch_);
  if (isNew) {
    auto& types = program_.signatureTypes_;
    program_.signatures_.push({name, attributes, static_cast<uint32_t>(types.size()),
                               static_cast<uint32_t>(operands.size()),
                               static_cast<uint32_t>(resultTypes.size())});
    for (const ValueId operand : operands) types.push_back(program_.values_[operand].type);
    types.insert(types.end(), resultTypes.begin(), resultTypes.end());
  }
  return SignatureId(id);
}

OpId ProgramBuilder::addOp(NameId name, AttributesId attributes, std::span<const ValueId> operands,
                           std::span<const TypeId> resultTypes, LocationId location,
                           uint32_t origin) {
  Op op;
  op.signature = signature(name, attributes, operands, resultTypes);
  op.operandsBegin = static_cast<uint32_t>(program_.operands_.size());
  op.firstResult = program_.values_.nextId();
  op.region = openRegions_.back();
  op.location = location;
  op.origin = origin;
  program_.operands_.insert(program_.operands_.end(), operands.begin(), operands.end());
  const OpId id = program_.ops_.push(op);
  for (const TypeId type : resultTypes) program_.values_.push({type, id});
  return id;
}

OpId ProgramBuilder::addOp(std::string_view opName, const Attributes& opAttributes,
                           std::initializer_list<ValueId> operands,
                           std::initializer_list<TypeId> resultTypes, LocationId location,
                           uint32_t origin) {
  return addOp(name(opName), attributes(opAttributes),
               std::span<const ValueId>(operands.begin(), operands.size()),
               std::span<const TypeId>(resultTypes.begin(), resultTypes.size()), location, origin);
}

void ProgramBuilder::setOperand(OpId op, size_t index, ValueId value) {
  ValueId& slot = program_.operands_[program_.ops_[op].operandsBegin + index];
  SW_CHECK(program_.values_[slot].type == program_.values_[value].type);
  slot = value;
}

OpId ProgramBuilder::addCarry(uint32_t index, ValueId init, LocationId location, uint32_t origin) {
  const TypeId type = program_.values_[init].type;
  const OpId op = addOp(kCarry, {}, {init, init}, {type, type, type}, location, origin);
  program_.tieIndices_[op.index()] = index;
  return op;
}

OpId ProgramBuilder::addMerge(uint32_t index, std::span<const ValueId> yielded, LocationId location,
                              uint32_t origin) {
  SW_CHECK(!yielded.empty());
  const TypeId type = program_.values_[yielded.front()].type;
  const OpId op =
      addOp(name(kMerge), attributes({}), yielded, std::span(&type, 1), location, origin);
  program_.tieIndices_[op.index()] = index;
  return op;
}

ValueId ProgramBuilder::addArgument(Argument argument, TypeId type, LocationId location,
                                    uint32_t origin) {
  const OpId op = addOp(name(kArgument), attributes({}), {}, std::span(&type, 1), location, origin);
  argument.value = result(op);
  program_.arguments_.push_back(std::move(argument));
  return result(op);
}

OpId ProgramBuilder::addResult(ProgramResult result, ValueId value, LocationId location,
                               uint32_t origin) {
  result.returnOp =
      addOp(name(kReturn), attributes({}), std::span(&value, 1), {}, location, origin);
  program_.results_.push_back(std::move(result));
  return program_.results_.back().returnOp;
}

RegionId ProgramBuilder::openRegion(OpId parent, RegionKind kind, double weight) {
  Region region;
  region.kind = kind;
  region.parent = parent;
  region.begin = program_.ops_.nextId();
  region.weight = weight;
  const RegionId id = program_.regions_.push(std::move(region));
  program_.regionsOfOp_[parent.index()].push_back(id);
  openRegions_.push_back(id);
  return id;
}

void ProgramBuilder::closeRegion(std::span<const ValueId> yields) {
  SW_CHECK(openRegions_.size() > 1);
  Region& region = program_.regions_[openRegions_.back()];
  region.end = program_.ops_.nextId();
  region.yields.assign(yields.begin(), yields.end());
  openRegions_.pop_back();
}

uint32_t ProgramBuilder::addMesh(mesh::Mesh mesh) {
  program_.meshes_.push_back(std::move(mesh));
  return static_cast<uint32_t>(program_.meshes_.size() - 1);
}

void ProgramBuilder::stateSharding(ValueId value, mesh::Sharding sharding) {
  program_.statedShardings_.push_back({value, std::move(sharding)});
}

void ProgramBuilder::remark(LocationId location, std::string message) {
  program_.remarks_.push_back({location, std::move(message)});
}

Program ProgramBuilder::finish() && {
  SW_CHECK(openRegions_.size() == 1);
  Region& entry = program_.regions_[program_.entry()];
  entry.begin = OpId(0u);
  entry.end = program_.ops_.nextId();
  return std::move(program_);
}

}  // namespace shardwright::program
