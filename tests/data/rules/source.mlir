// Values from nothing: constants, iotas, random numbers, sizes.
func.func public @main(%m: tensor<8x4xf32>, %lo: tensor<f32>, %state: tensor<2xui64>)
    -> (tensor<8x16xf32>, tensor<2x2xf32>, tensor<i32>, tensor<8x16xi32>, tensor<2xi64>,
        tensor<8x7xf32>, tensor<2xui64>, tensor<8x7xui32>, tensor<i32>, tensor<ui32>, tensor<ui32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<8x16xf32>
  %1 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %2 = stablehlo.constant dense<1> : tensor<i32>
  %3 = stablehlo.iota dim = 1 : tensor<8x16xi32>
  %4 = stablehlo.constant dense<[8, 7]> : tensor<2xi64>
  %5 = stablehlo.rng %lo, %lo, %4, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x7xf32>
  %6, %7 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x7xui32>)
  %8 = stablehlo.get_dimension_size %m, dim = 0 : (tensor<8x4xf32>) -> tensor<i32>
  %9 = stablehlo.partition_id : tensor<ui32>
  %10 = stablehlo.replica_id : tensor<ui32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
      : tensor<8x16xf32>, tensor<2x2xf32>, tensor<i32>, tensor<8x16xi32>, tensor<2xi64>,
        tensor<8x7xf32>, tensor<2xui64>, tensor<8x7xui32>, tensor<i32>, tensor<ui32>, tensor<ui32>
}
