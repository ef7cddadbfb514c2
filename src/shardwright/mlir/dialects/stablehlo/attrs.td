// The attributes of the dialect, and its two types.

#ifndef SHARDWRIGHT_STABLEHLO_ATTRS_TD
#define SHARDWRIGHT_STABLEHLO_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "shardwright/mlir/dialects/stablehlo/enums.td"

class Stablehlo_Attr<string name, string attrMnemonic, string attrSummary, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let summary = attrSummary;
}

// A list of dimensions, printed `[0, 2]`.
def Stablehlo_Dims : ArrayRefParameter<"int64_t">;

def Stablehlo_DotDimensionNumbers : Stablehlo_Attr<"DotDimensionNumbers", "dot",
    "batching and contracting dimensions"> {
  let description = "Empty lists are left out.";
  let parameters = (ins
    Stablehlo_Dims:$lhsBatchingDimensions,
    Stablehlo_Dims:$rhsBatchingDimensions,
    Stablehlo_Dims:$lhsContractingDimensions,
    Stablehlo_Dims:$rhsContractingDimensions
  );
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_DotAlgorithm : Stablehlo_Attr<"DotAlgorithm", "dot_algorithm",
    "the arithmetic of a dot_general, where the program asks for one"> {
  let parameters = (ins
    "::mlir::Type":$lhsPrecisionType,
    "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType,
    "int64_t":$lhsComponentCount,
    "int64_t":$rhsComponentCount,
    "int64_t":$numPrimitiveOperations,
    "bool":$allowImpreciseAccumulation
  );
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,`
        `rhs_precision_type` `=` $rhsPrecisionType `,`
        `accumulation_type` `=` $accumulationType `,`
        `lhs_component_count` `=` $lhsComponentCount `,`
        `rhs_component_count` `=` $rhsComponentCount `,`
        `num_primitive_operations` `=` $numPrimitiveOperations `,`
        `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
}

def Stablehlo_GatherDimensionNumbers : Stablehlo_Attr<"GatherDimensionNumbers", "gather",
    "dimensions of a gather"> {
  let description = "How those of the operands make those of the result. Empty lists and a zero are left out.";
  let parameters = (ins
    Stablehlo_Dims:$offsetDims,
    Stablehlo_Dims:$collapsedSliceDims,
    Stablehlo_Dims:$operandBatchingDims,
    Stablehlo_Dims:$startIndicesBatchingDims,
    Stablehlo_Dims:$startIndexMap,
    "int64_t":$indexVectorDim
  );
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_ScatterDimensionNumbers : Stablehlo_Attr<"ScatterDimensionNumbers", "scatter",
    "dimensions of a scatter"> {
  let description = "How those of the updates fall on those of the inputs. Empty lists and a zero are left out.";
  let parameters = (ins
    Stablehlo_Dims:$updateWindowDims,
    Stablehlo_Dims:$insertedWindowDims,
    Stablehlo_Dims:$inputBatchingDims,
    Stablehlo_Dims:$scatterIndicesBatchingDims,
    Stablehlo_Dims:$scatterDimsToOperandDims,
    "int64_t":$indexVectorDim
  );
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_ConvDimensionNumbers : Stablehlo_Attr<"ConvDimensionNumbers", "conv",
    "what each dimension of a convolution's input, kernel and output is"> {
  let parameters = (ins
    "int64_t":$inputBatchDimension,
    "int64_t":$inputFeatureDimension,
    Stablehlo_Dims:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    Stablehlo_Dims:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension,
    "int64_t":$outputFeatureDimension,
    Stablehlo_Dims:$outputSpatialDimensions
  );
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_OutputOperandAlias : Stablehlo_Attr<"OutputOperandAlias", "output_operand_alias",
    "a result of a custom call that lives in the memory of an operand"> {
  let parameters = (ins
    Stablehlo_Dims:$outputTupleIndices,
    "int64_t":$operandIndex,
    Stablehlo_Dims:$operandTupleIndices
  );
  let assemblyFormat = [{
    `<` `output_tuple_indices` `=` custom<DimList>($outputTupleIndices) `,` `operand_index` `=` $operandIndex `,`
        `operand_tuple_indices` `=` custom<DimList>($operandTupleIndices) `>`
  }];
}

def Stablehlo_ChannelHandle : Stablehlo_Attr<"ChannelHandle", "channel_handle",
    "the channel that two ends of a communication share"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Stablehlo_TypeExtensions : Stablehlo_Attr<"TypeExtensions", "type_extensions",
    "upper bounds of the unknown dimensions of a tensor type, printed `bounds<3, ?>`",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  // kDynamic where there is no bound.
  let parameters = (ins Stablehlo_Dims:$bounds);
  let assemblyFormat = "`<` `bounds` `=` `[` custom<Bounds>($bounds) `]` `>`";
}

def Stablehlo_ResultAccuracy : Stablehlo_Attr<"ResultAccuracy", "result_accuracy",
    "accuracy of a result"> {
  let description = "How exact an elementwise function has to be. Tolerances of zero are left out.";
  let parameters = (ins
    APFloatParameter<"absolute tolerance">:$atol,
    APFloatParameter<"relative tolerance">:$rtol,
    "int64_t":$ulps,
    "::shardwright::stablehlo::ResultAccuracyModeAttr":$mode
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let constBuilderCall = "$0";
  let extraClassDeclaration = [{
    // The accuracy of an op that asks for none.
    static ResultAccuracyAttr getDefault(::mlir::MLIRContext* context);
  }];
}

def Stablehlo_SubAxisInfo : Stablehlo_Attr<"SubAxisInfo", "sub_axis_info",
    "the part `(pre_size)size` of a mesh axis"> {
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`(` $preSize `)` `` $size";
}

def Stablehlo_AxisRef : Stablehlo_Attr<"AxisRef", "axis_ref", "a mesh axis or a part of one"> {
  let parameters = (ins
    StringRefParameter<"axis name">:$name,
    OptionalParameter<"::shardwright::stablehlo::SubAxisInfoAttr">:$subAxisInfo
  );
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_MeshAxis : Stablehlo_Attr<"MeshAxis", "mesh_axis", "a named axis of a mesh"> {
  let parameters = (ins StringRefParameter<"axis name">:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Stablehlo_Mesh : Stablehlo_Attr<"Mesh", "mesh", "an arrangement of devices along named axes"> {
  let parameters = (ins
    ArrayRefParameter<"::shardwright::stablehlo::MeshAxisAttr">:$axes,
    OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds
  );
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_ReplicaGroupMeshAxes : Stablehlo_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes",
    "axes of a mesh"> {
  let description = "Groups of devices that differ only along the given axes.";
  // A MeshAttr or the name of one; an array of AxisRefAttr.
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` `mesh` `=` $mesh `,` `axes` `=` $axes `>`";
  let genVerifyDecl = 1;
}

def Stablehlo_Token : TypeDef<Stablehlo_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "the order of side effects as a value";
}

def Stablehlo_Future : TypeDef<Stablehlo_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "the results of an async_start that are not there yet";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

#endif  // SHARDWRIGHT_STABLEHLO_ATTRS_TD
