// What --cse may remove or merge.
// RUN: shardwright-opt --cse --allow-unregistered-dialect %s | FileCheck %s
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func @unused
func.func @unused(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: sdy.sharding_constraint
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.sharding_group
  sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
  // CHECK-NEXT: sdy.all_gather
  %1 = sdy.all_gather [{}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.collective_permute
  %2 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // CHECK-NEXT: return
  %3 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %4 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
  %5 = sdy.constant dense<1.0> : tensor<8xf32>
  %6 = sdy.named_computation<"pure">(%arg0) (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %7 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func @twice
func.func @twice(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: %[[RESHARD:.*]] = sdy.reshard
  // CHECK-NEXT: %[[CONSTANT:.*]] = sdy.constant
  // CHECK-NEXT: "test.use"(%[[RESHARD]], %[[RESHARD]], %[[CONSTANT]], %[[CONSTANT]])
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.constant dense<1.0> : tensor<8xf32>
  %3 = sdy.constant dense<1.0> : tensor<8xf32>
  "test.use"(%0, %1, %2, %3) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  // CHECK: sdy.sharding_constraint
  // CHECK: sdy.sharding_constraint
  %4 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %5 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  return
}

// CHECK-LABEL: func @effects_inside
func.func @effects_inside(%arg0: tensor<8xf32>) {
  // CHECK: sdy.named_computation
  %0 = sdy.named_computation<"effect">(%arg0) (%arg1: tensor<8xf32>) {
    "test.effect"() : () -> ()
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
