// Every op is pure, but for a scan whose body is not.
// RUN: shardwright-opt --cse --allow-unregistered-dialect %s | FileCheck %s

// CHECK-LABEL: func @unused
func.func @unused(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) {
  // CHECK-NEXT: chlo.scan
  // CHECK: test.effect
  %0 = chlo.tan %arg0 : tensor<8x4xf32> -> tensor<8x4xf32>
  %1 = chlo.broadcast_add %arg0, %arg1 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %2:2 = chlo.top_k(%arg1, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %3 = chlo.constant dense<1.0> : tensor<8xf32>
  %4 = "chlo.constant_like"(%arg0) <{value = 1.0 : f32}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %5 = chlo.scan(%arg0) inits (%arg1) dimension=0 {
  ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
    "test.effect"() : () -> ()
    "test.return"(%carry) : (tensor<4xf32>) -> ()
  } : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @twice
func.func @twice(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: %[[TAN:.*]] = chlo.tan
  // CHECK-NEXT: "test.use"(%[[TAN]], %[[TAN]])
  %0 = chlo.tan %arg0 : tensor<8xf32> -> tensor<8xf32>
  %1 = chlo.tan %arg0 : tensor<8xf32> -> tensor<8xf32>
  "test.use"(%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}
