module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>
  func.func @constraints(%arg0: tensor<8x8xf32>, %arg1: tensor<f32>, %arg2: f32) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", "z":(2)2}, {"y", ?}p1]> : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, []> {note = 1 : i32} : tensor<f32>
    %2 = sdy.sharding_constraint %arg0 <mesh<["q"=2]>, [{"q"}, {}]> : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %arg2 <@mesh, []> : f32
    %4 = sdy.reshard %arg0 <@mesh, [{}, {"z"}], unreduced={"x"}> : tensor<8x8xf32>
    %5 = sdy.reshard %4 <@mesh, [{}, {"z"}]> {note} : tensor<8x8xf32>
    return
  }
  func.func @steering(%arg0: tensor<8x8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) {
    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8x8xf32>
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8x8xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD {note} : tensor<8x8xf32>
    sdy.sharding_group %2 group_id=21 : tensor<8x8xf32>
    sdy.sharding_group %2 group_id=-1 {note} : tensor<8x8xf32>
    %3 = sdy.data_flow_edge %arg1 : tensor<4xf32>
    %4 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{"x", ?}]> {note} : tensor<4xf32>
    %5:2 = call @callee() : () -> (tensor<4xf32>, tensor<4xf32>)
    %6 = sdy.func_data_flow_edge %5#0 : tensor<4xf32>
    %7 = sdy.func_data_flow_edge %5#1 {note} : tensor<4xf32>
    return
  }
  func.func private @callee() -> (tensor<4xf32>, tensor<4xf32>)
  func.func @constants() {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
    %1 = sdy.constant {note = "kept", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1, 2]> : tensor<2xi32>
    %2 = sdy.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
    %3 = sdy.constant dense<[true, false]> : tensor<2xi1>
    %4 = sdy.constant dense<0xFF800000> : tensor<f32>
    return
  }
  func.func @named(%arg0: tensor<8x8xf32>, %arg1: tensor<4xi32>) -> tensor<8x8xf32> {
    %0:2 = sdy.named_computation<"stage 0">(%arg0, %arg1) (%arg2: tensor<8x8xf32>, %arg3: tensor<4xi32>) {
      sdy.return %arg2, %arg3 : tensor<8x8xf32>, tensor<4xi32>
    } : (tensor<8x8xf32>, tensor<4xi32>) -> (tensor<8x8xf32>, tensor<4xi32>)
    %1 = sdy.named_computation<"in">(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] (%arg2: tensor<8x8xf32>) {
      sdy.return {note} %arg2 : tensor<8x8xf32>
    } {note = 2 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.named_computation<"out">(%arg0) out_shardings=[<@mesh, [{"x"}, {}]>] (%arg2: tensor<8x8xf32>) {
      %3 = sdy.named_computation<"both">(%arg2) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{?}, {?}]>] (%arg3: tensor<8x8xf32>) {
        sdy.return %arg3 : tensor<8x8xf32>
      } : (tensor<8x8xf32>) -> tensor<8x8xf32>
      sdy.return %3 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.named_computation<"">() in_shardings=[] out_shardings=[] () {
      sdy.return
    } : () -> ()
    sdy.named_computation<"nothing">() () {
      sdy.return {note}
    } : () -> ()
    return %2 : tensor<8x8xf32>
  }
}
