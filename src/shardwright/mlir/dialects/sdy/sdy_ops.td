// Ops that state or steer shardings. Those that move data are in sdy_collectives.td.
#ifndef SHARDWRIGHT_SDY_OPS_TD
#define SHARDWRIGHT_SDY_OPS_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardwright/mlir/dialects/sdy/sdy_attrs.td"

class Sdy_Op<string opMnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, opMnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "Names a mesh of the module: `sdy.mesh @mesh = <[\"x\"=2]>`.";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

def Sdy_ShardingConstraintOp : Sdy_Op<"sharding_constraint", [SameOperandsAndResultType]> {
  let summary = "States the sharding that a value must have.";
  // No Pure: propagation reads a constraint even if nothing uses its result.
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "Turns a value into another sharding.";
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "Makes all values with the same group id share one sharding.";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "Lets shardings through in one direction or not at all.";
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [SameOperandsAndResultType]> {
  let summary =
      "Stands for all the values that a region op passes along: init, region argument, yielded, "
      "result.";
  let arguments = (ins AnyShaped:$input, OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "Stands for the values that a call passes to and from a function.";
  let arguments = (ins AnyShaped:$operand);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ConstantOp : Sdy_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let summary = "A constant that is split among its users before propagation.";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

class Sdy_RegionOp<string opMnemonic>
    : Sdy_Op<opMnemonic, [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
                          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Sdy_ManualComputationOp : Sdy_RegionOp<"manual_computation"> {
  let summary = "A body written for one device of the manual axes: it sees local shapes.";
  let arguments = (ins Variadic<AnyType>:$tensors, Sdy_TensorShardingPerValue:$in_shardings,
      Sdy_TensorShardingPerValue:$out_shardings, Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    `` `(` $tensors `)` `in_shardings` `` `=` `` custom<Shardings>($in_shardings)
    `out_shardings` `` `=` `` custom<Shardings>($out_shardings) `manual_axes` `` `=` `` $manual_axes
    custom<RegionWithArguments>($body) attr-dict `:` functional-type($tensors, $outputs)
  }];
}

def Sdy_NamedComputationOp : Sdy_RegionOp<"named_computation"> {
  let summary =
      "A body with a name, such as a pipeline stage: `sdy.named_computation<\"stage\">(%a) (...) "
      "{...}`.";
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$name,
      OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
      OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    `` `<` $name `>` `` `(` $inputs `)`
    (`in_shardings` `` `=` `` custom<Shardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<Shardings>($out_shardings)^)?
    custom<RegionWithArguments>($body) attr-dict `:` functional-type($inputs, $outputs)
  }];
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends the body of a computation with its results.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif  // SHARDWRIGHT_SDY_OPS_TD
