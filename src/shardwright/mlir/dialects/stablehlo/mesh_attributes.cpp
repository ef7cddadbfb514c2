// Attributes that name groups of devices by the axes of a mesh.
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/mlir/dialects/stablehlo/stablehlo.h"

namespace shardwright::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::ParseResult;

// --------------------------------------------------------------------------------------------------------

Attribute AxisRefAttr::parse(AsmParser& parser, mlir::Type) {
  std::string axis;
  bool seenName = false;
  SubAxisInfoAttr part;
  const auto parseOne = [&]() -> ParseResult {
    const llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef field;
    if (parser.parseKeyword(&field) || parser.parseEqual()) return mlir::failure();
    if (field == "name" && !seenName) {
      seenName = true;
      return parser.parseString(&axis);
    }
    if (field == "sub_axis_info" && !part) return parser.parseCustomAttributeWithFallback(part);
    return parser.emitError(loc) << "unknown or repeated field '" << field << "'";
  };
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseOne)) return {};
  if (!seenName) {
    parser.emitError(loc) << "expected the name of an axis";
    return {};
  }
  return get(parser.getContext(), axis, part);
}

void AxisRefAttr::print(AsmPrinter& printer) const {
  printer << "<name = ";
  printer.printString(getName());
  if (getSubAxisInfo()) {
    printer << ", sub_axis_info = ";
    printer.printStrippedAttrOrType(getSubAxisInfo());
  }
  printer << ">";
}

Attribute MeshAttr::parse(AsmParser& parser, mlir::Type) {
  llvm::SmallVector<MeshAxisAttr> axes;
  mlir::DenseIntElementsAttr deviceIds;
  const auto parseAxis = [&] {
    return parser.parseCustomAttributeWithFallback(axes.emplace_back());
  };
  if (parser.parseLess() || parser.parseKeyword("axes") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis)) {
    return {};
  }
  if (mlir::succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseAttribute(deviceIds))
      return {};
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), axes, deviceIds);
}

void MeshAttr::print(AsmPrinter& printer) const {
  printer << "<axes=[";
  llvm::interleaveComma(getAxes(), printer,
                        [&](MeshAxisAttr axis) { printer.printStrippedAttrOrType(axis); });
  printer << "]";
  if (getDeviceIds()) printer << ", device_ids=" << getDeviceIds();
  printer << ">";
}

mlir::LogicalResult ReplicaGroupMeshAxesAttr::verify(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError, Attribute mesh,
    mlir::ArrayAttr axes) {
  if (!mlir::isa_and_present<MeshAttr, mlir::FlatSymbolRefAttr>(mesh)) {
    return emitError() << "expected a mesh or the name of one";
  }
  if (!axes || !llvm::all_of(axes, [](Attribute axis) { return mlir::isa<AxisRefAttr>(axis); })) {
    return emitError() << "expected a list of axis references";
  }
  return mlir::success();
}

}  // namespace shardwright::stablehlo
