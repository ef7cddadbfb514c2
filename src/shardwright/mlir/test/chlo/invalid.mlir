// Ops and attributes that are wrong.
// RUN: shardwright-opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.tan' op all non-scalar operands/results must have the same shape and base type}}
  %0 = chlo.tan %arg0 : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.tan' op has different element types in 'tensor<8xf32>' and 'tensor<8xf64>'}}
  %0 = chlo.tan %arg0 : tensor<8xf32> -> tensor<8xf64>
  return
}

// -----

func.func @f(%arg0: tensor<8xi32>) {
  // expected-error@+1 {{'chlo.erf' op operand #0 must be tensor of float of 4 to 64 bits values, but got 'tensor<8xi32>'}}
  %0 = chlo.erf %arg0 : tensor<8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.is_inf' op all non-scalar operands/results must have the same shape and base type}}
  %0 = chlo.is_inf %arg0 : tensor<8xf32> -> tensor<4xi1>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo._asin_acos_kernel' op operand #0 must be tensor of complex of f32 or f64 values, but got 'tensor<8xf32>'}}
  %0 = chlo._asin_acos_kernel %arg0 : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.zeta' op has incompatible shapes 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0 = chlo.zeta %arg0, %arg1 : tensor<8xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<*xi32>) {
  // expected-error@+1 {{'chlo.mulhi' op operand #0 must be ranked tensor of integer of 2 to 64 bits values, but got 'tensor<*xi32>'}}
  %0 = "chlo.mulhi"(%arg0, %arg0) : (tensor<*xi32>, tensor<*xi32>) -> tensor<*xi32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op operands 'tensor<8x4xf32>' and 'tensor<8xf32>' do not broadcast}}
  %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op has broadcast dimension 2 outside [0, 2)}}
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 2>} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op has broadcast dimension -1 outside [0, 2)}}
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: -1>} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op has 2 broadcast_dimensions for an operand of rank 1}}
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 0, 1>} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op operands broadcast to 'tensor<8xf32>', but its result is 'tensor<4xf32>'}}
  %0 = chlo.broadcast_add %arg0, %arg0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op has different element types in 'tensor<8xf32>' and 'tensor<8xf64>'}}
  %0 = chlo.broadcast_add %arg0, %arg0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf64>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf64>) {
  // expected-error@+1 {{'chlo.broadcast_compare' op has different element types in 'tensor<8xf32>' and 'tensor<8xf64>'}}
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<8xf32>, tensor<8xf64>) -> tensor<8xi1>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+2 {{expected ::shardwright::chlo::ComparisonDirection to be one of: EQ, NE, GE, GT, LE, LT}}
  // expected-error@+1 {{failed to parse Chlo_ComparisonDirectionAttr parameter 'value' which is to be a `::shardwright::chlo::ComparisonDirection`}}
  %0 = chlo.broadcast_compare %arg0, %arg0 {comparison_direction = #chlo<comparison_direction XX>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_complex' op makes elements of 'complex<f32>', but its result is 'tensor<8xcomplex<f64>>'}}
  %0 = chlo.broadcast_complex %arg0, %arg0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xcomplex<f64>>
  return
}

// -----

func.func @f(%arg0: tensor<4xi1>, %arg1: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.broadcast_select' op operand 'tensor<8xf32>' does not broadcast with those before}}
  %0 = chlo.broadcast_select %arg0, %arg1, %arg1 : (tensor<4xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.constant_like' op value has type 'i32', but the result holds 'f32'}}
  %0 = "chlo.constant_like"(%arg0) <{value = 1 : i32}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.top_k' op k is 9, but the last dim has size 8}}
  %0:2 = chlo.top_k(%arg0, k = 9) : tensor<8xf32> -> (tensor<9xf32>, tensor<9xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.top_k' op k must not be negative, got -1}}
  %0:2 = chlo.top_k(%arg0, k = -1) : tensor<8xf32> -> (tensor<9xf32>, tensor<9xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<f32>) {
  // expected-error@+1 {{'chlo.top_k' op needs a last dim, got 'tensor<f32>'}}
  %0:2 = chlo.top_k(%arg0, k = 1) : tensor<f32> -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.top_k' op the 2 largest of 'tensor<8xf32>' cannot be 'tensor<3xf32>'}}
  %0:2 = chlo.top_k(%arg0, k = 2) : tensor<8xf32> -> (tensor<3xf32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.top_k' op values of 'tensor<8xf32>' cannot be 'tensor<2xf64>'}}
  %0:2 = chlo.top_k(%arg0, k = 2) : tensor<8xf32> -> (tensor<2xf64>, tensor<2xi32>)
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'chlo.top_k' op indices must be i32, got 'tensor<2xi64>'}}
  %0:2 = chlo.top_k(%arg0, k = 2) : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op needs one ragged dim of lhs, got 0}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op lhs dim 5 is not in [0, 2)}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [5], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op lhs dim -1 is not in [0, 2)}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [-1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op rhs dim 0 has two roles}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op has 1 contracting dims of lhs and 2 of rhs}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1, 2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op contracting dims 1 of lhs and 2 of rhs have sizes 5 and 7}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op needs 1 group dims of rhs for ragged dim 0, got 0}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<4xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op group dim of rhs has size 3, but there are 4 group sizes}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<i64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op group_sizes needs at least one dim}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<i64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{'chlo.ragged_dot' op result should have the shape of 'tensor<11x7xf32>', got 'tensor<11x8xf32>'}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{unknown list 'foo' in a ragged dot}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<foo = [1]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // expected-error@+1 {{list 'lhs_ragged_dimensions' comes twice in a ragged dot}}
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_ragged_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op input 0 of type 'tensor<8x4xf32>' has no dim 2}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=2 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=-1 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op has 2 operands, but its body takes 1}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 {
  ^bb0(%a: tensor<4xf32>):
    "test.return"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op argument 0 of the body should be 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=1 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op has 2 results, but its body returns 1}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a) : (tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op output 0 is scanned over 7 steps, others over 8}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<7x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op needs an input or an output}}
  %0:1 = chlo.scan() inits (%arg1) dimension=0 {
  ^bb0(%a: tensor<4xf32>):
    "test.return"(%a) : (tensor<4xf32>) -> ()
  } : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  // expected-error@+1 {{custom op 'chlo.scan' has 1 inputs and 1 inits, but 1 operand types}}
  } : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  %0:1 = chlo.scan(%arg0) inits (%arg1, %arg1) dimension=0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  // expected-error@+1 {{custom op 'chlo.scan' carries 2 values, but has 1 results}}
  } : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'chlo.scan' attribute 'is_reverse' failed to satisfy constraint: bool attribute}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 attributes {is_reverse = 3 : i64} {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'chlo.scan' 'dimension' must not be in the attributes}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 attributes {dimension = 1 : i64} {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.scan' op input 0 is scanned over 8 steps, others over 3}}
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 attributes {scan_dim_size = 3 : i64} {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}
