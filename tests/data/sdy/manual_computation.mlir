module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @same = <["x"=2, "y"=4]>
  func.func @all_axes(%arg0: tensor<16x32xf32>, %arg1: tensor<32x8xf32>) -> tensor<16x8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}], replicated={"x"}>] out_shardings=[<@mesh, [{"x"}, {}], replicated={"y"}>] manual_axes={"x", "y"} (%arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32>) {
      %1 = chlo.broadcast_add %arg2, %arg3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      sdy.return %1 : tensor<8x8xf32>
    } : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
  func.func @some_axes(%arg0: tensor<16x32xf32>, %arg1: tensor<f32>, %arg2: tensor<?x8xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x", "y"}, {?}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x", ?}, {"y":(1)2}]>, <@mesh, [], unreduced={"x"}>] manual_axes={"x"} (%arg3: tensor<8x32xf32>, %arg4: tensor<f32>) {
      %4 = sdy.sharding_constraint %arg3 <@mesh, [{}, {"y"}]> : tensor<8x32xf32>
      %5 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%arg5: tensor<8x8xf32>) {
        sdy.return %arg5 : tensor<8x8xf32>
      } : (tensor<8x32xf32>) -> tensor<8x32xf32>
      sdy.return %5, %arg4 : tensor<8x32xf32>, tensor<f32>
    } {note = "kept"} : (tensor<16x32xf32>, tensor<f32>) -> (tensor<16x32xf32>, tensor<f32>)
    %1 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@same, [{"x"}, {}]>] manual_axes={"y", "x"} (%arg3: tensor<?x2xf32>) {
      %4 = sdy.constant dense<0.000000e+00> : tensor<1x8xf32>
      %5 = chlo.broadcast_add %4, %4 : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
      sdy.return %5 : tensor<?x8xf32>
    } : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %2 = sdy.manual_computation(%arg0) in_shardings=[<mesh<["q"=2]>, [{"q"}, {}]>] out_shardings=[<mesh<["q"=2]>, [{}, {"q"}]>] manual_axes={} (%arg3: tensor<16x32xf32>) {
      sdy.return %arg3 : tensor<16x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %3 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} () {
      %4 = sdy.constant dense<1> : tensor<2xi32>
      sdy.return %4 : tensor<2xi32>
    } : () -> tensor<4xi32>
    sdy.manual_computation(%arg1) in_shardings=[<@mesh, []>] out_shardings=[] manual_axes={"x", "y"} (%arg3: tensor<f32>) {
      sdy.return
    } : (tensor<f32>) -> ()
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    return
  }
}
