// Products, convolutions, transforms, normalizations and random numbers.

#ifndef SHARDWRIGHT_STABLEHLO_OPS_LINEAR_TD
#define SHARDWRIGHT_STABLEHLO_OPS_LINEAR_TD

include "shardwright/mlir/dialects/stablehlo/ops_base.td"

// -- Products -------------------------------------------------------------------------------------

def Stablehlo_DotGeneralOp : Stablehlo_PureOp<"dot_general"> {
  let summary = "product of two tensors, summed over the contracting dimensions";
  let description = "Result dimensions: batching, free of lhs, free of rhs.";
  let arguments = (ins
    Stablehlo_Tensor:$lhs,
    Stablehlo_Tensor:$rhs,
    Stablehlo_DotDimensionNumbers:$dot_dimension_numbers,
    Stablehlo_PrecisionConfig:$precision_config,
    OptionalAttr<Stablehlo_DotAlgorithm>:$algorithm
  );
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
      `` custom<PrecisionAndAlgorithm>($precision_config, $algorithm) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DotOp : Stablehlo_PureOp<"dot"> {
  let summary = "product of vectors and matrices";
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs, Stablehlo_PrecisionConfig:$precision_config);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_EinsumOp : Stablehlo_PureOp<"einsum"> {
  let summary = "product given in Einstein's notation";
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def Stablehlo_UnaryEinsumOp : Stablehlo_PureOp<"unary_einsum"> {
  let summary = "sums and transposes given in Einstein's notation";
  let arguments = (ins Stablehlo_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

// -- Convolutions ---------------------------------------------------------------------------------

def Stablehlo_ConvolutionOp : Stablehlo_PureOp<"convolution"> {
  let summary = "convolution of an input with a kernel";
  let arguments = (ins
    Stablehlo_Tensor:$lhs,
    Stablehlo_Tensor:$rhs,
    Stablehlo_WindowNumbers:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding,
    Stablehlo_WindowNumbers:$lhs_dilation,
    Stablehlo_WindowNumbers:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    Stablehlo_ConvDimensionNumbers:$dimension_numbers,
    I64Attr:$feature_group_count,
    I64Attr:$batch_group_count,
    Stablehlo_PrecisionConfig:$precision_config
  );
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvDimensions>($dimension_numbers) `,` `window` `=`
      custom<Window>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicConvOp : Stablehlo_PureOp<"dynamic_conv"> {
  let summary = "convolution whose padding the program computes";
  let arguments = (ins
    Stablehlo_Tensor:$lhs,
    Stablehlo_Tensor:$rhs,
    Stablehlo_IntTensor:$padding,
    Stablehlo_WindowNumbers:$window_strides,
    Stablehlo_WindowNumbers:$lhs_dilation,
    Stablehlo_WindowNumbers:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    Stablehlo_ConvDimensionNumbers:$dimension_numbers,
    I64Attr:$feature_group_count,
    I64Attr:$batch_group_count,
    Stablehlo_PrecisionConfig:$precision_config
  );
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

// -- Matrices and transforms ----------------------------------------------------------------------

def Stablehlo_CholeskyOp : Stablehlo_PureOp<"cholesky", [Stablehlo_SameShapeAndElement]> {
  let summary = "Cholesky factor of a batch of matrices";
  let arguments = (ins Stablehlo_FloatOrComplexTensor:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs Stablehlo_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_TriangularSolveOp : Stablehlo_PureOp<"triangular_solve"> {
  let summary = "solution of a batch of triangular systems";
  let arguments = (ins
    Stablehlo_FloatOrComplexTensor:$a,
    Stablehlo_FloatOrComplexTensor:$b,
    BoolAttr:$left_side,
    BoolAttr:$lower,
    BoolAttr:$unit_diagonal,
    Stablehlo_TransposeAttr:$transpose_a
  );
  let results = (outs Stablehlo_FloatOrComplexTensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_FftOp : Stablehlo_PureOp<"fft"> {
  let summary = "Fourier transform of the minor dimensions";
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` custom<DimArray>($fft_length) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// -- Normalizations -------------------------------------------------------------------------------

def Stablehlo_BatchNormTrainingOp : Stablehlo_PureOp<"batch_norm_training"> {
  let summary = "normalization over all dimensions but one, with the batch's own statistics";
  let arguments = (ins
    Stablehlo_FloatTensor:$operand,
    Stablehlo_FloatTensor:$scale,
    Stablehlo_FloatTensor:$offset,
    F32Attr:$epsilon,
    I64Attr:$feature_index
  );
  let results = (outs
    Stablehlo_FloatTensor:$output,
    Stablehlo_FloatTensor:$batch_mean,
    Stablehlo_FloatTensor:$batch_var
  );
  let hasVerifier = 1;
}

def Stablehlo_BatchNormInferenceOp : Stablehlo_PureOp<"batch_norm_inference"> {
  let summary = "normalization with given statistics";
  let arguments = (ins
    Stablehlo_FloatTensor:$operand,
    Stablehlo_FloatTensor:$scale,
    Stablehlo_FloatTensor:$offset,
    Stablehlo_FloatTensor:$mean,
    Stablehlo_FloatTensor:$variance,
    F32Attr:$epsilon,
    I64Attr:$feature_index
  );
  let results = (outs Stablehlo_FloatTensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_BatchNormGradOp : Stablehlo_PureOp<"batch_norm_grad"> {
  let summary = "gradients of batch_norm_training";
  let arguments = (ins
    Stablehlo_FloatTensor:$operand,
    Stablehlo_FloatTensor:$scale,
    Stablehlo_FloatTensor:$mean,
    Stablehlo_FloatTensor:$variance,
    Stablehlo_FloatTensor:$grad_output,
    F32Attr:$epsilon,
    I64Attr:$feature_index
  );
  let results = (outs
    Stablehlo_FloatTensor:$grad_operand,
    Stablehlo_FloatTensor:$grad_scale,
    Stablehlo_FloatTensor:$grad_offset
  );
  let hasVerifier = 1;
}

// -- Random numbers -------------------------------------------------------------------------------

// Not pure: two equal calls give different numbers.
def Stablehlo_RngOp : Stablehlo_Op<"rng"> {
  let summary = "random numbers of a distribution with parameters a and b";
  let arguments = (ins
    Stablehlo_Tensor:$a, Stablehlo_Tensor:$b, Stablehlo_ShapeTensor:$shape,
    Stablehlo_RngDistributionAttr:$rng_distribution);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:` functional-type(operands, results)
  }];
}

def Stablehlo_RngBitGeneratorOp : Stablehlo_PureOp<"rng_bit_generator"> {
  let summary = "random bits and the state that follows";
  let arguments = (ins Stablehlo_RngAlgorithmAttr:$rng_algorithm, Stablehlo_Tensor:$initial_state);
  let results = (outs Stablehlo_Tensor:$output_state, Stablehlo_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)
  }];
}

#endif  // SHARDWRIGHT_STABLEHLO_OPS_LINEAR_TD
