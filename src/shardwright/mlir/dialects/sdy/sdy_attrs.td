// Attributes. Each is parsed and printed by hand (attrs.cpp, rule_attrs.cpp): the text has to match
// jaxlib's to the letter, and most of it is lists in several kinds of brackets.
//
// An attribute by itself only rules out what no mesh could make right. Whether a sharding fits its
// mesh and its tensor is checked where it is used: see sharding.h.
#ifndef SHARDWRIGHT_SDY_ATTRS_TD
#define SHARDWRIGHT_SDY_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "shardwright/mlir/dialects/sdy/sdy_base.td"

class Sdy_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Sdy_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh and its size: `\"x\"=2`. The size is at least 1.";
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary =
      "Named axes, major first, and optionally the devices in another order than 0, 1, 2, ...";
  // `<["x"=2, "y"=4]>` has 8 devices; `<["x"=2], device_ids=[1, 0]>` has 2, listed. No axes and one
  // device id is a maximal mesh: that device alone. No axes and no device ids is the empty mesh.
  // Device ids that only count from 0 are dropped.
  let parameters = (ins ArrayRefParameter<"MeshAxisAttr">:$axes,
      ArrayRefParameter<"int64_t">:$deviceIds);
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<MeshAxisAttr>":$axes,
                                  CArg<"::llvm::ArrayRef<int64_t>", "{}">:$deviceIds),
                              [{
      return $_get($_ctxt, axes, withoutCounting(axes, deviceIds));
    }]>,
  ];
  let extraClassDeclaration = [{
    // Returns the size of the axis called `name`, if the mesh has it.
    std::optional<int64_t> getAxisSize(::llvm::StringRef name) const;
    // Returns the product of the axis sizes: 1 for maximal and empty meshes.
    int64_t getTotalSize() const;
    // Says whether the mesh is one given device: no axes, one device id.
    bool isMaximal() const { return getAxes().empty() && getDeviceIds().size() == 1; }
    // Says whether the mesh has neither axes nor devices.
    bool isEmpty() const { return getAxes().empty() && getDeviceIds().empty(); }

   private:
    // Returns no ids where `deviceIds` are just 0, 1, 2, ... of a mesh with axes.
    static ::llvm::ArrayRef<int64_t> withoutCounting(::llvm::ArrayRef<MeshAxisAttr> axes,
                                                     ::llvm::ArrayRef<int64_t> deviceIds);

   public:
  }];
  let genVerifyDecl = 1;
}

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary =
      "The part `(m)k` of an axis: split major to minor into m, k and the rest, it is the k.";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis, `\"x\"`, or a part of one, `\"x\":(2)4`.";
  let parameters = (ins StringRefParameter<"">:$name,
      OptionalParameter<"SubAxisInfoAttr">:$subAxisInfo);
  let extraClassDeclaration = [{
    // Prints as in a sharding: `"x"` or `"x":(2)4`.
    std::string toString() const;
  }];
}

def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "Axes in braces: `{\"x\", \"y\":(1)2}`.";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes);
}

def Sdy_ListOfAxisRefLists : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "One list of axes per dim: `[{\"x\"}, {}]`.";
  let parameters = (ins ArrayRefParameter<"AxisRefListAttr">:$lists);
}

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary =
      "The axes of one dim, major first; open (`?`) or closed; with a priority or none: `{\"x\", "
      "?}p1`.";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes, "bool":$isClosed,
      OptionalParameter<"std::optional<int64_t>">:$priority);
}

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary =
      "How a tensor lies on a mesh: `<@mesh, [{\"x\"}, {?}], replicated={\"y\"}, "
      "unreduced={\"z\"}>`.";
  // `meshOrRef` is the name of an `sdy.mesh` or a mesh itself (`mesh<["x"=2]>`). `reductionOp` says
  // how the values along the unreduced axes combine, `unreduced=max{"z"}`; a sum goes without
  // saying.
  let parameters = (ins "::mlir::Attribute":$meshOrRef,
      ArrayRefParameter<"DimensionShardingAttr">:$dimShardings,
      ArrayRefParameter<"AxisRefAttr">:$replicatedAxes,
      ArrayRefParameter<"AxisRefAttr">:$unreducedAxes, "ReductionOp":$reductionOp);
  let builders = [AttrBuilder<(ins "::mlir::Attribute":$meshOrRef,
                                  "::llvm::ArrayRef<DimensionShardingAttr>":$dimShardings,
                                  CArg<"::llvm::ArrayRef<AxisRefAttr>", "{}">:$replicatedAxes,
                                  CArg<"::llvm::ArrayRef<AxisRefAttr>", "{}">:$unreducedAxes),
                              [{
      return $_get($_ctxt, meshOrRef, dimShardings, replicatedAxes, unreducedAxes,
                   ReductionOp::SUM);
    }]>,
  ];
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getDimShardings().size()); }
  }];
  let genVerifyDecl = 1;
}

