#ifndef SHARDWRIGHT_STABLEHLO_TD
#define SHARDWRIGHT_STABLEHLO_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let summary = "StableHLO: the operation set that JAX prints its programs in.";
  let cppNamespace = "::shardwright::stablehlo";
}

#endif  // SHARDWRIGHT_STABLEHLO_TD
