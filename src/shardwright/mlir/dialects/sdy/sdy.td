#ifndef SHARDWRIGHT_SDY_TD
#define SHARDWRIGHT_SDY_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let summary = "Shardy: meshes, shardings and the ops that carry them.";
  let cppNamespace = "::shardwright::sdy";
}

#endif  // SHARDWRIGHT_SDY_TD
