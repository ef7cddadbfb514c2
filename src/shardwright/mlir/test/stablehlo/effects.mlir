// What --cse and --canonicalize may remove or merge.
// RUN: shardwright-opt --cse %s | FileCheck %s
// RUN: shardwright-opt --canonicalize %s | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @pure
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 : tensor<4xf32>
// CHECK-NEXT: return %0, %0
// CANON-LABEL: func.func @pure
func.func @pure(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<4xf32>
  %1 = stablehlo.tanh %arg0 : tensor<4xf32>
  %2 = stablehlo.add %arg0, %0 : tensor<4xf32>
  %3 = stablehlo.iota dim = 0 : tensor<4xf32>
  %4 = stablehlo.partition_id : tensor<ui32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Two draws of random numbers differ, and a collective must be met by all devices.
// CHECK-LABEL: func.func @impure
// CHECK-NEXT: stablehlo.rng
// CHECK-NEXT: stablehlo.rng
// CHECK-NEXT: stablehlo.collective_permute
// CHECK-NEXT: stablehlo.all_gather
// CHECK-NEXT: stablehlo.custom_call @effect
// CHECK-NEXT: return
func.func @impure(%arg0: tensor<f32>, %arg1: tensor<1xi64>, %arg2: tensor<4xf32>) {
  %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %1 = stablehlo.rng %arg0, %arg0, %arg1, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %2 = "stablehlo.collective_permute"(%arg2) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  %4 = stablehlo.custom_call @no_effect(%arg2) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.custom_call @effect(%arg2) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// An op with regions has the effects of what is in them.
// CHECK-LABEL: func.func @regions
// CHECK-NEXT: "stablehlo.if"(%arg0) ({
// CHECK-NEXT: stablehlo.custom_call @effect
// CHECK-NOT: stablehlo.reduce
// CHECK: return
// CHECK-NEXT: }
func.func @regions(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) {
  "stablehlo.if"(%arg0) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  "stablehlo.if"(%arg0) ({
    stablehlo.custom_call @effect() {has_side_effect = true} : () -> ()
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  %0 = stablehlo.reduce(%arg1 init: %arg2) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// Equal constants become one, which keeps its name; a commutative op has its constant on the right.
// CANON-LABEL: func.func @constants
// CANON-NEXT: %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
// CANON-NEXT: %0 = stablehlo.add %arg0, %cst : tensor<4xf32>
// CANON-NEXT: %1 = stablehlo.subtract %cst, %0 : tensor<4xf32>
// CANON-NEXT: return %1
func.func @constants(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %1 = stablehlo.add %0, %arg0 : tensor<4xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %3 = stablehlo.subtract %2, %1 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
