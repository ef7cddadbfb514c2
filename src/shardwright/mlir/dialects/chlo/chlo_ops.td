// Ops that are not elementwise: constants, top_k, ragged_dot, scan.
#ifndef SHARDWRIGHT_CHLO_OPS_TD
#define SHARDWRIGHT_CHLO_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "shardwright/mlir/dialects/chlo/chlo_base.td"

def Chlo_ConstantOp : Chlo_Op<"constant", [AllTypesMatch<["value", "output"]>]> {
  let summary = "A constant tensor.";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Chlo_StaticTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

// No format of its own: jaxlib prints it generically.
def Chlo_ConstantLikeOp : Chlo_Op<"constant_like", [SameOperandsAndResultShape]> {
  let summary = "A tensor of the operand's shape, filled with a scalar.";
  let arguments = (ins TypedAttrInterface:$value, Chlo_Tensor:$operand);
  let results = (outs Chlo_Tensor:$output);
  let hasVerifier = 1;
}

def Chlo_TopKOp
    : Chlo_Op<"top_k", [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The k largest elements along the last dim, in order, and where they were.";
  let arguments = (ins Chlo_Tensor:$operand, I64Attr:$k, OptionalAttr<BoolAttr>:$is_stable);
  let results = (outs Chlo_Tensor:$values, Chlo_Tensor:$indices);
  let assemblyFormat = [{
    `` `(` $operand `,` `k` `=` $k `` custom<IsStable>($is_stable) `)` attr-dict `:`
    type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

// No format of its own: jaxlib prints it generically.
def Chlo_RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let summary = "A product in which one dim of lhs is cut into groups, with sizes that are data.";
  // The ragged dim decides the mode: not contracting - each group of rows meets its own rhs
  // (mixture of experts); contracting
  // - the result has one product per group, first; batching - as if the batch were cut.
  let arguments = (ins Chlo_Tensor:$lhs, Chlo_Tensor:$rhs, Chlo_RankedIntTensor:$group_sizes,
      Chlo_RaggedDotDimensionNumbers:$ragged_dot_dimension_numbers,
      OptionalAttr<TypedArrayAttrBase<Chlo_PrecisionAttr, "precisions">>:$precision_config);
  let results = (outs Chlo_Tensor:$result);
  let hasVerifier = 1;
}

// Not Pure by itself: its body may have effects.
def Chlo_ScanOp : Op<Chlo_Dialect, "scan",
                     [AttrSizedOperandSegments, AttrSizedResultSegments, IsolatedFromAbove,
                      RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
                      DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary =
      "Runs the body along a dim: slices of the inputs and carried values in, slices of the "
      "outputs and carried values out.";
  let arguments = (ins Variadic<Chlo_Tensor>:$inputs, Variadic<Chlo_Tensor>:$inits,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
      OptionalAttr<BoolAttr>:$is_reverse, OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<Chlo_Tensor>:$outputs, Variadic<Chlo_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif  // SHARDWRIGHT_CHLO_OPS_TD
