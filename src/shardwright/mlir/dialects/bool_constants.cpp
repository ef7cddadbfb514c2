#include "shardwright/mlir/dialects/bool_constants.h"

#include <cstdint>
#include <optional>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace shardwright {
namespace {

constexpr llvm::StringLiteral kOpening = "dense<\"0x";

// The number of elements of `: tensor<4x8xi1>` at the start of `text`; nothing for other types.
std::optional<uint64_t> boolElements(llvm::StringRef text) {
  text = text.ltrim();
  if (!text.consume_front(":")) return {};
  text = text.ltrim();
  if (!text.consume_front("tensor<")) return {};
  uint64_t elements = 1;
  while (!text.starts_with("i1>")) {
    uint64_t size = 0;
    if (text.consumeInteger(10, size) || !text.consume_front("x")) return {};
    if (__builtin_mul_overflow(elements, size, &elements)) return {};
  }
  return elements;
}

std::string packed(llvm::StringRef digits, uint64_t elements) {
  std::string bytes((elements + 7) / 8, '\0');
  for (uint64_t i = 0; i < elements; ++i) {
    const bool set = digits[2 * i] != '0' || digits[2 * i + 1] != '0';
    if (set) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << (i % 8));
  }
  return llvm::toHex(bytes);
}

std::string unpacked(llvm::StringRef digits, uint64_t elements) {
  std::string result;
  result.reserve(2 * elements);
  for (uint64_t i = 0; i < elements; ++i) {
    const size_t byte = i / 8;
    const unsigned value =
        llvm::hexDigitValue(digits[2 * byte]) << 4 | llvm::hexDigitValue(digits[2 * byte + 1]);
    result += (value >> (i % 8) & 1) != 0 ? "01" : "00";
  }
  return result;
}

// Replaces the digits of each boolean constant by what `convert(digits, elements)` returns, unless
// it returns nothing. With `pad`, blanks make up for what became shorter.
std::string rewrite(
    llvm::StringRef text, bool pad,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef, uint64_t)> convert) {
  std::string result;
  size_t done = 0;
  for (size_t at = text.find(kOpening); at != llvm::StringRef::npos;
       at = text.find(kOpening, at + 1)) {
    const size_t begin = at + kOpening.size();
    const size_t end = text.find('"', begin);
    if (end == llvm::StringRef::npos) break;
    const llvm::StringRef digits = text.slice(begin, end);
    const llvm::StringRef rest = text.drop_front(end + 1).ltrim();
    if (!rest.starts_with(">")) continue;
    const auto elements = boolElements(rest.drop_front());
    if (!elements || !llvm::all_of(digits, llvm::isHexDigit)) continue;
    const std::optional<std::string> replacement = convert(digits, *elements);
    if (!replacement) continue;
    result += text.slice(done, begin);
    result += *replacement;
    result += '"';
    if (pad) result.append(digits.size() - replacement->size(), ' ');
    done = end + 1;
  }
  result += text.drop_front(done);
  return result;
}

}  // namespace

std::string packBoolConstants(llvm::StringRef text) {
  return rewrite(text, true,
                 [](llvm::StringRef digits, uint64_t elements) -> std::optional<std::string> {
                   // One element looks the same both ways.
                   if (elements < 2 || digits.size() / 2 != elements || digits.size() % 2 != 0)
                     return {};
                   return packed(digits, elements);
                 });
}

std::string unpackBoolConstants(llvm::StringRef text) {
  return rewrite(
      text, false, [](llvm::StringRef digits, uint64_t elements) -> std::optional<std::string> {
        if (elements < 2 || digits.size() % 2 != 0 || digits.size() / 2 != (elements + 7) / 8)
          return {};
        return unpacked(digits, elements);
      });
}

}  // namespace shardwright
