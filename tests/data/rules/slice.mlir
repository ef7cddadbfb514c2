// Parts of dims: slices, updates, concatenations, paddings, reversals.
func.func public @main(%a: tensor<8x4x16xf32>, %s: tensor<f32>, %i: tensor<i32>, %m: tensor<8x4xf32>, %n: tensor<2x4xf32>, %one: tensor<1x4xf32>, %z: tensor<0x4xf32>)
    -> (tensor<8x2x16xf32>, tensor<4x4x1xf32>, tensor<8x4x16xf32>, tensor<0x4xf32>, tensor<2x4xf32>,
        tensor<1x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>,
        tensor<10x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<2x4xf32>, tensor<8x4xf32>,
        tensor<8x7xf32>, tensor<15x4xf32>, tensor<2x4xf32>, tensor<8x4xf32>, tensor<8x4x16xf32>,
        tensor<1x4xf32>) {
  %0 = stablehlo.slice %a [0:8, 0:2, 0:16] : (tensor<8x4x16xf32>) -> tensor<8x2x16xf32>
  %1 = stablehlo.slice %a [0:8:2, 0:4, 3:4] : (tensor<8x4x16xf32>) -> tensor<4x4x1xf32>
  %2 = stablehlo.slice %a [0:8, 0:4, 0:16] : (tensor<8x4x16xf32>) -> tensor<8x4x16xf32>
  %3 = stablehlo.slice %m [3:3, 0:4] : (tensor<8x4xf32>) -> tensor<0x4xf32>
  %4 = stablehlo.dynamic_slice %m, %i, %i, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %5 = stablehlo.dynamic_slice %m, %i, %i, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %6 = stablehlo.dynamic_slice %m, %i, %i, sizes = [8, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %7 = stablehlo.dynamic_update_slice %m, %n, %i, %i : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %8 = stablehlo.dynamic_update_slice %m, %one, %i, %i : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %9 = stablehlo.dynamic_update_slice %m, %m, %i, %i : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %10 = stablehlo.concatenate %m, %n, dim = 0 : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
  %11 = stablehlo.concatenate %m, %m, dim = 1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %12 = stablehlo.concatenate %m, dim = 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %13 = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %14 = stablehlo.concatenate %m, %z, dim = 0 : (tensor<8x4xf32>, tensor<0x4xf32>) -> tensor<8x4xf32>
  %15 = stablehlo.pad %m, %s, low = [0, 1], high = [0, 2], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x7xf32>
  %16 = stablehlo.pad %m, %s, low = [0, -1], high = [0, 1], interior = [1, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<15x4xf32>
  %17 = stablehlo.pad %m, %s, low = [0, 0], high = [-6, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %18 = stablehlo.pad %m, %s, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %19 = stablehlo.reverse %a, dims = [0] : tensor<8x4x16xf32>
  %20 = stablehlo.reverse %one, dims = [0, 1] : tensor<1x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20
      : tensor<8x2x16xf32>, tensor<4x4x1xf32>, tensor<8x4x16xf32>, tensor<0x4xf32>, tensor<2x4xf32>,
        tensor<1x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>,
        tensor<10x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<2x4xf32>, tensor<8x4xf32>,
        tensor<8x7xf32>, tensor<15x4xf32>, tensor<2x4xf32>, tensor<8x4xf32>, tensor<8x4x16xf32>,
        tensor<1x4xf32>
}
