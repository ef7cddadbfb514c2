// Ops that work element by element on one tensor.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_UNARY_TD
#define SHARDWRIGHT_STABLEHLO_OPS_UNARY_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

class Stablehlo_UnaryOp<string mnemonic, string text, Type type, Trait agreement = Stablehlo_SameShapeAndElement>
    : Stablehlo_PureOp<mnemonic, [agreement]> {
  let summary = text;
  let arguments = (ins type:$operand);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

class Stablehlo_AccurateUnaryOp<string mnemonic, string text>
    : Stablehlo_UnaryOp<mnemonic, text, Stablehlo_FloatOrComplexTensor> {
  let arguments = (ins Stablehlo_FloatOrComplexTensor:$operand, Stablehlo_Accuracy:$result_accuracy);
}

// Of a complex number it gives a float.
class Stablehlo_PartOp<string mnemonic, string text, Type type>
    : Stablehlo_UnaryOp<mnemonic, text, type, Stablehlo_SameShape> {
  let hasVerifier = 1;
}

def Stablehlo_AbsOp : Stablehlo_PartOp<"abs", "absolute value", Stablehlo_Tensor>;
def Stablehlo_CbrtOp : Stablehlo_AccurateUnaryOp<"cbrt", "cube root">;
def Stablehlo_CeilOp : Stablehlo_UnaryOp<"ceil", "least integer above", Stablehlo_FloatTensor>;
def Stablehlo_ClzOp : Stablehlo_UnaryOp<"count_leading_zeros", "number of leading zero bits", Stablehlo_IntTensor>;
def Stablehlo_ConvertOp
    : Stablehlo_UnaryOp<"convert", "conversion of the element type", Stablehlo_Tensor, Stablehlo_SameShape>;
def Stablehlo_CosineOp : Stablehlo_AccurateUnaryOp<"cosine", "cosine">;
def Stablehlo_ExpOp : Stablehlo_AccurateUnaryOp<"exponential", "e to the operand">;
def Stablehlo_Expm1Op : Stablehlo_AccurateUnaryOp<"exponential_minus_one", "e to the operand, less one">;
def Stablehlo_FloorOp : Stablehlo_UnaryOp<"floor", "greatest integer below", Stablehlo_FloatTensor>;
def Stablehlo_ImagOp : Stablehlo_PartOp<"imag", "imaginary part", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_LogOp : Stablehlo_AccurateUnaryOp<"log", "natural logarithm">;
def Stablehlo_Log1pOp : Stablehlo_AccurateUnaryOp<"log_plus_one", "natural logarithm of one more than the operand">;
def Stablehlo_LogisticOp : Stablehlo_AccurateUnaryOp<"logistic", "one over one plus e to the negated operand">;
def Stablehlo_NegOp : Stablehlo_UnaryOp<"negate", "negation", Stablehlo_Tensor>;
def Stablehlo_NotOp : Stablehlo_UnaryOp<"not", "logical or bitwise complement", Stablehlo_IntTensor>;
def Stablehlo_PopulationCountOp : Stablehlo_UnaryOp<"popcnt", "number of set bits", Stablehlo_IntTensor>;
def Stablehlo_RealOp : Stablehlo_PartOp<"real", "real part", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_RoundOp
    : Stablehlo_UnaryOp<"round_nearest_afz", "nearest integer, ties away from zero", Stablehlo_FloatTensor>;
def Stablehlo_RoundNearestEvenOp
    : Stablehlo_UnaryOp<"round_nearest_even", "nearest integer, ties to even", Stablehlo_FloatTensor>;
def Stablehlo_RsqrtOp : Stablehlo_AccurateUnaryOp<"rsqrt", "reciprocal of the square root">;
def Stablehlo_SignOp : Stablehlo_UnaryOp<"sign", "sign", Stablehlo_Tensor>;
def Stablehlo_SineOp : Stablehlo_AccurateUnaryOp<"sine", "sine">;
def Stablehlo_SqrtOp : Stablehlo_AccurateUnaryOp<"sqrt", "square root">;
def Stablehlo_TanOp : Stablehlo_AccurateUnaryOp<"tan", "tangent">;
def Stablehlo_TanhOp : Stablehlo_AccurateUnaryOp<"tanh", "hyperbolic tangent">;

def Stablehlo_IsFiniteOp : Stablehlo_PureOp<"is_finite", [Stablehlo_SameShape]> {
  let summary = "whether each element is neither infinite nor NaN";
  let arguments = (ins Stablehlo_FloatTensor:$x);
  let results = (outs Stablehlo_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Stablehlo_ReducePrecisionOp : Stablehlo_PureOp<"reduce_precision", [Stablehlo_SameShapeAndElement]> {
  let summary = "rounding to a narrower float format and back";
  let arguments = (ins Stablehlo_FloatTensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs Stablehlo_Tensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

class Stablehlo_QuantizeOp<string mnemonic, string text> : Stablehlo_PureOp<mnemonic, [Stablehlo_SameShape]> {
  let summary = text;
  let arguments = (ins Stablehlo_Tensor:$operand);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Stablehlo_UniformQuantizeOp
    : Stablehlo_QuantizeOp<"uniform_quantize", "conversion of floats or quantized values to a quantized type">;
def Stablehlo_UniformDequantizeOp
    : Stablehlo_QuantizeOp<"uniform_dequantize", "conversion of quantized values to floats">;

#endif  // SHARDWRIGHT_STABLEHLO_OPS_UNARY_TD
