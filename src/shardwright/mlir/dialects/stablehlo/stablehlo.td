#ifndef SHARDWRIGHT_STABLEHLO_TD
#define SHARDWRIGHT_STABLEHLO_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let summary = "StableHLO: the operation set that JAX prints its programs in.";
  let description = [{
    Written for this project from the language's published facts: names, operands, attributes and assembly. The
    assembly is the one jaxlib prints and parses, to the character; type constraints are as loose as jaxlib's or
    looser, because jaxlib has verified what it hands over.
  }];
  let cppNamespace = "::shardwright::stablehlo";
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let hasConstantMaterializer = 1;
  // `bounds<...>` is a second name of `type_extensions<...>`, which generated parsers cannot say.
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser& parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter& printer) const override;

   private:
    void registerAttributes();
    void registerTypes();

   public:
  }];
}

#endif  // SHARDWRIGHT_STABLEHLO_TD
