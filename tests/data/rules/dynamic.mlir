// Ops whose shape is an operand, where the type says it all the same.
func.func public @main(%x: tensor<8x32xf32>, %t: tensor<1000x64xf32>, %i: tensor<8x128x1xi32>, %two: tensor<2xi32>, %v: tensor<32xf32>, %s: tensor<f32>)
    -> (tensor<8x32xi32>, tensor<16x16xf32>, tensor<8x32xf32>, tensor<8x16xf32>, tensor<2xi32>,
        tensor<8x128x64xf32>, tensor<8x32xf32>) {
  %0 = stablehlo.dynamic_iota %two, dim = 0 : (tensor<2xi32>) -> tensor<8x32xi32>
  %1 = stablehlo.dynamic_reshape %x, %two : (tensor<8x32xf32>, tensor<2xi32>) -> tensor<16x16xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %v, %two, dims = [1] : (tensor<32xf32>, tensor<2xi32>) -> tensor<8x32xf32>
  %3 = stablehlo.real_dynamic_slice %x, %two, %two, %two : (tensor<8x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x16xf32>
  %sizes = stablehlo.constant dense<[1, 64]> : tensor<2xi32>
  %4 = "stablehlo.dynamic_gather"(%t, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>}> : (tensor<1000x64xf32>, tensor<8x128x1xi32>, tensor<2xi32>) -> tensor<8x128x64xf32>
  %5 = stablehlo.dynamic_pad %x, %s, %two, %two, %two : (tensor<8x32xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x32xf32>
  return %0, %1, %2, %3, %sizes, %4, %5
      : tensor<8x32xi32>, tensor<16x16xf32>, tensor<8x32xf32>, tensor<8x16xf32>, tensor<2xi32>,
        tensor<8x128x64xf32>, tensor<8x32xf32>
}
