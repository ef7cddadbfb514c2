module {
  func.func @constants(%arg0: tensor<4x?xf32>, %arg1: tensor<4xi32>) {
    %0 = chlo.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = chlo.constant {note = "kept"} dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %2 = "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<4x?xf32>) -> tensor<4x?xf32>
    %3 = "chlo.constant_like"(%arg1) <{value = 0xFF800000 : f32}> {note} : (tensor<4xi32>) -> tensor<4xf32>
    %4 = "chlo.constant_like"(%arg1) <{value = true}> : (tensor<4xi32>) -> tensor<4xi1>
    return
  }
  func.func @top_k(%arg0: tensor<8x16xf32>, %arg1: tensor<?xi32>) {
    %values, %indices = chlo.top_k(%arg0, k = 4) : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg1, k = 0) {note} : tensor<?xi32> -> (tensor<0xi32>, tensor<0xi32>)
    return
  }
  func.func @ragged_dot(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>, %arg3: tensor<5x7xbf16>, %arg4: tensor<2x11x5xf32>, %arg5: tensor<2x5x7xf32>, %arg6: tensor<11x5xbf16>) {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
    %1 = "chlo.ragged_dot"(%arg6, %arg3, %arg2) <{precision_config = [#chlo<precision HIGHEST>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}> {note} : (tensor<11x5xbf16>, tensor<5x7xbf16>, tensor<3xi64>) -> tensor<3x11x7xf32>
    %2 = "chlo.ragged_dot"(%arg4, %arg5, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<2x11x5xf32>, tensor<2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
    return
  }
}
