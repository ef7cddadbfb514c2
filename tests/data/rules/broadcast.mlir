// Transposes and broadcasts: new dims, expanded dims, dims of size 1 that stay.
func.func public @main(%a: tensor<8x1x16xf32>, %s: tensor<f32>, %z: tensor<0x4xf32>, %m: tensor<8x4xf32>)
    -> (tensor<16x8x1xf32>, tensor<4x0xf32>, tensor<f32>, tensor<8x7x5x16xf32>, tensor<1x16x8xf32>,
        tensor<8x7xf32>, tensor<3x8x4xf32>, tensor<3x5x8x4xf32>) {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<8x1x16xf32>) -> tensor<16x8x1xf32>
  %1 = stablehlo.transpose %z, dims = [1, 0] : (tensor<0x4xf32>) -> tensor<4x0xf32>
  %2 = stablehlo.transpose %s, dims = [] : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %a, dims = [0, 1, 3] : (tensor<8x1x16xf32>) -> tensor<8x7x5x16xf32>
  %4 = stablehlo.broadcast_in_dim %a, dims = [2, 0, 1] : (tensor<8x1x16xf32>) -> tensor<1x16x8xf32>
  %5 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x7xf32>
  %6 = stablehlo.broadcast_in_dim %m, dims = [1, 2] : (tensor<8x4xf32>) -> tensor<3x8x4xf32>
  %7 = stablehlo.broadcast %m, sizes = [3, 5] : (tensor<8x4xf32>) -> tensor<3x5x8x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<16x8x1xf32>, tensor<4x0xf32>, tensor<f32>, tensor<8x7x5x16xf32>, tensor<1x16x8xf32>,
        tensor<8x7xf32>, tensor<3x8x4xf32>, tensor<3x5x8x4xf32>
}
