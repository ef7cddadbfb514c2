#include "shardwright/program/types.h"

#include <array>
#include <limits>

namespace shardwright::program {
namespace {

struct DTypeInfo {
  std::string_view name;
  int bits;
};

// In the order of DType.
constexpr std::array<DTypeInfo, 23> kDTypes = {{
    {"i1", 8},  // XLA stores a predicate in a byte.
    {"i2", 2},
    {"i4", 4},
    {"i8", 8},
    {"i16", 16},
    {"i32", 32},
    {"i64", 64},
    {"ui2", 2},
    {"ui4", 4},
    {"ui8", 8},
    {"ui16", 16},
    {"ui32", 32},
    {"ui64", 64},
    {"f4", 4},
    {"f6", 6},
    {"f8", 8},
    {"bf16", 16},
    {"f16", 16},
    {"f32", 32},
    {"f64", 64},
    {"complex<f32>", 64},
    {"complex<f64>", 128},
    {"token", 0},
}};

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

int64_t saturatingProduct(std::span<const int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (factor == 0) return 0;
    if (__builtin_mul_overflow(product, factor, &product)) product = kMax;
  }
  return product;
}

}  // namespace

std::string_view dtypeName(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].name; }

int bitWidth(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].bits; }

bool isFloat(DType dtype) { return dtype >= DType::kF4 && dtype <= DType::kF64; }

TypeId TypeTable::intern(DType dtype, std::span<const int64_t> shape) {
  scratch_.assign(1, static_cast<uint64_t>(dtype));
  scratch_.insert(scratch_.end(), shape.begin(), shape.end());
  const auto [id, isNew] = interner_.intern(scratch_);
  if (isNew) {
    entries_.push({dtype, static_cast<uint32_t>(shapes_.size()),
                   static_cast<uint32_t>(shape.size()), saturatingProduct(shape)});
    shapes_.insert(shapes_.end(), shape.begin(), shape.end());
  }
  return TypeId(id);
}

std::span<const int64_t> TypeTable::shape(TypeId type) const {
  const Entry& entry = entries_[type];
  return {shapes_.data() + entry.shapeBegin, entry.rank};
}

int64_t TypeTable::bytes(TypeId type) const {
  const Entry& entry = entries_[type];
  const int bits = bitWidth(entry.dtype);
  if (bits >= 8) {
    int64_t bytes = 0;
    return __builtin_mul_overflow(entry.elements, int64_t{bits / 8}, &bytes) ? kMax : bytes;
  }
  const int64_t whole = entry.elements / 8 * bits;
  return whole + (entry.elements % 8 * bits + 7) / 8;
}

std::string TypeTable::str(TypeId type) const {
  std::string text(dtypeName(dtype(type)));
  text += "[";
  for (size_t i = 0; i < shape(type).size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape(type)[i]);
  }
  return text + "]";
}

}  // namespace shardwright::program
