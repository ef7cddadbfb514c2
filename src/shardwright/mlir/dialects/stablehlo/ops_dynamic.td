// Ops whose shapes are operands, and ops on the sizes of dimensions.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_DYNAMIC_TD
#define SHARDWRIGHT_STABLEHLO_OPS_DYNAMIC_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

def Stablehlo_DynamicBroadcastInDimOp : Stablehlo_PureOp<"dynamic_broadcast_in_dim"> {
  let summary = "broadcast_in_dim whose result shape the program computes";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    Stablehlo_ShapeTensor:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions
  );
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` custom<DimArray>($broadcast_dimensions) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicIotaOp : Stablehlo_PureOp<"dynamic_iota"> {
  let summary = "iota whose shape the program computes";
  let arguments = (ins Stablehlo_ShapeTensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicPadOp : Stablehlo_PureOp<"dynamic_pad"> {
  let summary = "pad whose amounts the program computes";
  let arguments = (ins
    Stablehlo_Tensor:$operand, Stablehlo_Tensor:$padding_value, Stablehlo_ShapeTensor:$edge_padding_low,
    Stablehlo_ShapeTensor:$edge_padding_high, Stablehlo_ShapeTensor:$interior_padding);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_DynamicReshapeOp : Stablehlo_PureOp<"dynamic_reshape"> {
  let summary = "reshape whose result shape the program computes";
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_ShapeTensor:$output_shape);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_RealDynamicSliceOp : Stablehlo_PureOp<"real_dynamic_slice"> {
  let summary = "slice whose bounds the program computes";
  let arguments = (ins
    Stablehlo_Tensor:$operand, Stablehlo_ShapeTensor:$start_indices, Stablehlo_ShapeTensor:$limit_indices,
    Stablehlo_ShapeTensor:$strides);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_GetDimensionSizeOp : Stablehlo_PureOp<"get_dimension_size"> {
  let summary = "the size of a dimension";
  let arguments = (ins Stablehlo_Tensor:$operand, I64Attr:$dimension);
  let results = (outs Stablehlo_IntTensor:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_SetDimensionSizeOp : Stablehlo_PureOp<"set_dimension_size"> {
  let summary = "the operand with fewer valid elements along a dimension";
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_IntTensor:$size, I64Attr:$dimension);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif  // SHARDWRIGHT_STABLEHLO_OPS_DYNAMIC_TD
