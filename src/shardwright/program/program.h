// The flat program: what the rest of Shardwright sees of a StableHLO module. Plain arrays and
// 32-bit ids; no MLIR.
//
// Ops stand in program order. An op with regions is followed by the ops of its regions, so the ops
// of a region (with all that is nested in it) are one range of ids. Calls have been inlined.
//
// A few ops are ours. They make "who is tied to whom" visible to rules and analysis without any
// special case there:
//
//   argument            one per argument of @main: no operand, one result
//   return              one per result of @main: one operand, no result
//   while               operands: none; regions: condition, body (attributes: WhileAttrs)
//   carry               one per value that a loop carries, just before its `while`:
//                       operands {init, yielded by the body},
//                       results {argument of the condition, argument of the body, result}
//   case                operand: the selector; one region per branch (stablehlo.if has two)
//   merge               one per result of a `case`, just after its regions:
//                       operands {yielded by branch 0, 1, …}, one result
//   barrier             one per operand of an optimization_barrier: values that only pass by one
//                       another must not compete for a mesh axis, so each is an op of its own
//
// The loop `for i in range(10): x = x @ w` reads
//
//   %0:f32[8,8] = argument "x"
//   %1:f32[8,8] = argument "w"
//   %2:i32[] = stablehlo.constant
//   %3:i32[], %4:i32[], %5:i32[] = carry %2, %12
//   %6:f32[8,8], %7:f32[8,8], %8:f32[8,8] = carry %0, %11
//   while {trip_count=10}
//     condition yields %9
//       …
//     body yields %12, %11
//       %11:f32[8,8] = stablehlo.dot_general %7, %1
//       …
//   return %8
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardwright/base/ids.h"
#include "shardwright/base/interner.h"
#include "shardwright/base/result.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/program/attributes.h"
#include "shardwright/program/types.h"

namespace shardwright::program {

struct OpTag;
struct ValueTag;
struct RegionTag;
struct NameTag;
struct SignatureTag;
struct LocationTag;
using OpId = Id<OpTag>;
using ValueId = Id<ValueTag>;
using RegionId = Id<RegionTag>;
using NameId = Id<NameTag>;  // An interned text: op name, source file, …
using SignatureId = Id<SignatureTag>;
using LocationId = Id<LocationTag>;

inline constexpr uint32_t kNoVariant = 0;

// Names of the ops that are ours.
inline constexpr std::string_view kArgument = "argument";
inline constexpr std::string_view kReturn = "return";
inline constexpr std::string_view kWhile = "while";
inline constexpr std::string_view kCarry = "carry";
inline constexpr std::string_view kCase = "case";
inline constexpr std::string_view kMerge = "merge";
inline constexpr std::string_view kBarrier = "barrier";

// Whether ops of this name stand for a value that comes or goes (argument, return, carry, merge),
// and not for an op of the module.
bool standsForAValue(std::string_view opName);

// What ops that do the same thing to the same shapes have in common: name, attributes, types. A
// deep network has few signatures and many ops; whatever depends on the signature alone, like the
// rule, is computed once per signature.
struct Signature {
  NameId name;
  AttributesId attributes;
  uint32_t typesBegin = 0;  // In Program's type lists: operand types, then result types.
  uint32_t operandCount = 0;
  uint32_t resultCount = 0;
};

//  signature | operands begin | first result | region | location | origin
struct Op {
  SignatureId signature;
  uint32_t operandsBegin = 0;
  ValueId firstResult;  // Results are consecutive values.
  RegionId region;      // The region the op stands in.
  LocationId location;
  uint32_t origin = 0;  // Number of the imported op; inlined copies of one op share it.
};
static_assert(sizeof(Op) == 24);

struct Value {
  TypeId type;
  OpId definition;
};
static_assert(sizeof(Value) == 8);

enum class RegionKind : uint8_t { kEntry, kCondition, kBody, kBranch };

struct Region {
  RegionKind kind = RegionKind::kEntry;
  OpId parent;        // Invalid for the entry region.
  OpId begin, end;    // All ops in it, nested ones too.
  double weight = 1;  // How often it runs in one step: the product of the trip counts around it.
  std::vector<ValueId> yields;
};

// Where an op comes from. `name` is what the framework calls it (`jit(step)/dot_general`). Names
// are invalid and numbers 0 when unknown.
struct Location {
  NameId file;
  NameId name;
  uint32_t line = 0;
  uint32_t column = 0;
};

struct Argument {
  ValueId value = {};
  std::string path;      // `state['params']['w1']`, or `arg0` when the module has no names.
  bool donated = false;  // The step may reuse its buffer…
  std::optional<uint32_t> aliasedResult = {};  // … for this result, when the module says which.
  std::optional<mesh::Sharding> sharding = {};
};

struct ProgramResult {
  OpId returnOp = {};
  std::string path;  // From `jax.result_info`; `result0` when there is none.
  std::optional<mesh::Sharding> sharding = {};
};

// A sharding that the module states for a value inside: on an op's result, or by a constraint.
struct StatedSharding {
  ValueId value;
  mesh::Sharding sharding;
};

// Something about the module that a user should know and that is not an error.
struct Remark {
  LocationId location;
  std::string message;
};

class Program {
 public:
  // --- reading ---
  const TypeTable& types() const { return types_; }
  size_t opCount() const { return ops_.size(); }
  size_t valueCount() const { return values_.size(); }
  size_t signatureCount() const { return signatures_.size(); }
  size_t regionCount() const { return regions_.size(); }

