// The dialect, its attributes and the tensors that its ops take.
#ifndef SHARDWRIGHT_CHLO_BASE_TD
#define SHARDWRIGHT_CHLO_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let summary = "CHLO: the client-level operations that JAX emits beside StableHLO.";
  let cppNamespace = "::shardwright::chlo";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

//===-- Attributes ---------------------------------------------------------------------------===//

class Chlo_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = Chlo_Dialect.cppNamespace;
  let genSpecializedAttr = 0;
}

def Chlo_ComparisonDirection
    : Chlo_Enum<"ComparisonDirection", "which comparison",
                [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
                 I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>,
]>;
def Chlo_ComparisonType : Chlo_Enum<"ComparisonType", "how to read the compared values",
                                    [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
                                     I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
                                     I32EnumAttrCase<"UNSIGNED", 4>,
]>;
def Chlo_Precision : Chlo_Enum<"Precision", "precision of a product",
                               [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
                                I32EnumAttrCase<"HIGHEST", 2>,
]>;

def Chlo_ComparisonDirectionAttr
    : EnumAttr<Chlo_Dialect, Chlo_ComparisonDirection, "comparison_direction">;
def Chlo_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonType, "comparison_type">;
def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;

def Chlo_RaggedDotDimensionNumbers : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary =
      "Dims of a ragged dot: `<lhs_contracting_dimensions = [1], ..., rhs_group_dimensions = "
      "[0]>`; empty lists are left out.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsBatchingDimensions,
      ArrayRefParameter<"int64_t">:$rhsBatchingDimensions,
      ArrayRefParameter<"int64_t">:$lhsContractingDimensions,
      ArrayRefParameter<"int64_t">:$rhsContractingDimensions,
      ArrayRefParameter<"int64_t">:$lhsRaggedDimensions,
      ArrayRefParameter<"int64_t">:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

//===-- Types --------------------------------------------------------------------------------===//

def Chlo_Float : Type<CPred<"::shardwright::chlo::isFloat($_self)">, "float of 4 to 64 bits">;
def Chlo_Int : Type<CPred<"::shardwright::chlo::isInteger($_self)">, "integer of 2 to 64 bits">;
def Chlo_Bool : TypeAlias<I1, "bool">;
def Chlo_Complex
    : Type<CPred<"::shardwright::chlo::isComplex($_self)">, "complex of f32 or f64">;
def Chlo_Quantized : Type<CPred<"::shardwright::chlo::isQuantized($_self)">, "quantized integer">;

def Chlo_FloatTensor : TensorOf<[Chlo_Float]>;
def Chlo_ComplexTensor : TensorOf<[Chlo_Complex]>;
def Chlo_FloatOrComplexTensor : TensorOf<[Chlo_Float, Chlo_Complex]>;
def Chlo_BoolTensor : TensorOf<[Chlo_Bool]>;
def Chlo_BoolOrIntTensor : TensorOf<[Chlo_Bool, Chlo_Int]>;
def Chlo_RankedIntTensor : RankedTensorOf<[Chlo_Int]>;
def Chlo_RankedBoolTensor : RankedTensorOf<[Chlo_Bool]>;
def Chlo_Tensor : TensorOf<[Chlo_Float, Chlo_Bool, Chlo_Int, Chlo_Complex, Chlo_Quantized]>;
def Chlo_StaticTensor
    : StaticShapeTensorOf<[Chlo_Float, Chlo_Bool, Chlo_Int, Chlo_Complex, Chlo_Quantized]>;

class Chlo_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, opMnemonic, [Pure]#traits>;

#endif  // SHARDWRIGHT_CHLO_BASE_TD
