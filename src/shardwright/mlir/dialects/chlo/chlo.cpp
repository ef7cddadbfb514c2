// The dialect and its attributes.
#include "shardwright/mlir/dialects/chlo/chlo.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/mlir/dialects/chlo/dialect.cpp.inc"
#include "shardwright/mlir/dialects/chlo/enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardwright/mlir/dialects/chlo/attrs.cpp.inc"

namespace shardwright::chlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;

void ChloDialect::initialize() {
  registerAttributes();
  registerChloDialectOperations(this);
}

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwright/mlir/dialects/chlo/attrs.cpp.inc"
      >();
}

//===-- Ragged dot ---------------------------------------------------------------------------===//

namespace {

// The lists of a ragged dot, in the order they print.
constexpr std::array<llvm::StringLiteral, 6> kRaggedDotLists = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions", "lhs_contracting_dimensions",
    "rhs_contracting_dimensions", "lhs_ragged_dimensions",   "rhs_group_dimensions"};

using RaggedDotLists = std::array<llvm::SmallVector<int64_t>, kRaggedDotLists.size()>;

// Parses `name = [0, 1]` into its place in `lists`. `seen` tells which have come.
mlir::ParseResult parseRaggedDotList(AsmParser& parser, RaggedDotLists& lists,
                                     std::array<bool, 6>& seen) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef name;
  if (parser.parseKeyword(&name)) return mlir::failure();
  const auto* found = llvm::find(kRaggedDotLists, name);
  if (found == kRaggedDotLists.end())
    return parser.emitError(loc) << "unknown list '" << name << "' in a ragged dot";
  const auto index = static_cast<size_t>(found - kRaggedDotLists.begin());
  if (seen[index])
    return parser.emitError(loc) << "list '" << name << "' comes twice in a ragged dot";
  seen[index] = true;
  if (parser.parseEqual()) return mlir::failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(lists[index].emplace_back());
  });
}

}  // namespace

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser& parser, mlir::Type) {
  RaggedDotLists lists;
  std::array<bool, 6> seen = {};
  if (parser.parseLess()) return {};
  // A comma may also follow the last list.
  while (failed(parser.parseOptionalGreater())) {
    if (parseRaggedDotList(parser, lists, seen)) return {};
    if (succeeded(parser.parseOptionalComma())) continue;
    if (parser.parseGreater()) return {};
    break;
  }
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  const std::array<llvm::ArrayRef<int64_t>, 6> lists = {
      getLhsBatchingDimensions(),    getRhsBatchingDimensions(), getLhsContractingDimensions(),
      getRhsContractingDimensions(), getLhsRaggedDimensions(),   getRhsGroupDimensions()};
  llvm::StringRef separator;
  printer << "<";
  for (auto [listName, list] : llvm::zip_equal(kRaggedDotLists, lists)) {
    if (list.empty()) continue;
    printer << separator << listName << " = [";
    llvm::interleaveComma(list, printer.getStream());
    printer << "]";
    separator = ", ";
  }
  printer << ">";
}

//===-- Types --------------------------------------------------------------------------------===//

bool isFloat(mlir::Type type) {
  auto floatType = llvm::dyn_cast<mlir::FloatType>(type);
  return floatType && llvm::is_contained({4U, 6U, 8U, 16U, 32U, 64U}, floatType.getWidth());
}

bool isInteger(mlir::Type type) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  return integer && !integer.isSigned() &&
         llvm::is_contained({2U, 4U, 8U, 16U, 32U, 64U}, integer.getWidth());
}

bool isComplex(mlir::Type type) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  return complex && (complex.getElementType().isF32() || complex.getElementType().isF64());
}

bool isQuantized(mlir::Type type) {
  // Where the quant dialect is not loaded, its types are opaque.
  if (auto opaque = llvm::dyn_cast<mlir::OpaqueType>(type))
    return opaque.getDialectNamespace() == "quant";
  return type.getDialect().getNamespace() == "quant";
}

}  // namespace shardwright::chlo
