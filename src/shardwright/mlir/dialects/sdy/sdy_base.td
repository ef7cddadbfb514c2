// The dialect itself and its enums.
#ifndef SHARDWRIGHT_SDY_BASE_TD
#define SHARDWRIGHT_SDY_BASE_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let summary = "Shardy: meshes, shardings and the ops that carry them.";
  let cppNamespace = "::shardwright::sdy";
  let useDefaultAttributePrinterParser = 1;
  // Shardings ride as discardable attributes on functions and on ops of every dialect.
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class Sdy_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = Sdy_Dialect.cppNamespace;
}

def Sdy_PropagationDirection
    : Sdy_Enum<"PropagationDirection", "direction that shardings may flow in",
               [I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
                I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>,
]>;

def Sdy_ReductionOp : Sdy_Enum<"ReductionOp", "how partial values combine",
                               [I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">,
                                I32EnumAttrCase<"MIN", 2, "min">,
]>;

def Sdy_EdgeNodeType
    : Sdy_Enum<"EdgeNodeType", "which side of an op a value stands on",
               [I32EnumAttrCase<"OPERAND", 0, "operand">, I32EnumAttrCase<"RESULT", 1, "result">,
]>;

#endif  // SHARDWRIGHT_SDY_BASE_TD
