// Tensor types, interned: equal types have equal ids.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/base/ids.h"
#include "shardwright/base/interner.h"

namespace shardwright::program {

// Element types. `token` is not data: it orders side effects, has rank 0 and no bytes.
enum class DType : uint8_t {
  kPred,
  kI2,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4,
  kF6,
  kF8,
  kBF16,
  kF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kToken,
};

// "f32", "bf16", "i1" for kPred, "complex<f32>": as MLIR prints them, but for f4, f6 and f8, whose
// many encodings differ in meaning and not in size.
std::string_view dtypeName(DType dtype);
int bitWidth(DType dtype);
bool isFloat(DType dtype);

struct TypeTag;
using TypeId = Id<TypeTag>;

class TypeTable {
 public:
  TypeId intern(DType dtype, std::span<const int64_t> shape);

  DType dtype(TypeId type) const { return entries_[type].dtype; }
  std::span<const int64_t> shape(TypeId type) const;
  int rank(TypeId type) const { return static_cast<int>(shape(type).size()); }
  // 1 for a scalar, 0 if any dim is 0. Saturates at the largest int64.
  int64_t elements(TypeId type) const { return entries_[type].elements; }
  // Rounded up to whole bytes: 3 elements of i4 take 2 bytes.
  int64_t bytes(TypeId type) const;
  size_t size() const { return entries_.size(); }

  // "f32[16,64]".
  std::string str(TypeId type) const;

 private:
  struct Entry {
    DType dtype;
    uint32_t shapeBegin;
    uint32_t rank;
    int64_t elements;
  };
  WordInterner interner_;
  IdVector<TypeId, Entry> entries_;
  std::vector<int64_t> shapes_;
  std::vector<uint64_t> scratch_;
};

}  // namespace shardwright::program
