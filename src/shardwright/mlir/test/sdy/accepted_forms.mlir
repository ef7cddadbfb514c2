// Text that is read in more ways than it is printed.
// RUN: shardwright-opt %s | FileCheck %s

// Device ids that only count say nothing.
// CHECK: sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
sdy.mesh @mesh = < [ "x" = 2, "y"=2, "z"=8 ], device_ids = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]>
// CHECK: sdy.mesh @maximal = <[], device_ids=[0]>
sdy.mesh @maximal = <[], device_ids=[0]>
// CHECK: sdy.mesh @generic = <["x"=2]> {note}
"sdy.mesh"() <{sym_name = "generic", mesh = #sdy.mesh<["x"=2]>}> {note} : () -> ()

// CHECK-LABEL: func @shardings
func.func @shardings(%arg0: tensor<8xf32>) {
  // CHECK: <@mesh, [{"x"}], replicated={"y"}, unreduced={"z"}>
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}], unreduced={"z"}, replicated={"y"}> : tensor<8xf32>
  // CHECK: <@mesh, [{"x", ?}p1]>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [ {"x" , ? } p1 ] > : tensor<8xf32>
  // CHECK: <@mesh, [{"x"}], unreduced={"y"}>
  %2 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}], unreduced=sum{"y"}> : tensor<8xf32>
  // CHECK: <@mesh, [{"z":(2)4}]>
  %3 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(0x2)4}]> : tensor<8xf32>
  return
}

// A sum goes without saying.
// CHECK-LABEL: func @reductions
func.func @reductions(%arg0: tensor<8xf32>) {
  // CHECK: sdy.all_reduce {"y"} %arg0
  %0 = sdy.all_reduce sum {"y"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // CHECK: sdy.all_reduce max {"y"} %arg0
  %1 = "sdy.all_reduce"(%arg0) <{reduction_axes = #sdy<axis_ref_list{"y"}>, reduction_op = 1 : i32, out_sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.reduce_scatter [{"y"}] %arg0
  %2 = "sdy.reduce_scatter"(%arg0) <{reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{"y"}]>, out_sharding = #sdy.sharding<@mesh, [{"y"}]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// A tuple of one tensor is sharded like the tensor.
// CHECK-LABEL: func @tuple
func.func @tuple(%arg0: tuple<tensor<8xf32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tuple<tensor<8xf32>> {sdy.sharding = #sdy.sharding<@maximal, []>}) {
  return
}

// Unknown attributes of the dialect are nobody's business.
// CHECK-LABEL: func @unknown
// CHECK-SAME: attributes {sdy.something = 3 : i64}
func.func @unknown(%arg0: tensor<8xf32> {sdy.something = #sdy<manual_axes{}>}) attributes {sdy.something = 3} {
  return
}

// An op without results is pinned to one device, as JAX does with calls into Python.
// CHECK-LABEL: func @effect
func.func @effect(%arg0: tensor<8xf32>) {
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>
  "stablehlo.custom_call"(%arg0) <{call_target_name = "print", has_side_effect = true}> {sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>} : (tensor<8xf32>) -> ()
  return
}
