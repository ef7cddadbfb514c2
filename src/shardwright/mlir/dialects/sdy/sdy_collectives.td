// Ops that move data between devices. Their operands and results keep the global shape; the
// sharding changes.
//
// None is Pure: jaxlib's passes keep unused and repeated collectives, and so does `--cse` here.
#ifndef SHARDWRIGHT_SDY_COLLECTIVES_TD
#define SHARDWRIGHT_SDY_COLLECTIVES_TD

include "shardwright/mlir/dialects/sdy/sdy_ops.td"

class Sdy_CollectiveOp<string opMnemonic, string summaryText, dag extraArguments, string axesFormat>
    : Sdy_Op<opMnemonic, [SameOperandsAndResultType]> {
  let summary = summaryText;
  let arguments =
      !con((ins AnyShaped:$tensor), extraArguments, (ins Sdy_TensorSharding:$out_sharding));
  let results = (outs AnyShaped:$result);
  let assemblyFormat =
      axesFormat#" $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_AllGatherOp
    : Sdy_CollectiveOp<"all_gather", "Gathers each dim along its axes.",
                       (ins Sdy_ListOfAxisRefLists:$gathering_axes), "$gathering_axes">;

def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice", "Keeps one slice of each dim along its axes.",
                                      (ins Sdy_ListOfAxisRefLists:$slicing_axes), "$slicing_axes">;

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all", "Moves axes from dims to other dims.",
                                      (ins Sdy_AllToAllParamList:$params), "$params">;

def Sdy_CollectivePermuteOp
    : Sdy_CollectiveOp<"collective_permute", "Exchanges shards of the same shape among devices.",
                       (ins), "">;

def Sdy_AllReduceOp
    : Sdy_CollectiveOp<"all_reduce", "Combines partial values along the axes.",
                       (ins Sdy_AxisRefList:$reduction_axes,
                           DefaultValuedAttr<Sdy_ReductionOp,
                                             "::shardwright::sdy::ReductionOp::SUM">:$reduction_op),
                       "($reduction_op^)? $reduction_axes">;

def Sdy_ReduceScatterOp
    : Sdy_CollectiveOp<"reduce_scatter", "Combines partial values and keeps one slice of each dim.",
                       (ins Sdy_ListOfAxisRefLists:$reduce_scatter_axes,
                           DefaultValuedAttr<Sdy_ReductionOp,
                                             "::shardwright::sdy::ReductionOp::SUM">:$reduction_op),
                       "($reduction_op^)? $reduce_scatter_axes">;

def Sdy_ReplicatedToUnreducedOp
    : Sdy_CollectiveOp<"replicated_to_unreduced", "Makes replicated axes unreduced.",
                       (ins Sdy_AxisRefList:$axes), "$axes">;

def Sdy_ShardedToUnreducedOp
    : Sdy_CollectiveOp<"sharded_to_unreduced", "Makes axes of dims unreduced.",
                       (ins Sdy_ListOfAxisRefLists:$axes), "$axes">;

#endif  // SHARDWRIGHT_SDY_COLLECTIVES_TD
