// Gathers: embedding lookups, batching dims, slices of every kind, index vectors in every place.
func.func public @main(%t: tensor<1000x64xf32>, %i: tensor<8x128x1xi32>, %i2: tensor<8x128xi32>, %m: tensor<8x4x16xf32>, %ib: tensor<8x5x1xi32>, %ix2: tensor<5x2xi32>, %isc: tensor<1xi32>)
    -> (tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x5x16xf32>, tensor<5x16xf32>,
        tensor<5x2x1x16xf32>, tensor<5x8xf32>, tensor<8x5x16xf32>, tensor<64xf32>,
        tensor<8x128x64xf32>, tensor<2x5xi32>, tensor<16x5xf32>, tensor<1x64xf32>,
        tensor<8x128x64xf32>, tensor<4x8x5x1xi32>, tensor<4x8x5xf32>) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<1000x64xf32>, tensor<8x128x1xi32>) -> tensor<8x128x64xf32>
  %1 = "stablehlo.gather"(%t, %i2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<1000x64xf32>, tensor<8x128xi32>) -> tensor<8x128x64xf32>
  // Batching dims.
  %2 = "stablehlo.gather"(%m, %ib) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 16>}> : (tensor<8x4x16xf32>, tensor<8x5x1xi32>) -> tensor<8x5x16xf32>
  // Two indexed dims.
  %3 = "stablehlo.gather"(%m, %ix2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 16>}> : (tensor<8x4x16xf32>, tensor<5x2xi32>) -> tensor<5x16xf32>
  // Slices that are not collapsed: a part, one element, a whole dim.
  %4 = "stablehlo.gather"(%m, %ix2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1, 16>}> : (tensor<8x4x16xf32>, tensor<5x2xi32>) -> tensor<5x2x1x16xf32>
  // A part of a dim that is not indexed.
  %5 = "stablehlo.gather"(%m, %ix2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<8x4x16xf32>, tensor<5x2xi32>) -> tensor<5x8xf32>
  // A collapsed dim that is not indexed.
  %6 = "stablehlo.gather"(%m, %ib) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 16>}> : (tensor<8x4x16xf32>, tensor<8x5x1xi32>) -> tensor<8x5x16xf32>
  %7 = "stablehlo.gather"(%t, %isc) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 64>}> : (tensor<1000x64xf32>, tensor<1xi32>) -> tensor<64xf32>
  // An indexed dim that is taken whole.
  %8 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<1000x64xf32>, tensor<8x128x1xi32>) -> tensor<8x128x64xf32>
  // The index vector first.
  %ivf = stablehlo.constant dense<0> : tensor<2x5xi32>
  %9 = "stablehlo.gather"(%m, %ivf) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 16>}> : (tensor<8x4x16xf32>, tensor<2x5xi32>) -> tensor<16x5xf32>
  %one = stablehlo.constant dense<0.0> : tensor<1x64xf32>
  %11 = "stablehlo.gather"(%one, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<1x64xf32>, tensor<8x128x1xi32>) -> tensor<8x128x64xf32>
  // Batching dims in different orders.
  %ib2 = stablehlo.constant dense<0> : tensor<4x8x5x1xi32>
  %13 = "stablehlo.gather"(%m, %ib2) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x4x16xf32>, tensor<4x8x5x1xi32>) -> tensor<4x8x5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %ivf, %9, %one, %11, %ib2, %13
      : tensor<8x128x64xf32>, tensor<8x128x64xf32>, tensor<8x5x16xf32>, tensor<5x16xf32>,
        tensor<5x2x1x16xf32>, tensor<5x8xf32>, tensor<8x5x16xf32>, tensor<64xf32>,
        tensor<8x128x64xf32>, tensor<2x5xi32>, tensor<16x5xf32>, tensor<1x64xf32>,
        tensor<8x128x64xf32>, tensor<4x8x5x1xi32>, tensor<4x8x5xf32>
}
