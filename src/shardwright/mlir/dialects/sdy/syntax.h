// Pieces of assembly that several attributes share. Private to the dialect.
//
//   parseElements(parser, AsmParser::Delimiter::Square, shardings)    [<@mesh, []>, <@mesh,
//   [{"x"}]>] printElements(printer, axes, "{", "}")                            {"x", "y":(1)2}
#pragma once

#include "mlir/IR/OpImplementation.h"
#include "shardwright/mlir/dialects/sdy/sdy.h"

namespace shardwright::sdy {

// Parses attributes of one kind, each as it prints inside another: `"x"`, not `#sdy<axis_ref"x">`.
template <typename AttrT>
mlir::ParseResult parseElements(mlir::AsmParser& parser, mlir::AsmParser::Delimiter delimiter,
                                llvm::SmallVectorImpl<AttrT>& elements) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> mlir::ParseResult {
    AttrT element;
    if (parser.parseCustomAttributeWithFallback(element)) return mlir::failure();
    elements.push_back(element);
    return mlir::success();
  });
}

template <typename AttrT>
void printElements(mlir::AsmPrinter& printer, llvm::ArrayRef<AttrT> elements, llvm::StringRef open,
                   llvm::StringRef close) {
  printer << open;
  llvm::interleaveComma(elements, printer.getStream(),
                        [&](AttrT element) { printer.printStrippedAttrOrType(element); });
  printer << close;
}

}  // namespace shardwright::sdy
