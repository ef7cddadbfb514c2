// Scatters: known and unknown combiners, batching dims, windows, several inputs.
func.func public @main(%t: tensor<1000x64xf32>, %i: tensor<8x128x1xi32>, %u: tensor<8x128x64xf32>, %m: tensor<8x4x16xf32>, %ib: tensor<8x5x1xi32>, %ub: tensor<8x5x16xf32>, %ix2: tensor<5x2xi32>, %uw: tensor<5x2x1x16xf32>)
    -> (tensor<1000x64xf32>, tensor<1000x64xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>,
        tensor<1000x64xf32>, tensor<1000x64xf32>, tensor<1xi32>, tensor<64xf32>, tensor<1000x64xf32>,
        tensor<5x8xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<1000x64xi32>,
        tensor<8x128x64xi32>, tensor<1000x64xi32>, tensor<1000x64xi32>, tensor<1000x64xi32>,
        tensor<1000x64xi32>, tensor<1000x64xi32>, tensor<1000x64xi32>) {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %k = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %k : tensor<f32> }) : (tensor<1000x64xf32>, tensor<8x128x1xi32>, tensor<8x128x64xf32>) -> tensor<1000x64xf32>
  %1 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32> }) : (tensor<1000x64xf32>, tensor<8x128x1xi32>, tensor<8x128x64xf32>) -> tensor<1000x64xf32>
  %2 = "stablehlo.scatter"(%m, %ib, %ub) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %k = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %k : tensor<f32> }) : (tensor<8x4x16xf32>, tensor<8x5x1xi32>, tensor<8x5x16xf32>) -> tensor<8x4x16xf32>
  %3 = "stablehlo.scatter"(%m, %ix2, %uw) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %k = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %k : tensor<f32> }) : (tensor<8x4x16xf32>, tensor<5x2xi32>, tensor<5x2x1x16xf32>) -> tensor<8x4x16xf32>
  %4:2 = "stablehlo.scatter"(%t, %t, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>, %x2: tensor<f32>, %y2: tensor<f32>):
    %k = stablehlo.add %x, %x2 : tensor<f32>
    %k2 = stablehlo.add %y, %y2 : tensor<f32>
    stablehlo.return %k, %k2 : tensor<f32>, tensor<f32> }) : (tensor<1000x64xf32>, tensor<1000x64xf32>, tensor<8x128x1xi32>, tensor<8x128x64xf32>, tensor<8x128x64xf32>) -> (tensor<1000x64xf32>, tensor<1000x64xf32>)
  %one = stablehlo.constant dense<0> : tensor<1xi32>
  %row = stablehlo.constant dense<0.0> : tensor<64xf32>
  %5 = "stablehlo.scatter"(%t, %one, %row) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32> }) : (tensor<1000x64xf32>, tensor<1xi32>, tensor<64xf32>) -> tensor<1000x64xf32>
  %half = stablehlo.constant dense<0.0> : tensor<5x8xf32>
  %6 = "stablehlo.scatter"(%m, %ix2, %half) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %k = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %k : tensor<f32> }) : (tensor<8x4x16xf32>, tensor<5x2xi32>, tensor<5x8xf32>) -> tensor<8x4x16xf32>
  %7 = "stablehlo.scatter"(%m, %ix2, %half) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %k = stablehlo.divide %x, %y : tensor<f32>
    stablehlo.return %k : tensor<f32> }) : (tensor<8x4x16xf32>, tensor<5x2xi32>, tensor<5x8xf32>) -> tensor<8x4x16xf32>
  %ti = stablehlo.constant dense<0> : tensor<1000x64xi32>
  %ui = stablehlo.constant dense<0> : tensor<8x128x64xi32>
  %20 = "stablehlo.scatter"(%ti, %i, %ui) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %k = stablehlo.multiply %x, %y : tensor<i32>
    stablehlo.return %k : tensor<i32> }) : (tensor<1000x64xi32>, tensor<8x128x1xi32>, tensor<8x128x64xi32>) -> tensor<1000x64xi32>
  %21 = "stablehlo.scatter"(%ti, %i, %ui) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %k = stablehlo.minimum %x, %y : tensor<i32>
    stablehlo.return %k : tensor<i32> }) : (tensor<1000x64xi32>, tensor<8x128x1xi32>, tensor<8x128x64xi32>) -> tensor<1000x64xi32>
  %22 = "stablehlo.scatter"(%ti, %i, %ui) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %k = stablehlo.and %x, %y : tensor<i32>
    stablehlo.return %k : tensor<i32> }) : (tensor<1000x64xi32>, tensor<8x128x1xi32>, tensor<8x128x64xi32>) -> tensor<1000x64xi32>
  %23 = "stablehlo.scatter"(%ti, %i, %ui) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %k = stablehlo.or %x, %y : tensor<i32>
    stablehlo.return %k : tensor<i32> }) : (tensor<1000x64xi32>, tensor<8x128x1xi32>, tensor<8x128x64xi32>) -> tensor<1000x64xi32>
  %24 = "stablehlo.scatter"(%ti, %i, %ui) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %k = stablehlo.xor %x, %y : tensor<i32>
    stablehlo.return %k : tensor<i32> }) : (tensor<1000x64xi32>, tensor<8x128x1xi32>, tensor<8x128x64xi32>) -> tensor<1000x64xi32>
  %25 = "stablehlo.scatter"(%ti, %i, %ui) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
   ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %k = stablehlo.subtract %x, %y : tensor<i32>
    stablehlo.return %k : tensor<i32> }) : (tensor<1000x64xi32>, tensor<8x128x1xi32>, tensor<8x128x64xi32>) -> tensor<1000x64xi32>
  return %0, %1, %2, %3, %4#0, %4#1, %one, %row, %5, %half, %6, %7, %ti, %ui, %20, %21, %22, %23, %24,
      %25
      : tensor<1000x64xf32>, tensor<1000x64xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>,
        tensor<1000x64xf32>, tensor<1000x64xf32>, tensor<1xi32>, tensor<64xf32>, tensor<1000x64xf32>,
        tensor<5x8xf32>, tensor<8x4x16xf32>, tensor<8x4x16xf32>, tensor<1000x64xi32>,
        tensor<8x128x64xi32>, tensor<1000x64xi32>, tensor<1000x64xi32>, tensor<1000x64xi32>,
        tensor<1000x64xi32>, tensor<1000x64xi32>, tensor<1000x64xi32>
}
