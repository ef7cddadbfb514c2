// Verifiers of reductions, windows, sorts, gathers and scatters.
// RUN: shardwright-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op dimension 0 of result 0 has size 8, expected 4}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op dimensions holds dimension 2, which is out of range for rank 2}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op dimensions holds dimension 1 twice}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<1xf32>) {
  // expected-error@+1 {{'stablehlo.reduce' op initial value 0 has rank 1, expected 0}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x9xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op dimension 1 of input 1 has size 9, expected 8}}
  %0:2 = stablehlo.reduce(%a init: %z), (%b init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x9xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%v: tensor<f32>, %w: tensor<f32>) {
    stablehlo.return %x, %v : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op body returns 2 values, expected 1}}
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>, %b: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.reduce' op value 0 that body returns has type 'tensor<i32>', expected 'tensor<f32>'}}
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %b : tensor<i32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op argument 0 of body has type 'tensor<4xf32>', expected a tensor of rank 0}}
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<4xf32>, %y: tensor<f32>) {
    stablehlo.return %y : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{empty block: expect at least a terminator}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0:
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op body takes 1 arguments, expected 2}}
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.reduce' op expected at least one input}}
  "stablehlo.reduce"() <{dimensions = array<i64: 1>}> ({
  ^bb0:
    stablehlo.return
  }) : () -> ()
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op has 3 operands, expected as many initial values as inputs}}
  %0 = "stablehlo.reduce"(%a, %z, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op window_dimensions has 1 entries, expected 2}}
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op window_strides of dimension 1 is 0, expected at least 1}}
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<3x7xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op padding has the shape [2], expected [2, 2]}}
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 2>, padding = dense<0> : tensor<2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<3x7xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op dimension 0 of result 0 has size 4, expected 3}}
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op window of dimension 0 exceeds 64 bits}}
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 9223372036854775807, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<3x7xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %s: tensor<2x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op select must return one tensor<i1>}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %s: tensor<3x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op dimension 0 of source has size 3, expected 2}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<3x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op dimension 2 is out of range for rank 2}}
  %0 = "stablehlo.sort"(%a) <{dimension = 2 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.sort' op comparator must return one tensor<i1>}}
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.map' op dimensions must be all in order, got 1 at 0}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.map' op computation takes 2 arguments, expected 1}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op slice size 65 of dimension 1 does not fit into the operand's size 64}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 65>}> : (tensor<128x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x65xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op slice size 2 of dimension 0, which the result does not have, exceeds 1}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 2, 64>}> : (tensor<128x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op start_index_map holds dimension 2, which is out of range for rank 2}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<128x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op start_index_map has 2 entries, but an index has 1 components}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<128x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op index_vector_dim 4 is out of range for rank 4}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 4>, slice_sizes = array<i64: 1, 64>}> : (tensor<128x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x64xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op offset_dims has 2 entries, expected 2 less the 1 dimensions that windows do not have}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<128x64xf32>, tensor<4x16x1xi32>) -> tensor<4x16x64x1xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op dimension 1 of result has size 17, expected 16}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 64>}> : (tensor<128x64xf32>, tensor<4x16x1xi32>) -> tensor<4x17x64xf32>
  return
}

// -----

func.func @f(%a: tensor<2x64xf32>, %i: tensor<3x16x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op batching dimension 0 of the operand has size 2, but dimension 0 of the indices has size 3}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], operand_batching_dims = [0], collapsed_slice_dims = [1], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x64xf32>, tensor<3x16x1xi32>) -> tensor<3x16xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>, %u: tensor<4x16x65xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op window dimension 2 of update 0 has size 65, which exceeds the input's size 64}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<128x64xf32>, tensor<4x16x1xi32>, tensor<4x16x65xf32>) -> tensor<128x64xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>, %u: tensor<4x16x64xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op update_window_dims has 1 entries, expected 2 less the 2 dimensions that windows do not have}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<128x64xf32>, tensor<4x16x1xi32>, tensor<4x16x64xf32>) -> tensor<128x64xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>, %u: tensor<4x16x64xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op update_computation takes 1 arguments, expected 2}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<128x64xf32>, tensor<4x16x1xi32>, tensor<4x16x64xf32>) -> tensor<128x64xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %i: tensor<4x16x1xi32>, %u: tensor<4x16xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op update 0 has rank 2, expected 3}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<128x64xf32>, tensor<4x16x1xi32>, tensor<4x16xf32>) -> tensor<128x64xf32>
  return
}