def Sdy_TensorShardingPerValue : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "One sharding per operand or result: `<[<@mesh, [{\"x\"}]>, <@mesh, []>]>`.";
  let parameters = (ins ArrayRefParameter<"TensorShardingAttr">:$shardings);
}

def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "The axes that a manual computation is written out for: `{\"x\", \"y\"}`.";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes);
}

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that move from one dim to another: `{\"x\"}: 0->1`.";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes, "int64_t":$sourceDim,
      "int64_t":$targetDim);
}

def Sdy_AllToAllParamList : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "The moves of an all-to-all: `[{\"x\"}: 0->1, {\"y\"}: 2->3]`.";
  let parameters = (ins ArrayRefParameter<"AllToAllParamAttr">:$params);
}

//===-- Sharding rules -----------------------------------------------------------------------===//

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "The factors of one dim, major first: `ij` is factor 0 and factor 1.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$factorIndices);
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "The factors of each dim of a tensor: `[i, jk]`.";
  let parameters = (ins ArrayRefParameter<"DimMappingAttr">:$dimMappings);
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getDimMappings().size()); }
  }];
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary =
      "The factors of an op: `<([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}>`.";
  // Factors are called i, j, ..., z, z_1, z_2, ... in the order of `factorSizes`. A custom rule was
  // given by a user.
  let parameters = (ins ArrayRefParameter<"int64_t">:$factorSizes,
      ArrayRefParameter<"TensorMappingAttr">:$operandMappings,
      ArrayRefParameter<"TensorMappingAttr">:$resultMappings,
      ArrayRefParameter<"int64_t">:$reductionFactors,
      ArrayRefParameter<"int64_t">:$needReplicationFactors,
      ArrayRefParameter<"int64_t">:$permutationFactors,
      ArrayRefParameter<"int64_t">:$blockedPropagationFactors, "bool":$isCustomRule);
}

//===-- Debug information of propagation -----------------------------------------------------===//

def Sdy_EdgeValueRef : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "An operand or result by its number: `operand-0`.";
  let parameters = (ins "EdgeNodeType":$type, "int64_t":$index);
}

def Sdy_AxisToPropagationDetails
    : Sdy_Attr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let summary =
      "Where an axis came from and went to: `{\"x\" = operand-0 -> [operand-1, result-0]}`.";
  let parameters = (ins "AxisRefAttr":$axisName, "EdgeValueRefAttr":$source,
      ArrayRefParameter<"EdgeValueRefAttr">:$targets);
}

def Sdy_PropagationOneStep : Sdy_Attr<"PropagationOneStep", "propagation_one_step"> {
  let summary =
      "The axes that moved in one step: `{step-0 = [{\"x\" = operand-0 -> [result-0]}]}`.";
  let parameters = (ins "int64_t":$stepIndex,
      ArrayRefParameter<"AxisToPropagationDetailsAttr">:$axisEntries);
}

def Sdy_PropagationEdges : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary =
      "Everything that propagation moved through an op: `<[{step-0 = [...]}, {step-2 = [...]}]>`.";
  let parameters = (ins ArrayRefParameter<"PropagationOneStepAttr">:$steps);
  let genVerifyDecl = 1;
}

#endif  // SHARDWRIGHT_SDY_ATTRS_TD
