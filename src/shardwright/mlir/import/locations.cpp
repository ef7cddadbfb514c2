#include "shardwright/mlir/import/locations.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace shardwright {

ResolvedLocation resolve(mlir::Location location) {
  ResolvedLocation resolved;
  mlir::LocationAttr current = location;
  while (current) {
    if (const auto named = mlir::dyn_cast<mlir::NameLoc>(current)) {
      if (resolved.name.empty()) resolved.name = named.getName().getValue();
      current = named.getChildLoc();
    } else if (const auto call = mlir::dyn_cast<mlir::CallSiteLoc>(current)) {
      current = call.getCallee();
    } else if (const auto fused = mlir::dyn_cast<mlir::FusedLoc>(current)) {
      if (fused.getLocations().empty()) break;
      current = fused.getLocations().front();
    } else if (const auto file = mlir::dyn_cast<mlir::FileLineColRange>(current)) {
      resolved.file = file.getFilename().getValue();
      resolved.line = file.getStartLine();
      resolved.column = file.getStartColumn();
      break;
    } else {
      break;
    }
  }
  return resolved;
}

SourceLocation sourceOf(mlir::Location location) {
  const ResolvedLocation resolved = resolve(location);
  return {resolved.file.str(), resolved.line, resolved.column};
}

}  // namespace shardwright
