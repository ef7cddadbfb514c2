// Convolutions: halos, strides, dilations, feature groups, batch groups, 1x1 kernels, patches.
func.func public @main(%x: tensor<8x32x32x16xf32>, %k: tensor<3x3x16x64xf32>, %k1: tensor<1x1x16x64xf32>, %kg: tensor<3x3x4x64xf32>, %kd: tensor<3x3x1x16xf32>, %kd2: tensor<3x3x1x32xf32>, %y: tensor<8x32x32x64xf32>, %kb: tensor<32x32x16x64xf32>)
    -> (tensor<8x32x32x64xf32>, tensor<8x16x30x64xf32>, tensor<8x32x32x64xf32>, tensor<8x32x32x64xf32>,
        tensor<8x32x32x16xf32>, tensor<8x32x32x32xf32>, tensor<3x3x16x64xf32>, tensor<3x3x1x16xf32>,
        tensor<3x3x4x16xf32>, tensor<8x1x1x64xf32>, tensor<8x64x64x64xf32>, tensor<8x16x16x64xf32>,
        tensor<8x16xf32>, tensor<16x64xf32>, tensor<8x64xf32>, tensor<2x2x16x64xf32>,
        tensor<8x16x16x64xf32>, tensor<8x8x16x64xf32>, tensor<8x4x4x64xf32>, tensor<8x8x16x64xf32>,
        tensor<1x1x16x64xf32>, tensor<3x3x16x64xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<3x3x16x64xf32>) -> tensor<8x32x32x64xf32>
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<3x3x16x64xf32>) -> tensor<8x16x30x64xf32>
  %2 = stablehlo.convolution(%x, %k1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<1x1x16x64xf32>) -> tensor<8x32x32x64xf32>
  %3 = stablehlo.convolution(%x, %kg) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<8x32x32x16xf32>, tensor<3x3x4x64xf32>) -> tensor<8x32x32x64xf32>
  %4 = stablehlo.convolution(%x, %kd) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<8x32x32x16xf32>, tensor<3x3x1x16xf32>) -> tensor<8x32x32x16xf32>
  %5 = stablehlo.convolution(%x, %kd2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<8x32x32x16xf32>, tensor<3x3x1x32xf32>) -> tensor<8x32x32x32xf32>
  // The gradient of a kernel.
  %6 = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<8x32x32x64xf32>) -> tensor<3x3x16x64xf32>
  // Batch groups.
  %7 = stablehlo.convolution(%x, %x) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 16 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<8x32x32x16xf32>) -> tensor<3x3x1x16xf32>
  %8 = stablehlo.convolution(%x, %x) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<8x32x32x16xf32>) -> tensor<3x3x4x16xf32>
  // A kernel as large as the image.
  %9 = stablehlo.convolution(%x, %kb) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<32x32x16x64xf32>) -> tensor<8x1x1x64xf32>
  // A transposed convolution.
  %10 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<3x3x16x64xf32>) -> tensor<8x64x64x64xf32>
  %11 = stablehlo.convolution(%x, %k1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<1x1x16x64xf32>) -> tensor<8x16x16x64xf32>
  %x12 = stablehlo.constant dense<0.0> : tensor<8x16xf32>
  %k12 = stablehlo.constant dense<0.0> : tensor<16x64xf32>
  %12 = stablehlo.convolution(%x12, %k12) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %kp = stablehlo.constant dense<0.0> : tensor<2x2x16x64xf32>
  %13 = stablehlo.convolution(%x, %kp) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<2x2x16x64xf32>) -> tensor<8x16x16x64xf32>
  // A patch embedding with patches larger than their number, and the gradient of its kernel.
  %p8 = stablehlo.constant dense<0.0> : tensor<8x8x16x64xf32>
  %14 = stablehlo.convolution(%x, %p8) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [8, 8]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<8x8x16x64xf32>) -> tensor<8x4x4x64xf32>
  %15 = stablehlo.convolution(%x, %14) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {rhs_dilate = [8, 8]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<8x4x4x64xf32>) -> tensor<8x8x16x64xf32>
  // The gradient of a 1x1 kernel that halves, and of a 3x3 one.
  %16 = stablehlo.convolution(%x, %11) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, -1], [0, -1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<8x16x16x64xf32>) -> tensor<1x1x16x64xf32>
  %17 = stablehlo.convolution(%x, %11) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 1], [0, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x16xf32>, tensor<8x16x16x64xf32>) -> tensor<3x3x16x64xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %x12, %k12, %12, %kp, %13, %p8, %14, %15,
      %16, %17
      : tensor<8x32x32x64xf32>, tensor<8x16x30x64xf32>, tensor<8x32x32x64xf32>, tensor<8x32x32x64xf32>,
        tensor<8x32x32x16xf32>, tensor<8x32x32x32xf32>, tensor<3x3x16x64xf32>, tensor<3x3x1x16xf32>,
        tensor<3x3x4x16xf32>, tensor<8x1x1x64xf32>, tensor<8x64x64x64xf32>, tensor<8x16x16x64xf32>,
        tensor<8x16xf32>, tensor<16x64xf32>, tensor<8x64xf32>, tensor<2x2x16x64xf32>,
        tensor<8x16x16x64xf32>, tensor<8x8x16x64xf32>, tensor<8x4x4x64xf32>, tensor<8x8x16x64xf32>,
        tensor<1x1x16x64xf32>, tensor<3x3x16x64xf32>
}
