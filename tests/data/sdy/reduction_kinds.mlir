module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
  func.func @kinds(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced=max{"y"}>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], replicated={"z"}, unreduced=min{"y"}>}, %arg2: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>}) {
    %0 = sdy.all_reduce max {"y"} %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x16xf32>
    %1 = sdy.reduce_scatter min [{"y"}, {}] %arg1 out_sharding=<@mesh, [{"x", "y"}, {}], replicated={"z"}> : tensor<16x16xf32>
    %2 = sdy.all_reduce {"y"} %arg2 out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x16xf32>
    %3 = sdy.reduce_scatter [{"y"}, {}] %arg2 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<16x16xf32>
    %4 = sdy.replicated_to_unreduced {"z"} %3 out_sharding=<@mesh, [{"x", "y"}, {}], unreduced=max{"z"}> : tensor<16x16xf32>
    return
  }
}
