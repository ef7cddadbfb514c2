// Ops that work element by element on two or three tensors.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_BINARY_TD
#define SHARDWRIGHT_STABLEHLO_OPS_BINARY_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

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

#endif  // SHARDWRIGHT_STABLEHLO_OPS_BINARY_TD
