// Directives of the assembly formats. Private to the dialect: included where the generated parsers
// are compiled.
#pragma once

#include "shardwright/mlir/dialects/chlo/chlo.h"

namespace shardwright::chlo {

// `, is_stable = false` in a top_k. Stable goes without saying.
inline mlir::ParseResult parseIsStable(mlir::OpAsmParser& parser, mlir::BoolAttr& isStable) {
  if (failed(parser.parseOptionalComma())) return mlir::success();
  return mlir::failure(parser.parseKeyword("is_stable") || parser.parseEqual() ||
                       parser.parseAttribute(isStable, parser.getBuilder().getI1Type()));
}

inline void printIsStable(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::BoolAttr isStable) {
  if (isStable && !isStable.getValue()) printer << ", is_stable = false";
}

}  // namespace shardwright::chlo
