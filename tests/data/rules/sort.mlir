// Sorts of one and of several operands, along the last dim and another.
func.func public @main(%m: tensor<8x4xf32>, %i: tensor<8x4xi32>)
    -> (tensor<8x4xf32>, tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0:2 = "stablehlo.sort"(%m, %i) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<i32>, %w: tensor<i32>):
      %k = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %k : tensor<i1>
    }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  %1 = "stablehlo.sort"(%m) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %k : tensor<i1>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = "stablehlo.sort"(%m) <{dimension = -1 : i64, is_stable = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %k : tensor<i1>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0#0, %0#1, %1, %2
      : tensor<8x4xf32>, tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xf32>
}
