#ifndef SHARDWRIGHT_CHLO_TD
#define SHARDWRIGHT_CHLO_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let summary = "CHLO: the client-level operations that JAX emits beside StableHLO.";
  let cppNamespace = "::shardwright::chlo";
}

#endif  // SHARDWRIGHT_CHLO_TD
