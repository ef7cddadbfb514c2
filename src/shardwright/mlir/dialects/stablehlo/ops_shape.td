// Constants, iota, and ops that only move elements.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_SHAPE_TD
#define SHARDWRIGHT_STABLEHLO_OPS_SHAPE_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

def Stablehlo_ConstantOp : Stablehlo_PureOp<"constant", [
    ConstantLike, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a tensor written down in the program";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Stablehlo_Tensor:$output);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Stablehlo_IotaOp : Stablehlo_PureOp<"iota"> {
  let summary = "each element's index along one dimension";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs Stablehlo_Tensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Stablehlo_BitcastConvertOp : Stablehlo_PureOp<"bitcast_convert"> {
  let summary = "the same bits as another element type";
  let description = [{
    Between types of equal width the shape stays; to a narrower type a minor dimension is added, to a wider one it is
    taken away.
  }];
  let arguments = (ins Stablehlo_Tensor:$operand);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_BroadcastOp : Stablehlo_PureOp<"broadcast"> {
  let summary = "copies along new major dimensions";
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` custom<DimArray>($broadcast_sizes) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_BroadcastInDimOp : Stablehlo_PureOp<"broadcast_in_dim"> {
  let summary = "copies along new dimensions and along dimensions of size 1";
  let description = "Operand dimension i becomes result dimension broadcast_dimensions[i].";
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<DimArray>($broadcast_dimensions) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_ConcatenateOp : Stablehlo_PureOp<"concatenate"> {
  let summary = "tensors put one after another along a dimension";
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsThenComma>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicSliceOp : Stablehlo_PureOp<"dynamic_slice"> {
  let summary = "a block of fixed size that starts where the program says";
  let arguments = (ins
    Stablehlo_Tensor:$operand, Variadic<Stablehlo_IntTensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsThenComma>($start_indices) `sizes` `=` custom<DimArray>($slice_sizes)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicUpdateSliceOp : Stablehlo_PureOp<"dynamic_update_slice"> {
  let summary = "the operand with one block replaced";
  let arguments = (ins
    Stablehlo_Tensor:$operand, Stablehlo_Tensor:$update, Variadic<Stablehlo_IntTensor>:$start_indices);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_PadOp : Stablehlo_PureOp<"pad"> {
  let summary = "a value put around and between the elements; negative edges cut off";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    Stablehlo_Tensor:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding
  );
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` custom<DimArray>($edge_padding_low) `,`
      `high` `=` custom<DimArray>($edge_padding_high) `,` `interior` `=` custom<DimArray>($interior_padding)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_ReshapeOp : Stablehlo_PureOp<"reshape"> {
  let summary = "the same elements in the same order under another shape";
  let arguments = (ins Stablehlo_Tensor:$operand);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_ReverseOp : Stablehlo_PureOp<"reverse", [Stablehlo_SameShapeAndElement]> {
  let summary = "elements in opposite order along some dimensions";
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<DimArray>($dimensions) attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_SliceOp : Stablehlo_PureOp<"slice"> {
  let summary = "every stride-th element of a fixed block";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    DenseI64ArrayAttr:$start_indices,
    DenseI64ArrayAttr:$limit_indices,
    DenseI64ArrayAttr:$strides
  );
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_TransposeOp : Stablehlo_PureOp<"transpose"> {
  let summary = "dimensions in another order";
  let description = "Result dimension i is operand dimension permutation[i].";
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<DimArray>($permutation) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif  // SHARDWRIGHT_STABLEHLO_OPS_SHAPE_TD
