// Decompositions, solves, transforms and batch normalization.
func.func public @main(%l: tensor<8x16x16xf32>, %b: tensor<8x16x32xf32>, %bt: tensor<8x32x16xf32>, %one: tensor<16x16xf32>, %c: tensor<8x4x16xcomplex<f32>>, %r: tensor<8x4x16xf32>, %x: tensor<8x4x6x16xf32>, %sc: tensor<16xf32>)
    -> (tensor<8x16x16xf32>, tensor<16x16xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>,
        tensor<8x4x16xcomplex<f32>>, tensor<8x4x9xcomplex<f32>>, tensor<8x4x16xf32>,
        tensor<8x4x9xcomplex<f32>>, tensor<8x4x6x16xf32>, tensor<8x4x6x16xf32>, tensor<16xf32>,
        tensor<16xf32>, tensor<8x4x6x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = stablehlo.cholesky %l, lower = true : tensor<8x16x16xf32>
  %1 = stablehlo.cholesky %one, lower = false : tensor<16x16xf32>
  %2 = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<8x16x16xf32>, tensor<8x16x32xf32>) -> tensor<8x16x32xf32>
  %3 = "stablehlo.triangular_solve"(%l, %bt) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<8x16x16xf32>, tensor<8x32x16xf32>) -> tensor<8x32x16xf32>
  %4 = stablehlo.fft %c, type = FFT, length = [4, 16] : (tensor<8x4x16xcomplex<f32>>) -> tensor<8x4x16xcomplex<f32>>
  %5 = stablehlo.fft %r, type = RFFT, length = [16] : (tensor<8x4x16xf32>) -> tensor<8x4x9xcomplex<f32>>
  %6 = stablehlo.fft %5, type = IRFFT, length = [16] : (tensor<8x4x9xcomplex<f32>>) -> tensor<8x4x16xf32>
  %7 = stablehlo.fft %r, type = RFFT, length = [4, 16] : (tensor<8x4x16xf32>) -> tensor<8x4x9xcomplex<f32>>
  %8 = "stablehlo.batch_norm_inference"(%x, %sc, %sc, %sc, %sc) <{epsilon = 0.001 : f32, feature_index = 3 : i64}> : (tensor<8x4x6x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x4x6x16xf32>
  %9:3 = "stablehlo.batch_norm_training"(%x, %sc, %sc) <{epsilon = 0.001 : f32, feature_index = 3 : i64}> : (tensor<8x4x6x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x4x6x16xf32>, tensor<16xf32>, tensor<16xf32>)
  %10:3 = "stablehlo.batch_norm_grad"(%x, %sc, %sc, %sc, %x) <{epsilon = 0.001 : f32, feature_index = 3 : i64}> : (tensor<8x4x6x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x4x6x16xf32>) -> (tensor<8x4x6x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9#0, %9#1, %9#2, %10#0, %10#1, %10#2
      : tensor<8x16x16xf32>, tensor<16x16xf32>, tensor<8x16x32xf32>, tensor<8x32x16xf32>,
        tensor<8x4x16xcomplex<f32>>, tensor<8x4x9xcomplex<f32>>, tensor<8x4x16xf32>,
        tensor<8x4x9xcomplex<f32>>, tensor<8x4x6x16xf32>, tensor<8x4x6x16xf32>, tensor<16xf32>,
        tensor<16xf32>, tensor<8x4x6x16xf32>, tensor<16xf32>, tensor<16xf32>
}
