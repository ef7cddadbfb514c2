// Reductions: known bodies, an unknown one, several inputs, argmax.
func.func public @main(%a: tensor<8x4x16xf32>, %m: tensor<8x4xf32>, %n: tensor<8x4xi32>, %p: tensor<8x4xi1>, %s: tensor<f32>, %i: tensor<i32>, %t: tensor<i1>)
    -> (tensor<4xf32>, tensor<8x16xf32>, tensor<f32>, tensor<8x4xf32>, tensor<4xi1>, tensor<4xi1>,
        tensor<4xi32>, tensor<8x4x16xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xi32>) {
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%a init: %s) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %2 = stablehlo.reduce(%a init: %s) applies stablehlo.minimum across dimensions = [0, 1, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.reduce(%a init: %s) applies stablehlo.multiply across dimensions = [2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x4xf32>
  %4 = stablehlo.reduce(%p init: %t) applies stablehlo.and across dimensions = [0] : (tensor<8x4xi1>, tensor<i1>) -> tensor<4xi1>
  %5 = stablehlo.reduce(%p init: %t) applies stablehlo.or across dimensions = [0] : (tensor<8x4xi1>, tensor<i1>) -> tensor<4xi1>
  %6 = stablehlo.reduce(%n init: %i) applies stablehlo.xor across dimensions = [0] : (tensor<8x4xi32>, tensor<i32>) -> tensor<4xi32>
  %7 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
  // A body that no collective has.
  %8 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    reducer(%x: tensor<f32>, %y: tensor<f32>) {
      %k = stablehlo.subtract %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }
  // Two sums at once.
  %9:2 = stablehlo.reduce(%m init: %s), (%m init: %s) across dimensions = [1] : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%u: tensor<f32>, %w: tensor<f32>) {
      %k = stablehlo.add %x, %y : tensor<f32>
      %l = stablehlo.add %u, %w : tensor<f32>
      stablehlo.return %k, %l : tensor<f32>, tensor<f32>
    }
  // Argmax, as JAX writes it.
  %10:2 = stablehlo.reduce(%m init: %s), (%n init: %i) across dimensions = [1] : (tensor<8x4xf32>, tensor<8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%u: tensor<i32>, %w: tensor<i32>) {
      %gt = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ne = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %or = stablehlo.or %gt, %ne : tensor<i1>
      %eq = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %u, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %and = stablehlo.and %eq, %lt : tensor<i1>
      %first = stablehlo.or %or, %and : tensor<i1>
      %k = stablehlo.select %or, %x, %y : tensor<i1>, tensor<f32>
      %l = stablehlo.select %first, %u, %w : tensor<i1>, tensor<i32>
      stablehlo.return %k, %l : tensor<f32>, tensor<i32>
    }
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9#0, %9#1, %10#0, %10#1
      : tensor<4xf32>, tensor<8x16xf32>, tensor<f32>, tensor<8x4xf32>, tensor<4xi1>, tensor<4xi1>,
        tensor<4xi32>, tensor<8x4x16xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xi32>
}
