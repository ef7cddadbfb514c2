// Windows: pooling, running sums, dilations, strides, gradients of pooling.
func.func public @main(%m: tensor<8x4xf32>, %im: tensor<2x8x8x3xf32>, %s: tensor<f32>, %h: tensor<4x4xf32>, %g: tensor<3x4xf32>)
    -> (tensor<4x4xf32>, tensor<2x4x4x3xf32>, tensor<1x1xf32>, tensor<8x4xf32>, tensor<4x4xf32>,
        tensor<8x4xf32>, tensor<2x4x4x3xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<14x4xf32>,
        tensor<3x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>,
        tensor<8x4xf32>) {
  // Windows that tile the input.
  %0 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %1 = "stablehlo.reduce_window"(%im, %s) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<2x8x8x3xf32>, tensor<f32>) -> tensor<2x4x4x3xf32>
  %2 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 8, 4>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<1x1xf32>
  %3 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 1, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %4 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.subtract %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // A running sum.
  %5 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 8, 1>, padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  // Overlaps, gaps, dilations.
  %6 = "stablehlo.reduce_window"(%im, %s) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<2x8x8x3xf32>, tensor<f32>) -> tensor<2x4x4x3xf32>
  %7 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %8 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %9 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 2, 1>, base_dilations = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<14x4xf32>
  %10 = "stablehlo.reduce_window"(%m, %s) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>, window_dilations = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  // Two inputs at once.
  %11:2 = "stablehlo.reduce_window"(%m, %m, %s, %s) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %k = stablehlo.add %a, %c : tensor<f32>
      %l = stablehlo.add %b, %d : tensor<f32>
      stablehlo.return %k, %l : tensor<f32>, tensor<f32>
    }) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  // Gradients of max pooling: tiles, overlaps, the same size.
  %12 = "stablehlo.select_and_scatter"(%m, %h, %s) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %k : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %13 = "stablehlo.select_and_scatter"(%m, %g, %s) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %k : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %14 = "stablehlo.select_and_scatter"(%m, %m, %s) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %k : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %k = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11#0, %11#1, %12, %13, %14
      : tensor<4x4xf32>, tensor<2x4x4x3xf32>, tensor<1x1xf32>, tensor<8x4xf32>, tensor<4x4xf32>,
        tensor<8x4xf32>, tensor<2x4x4x3xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<14x4xf32>,
        tensor<3x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>,
        tensor<8x4xf32>
}
