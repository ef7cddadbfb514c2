#include "shardwright/mlir/import/types.h"

#include <optional>

#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright {
namespace {

using program::DType;

// A few words for a type. Only simple types are printed as they are: nested ones can share their
// parts and grow without bound when written out.
std::string text(mlir::Type type) {
  if (const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    std::string result = "tensor<";
    for (const int64_t size : tensor.getShape()) {
      result += (mlir::ShapedType::isDynamic(size) ? "?" : std::to_string(size)) + "x";
    }
    return result + text(tensor.getElementType()) + ">";
  }
  if (mlir::isa<mlir::TupleType>(type)) return "tuple";
  if (type.isIntOrIndexOrFloat()) {
    std::string result;
    llvm::raw_string_ostream(result) << type;
    return result;
  }
  return "of dialect `" + type.getDialect().getNamespace().str() + "`";
}

std::optional<DType> integerType(unsigned width, bool isUnsigned) {
  switch (width) {
    case 1:
      return DType::kPred;
    case 2:
      return isUnsigned ? DType::kU2 : DType::kI2;
    case 4:
      return isUnsigned ? DType::kU4 : DType::kI4;
    case 8:
      return isUnsigned ? DType::kU8 : DType::kI8;
    case 16:
      return isUnsigned ? DType::kU16 : DType::kI16;
    case 32:
      return isUnsigned ? DType::kU32 : DType::kI32;
    case 64:
      return isUnsigned ? DType::kU64 : DType::kI64;
    default:
      return {};
  }
}

std::optional<DType> floatType(mlir::FloatType type) {
  if (type.isBF16()) return DType::kBF16;
  switch (type.getWidth()) {
    case 4:
      return DType::kF4;
    case 6:
      return DType::kF6;
    case 8:
      return DType::kF8;
    case 16:
      return DType::kF16;
    case 32:
      return DType::kF32;
    case 64:
      return DType::kF64;
    default:
      return {};
  }
}

std::optional<DType> elementType(mlir::Type type) {
  if (const auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(type))
    type = quantized.getStorageType();
  if (mlir::isa<mlir::IndexType>(type)) return DType::kI64;
  if (const auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    return integerType(integer.getWidth(), integer.isUnsigned());
  }
  if (const auto real = mlir::dyn_cast<mlir::FloatType>(type)) return floatType(real);
  if (const auto complex = mlir::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32()) return DType::kC64;
    if (complex.getElementType().isF64()) return DType::kC128;
  }
  return {};
}

// Sums of bytes over a program must stay within 64 bits.
bool tooLarge(llvm::ArrayRef<int64_t> shape) {
  int64_t left = int64_t{1} << 52;
  for (const int64_t size : shape) left = size == 0 ? left : left / size;
  return left == 0 && !llvm::is_contained(shape, 0);
}

}  // namespace

Result<FlatType> flatten(mlir::Type type) {
  if (mlir::isa<stablehlo::TokenType>(type)) return FlatType{DType::kToken, {}};
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return Diagnostic{
        "a value of type " + text(type) + " is not supported: values are tensors of known rank",
        {},
        {}};
  for (int64_t i = 0; i < tensor.getRank(); ++i) {
    if (tensor.isDynamicDim(static_cast<unsigned>(i))) {
      return Diagnostic{"dim " + std::to_string(i) + " of " + text(type) +
                            " is dynamic; plans need concrete sizes: export the function with the "
                            "shapes it runs with",
                        {},
                        {}};
    }
  }
  if (tooLarge(tensor.getShape()))
    return Diagnostic{text(type) + " has more than 2^52 elements; no device could hold it", {}, {}};
  const auto dtype = elementType(tensor.getElementType());
  if (!dtype) return Diagnostic{"element type of " + text(type) + " is not supported", {}, {}};
  return FlatType{*dtype, std::vector<int64_t>(tensor.getShape().begin(), tensor.getShape().end())};
}

}  // namespace shardwright
