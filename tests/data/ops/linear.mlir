// Products, convolutions and the dense linear algebra ops.
func.func @dot_general(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %v: tensor<8xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  %1 = stablehlo.dot_general %a, %v, contracting_dims = [2] x [0] : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.dot_general %v, %v, contracting_dims = [] x [], precision = [HIGH, HIGHEST] {foo.bar} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %v, %v, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = stablehlo.dot_general %a, %v, contracting_dims = [2] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4xf32>
  %5 = stablehlo.dot_general %a, %v, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6, allow_imprecise_accumulation = false> {foo.bar} : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4xf32>
  %6 = stablehlo.dot_general %a, %v, contracting_dims = [2] x [0], precision = [] : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4xbf16>
  return
}

func.func @dot(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %v: tensor<8xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.dot %a, %v, precision = [HIGHEST, HIGHEST] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.dot %v, %v, precision = [DEFAULT, HIGH] {foo.bar} : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return
}

func.func @convolution(%x: tensor<1x8x8x207xf32>, %w: tensor<3x3x207x16xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>) -> tensor<1x8x8x16xf32>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>) -> tensor<1x6x6x16xf32>
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, foo.bar} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>) -> tensor<1x3x6x16xf32>
  %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, 0, b, 1], window = {pad = [[0, 0], [0, 0]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>) -> tensor<16x4x1x4xf32>
  %4 = stablehlo.convolution(%x, %w) dim_numbers = [b, 1, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x207xf32>, tensor<3x3x207x16xf32>) -> tensor<1x13x13x16xf32>
  return
}

func.func @convolution_groups(%x: tensor<4x8xf32>, %w: tensor<2x4xf32>, %y: tensor<4x8xf32>, %z: tensor<8x6xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<4x8xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.convolution(%y, %z) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
  return
}

func.func @dynamic_conv(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>, %p: tensor<2x2xi32>) {
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) {window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], foo.bar} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>, tensor<2x2xi32>) -> tensor<1x?x?x16xf32>
  %1 = "stablehlo.dynamic_conv"(%x, %w, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>, tensor<2x2xi32>) -> tensor<1x?x?x16xf32>
  return
}

func.func @einsum(%a: tensor<4x16xf32>, %b: tensor<16x4xf32>) {
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  %1 = "stablehlo.unary_einsum"(%a) {einsum_config = "ab->a"} : (tensor<4x16xf32>) -> tensor<4xf32>
  return
}

func.func @cholesky(%a: tensor<2x4x4xf32>) {
  %0 = stablehlo.cholesky %a : tensor<2x4x4xf32>
  %1 = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  %2 = stablehlo.cholesky %a, lower = false {foo.bar} : tensor<2x4x4xf32>
  return
}

func.func @triangular_solve(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>, %c: tensor<3x4xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true, foo.bar} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = "stablehlo.triangular_solve"(%a, %c) {left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true} : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

func.func @fft(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>) {
  %0 = stablehlo.fft %c, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %1 = stablehlo.fft %c, type = IFFT, length = [3, 9] {foo.bar} : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %2 = stablehlo.fft %r, type = RFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
  %3 = stablehlo.fft %c, type = IRFFT, length = [16] : (tensor<3x9xcomplex<f32>>) -> tensor<3x16xf32>
  return
}

func.func @batch_norm(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64} : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64, foo.bar} : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %2:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64} : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

func.func @rng(%a: tensor<f32>, %sh: tensor<2xi64>, %st: tensor<2xui64>, %st3: tensor<3xui64>) {
  %0 = stablehlo.rng %a, %a, %sh, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %1 = stablehlo.rng %a, %a, %sh, distribution = NORMAL {foo.bar} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %2:2 = stablehlo.rng_bit_generator %st, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %3:2 = stablehlo.rng_bit_generator %st3, algorithm = PHILOX {foo.bar} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui64>)
  %4:2 = stablehlo.rng_bit_generator %st, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}
