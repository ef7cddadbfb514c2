// Ops that are wrong.
// RUN: shardwright-opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op has 1 operands, but 0 operand shardings}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op has 1 results, but 2 result shardings}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op operand 0: sharding has 1 dims, but 'tensor<8x8xf32>' has rank 2}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op result 0: unknown mesh @nomesh}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@nomesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op operand 0: local type is 'tensor<4x8xf32>', but the body takes 'tensor<8x8xf32>'}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<8x8xf32>) {
    %1 = "test.op"() : () -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op result 0: local type is 'tensor<4x8xf32>', but the body returns 'tensor<8x8xf32>'}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    %1 = "test.op"() : () -> tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op operand 0: dim 0: manual axis "x" comes after an axis that is not manual}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op has shardings on two meshes, #sdy.mesh<["x"=2, "y"=2, "z"=8]> and #sdy.mesh<["x"=2]>}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<mesh<["x"=2]>, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<7x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op operand 0: dim 0: size 7 does not split over the 2 devices of its manual axes}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<3x8xf32>) {
    sdy.return %arg1 : tensor<3x8xf32>
  } : (tensor<7x8xf32>) -> tensor<7x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op has 1 results, but its body returns 0}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    sdy.return
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    // expected-error@+1 {{'sdy.sharding_constraint' op axis "x" is manual in an enclosing sdy.manual_computation}}
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    // expected-error@+1 {{'sdy.manual_computation' op axis "x" is manual in an enclosing sdy.manual_computation}}
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"y", "x"} (%arg2: tensor<4x8xf32>) {
      sdy.return %arg2 : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    // expected-error@+1 {{'test.use' op using value defined outside the region}}
    "test.use"(%arg0) : (tensor<8x8xf32>) -> ()
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+2 {{'sdy.manual_computation' op expects regions to end with 'sdy.return', found 'test.return'}}
  // expected-note@+1 {{in custom textual format, the absence of terminator implies 'sdy.return'}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    "test.return"(%arg1) : (tensor<4x8xf32>) -> ()
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.named_computation' op has 1 operands, but 0 operand shardings}}
  %0 = sdy.named_computation<"n">(%arg0) in_shardings=[] (%arg1: tensor<8x8xf32>) {
    sdy.return %arg1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.named_computation' op result 0: dim 0: unknown axis "q" in mesh @mesh = #sdy.mesh<["x"=2, "y"=2, "z"=8]>}}
  %0 = sdy.named_computation<"n">(%arg0) out_shardings=[<@mesh, [{"q"}, {}]>] (%arg1: tensor<8x8xf32>) {
    sdy.return %arg1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.named_computation' op operand 0 has type 'tensor<8x8xf32>', but its body takes 'tensor<4x8xf32>'}}
  %0 = sdy.named_computation<"n">(%arg0) (%arg1: tensor<4x8xf32>) {
    %1 = "test.op"() : () -> tensor<8x8xf32>
    sdy.return %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.named_computation' op has 1 results, but its body returns 0}}
  %0 = sdy.named_computation<"n">(%arg0) (%arg1: tensor<8x8xf32>) {
    sdy.return
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.named_computation' op has 1 operands, but its body takes 0}}
  %0 = sdy.named_computation<"n">(%arg0) () {
    sdy.return
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.propagation_barrier' op allows BOTH directions, so it is no barrier}}
  %0 = sdy.propagation_barrier %arg0 allowed_direction=BOTH : tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<?x8xf32>) {
  // expected-error@+1 {{'sdy.data_flow_edge' op needs a static shape, got 'tensor<?x8xf32>'}}
  %0 = sdy.data_flow_edge %arg0 : tensor<?x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.data_flow_edge' op must be the only user of its operand}}
  %0 = sdy.data_flow_edge %arg0 : tensor<8x8xf32>
  "test.use"(%arg0) : (tensor<8x8xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.data_flow_edge' op sharding has 1 dims, but 'tensor<8x8xf32>' has rank 2}}
  %0 = sdy.data_flow_edge %arg0 sharding=<@mesh, [{"x"}]> : tensor<8x8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'sdy.constant' op failed to verify that all of {value, output} have same type}}
  %0 = "sdy.constant"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_gather' op gathering_axes has 1 dims, but out_sharding has 2}}
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_gather' op gathering_axes of dim 0: unknown axis "q" in mesh @mesh = #sdy.mesh<["x"=2, "y"=2, "z"=8]>}}
  %0 = sdy.all_gather [{"q"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_slice' op slicing_axes of dim 1: axis "x" is used more than once}}
  %0 = sdy.all_slice [{"x"}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_gather' op out_sharding: sharding has 1 dims, but 'tensor<8x8xf32>' has rank 2}}
  %0 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_to_all' op moves no axes}}
  %0 = sdy.all_to_all [] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_to_all' op dim 2 is not in [0, 2)}}
  %0 = sdy.all_to_all [{"x"}: 0->2] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_to_all' op dim -1 is not in [0, 2)}}
  %0 = sdy.all_to_all [{"x"}: -1->1] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_to_all' op dim 1 is in more than one move}}
  %0 = sdy.all_to_all [{"x"}: 0->1, {"y"}: 1->0] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_reduce' op reduction_axes: "z" and "y" are not in the order of mesh @mesh = #sdy.mesh<["x"=2, "y"=2, "z"=8]>}}
  %0 = sdy.all_reduce {"z", "y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_reduce' op out_sharding and reduction_axes: dim 0: axis "y" is used more than once}}
  %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.all_reduce' op out_sharding and reduction_axes: unreduced axes: axis "y" is used more than once}}
  %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected '{'}}
  %0 = sdy.all_reduce mul {"y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.reduce_scatter' op reduce_scatter_axes of dim 0: sub-axis "z":(3)2 does not divide axis "z" of size 8}}
  %0 = sdy.reduce_scatter [{"z":(3)2}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.replicated_to_unreduced' op axes: axis "x" is used more than once}}
  %0 = sdy.replicated_to_unreduced {"x", "x"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharded_to_unreduced' op axes has 0 dims, but out_sharding has 2}}
  %0 = sdy.sharded_to_unreduced [] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.collective_permute' op out_sharding: unknown mesh @nomesh}}
  %0 = sdy.collective_permute %arg0 out_sharding=<@nomesh, [{}, {}]> : tensor<8x8xf32>
  return
}
