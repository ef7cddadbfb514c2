// Verifiers of elementwise ops.
// RUN: shardwright-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.add' op dimension 0 of operand 1 has size 5, but that of operand 0 has size 4}}
  %0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4x1xf32>) {
  // expected-error@+1 {{'stablehlo.add' op operand 1 has rank 2, but operand 0 has rank 1}}
  %0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.add' op operand 1 has element type 'i32', but operand 0 has 'f32'}}
  %0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op dimension 0 of result 0 has size 8, but that of operand 0 has size 4}}
  %0 = stablehlo.tanh %a : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: vector<4xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op operand #0 must be ranked tensor of float, complex, or quantized values, but got 'vector<4xf32>'}}
  %0 = stablehlo.tanh %a : vector<4xf32>
  return
}

// -----

func.func @f(%a: tensor<*xf32>) {
  // expected-error@+1 {{'stablehlo.abs' op operand #0 must be ranked tensor of float, integer, complex, or quantized values, but got 'tensor<*xf32>'}}
  %0 = stablehlo.abs %a : tensor<*xf32>
  return
}

// -----

func.func @f(%a: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.tanh' op operand #0 must be ranked tensor of float, complex, or quantized values, but got 'tensor<4xi32>'}}
  %0 = stablehlo.tanh %a : tensor<4xi32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.and' op operand #0 must be ranked tensor of integer values, but got 'tensor<4xf32>'}}
  %0 = stablehlo.and %a, %a : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.abs' op result has element type 'complex<f32>', expected 'f32'}}
  %0 = stablehlo.abs %a : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.real' op result has element type 'f64', expected 'f32'}}
  %0 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.complex' op operand has element type 'f64', but the parts of the result have 'f32'}}
  %0 = stablehlo.complex %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.complex' op result has element type 'f32', expected complex}}
  %0 = stablehlo.complex %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.compare' op rhs has element type 'i32', but lhs has 'f32'}}
  %0 = stablehlo.compare LT, %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op result #0 must be ranked tensor of i1 values, but got 'tensor<4xf32>'}}
  %0 = stablehlo.compare LT, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.select' op dimension 0 of pred has size 3, expected 4}}
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.select' op dimension 0 of on_false has size 5, expected 4}}
  %0 = stablehlo.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<4xi32>, %a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.select' op operand #0 must be ranked tensor of i1 values, but got 'tensor<4xi32>'}}
  %0 = stablehlo.select %p, %a, %a : tensor<4xi32>, tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.clamp' op dimension 0 of min has size 5, expected 4}}
  %0 = stablehlo.clamp %b, %a, %a : (tensor<5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op exponent_bits is 0, expected at least 1}}
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 0 : i32, mantissa_bits = 7 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op mantissa_bits is -1, expected at least 0}}
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 1 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.tanh' 'stablehlo.tanh' op attribute 'result_accuracy' failed to satisfy constraint: accuracy of a result}}
  %0 = stablehlo.tanh %a {result_accuracy = 1 : i32} : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{tolerances are only allowed in mode TOLERANCE, not in mode HIGHEST}}
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{tolerances must not be negative}}
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}
