// Verifiers of products, convolutions, transforms and normalizations.
// RUN: shardwright-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op contracting dimension 1 of lhs has size 3, but dimension 0 of rhs has size 4}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op dimension 1 of result has size 6, expected 5}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op result has rank 3, expected 2}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5x1xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op dot_dimension_numbers of lhs holds dimension 2, which is out of range for rank 2}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op lhs has 2 contracting dimensions, but rhs has 1}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 0] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op dot_dimension_numbers of lhs holds dimension 1 twice}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [1], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot_general' op precision_config has 3 entries, expected at most 2}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH, HIGH, HIGH] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot' op contracting dimension 1 of lhs has size 3, but dimension 0 of rhs has size 4}}
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a: tensor<1x2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{'stablehlo.dot' op expected vectors or matrices, got ranks 3 and 2}}
  %0 = stablehlo.dot %a, %b : (tensor<1x2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x5x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op the kernel's input feature dimension has size 5, expected 4}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x5x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op dimension 2 of result has size 7, expected 6}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x7x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op dimension_numbers name 3 dimensions of the input, which has rank 4}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op window_strides has 1 entries, expected 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op window_strides of dimension 0 is 0, expected at least 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op padding has the shape [1, 2], expected [2, 2]}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op window_reversal has 1 entries, expected 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op feature_group_count 1 and batch_group_count 0 must be positive}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op the input's feature dimension has size 4, which is no multiple of feature_group_count 3}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%a: tensor<2x4x5xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op a must hold square matrices, got 4x5}}
  %0 = stablehlo.cholesky %a : tensor<2x4x5xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op a has rank 1, expected at least 2}}
  %0 = stablehlo.cholesky %a : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %b: tensor<3x3xf32>) {
  // expected-error@+1 {{'stablehlo.triangular_solve' op dimension 0 of b has size 3, expected 4}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op fft_length has 2 entries, expected 1 to 3 and at most the rank 1}}
  %0 = stablehlo.fft %a, type = FFT, length = [4, 4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4x9xf32>) {
  // expected-error@+1 {{'stablehlo.fft' op dimension 1 of result has size 9, expected 5}}
  %0 = stablehlo.fft %a, type = RFFT, length = [9] : (tensor<4x9xf32>) -> tensor<4x9xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4x9xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.fft' op dimension 1 of operand has size 9, expected 8}}
  %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<4x9xcomplex<f32>>) -> tensor<4x9xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %s: tensor<7xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op dimension 0 of scale has size 7, expected 8}}
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x3x8xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op feature_index 3 is out of range for rank 3}}
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 3 : i64}> : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  return
}
