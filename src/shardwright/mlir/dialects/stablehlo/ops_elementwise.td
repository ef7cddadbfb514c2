// Ops that work element by element.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_ELEMENTWISE_TD
#define SHARDWRIGHT_STABLEHLO_OPS_ELEMENTWISE_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

// -- Unary ----------------------------------------------------------------------------------------

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

// -- Binary ---------------------------------------------------------------------------------------

class Stablehlo_BinaryOp<string mnemonic, string text, Type type = Stablehlo_Tensor, list<Trait> traits = []>
    : Stablehlo_PureOp<mnemonic, !listconcat([Stablehlo_SameShapeAndElement], traits)> {
  let summary = text;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

// The ops that a reduction can be printed short with (see ReduceOp).
class Stablehlo_CommutativeOp<string mnemonic, string text, Type type = Stablehlo_Tensor>
    : Stablehlo_BinaryOp<mnemonic, text, type, [Commutative]>;

def Stablehlo_AddOp : Stablehlo_CommutativeOp<"add", "sum, or logical or of i1">;
def Stablehlo_AndOp : Stablehlo_CommutativeOp<"and", "logical or bitwise and", Stablehlo_IntTensor>;
def Stablehlo_Atan2Op : Stablehlo_BinaryOp<"atan2", "angle of the point (rhs, lhs)", Stablehlo_FloatOrComplexTensor>;
def Stablehlo_DivOp : Stablehlo_BinaryOp<"divide", "quotient">;
def Stablehlo_MaxOp : Stablehlo_CommutativeOp<"maximum", "greater of two">;
def Stablehlo_MinOp : Stablehlo_CommutativeOp<"minimum", "lesser of two">;
def Stablehlo_MulOp : Stablehlo_CommutativeOp<"multiply", "product, or logical and of i1">;
def Stablehlo_OrOp : Stablehlo_CommutativeOp<"or", "logical or bitwise or", Stablehlo_IntTensor>;
def Stablehlo_PowOp : Stablehlo_BinaryOp<"power", "lhs to the rhs">;
def Stablehlo_RemOp : Stablehlo_BinaryOp<"remainder", "remainder of a division, with the dividend's sign">;
def Stablehlo_ShiftLeftOp : Stablehlo_BinaryOp<"shift_left", "left shift", Stablehlo_IntTensor>;
def Stablehlo_ShiftRightArithmeticOp
    : Stablehlo_BinaryOp<"shift_right_arithmetic", "right shift that keeps the sign", Stablehlo_IntTensor>;
def Stablehlo_ShiftRightLogicalOp
    : Stablehlo_BinaryOp<"shift_right_logical", "right shift that fills with zeros", Stablehlo_IntTensor>;
def Stablehlo_SubtractOp : Stablehlo_BinaryOp<"subtract", "difference">;
def Stablehlo_XorOp : Stablehlo_CommutativeOp<"xor", "logical or bitwise exclusive or", Stablehlo_IntTensor>;

def Stablehlo_ComplexOp : Stablehlo_PureOp<"complex", [Stablehlo_SameShape]> {
  let summary = "complex number of a real and an imaginary part";
  let arguments = (ins Stablehlo_FloatTensor:$lhs, Stablehlo_FloatTensor:$rhs);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<ComplexType>(type($lhs), type($rhs), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_CompareOp : Stablehlo_PureOp<"compare", [Stablehlo_SameShape]> {
  let summary = "whether a relation holds between two elements";
  let arguments = (ins
    Stablehlo_Tensor:$lhs,
    Stablehlo_Tensor:$rhs,
    Stablehlo_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<Stablehlo_ComparisonTypeAttr>:$compare_type
  );
  let results = (outs Stablehlo_PredTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// -- Ternary --------------------------------------------------------------------------------------

def Stablehlo_ClampOp : Stablehlo_PureOp<"clamp"> {
  let summary = "operand, but no less than min and no more than max; the bounds may be scalars";
  let arguments = (ins Stablehlo_Tensor:$min, Stablehlo_Tensor:$operand, Stablehlo_Tensor:$max);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
      `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_SelectOp : Stablehlo_PureOp<"select"> {
  let summary = "the element of on_true or of on_false; the predicate may be a scalar";
  let arguments = (ins Stablehlo_PredTensor:$pred, Stablehlo_Tensor:$on_true, Stablehlo_Tensor:$on_false);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict
      `:` custom<SelectType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let hasVerifier = 1;
}

#endif  // SHARDWRIGHT_STABLEHLO_OPS_ELEMENTWISE_TD
