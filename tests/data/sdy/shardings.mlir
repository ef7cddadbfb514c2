module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8, "w"=16]>
  sdy.mesh @maximal = <[], device_ids=[0]>
  sdy.mesh @empty = <[]>
  sdy.mesh @"two words" = <["an axis"=2]>
  func.func @arguments(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z", ?}]>}, %arg2: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}p1]>}, %arg3: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}p12]>}, %arg4: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z":(1)2}, {"w":(4)4, "z":(2)4}]>}, %arg5: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x", "z":(2)2}>}, %arg6: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}], unreduced={"y"}>}, %arg7: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w":(1)2}, {?}p3], replicated={"x"}, unreduced={"y", "z":(1)4}>}, %arg8: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}, %arg9: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], replicated={"x"}, unreduced={"w"}>}, %arg10: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@maximal, []>}, %arg11: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@empty, [{}, {?}]>}, %arg12: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<["q"=2, "r"=3]>, [{"q"}, {"r", ?}]>}, %arg13: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<["q"=2], device_ids=[1, 0]>, [{"q"}, {}]>}, %arg14: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[7]>, []>}, %arg15: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@"two words", [{"an axis"}, {}]>}, %arg16: tensor<?x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg17: f32 {sdy.sharding = #sdy.sharding<@mesh, []>}, %arg18: tensor<7x16xf32> {jax.note = "kept", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    return
  }
  func.func private @declaration(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
  func.func @results(%arg0: tensor<8x16xf32>, %arg1: tensor<f32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, tensor<f32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    return %arg0, %arg1 : tensor<8x16xf32>, tensor<f32>
  }
  func.func @ops(%arg0: tensor<8x16xf32>) attributes {sdy.func_manual_axes = #sdy<manual_axes{"x"}>, sdy.original_func_name = "ops"} {
    %0 = chlo.tan %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : tensor<8x16xf32> -> tensor<8x16xf32>
    %values, %indices = chlo.top_k(%0, k = 4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <mesh<["q"=2, "r"=2]>, [{"q"}, {}], unreduced={"r"}>]>} : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
    sdy.sharding_group %0 group_id=0 {sdy.sharding = #sdy.sharding_per_value<[]>} : tensor<8x16xf32>
    return
  }
}
