// What all op definitions share: type constraints, traits, base classes.
//
// Every family file includes this one and no other family, since the generator writes out every op it sees.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_BASE_TD
#define SHARDWRIGHT_STABLEHLO_OPS_BASE_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardwright/mlir/dialects/stablehlo/attrs.td"

// -- Types: one predicate of types.h each ---------------------------------------------------------

class Stablehlo_TensorOf<string isElement, string text>
    : Type<CPred<"::shardwright::stablehlo::isTensorOf($_self, ::shardwright::stablehlo::" # isElement # ")">,
           "ranked tensor of " # text # " values", "::mlir::RankedTensorType">;

def Stablehlo_Tensor : Stablehlo_TensorOf<"isElement", "float, integer, complex, or quantized">;
def Stablehlo_PredTensor : Stablehlo_TensorOf<"isPred", "i1">;
def Stablehlo_IntTensor : Stablehlo_TensorOf<"isInteger", "integer">;
def Stablehlo_ShapeTensor : Stablehlo_TensorOf<"isIntegerOrIndex", "integer or index">;
def Stablehlo_FloatTensor : Stablehlo_TensorOf<"isFloat", "float">;
def Stablehlo_FloatOrComplexTensor : Stablehlo_TensorOf<"isFloatOrComplex", "float, complex, or quantized">;
def Stablehlo_NumberTensor : Stablehlo_TensorOf<"isNumber", "float, integer, or complex">;

// What may flow through control flow, tuples and calls: tensors, tokens, and also buffers, tuples and futures.
def Stablehlo_Value : Type<CPred<"::shardwright::stablehlo::isValueType($_self)">,
                           "tensor, buffer, token, tuple or future">;

// -- Traits ---------------------------------------------------------------------------------------

class Stablehlo_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::shardwright::stablehlo";
}

// All operands and results have shapes that can be equal.
def Stablehlo_SameShape : Stablehlo_Trait<"SameShape">;
// And their element types agree, which quantized ones do if they express the same type.
def Stablehlo_SameShapeAndElement : Stablehlo_Trait<"SameShapeAndElement">;

// -- Attributes of ops ----------------------------------------------------------------------------

def Stablehlo_PrecisionConfig : OptionalAttr<TypedArrayAttrBase<Stablehlo_PrecisionAttr, "precision of each operand">>;

def Stablehlo_Accuracy : DefaultValuedOptionalAttr<Stablehlo_ResultAccuracy,
    "::shardwright::stablehlo::ResultAccuracyAttr::getDefault($_builder.getContext())">;

// Groups of devices that communicate: `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>` or axes of a mesh.
def Stablehlo_ReplicaGroups : AnyAttrOf<[I64ElementsAttr, Stablehlo_ReplicaGroupMeshAxes]>;

// Optional numbers per window dimension; where they are missing, 1 (or no padding, no reversal) is meant.
def Stablehlo_WindowNumbers : OptionalAttr<DenseI64ArrayAttr>;

// -- Ops ------------------------------------------------------------------------------------------

class Stablehlo_Op<string mnemonic, list<Trait> traits = []> : Op<Stablehlo_Dialect, mnemonic, traits>;

// An op without memory effects that cannot fail: dead or repeated ones may go.
class Stablehlo_PureOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat([Pure], traits)>;

#endif  // SHARDWRIGHT_STABLEHLO_OPS_BASE_TD
