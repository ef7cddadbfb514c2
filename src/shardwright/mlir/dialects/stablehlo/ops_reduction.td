// Ops with a region that combines or compares elements, and gathers and scatters.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_REDUCTION_TD
#define SHARDWRIGHT_STABLEHLO_OPS_REDUCTION_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

// An op whose effects are those of its regions.
class Stablehlo_RegionOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat([RecursiveMemoryEffects], traits)>;

def Stablehlo_ReduceOp : Stablehlo_RegionOp<"reduce", [SameVariadicOperandSize]> {
  let summary = "elements combined along some dimensions by the body";
  let description = [{
    The body takes the accumulated values and then the next elements. If it is one commutative op of this dialect on
    one input, it prints as `applies stablehlo.add`, otherwise as a region.
  }];
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$inputs, Variadic<Stablehlo_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<Stablehlo_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_ReduceWindowOp : Stablehlo_RegionOp<"reduce_window", [SameVariadicOperandSize]> {
  let summary = "elements of each window combined by the body";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$inputs,
    Variadic<Stablehlo_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions,
    Stablehlo_WindowNumbers:$window_strides,
    Stablehlo_WindowNumbers:$base_dilations,
    Stablehlo_WindowNumbers:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_SelectAndScatterOp : Stablehlo_RegionOp<"select_and_scatter"> {
  let summary = "each source element added where its window's choice lies";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    Stablehlo_Tensor:$source,
    Stablehlo_Tensor:$init_value,
    Stablehlo_WindowNumbers:$window_dimensions,
    Stablehlo_WindowNumbers:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding
  );
  let results = (outs Stablehlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_SortOp : Stablehlo_RegionOp<"sort"> {
  let summary = "tensors sorted together along one dimension";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$inputs,
    DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_MapOp : Stablehlo_RegionOp<"map"> {
  let summary = "the body applied to each element";
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs Stablehlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_ScatterOp : Stablehlo_RegionOp<"scatter", [SameVariadicOperandSize]> {
  let summary = "the inputs with slices of the updates combined in at given indices";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$inputs,
    Stablehlo_ShapeTensor:$scatter_indices,
    Variadic<Stablehlo_Tensor>:$updates,
    Stablehlo_ScatterDimensionNumbers:$scatter_dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_GatherOp : Stablehlo_PureOp<"gather"> {
  let summary = "slices of the operand that start at given indices";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    Stablehlo_ShapeTensor:$start_indices,
    Stablehlo_GatherDimensionNumbers:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted
  );
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_DynamicGatherOp : Stablehlo_PureOp<"dynamic_gather"> {
  let summary = "gather whose slice sizes the program computes";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    Stablehlo_ShapeTensor:$start_indices,
    Stablehlo_IntTensor:$slice_sizes,
    Stablehlo_GatherDimensionNumbers:$dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted
  );
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_TorchIndexSelectOp : Stablehlo_PureOp<"torch_index_select"> {
  let summary = "elements of one dimension picked by index";
  let arguments = (ins
    Stablehlo_Tensor:$operand, Stablehlo_Tensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs Stablehlo_Tensor:$result);
}

#endif  // SHARDWRIGHT_STABLEHLO_OPS_REDUCTION_TD
