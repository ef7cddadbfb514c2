// Verifiers of ops whose shapes are operands.
// RUN: shardwright-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: tensor<1x3xi64>, %s: tensor<3x1xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op output_dimensions has rank 2, expected 1}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [2, 1] : (tensor<1x3xi64>, tensor<3x1xi64>) -> tensor<2x3x2xi64>
  return
}

// -----

func.func @f(%a: tensor<1x3xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op operand dimension 1 has size 3, expected 1 or 2}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [2, 0] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return
}

// -----

func.func @f(%s: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_iota' op iota_dimension 2 is out of range for rank 2}}
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi64>) -> tensor<?x?xi64>
  return
}

// -----

func.func @f(%a: tensor<2x3xi64>, %v: tensor<i64>, %p: tensor<2xi64>, %q: tensor<3xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_pad' op dimension 0 of interior_padding has size 3, expected 2}}
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %q : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<3xi64>) -> tensor<?x?xi64>
  return
}

// -----

func.func @f(%a: tensor<2x3xi64>, %s: tensor<2xi64>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op dimension 0 of output_shape has size 2, expected 1}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @f(%a: tensor<256x?xf32>, %i: tensor<2xindex>) {
  // expected-error@+1 {{'stablehlo.real_dynamic_slice' op result has rank 1, expected 2}}
  %0 = stablehlo.real_dynamic_slice %a, %i, %i, %i : (tensor<256x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<4x?xf32>) {
  // expected-error@+1 {{'stablehlo.get_dimension_size' op dimension 2 is out of range for rank 2}}
  %0 = stablehlo.get_dimension_size %a, dim = 2 : (tensor<4x?xf32>) -> tensor<i32>
  return
}

// -----

func.func @f(%a: tensor<4x2xf32>, %n: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.set_dimension_size' op dimension 0 of result has size 5, expected 4}}
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<4x2xf32>, tensor<i32>) -> tensor<5x?xf32>
  return
}

// -----

// expected-error@+1 {{1 bounds for a tensor of rank 2}}
func.func private @f(tensor<2x?xf32, #stablehlo.bounds<4>>)

// -----

// expected-error@+1 {{dimension 0 has size 2 and therefore no bound, got 4}}
func.func private @f(tensor<2x?xf32, #stablehlo.bounds<4, 5>>)
