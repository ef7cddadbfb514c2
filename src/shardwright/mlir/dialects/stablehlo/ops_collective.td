// Communication between devices and with the host.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_COLLECTIVE_TD
#define SHARDWRIGHT_STABLEHLO_OPS_COLLECTIVE_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

// -- Collectives: not pure, since all devices of a group must take part ---------------------------

def Stablehlo_AllGatherOp : Stablehlo_Op<"all_gather", [SameOperandsAndResultElementType]> {
  let summary = "the operands of a group's devices, one after another along a dimension";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$operands,
    I64Attr:$all_gather_dim,
    Stablehlo_ReplicaGroups:$replica_groups,
    OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let hasVerifier = 1;
}

def Stablehlo_AllReduceOp : Stablehlo_Op<"all_reduce"> {
  let summary = "the operands of a group's devices combined by the body";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$operands,
    Stablehlo_ReplicaGroups:$replica_groups,
    OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_ReduceScatterOp : Stablehlo_Op<"reduce_scatter"> {
  let summary = "all_reduce of which each device keeps one part of a dimension";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    I64Attr:$scatter_dimension,
    Stablehlo_ReplicaGroups:$replica_groups,
    OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids
  );
  let results = (outs Stablehlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_AllToAllOp : Stablehlo_Op<"all_to_all", [SameOperandsAndResultElementType]> {
  let summary = "parts of one dimension exchanged for parts of another";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$operands,
    I64Attr:$split_dimension,
    I64Attr:$concat_dimension,
    I64Attr:$split_count,
    Stablehlo_ReplicaGroups:$replica_groups,
    OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let hasVerifier = 1;
}

def Stablehlo_CollectivePermuteOp : Stablehlo_Op<"collective_permute", [Stablehlo_SameShapeAndElement]> {
  let summary = "the operand sent from one device to another, for each pair";
  let arguments = (ins
    Stablehlo_Tensor:$operand,
    I64ElementsAttr:$source_target_pairs,
    OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle
  );
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_CollectiveBroadcastOp : Stablehlo_Op<"collective_broadcast"> {
  let summary = "the operands of a group's first device, or of the device that the last operand names";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$operands,
    Stablehlo_ReplicaGroups:$replica_groups,
    OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle,
    UnitAttr:$has_dynamic_root
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let hasVerifier = 1;
}

def Stablehlo_CollectiveReduceOp : Stablehlo_Op<"collective_reduce"> {
  let summary = "all_reduce whose result only one device of each group needs";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$operands,
    Stablehlo_ReplicaGroups:$replica_groups,
    OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle,
    UnitAttr:$use_global_device_ids,
    UnitAttr:$has_dynamic_root
  );
  let results = (outs Variadic<Stablehlo_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stablehlo_CrossReplicaSumOp : Stablehlo_Op<"cross-replica-sum", [Stablehlo_SameShapeAndElement]> {
  let summary = "sum over the replicas of a group";
  let arguments = (ins Stablehlo_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs Stablehlo_Tensor:$result);
}

class Stablehlo_IdOp<string mnemonic, string text> : Stablehlo_PureOp<mnemonic> {
  let summary = text;
  let results = (outs Stablehlo_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Stablehlo_PartitionIdOp : Stablehlo_IdOp<"partition_id", "which partition the device is">;
def Stablehlo_ReplicaIdOp : Stablehlo_IdOp<"replica_id", "which replica the device is">;

// -- Asynchronous work ----------------------------------------------------------------------------

def Stablehlo_AsyncStartOp : Stablehlo_Op<"async_start"> {
  let summary = "one op started, whose results are there after async_done";
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands);
  let results = (outs Stablehlo_Future:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
}

def Stablehlo_AsyncDoneOp : Stablehlo_Op<"async_done"> {
  let summary = "the results of an async_start";
  let arguments = (ins Stablehlo_Future:$operand);
  let results = (outs Variadic<Stablehlo_Tensor>);
  let hasVerifier = 1;
}

// -- Tokens, feeds, channels ----------------------------------------------------------------------

def Stablehlo_CreateTokenOp : Stablehlo_PureOp<"create_token"> {
  let summary = "a token that waits for nothing";
  let results = (outs Stablehlo_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def Stablehlo_AfterAllOp : Stablehlo_PureOp<"after_all"> {
  let summary = "a token that waits for all others";
  let arguments = (ins Variadic<Stablehlo_Token>:$inputs);
  let results = (outs Stablehlo_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}

def Stablehlo_InfeedOp : Stablehlo_Op<"infeed"> {
  let summary = "tensors read from the host";
  let arguments = (ins
    Stablehlo_Token:$token, DefaultValuedStrAttr<StrAttr, "">:$infeed_config, OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<Stablehlo_Value>);
  let hasVerifier = 1;
}

def Stablehlo_OutfeedOp : Stablehlo_Op<"outfeed"> {
  let summary = "tensors written to the host";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$inputs, Stablehlo_Token:$token, DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs Stablehlo_Token:$result);
}

def Stablehlo_SendOp : Stablehlo_Op<"send"> {
  let summary = "tensors put on a channel";
  let arguments = (ins
    Variadic<Stablehlo_Tensor>:$inputs,
    Stablehlo_Token:$token,
    Stablehlo_ChannelHandle:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs
  );
  let results = (outs Stablehlo_Token:$result);
}

def Stablehlo_RecvOp : Stablehlo_Op<"recv"> {
  let summary = "tensors taken from a channel";
  let arguments = (ins
    Stablehlo_Token:$token,
    Stablehlo_ChannelHandle:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs
  );
  let results = (outs Variadic<Stablehlo_Value>);
  let hasVerifier = 1;
}

#endif  // SHARDWRIGHT_STABLEHLO_OPS_COLLECTIVE_TD
