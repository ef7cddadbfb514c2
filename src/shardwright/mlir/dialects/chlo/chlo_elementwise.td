// Elementwise ops, without and with broadcasting.
#ifndef SHARDWRIGHT_CHLO_ELEMENTWISE_TD
#define SHARDWRIGHT_CHLO_ELEMENTWISE_TD

include "shardwright/mlir/dialects/chlo/chlo_base.td"

// The result has the operand's element type, and a shape that may be it.
class Chlo_UnaryOp<string opMnemonic, TypeConstraint operandType,
                   TypeConstraint resultType = operandType> : Chlo_Op<opMnemonic, [Elementwise]> {
  let summary = "Elementwise "#opMnemonic#".";
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let extraClassDefinition =
      "::mlir::LogicalResult $cppClass::verify() { return verifySameElementType(*this); }";
  let hasVerifier = 1;
}

def Chlo_AcosOp : Chlo_UnaryOp<"acos", Chlo_FloatOrComplexTensor>;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh", Chlo_FloatOrComplexTensor>;
def Chlo_AsinAcosKernelOp : Chlo_UnaryOp<"_asin_acos_kernel", Chlo_ComplexTensor>;
def Chlo_AsinOp : Chlo_UnaryOp<"asin", Chlo_FloatOrComplexTensor>;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh", Chlo_FloatOrComplexTensor>;
def Chlo_AtanOp : Chlo_UnaryOp<"atan", Chlo_FloatOrComplexTensor>;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh", Chlo_FloatOrComplexTensor>;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", Chlo_FloatOrComplexTensor>;
def Chlo_ConjOp : Chlo_UnaryOp<"conj", Chlo_FloatOrComplexTensor>;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh", Chlo_FloatOrComplexTensor>;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", Chlo_FloatTensor>;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", Chlo_FloatTensor>;
def Chlo_ErfOp : Chlo_UnaryOp<"erf", Chlo_FloatTensor>;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", Chlo_FloatTensor>;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", Chlo_FloatTensor>;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh", Chlo_FloatOrComplexTensor>;
def Chlo_SquareOp : Chlo_UnaryOp<"square", Chlo_FloatOrComplexTensor>;
def Chlo_TanOp : Chlo_UnaryOp<"tan", Chlo_FloatOrComplexTensor>;

class Chlo_IsOp<string opMnemonic> : Chlo_UnaryOp<opMnemonic, Chlo_FloatTensor, Chlo_BoolTensor> {
  let extraClassDefinition =
      "::mlir::LogicalResult $cppClass::verify() { return verifyCompatibleShapes(*this); }";
}
def Chlo_IsInfOp : Chlo_IsOp<"is_inf">;
def Chlo_IsNegInfOp : Chlo_IsOp<"is_neg_inf">;
def Chlo_IsPosInfOp : Chlo_IsOp<"is_pos_inf">;

class Chlo_BinaryOp<string opMnemonic, TypeConstraint type> : Chlo_Op<opMnemonic> {
  let summary = "Elementwise "#opMnemonic#" of tensors of one type.";
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let extraClassDefinition =
      "::mlir::LogicalResult $cppClass::verify() { return verifySameElementType(*this); }";
  let hasVerifier = 1;
}

def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", Chlo_FloatTensor>;
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", Chlo_FloatTensor>;
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", Chlo_FloatTensor>;
def Chlo_MulhiOp : Chlo_BinaryOp<"mulhi", Chlo_RankedIntTensor>;

// The operand of the lower rank is spread to the other's shape. Its dims stand at
// `broadcast_dimensions` of it, or at the last ones; a dim of size 1 is repeated.
class Chlo_BroadcastOp<string opMnemonic, TypeConstraint operandType = Chlo_Tensor,
                       TypeConstraint resultType = Chlo_Tensor, dag extraArguments = (ins)>
    : Chlo_Op<"broadcast_"#opMnemonic> {
  let summary = "Elementwise "#opMnemonic#" with broadcasting.";
  let arguments = !con((ins operandType:$lhs, operandType:$rhs,
                           OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions),
                       extraArguments);
  let results = (outs resultType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::verify() {
      return verifyBroadcast(*this, getBroadcastDimensions(), true);
    }
  }];
  let hasVerifier = 1;
}

// A broadcast whose result has another element type than its operands, and its own verifier.
class Chlo_ConvertingBroadcastOp<string opMnemonic, TypeConstraint operandType,
                                 TypeConstraint resultType, dag extraArguments = (ins)>
    : Chlo_BroadcastOp<opMnemonic, operandType, resultType, extraArguments> {
  let extraClassDefinition = "";
}

def Chlo_BroadcastAddOp : Chlo_BroadcastOp<"add">;
def Chlo_BroadcastAndOp : Chlo_BroadcastOp<"and", Chlo_BoolOrIntTensor>;
def Chlo_BroadcastAtan2Op : Chlo_BroadcastOp<"atan2">;
def Chlo_BroadcastDivOp : Chlo_BroadcastOp<"divide">;
def Chlo_BroadcastMaxOp : Chlo_BroadcastOp<"maximum">;
def Chlo_BroadcastMinOp : Chlo_BroadcastOp<"minimum">;
def Chlo_BroadcastMulOp : Chlo_BroadcastOp<"multiply">;
def Chlo_BroadcastNextAfterOp : Chlo_BroadcastOp<"next_after">;
def Chlo_BroadcastOrOp : Chlo_BroadcastOp<"or", Chlo_BoolOrIntTensor>;
def Chlo_BroadcastPolygammaOp : Chlo_BroadcastOp<"polygamma">;
def Chlo_BroadcastPowOp : Chlo_BroadcastOp<"power">;
def Chlo_BroadcastRemOp : Chlo_BroadcastOp<"remainder">;
def Chlo_BroadcastShiftLeftOp : Chlo_BroadcastOp<"shift_left">;
def Chlo_BroadcastShiftRightArithmeticOp : Chlo_BroadcastOp<"shift_right_arithmetic">;
def Chlo_BroadcastShiftRightLogicalOp : Chlo_BroadcastOp<"shift_right_logical">;
def Chlo_BroadcastSubOp : Chlo_BroadcastOp<"subtract">;
def Chlo_BroadcastXorOp : Chlo_BroadcastOp<"xor", Chlo_BoolOrIntTensor>;
def Chlo_BroadcastZetaOp : Chlo_BroadcastOp<"zeta", Chlo_FloatTensor, Chlo_FloatTensor>;
def Chlo_BroadcastComplexOp
    : Chlo_ConvertingBroadcastOp<"complex", Chlo_FloatTensor, Chlo_ComplexTensor>;
def Chlo_BroadcastCompareOp
    : Chlo_ConvertingBroadcastOp<"compare", Chlo_Tensor, Chlo_BoolTensor,
                                 (ins Chlo_ComparisonDirectionAttr:$comparison_direction,
                                     OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type)>;

def Chlo_BroadcastSelectOp : Chlo_Op<"broadcast_select"> {
  let summary = "Elementwise choice between two tensors, with broadcasting to the right.";
  let arguments = (ins Chlo_RankedBoolTensor:$pred, Chlo_Tensor:$on_true, Chlo_Tensor:$on_false);
  let results = (outs Chlo_Tensor:$result);
  let assemblyFormat =
      "$pred `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif  // SHARDWRIGHT_CHLO_ELEMENTWISE_TD
