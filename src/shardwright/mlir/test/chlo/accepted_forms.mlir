// Text that is read in more ways than it is printed.
// RUN: shardwright-opt --allow-unregistered-dialect %s | FileCheck %s

// CHECK-LABEL: func @ragged_dot
func.func @ragged_dot(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  // CHECK: #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<rhs_group_dimensions = [0], lhs_batching_dimensions = [], lhs_ragged_dimensions = [0], rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1],>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// CHECK-LABEL: func @top_k
func.func @top_k(%arg0: tensor<8xf32>) {
  // CHECK: %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<8xf32>
  %0:2 = chlo.top_k(%arg0, k = 2, is_stable = true) : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi32>)
  // CHECK: chlo.top_k(%arg0, k = 2, is_stable = false) {note}
  %1:2 = chlo.top_k(%arg0, k = 2) {is_stable = false, note} : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func @scan
func.func @scan(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // CHECK: %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  attributes {is_reverse = true, note} {
  // CHECK-NEXT: ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
  // CHECK-NEXT: "test.return"(%input, %carry)
  // CHECK-NEXT: } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  %0:2 = "chlo.scan"(%arg0, %arg1) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    "test.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) {note} : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}
