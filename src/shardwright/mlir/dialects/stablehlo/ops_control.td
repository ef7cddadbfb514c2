// Loops, branches, calls, tuples and barriers.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_CONTROL_TD
#define SHARDWRIGHT_STABLEHLO_OPS_CONTROL_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

def Stablehlo_ReturnOp : Stablehlo_PureOp<"return", [ReturnLike, Terminator]> {
  let summary = "the results of a region";
  let arguments = (ins Variadic<Stablehlo_Value>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def Stablehlo_WhileOp : Stablehlo_Op<"while", [
    RecursiveMemoryEffects, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the body repeated as long as the condition holds";
  let arguments = (ins Variadic<Stablehlo_Value>:$operand);
  let results = (outs Variadic<Stablehlo_Value>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_IfOp : Stablehlo_Op<"if", [RecursiveMemoryEffects]> {
  let summary = "one of two regions";
  let arguments = (ins Stablehlo_PredTensor:$pred);
  let results = (outs Variadic<Stablehlo_Value>);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let hasRegionVerifier = 1;
}

def Stablehlo_CaseOp : Stablehlo_Op<"case", [RecursiveMemoryEffects]> {
  let summary = "one of several regions; an index out of range takes the last";
  let arguments = (ins Stablehlo_IntTensor:$index);
  let results = (outs Variadic<Stablehlo_Value>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_OptimizationBarrierOp : Stablehlo_PureOp<"optimization_barrier"> {
  let summary = "the operands, past which nothing may be moved";
  let arguments = (ins Variadic<Stablehlo_Value>:$operand);
  let results = (outs Variadic<Stablehlo_Value>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Stablehlo_TupleOp : Stablehlo_PureOp<"tuple"> {
  let summary = "values in one";
  let arguments = (ins Variadic<Stablehlo_Value>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleType>(type($val), type($result))";
  let hasVerifier = 1;
}

def Stablehlo_GetTupleElementOp : Stablehlo_PureOp<"get_tuple_element"> {
  let summary = "one value of a tuple";
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs Stablehlo_Value:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_CompositeOp : Stablehlo_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a named op with a function that says what it does";
  let arguments = (ins
    Variadic<Stablehlo_Value>:$inputs,
    StrAttr:$name,
    DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
    FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version
  );
  let results = (outs Variadic<Stablehlo_Value>);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name $inputs `` custom<CompositeRegions>($composite_regions) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_CustomCallOp : Stablehlo_Op<"custom_call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a computation that only the backend knows";
  let arguments = (ins
    Variadic<AnyTypeOf<[Stablehlo_Value, AnyUnrankedTensor]>>:$inputs,
    StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<Stablehlo_CustomCallApiVersion,
        "::shardwright::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "called functions">, "{}">:$called_computations,
    OptionalAttr<ArrayAttr>:$operand_layouts,
    OptionalAttr<ArrayAttr>:$result_layouts,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<Stablehlo_OutputOperandAlias, "aliases">, "{}">
        :$output_operand_aliases,
    OptionalAttr<ArrayAttr>:$result_tilings
  );
  let results = (outs Variadic<AnyTypeOf<[Stablehlo_Value, AnyUnrankedTensor]>>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif  // SHARDWRIGHT_STABLEHLO_OPS_CONTROL_TD
