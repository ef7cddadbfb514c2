// Verifiers of constants, iota, and ops that move elements.
// RUN: shardwright-opt %s -verify-diagnostics -split-input-file

func.func @f() {
  // expected-error@+1 {{'stablehlo.constant' op value has type 'tensor<4xf32>', but the result has 'tensor<5xf32>'}}
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<5xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.constant' op result must have a static shape, got 'tensor<?xf32>'}}
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<?xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.constant' op value has element type 'f32', but the result has 'f64'}}
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf64>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.iota' op iota_dimension 2 is out of range for rank 2}}
  %0 = stablehlo.iota dim = 2 : tensor<4x8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.iota' op iota_dimension -1 is out of range for rank 2}}
  %0 = stablehlo.iota dim = -1 : tensor<4x8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.iota' op iota_dimension 0 is out of range for rank 0}}
  %0 = stablehlo.iota dim = 0 : tensor<f32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.iota' op result must have a static shape, got 'tensor<?xf32>'}}
  %0 = stablehlo.iota dim = 0 : tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op dimension 1 of result has size 3, expected 2}}
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x3xf16>
  return
}

// -----

func.func @f(%a: tensor<f16>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op operand of rank 0 has too few bits}}
  %0 = stablehlo.bitcast_convert %a : (tensor<f16>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<4x3xf16>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op the last dimension of the operand has size 3, expected 2}}
  %0 = stablehlo.bitcast_convert %a : (tensor<4x3xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast' op dimension 0 of result has size 3, expected 2}}
  %0 = stablehlo.broadcast %a, sizes = [2] : (tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast' op broadcast_sizes holds the negative size -2}}
  %0 = stablehlo.broadcast %a, sizes = [-2] : (tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op operand dimension 0 has size 4, expected 1 or 3, the size of result dimension 1}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op broadcast_dimensions holds dimension 2, which is out of range for rank 2}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op broadcast_dimensions has 2 entries, expected 1}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op broadcast_dimensions holds dimension 1 twice}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'stablehlo.concatenate' op expected at least one input}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'stablehlo.concatenate' op dimension 1 of input 1 has size 4, expected 3}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.concatenate' op dimension 0 of result has size 5, expected 4}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.concatenate' op dimension 2 is out of range for rank 2}}
  %0 = stablehlo.concatenate %a, %a, dim = 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%a: tensor<9223372036854775807xf32>) {
  // expected-error@+1 {{'stablehlo.concatenate' op the size of dimension 0 of the result exceeds 64 bits}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op start_indices has 1 entries, expected 2}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op slice has size 9 in dimension 1, where the operand has 8}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 9] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op start index has rank 1, expected 0}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 8] : (tensor<4x8xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %u: tensor<5x8xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op update has size 5 in dimension 0, where the operand has 4}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x8xf32>, tensor<5x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %u: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op update has rank 1, expected 2}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x8xf32>, tensor<8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op range 0:5 of dimension 0 does not fit into its size 4}}
  %0 = stablehlo.slice %a [0:5, 0:8] : (tensor<4x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op range 3:1 of dimension 0 does not fit into its size 4}}
  %0 = stablehlo.slice %a [3:1, 0:8] : (tensor<4x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op strides of dimension 0 is 0, expected at least 1}}
  %0 = stablehlo.slice %a [0:4:0, 0:8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op dimension 0 of result has size 1, expected 2}}
  %0 = stablehlo.slice %a [0:4:3, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op start_indices has 1 entries, expected 2}}
  %0 = stablehlo.slice %a [0:4] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op dimension 1 of result has size 8, expected 9}}
  %0 = stablehlo.pad %a, %v, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op edge_padding_high has 1 entries, expected 2}}
  %0 = stablehlo.pad %a, %v, low = [0, 1], high = [2], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op dimension 0 of size 2 padded by -3, 0 and 0 has no valid size}}
  %0 = stablehlo.pad %a, %v, low = [-3, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op dimension 0 of size 2 padded by 9223372036854775807, 9223372036854775807 and 0 has no valid size}}
  %0 = stablehlo.pad %a, %v, low = [9223372036854775807, 0], high = [9223372036854775807, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.pad' op interior_padding of dimension 0 is -1, expected at least 0}}
  %0 = stablehlo.pad %a, %v, low = [0, 0], high = [0, 0], interior = [-1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{'stablehlo.pad' op padding_value has rank 1, expected 0}}
  %0 = stablehlo.pad %a, %v, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reshape' op operand has 6 elements, but the result has 7}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reshape' op result has element type 'f64', but operand has 'f32'}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf64>
  return
}

// -----

func.func @f(%a: tensor<4294967296x4294967296x4294967296xf32>) {
  // expected-error@+1 {{'stablehlo.reshape' op has more elements than 64 bits can count}}
  %0 = stablehlo.reshape %a : (tensor<4294967296x4294967296x4294967296xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reverse' op dimensions holds dimension 0 twice}}
  %0 = stablehlo.reverse %a, dims = [0, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.reverse' op dimensions holds dimension 2, which is out of range for rank 2}}
  %0 = stablehlo.reverse %a, dims = [2] : tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op permutation has 1 entries, expected 2}}
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op permutation holds dimension 1 twice}}
  %0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op dimension 0 of result has size 2, expected 3}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op permutation holds dimension 9223372036854775807, which is out of range for rank 2}}
  %0 = stablehlo.transpose %a, dims = [9223372036854775807, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