  const Op& op(OpId id) const { return ops_[id]; }
  const Value& value(ValueId id) const { return values_[id]; }
  const Region& region(RegionId id) const { return regions_[id]; }
  const Signature& signature(SignatureId id) const { return signatures_[id]; }
  const Signature& signature(OpId id) const { return signatures_[ops_[id].signature]; }
  const Attributes& attributes(AttributesId id) const { return attributes_[id]; }
  const Attributes& attributes(SignatureId id) const {
    return attributes(signatures_[id].attributes);
  }
  const Location& location(LocationId id) const { return locations_[id]; }
  // The same, in words; empty when unknown.
  SourceLocation source(LocationId id) const;
  SourceLocation source(OpId id) const { return source(ops_[id].location); }
  RegionId entry() const { return RegionId(0u); }

  std::string_view name(NameId id) const { return names_[id]; }
  std::string_view name(OpId id) const { return names_[signature(id).name]; }
  std::string_view name(SignatureId id) const { return names_[signatures_[id].name]; }
  size_t nameCount() const { return names_.size(); }

  std::span<const ValueId> operands(OpId id) const {
    const Op& op = ops_[id];
    return {operands_.data() + op.operandsBegin, signatures_[op.signature].operandCount};
  }
  std::span<const TypeId> operandTypes(SignatureId id) const;
  std::span<const TypeId> resultTypes(SignatureId id) const;
  ValueId result(OpId id, size_t index) const { return ops_[id].firstResult.plus(index); }
  uint32_t resultCount(OpId id) const { return signature(id).resultCount; }
  // Which of its definition's results a value is.
  uint32_t resultIndex(ValueId id) const {
    return id.index() - ops_[values_[id].definition].firstResult.index();
  }
  std::span<const int64_t> shape(ValueId id) const { return types_.shape(values_[id].type); }
  // Regions of an op, in order. Empty for most.
  std::span<const RegionId> regions(OpId id) const;

  // Ops of one signature and one variant do the same thing: the same constant, the same comparison.
  // kNoVariant where that is not known.
  uint32_t variant(OpId id) const { return variantOfOrigin(ops_[id].origin); }
  uint32_t variantOfOrigin(uint32_t origin) const {
    return origin < variants_.size() ? variants_[origin] : kNoVariant;
  }

  // Which of the values of its loop a carry is, or which result of its case a merge.
  uint32_t tieIndex(OpId id) const { return tieIndices_.at(id.index()); }

  const std::vector<Argument>& arguments() const { return arguments_; }
  const std::vector<ProgramResult>& results() const { return results_; }
  const std::vector<mesh::Mesh>& meshes() const { return meshes_; }
  const std::vector<StatedSharding>& statedShardings() const { return statedShardings_; }
  const std::vector<Remark>& remarks() const { return remarks_; }

  // Bytes held by the tables, for benchmarks.
  size_t capacityBytes() const;

 private:
  friend class ProgramBuilder;
  friend class Pruner;

  TypeTable types_;
  IdVector<OpId, Op> ops_;
  IdVector<ValueId, Value> values_;
  std::vector<ValueId> operands_;
  IdVector<RegionId, Region> regions_;
  std::unordered_map<uint32_t, std::vector<RegionId>> regionsOfOp_;
  std::unordered_map<uint32_t, uint32_t> tieIndices_;
  std::vector<uint32_t> variants_;  // Per imported op.
  IdVector<NameId, std::string> names_;
  IdVector<AttributesId, Attributes> attributes_;
  IdVector<SignatureId, Signature> signatures_;
  std::vector<TypeId> signatureTypes_;
  IdVector<LocationId, Location> locations_;

  std::vector<Argument> arguments_;
  std::vector<ProgramResult> results_;
  std::vector<mesh::Mesh> meshes_;
  std::vector<StatedSharding> statedShardings_;
  std::vector<Remark> remarks_;
};

}  // namespace shardwright::program
