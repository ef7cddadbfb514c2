// Syntax and own invariants of meshes, axes and shardings.
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"
#include "shardwright/mlir/dialects/sdy/syntax.h"

#define GET_ATTRDEF_CLASSES
#include "shardwright/mlir/dialects/sdy/attrs.cpp.inc"

namespace shardwright::sdy {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;
using Delimiter = AsmParser::Delimiter;

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwright/mlir/dialects/sdy/attrs.cpp.inc"
      >();
}

//===-- Meshes -------------------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser& parser, Type) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  std::string axis;
  int64_t size = 0;
  if (parser.parseString(&axis) || parser.parseEqual() || parser.parseInteger(size)) return {};
  return parser.getChecked<MeshAxisAttr>(loc, parser.getContext(), StringRef(axis), size);
}

void MeshAxisAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  printer << "=" << getSize();
}

LogicalResult MeshAxisAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                   StringRef axis, int64_t size) {
  if (size >= 1) return success();
  return emitError() << "size of mesh axis \"" << axis << "\" must be at least 1, got " << size;
}

Attribute MeshAttr::parse(AsmParser& parser, Type) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> deviceIds;
  if (parser.parseLess() || parseElements(parser, Delimiter::Square, axes)) return {};
  auto parseDeviceId = [&] { return parser.parseInteger(deviceIds.emplace_back()); };
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(Delimiter::Square, parseDeviceId)))
    return {};
  if (parser.parseGreater()) return {};
  return parser.getChecked<MeshAttr>(loc, parser.getContext(), ArrayRef(axes), ArrayRef(deviceIds));
}

void MeshAttr::print(AsmPrinter& printer) const {
  printElements(printer, getAxes(), "<[", "]");
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer.getStream());
    printer << "]";
  }
  printer << ">";
}

namespace {

// The product of the axis sizes; none where it does not fit into 64 bits.
std::optional<int64_t> deviceCount(ArrayRef<MeshAxisAttr> axes) {
  int64_t product = 1;
  for (MeshAxisAttr axis : axes)
    if (llvm::MulOverflow(product, axis.getSize(), product)) return std::nullopt;
  return product;
}

bool countsFromZero(ArrayRef<int64_t> ids) {
  for (auto [index, id] : llvm::enumerate(ids))
    if (id != static_cast<int64_t>(index)) return false;
  return true;
}

}  // namespace

ArrayRef<int64_t> MeshAttr::withoutCounting(ArrayRef<MeshAxisAttr> axes,
                                            ArrayRef<int64_t> deviceIds) {
  // A wrong number of ids is left for the verifier to report.
  const bool redundant = !axes.empty() && countsFromZero(deviceIds) &&
                         deviceCount(axes) == static_cast<int64_t>(deviceIds.size());
  return redundant ? ArrayRef<int64_t>() : deviceIds;
}

LogicalResult MeshAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes, ArrayRef<int64_t> deviceIds) {
  llvm::StringSet<> names;
  for (MeshAxisAttr axis : axes)
    if (!names.insert(axis.getName()).second)
      return emitError() << "mesh has axis \"" << axis.getName() << "\" twice";
  const std::optional<int64_t> devices = deviceCount(axes);
  if (!devices) return emitError() << "mesh has more devices than fit into 64 bits";
  for (int64_t id : deviceIds)
    if (id < 0) return emitError() << "device id must not be negative, got " << id;
  if (deviceIds.empty()) return success();
  if (static_cast<int64_t>(deviceIds.size()) != *devices)
    return emitError() << "mesh has " << *devices << " devices, but " << deviceIds.size()
                       << " device ids";
  // A maximal mesh may be any device; else all of them are listed.
  SmallVector<int64_t> sorted(deviceIds);
  llvm::sort(sorted);
  if (axes.empty() || countsFromZero(sorted)) return success();
  return emitError() << "device ids of a mesh must be 0 to " << *devices - 1 << " in some order";
}

std::optional<int64_t> MeshAttr::getAxisSize(StringRef axisName) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName() == axisName) return axis.getSize();
  return std::nullopt;
}

int64_t MeshAttr::getTotalSize() const { return deviceCount(getAxes()).value_or(0); }

//===-- References to axes -------------------------------------------------------------------===//

Attribute SubAxisInfoAttr::parse(AsmParser& parser, Type) {
  int64_t preSize = 0;
  int64_t size = 0;
  if (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() ||
      parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter& printer) const {
  printer << "(" << getPreSize() << ")" << getSize();
}

Attribute AxisRefAttr::parse(AsmParser& parser, Type) {
  std::string axis;
  SubAxisInfoAttr part;
  if (parser.parseString(&axis)) return {};
  if (succeeded(parser.parseOptionalColon()) && parser.parseCustomAttributeWithFallback(part))
    return {};
  return get(parser.getContext(), axis, part);
}

void AxisRefAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  if (!getSubAxisInfo()) return;
  printer << ":";
  printer.printStrippedAttrOrType(getSubAxisInfo());
}

std::string AxisRefAttr::toString() const {
  std::string text = ("\"" + getName() + "\"").str();
  if (SubAxisInfoAttr part = getSubAxisInfo())
    text += (":(" + llvm::Twine(part.getPreSize()) + ")" + llvm::Twine(part.getSize())).str();
  return text;
}

Attribute AxisRefListAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseElements(parser, Delimiter::Braces, axes)) return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter& printer) const {
  printElements(printer, getAxes(), "{", "}");
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseElements(parser, Delimiter::Square, lists)) return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter& printer) const {
  printElements(printer, getLists(), "[", "]");
}

Attribute ManualAxesAttr::parse(AsmParser& parser, Type) {
  SmallVector<mlir::StringAttr> axes;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name)) return failure();
    axes.push_back(mlir::StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseAxis)) return {};
  return get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter& printer) const {
  printer << "{";
  llvm::interleaveComma(getAxes(), printer.getStream(),
                        [&](mlir::StringAttr axis) { printer.printString(axis.getValue()); });
  printer << "}";
}

Attribute AllToAllParamAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source = 0;
  int64_t target = 0;
  if (parseElements(parser, Delimiter::Braces, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() || parser.parseInteger(target))
    return {};
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter& printer) const {
  printElements(printer, getAxes(), "{", "}");
  printer << ": " << getSourceDim() << "->" << getTargetDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser& parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseElements(parser, Delimiter::Square, params)) return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter& printer) const {
  printElements(printer, getParams(), "[", "]");
}

//===-- Shardings ----------------------------------------------------------------------------===//

namespace {

// Parses axes in braces, of which the last may be a `?` for an open dim.
ParseResult parseDimAxes(AsmParser& parser, SmallVectorImpl<AxisRefAttr>& axes, bool& isClosed) {
  isClosed = true;
  if (parser.parseLBrace()) return failure();
  if (succeeded(parser.parseOptionalRBrace())) return success();
  do {
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      break;
    }
    if (parser.parseCustomAttributeWithFallback(axes.emplace_back())) return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseRBrace();
}

// Parses `p1` after a dim, or nothing.
ParseResult parsePriority(AsmParser& parser, std::optional<int64_t>& priority) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word))) return success();
  StringRef digits = word;
  int64_t value = 0;
  const bool leadingZero = word.size() > 2 && word[1] == '0';
  if (!digits.consume_front("p") || leadingZero || digits.getAsInteger(10, value) || value < 0)
    return parser.emitError(loc) << "expected a priority such as 'p1', got '" << word << "'";
  priority = value;
  return success();
}

// Parses a mesh, `mesh<["x"=2]>`, or the name of one, `@mesh`.
ParseResult parseMeshOrRef(AsmParser& parser, Attribute& meshOrRef) {
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    meshOrRef = MeshAttr::parse(parser, {});
    return success(static_cast<bool>(meshOrRef));
  }
  mlir::FlatSymbolRefAttr name;
  if (parser.parseAttribute(name)) return failure();
  meshOrRef = name;
  return success();
}

// Parses `max{"x"}`; the word is left out for a sum.
ParseResult parseUnreduced(AsmParser& parser, SmallVectorImpl<AxisRefAttr>& axes,
                           ReductionOp& reductionOp) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    const std::optional<ReductionOp> op = symbolizeReductionOp(word);
    if (!op) return parser.emitError(loc) << "expected sum, max, min or '{', got '" << word << "'";
    reductionOp = *op;
  }
  return parseElements(parser, Delimiter::Braces, axes);
}

}  // namespace

Attribute DimensionShardingAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  std::optional<int64_t> priority;
  if (parseDimAxes(parser, axes, isClosed) || parsePriority(parser, priority)) return {};
  return get(parser.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter& printer) const {
  printElements(printer, getAxes(), "{", "");
  if (!getIsClosed()) printer << (getAxes().empty() ? "?" : ", ?");
  printer << "}";
  if (getPriority()) printer << "p" << *getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser& parser, Type) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  Attribute meshOrRef;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated;
  SmallVector<AxisRefAttr> unreduced;
  ReductionOp reductionOp = ReductionOp::SUM;
  if (parser.parseLess() || parseMeshOrRef(parser, meshOrRef) || parser.parseComma() ||
      parseElements(parser, Delimiter::Square, dims))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    const llvm::SMLoc listLoc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word) || parser.parseEqual()) return {};
    if (word == "replicated" && replicated.empty()) {
      if (parseElements(parser, Delimiter::Braces, replicated)) return {};
    } else if (word == "unreduced" && unreduced.empty()) {
      if (parseUnreduced(parser, unreduced, reductionOp)) return {};
    } else {
      parser.emitError(listLoc) << "expected one replicated={...} and one unreduced={...}, got '"
                                << word << "'";
      return {};
    }
  }
  if (parser.parseGreater()) return {};
  return parser.getChecked<TensorShardingAttr>(loc, parser.getContext(), meshOrRef, ArrayRef(dims),
                                               ArrayRef(replicated), ArrayRef(unreduced),
                                               reductionOp);
}

void TensorShardingAttr::print(AsmPrinter& printer) const {
  printer << "<";
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    printer.printStrippedAttrOrType(mesh);
  } else {
    printer << getMeshOrRef();
  }
  printElements(printer, getDimShardings(), ", [", "]");
  if (!getReplicatedAxes().empty())
    printElements(printer, getReplicatedAxes(), ", replicated={", "}");
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getReductionOp() != ReductionOp::SUM) printer << stringifyReductionOp(getReductionOp());
    printElements(printer, getUnreducedAxes(), "{", "}");
  }
  printer << ">";
}

LogicalResult TensorShardingAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                         Attribute meshOrRef, ArrayRef<DimensionShardingAttr>,
                                         ArrayRef<AxisRefAttr>, ArrayRef<AxisRefAttr>,
                                         ReductionOp) {
  if (llvm::isa_and_present<MeshAttr, mlir::FlatSymbolRefAttr>(meshOrRef)) return success();
  return emitError() << "a sharding needs a mesh or the name of one";
}

Attribute TensorShardingPerValueAttr::parse(AsmParser& parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() || parseElements(parser, Delimiter::Square, shardings) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter& printer) const {
  printElements(printer, getShardings(), "<[", "]>");
}

}  // namespace shardwright::sdy
