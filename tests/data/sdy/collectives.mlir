module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
  func.func @gather_and_slice(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"z"}]>}) {
    %0 = sdy.all_gather [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {"z"}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"x"}, {"z":(4)2}] %0 out_sharding=<@mesh, [{}, {"z":(1)4}]> {note} : tensor<16x16xf32>
    %2 = sdy.all_slice [{"y"}, {"z":(4)2}] %1 out_sharding=<@mesh, [{"y"}, {"z"}]> : tensor<16x16xf32>
    %3 = sdy.all_slice [{}, {"x"}] %2 out_sharding=<@mesh, [{"y"}, {"z", "x"}]> {note = 1 : i64} : tensor<16x16xf32>
    %4 = sdy.all_gather [{}, {}] %3 out_sharding=<@mesh, [{"y"}, {"z", "x"}]> : tensor<16x16xf32>
    return
  }
  func.func @exchange(%arg0: tensor<16x16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}, {}]>}) {
    %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}, {"y"}, {}]> : tensor<16x16x4x4xf32>
    %1 = sdy.all_to_all [{"x"}: 1->0, {"y"}: 2->3] %0 out_sharding=<@mesh, [{"x"}, {}, {}, {"y"}]> {note} : tensor<16x16x4x4xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"z":(1)2}, {}, {}, {"x"}]> : tensor<16x16x4x4xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"y"}, {}, {}, {"x"}]> {note} : tensor<16x16x4x4xf32>
    return
  }
  func.func @reduce(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y", "z"}>}) {
    %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{"x"}, {}], unreduced={"z"}> : tensor<16x16xf32>
    %1 = sdy.reduce_scatter [{}, {"z"}] %0 out_sharding=<@mesh, [{"x"}, {"z"}]> : tensor<16x16xf32>
    %2 = sdy.replicated_to_unreduced {"y"} %1 out_sharding=<@mesh, [{"x"}, {"z"}], unreduced={"y"}> : tensor<16x16xf32>
    %3 = sdy.sharded_to_unreduced [{}, {"z"}] %2 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y", "z"}> : tensor<16x16xf32>
    %4 = sdy.all_reduce {"y", "z"} %3 out_sharding=<@mesh, [{"x"}, {}]> {note} : tensor<16x16xf32>
    %5 = sdy.all_reduce {"z":(1)2, "z":(4)2} %4 out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x16xf32>
    %6 = sdy.reduce_scatter [{"y"}, {"z":(1)4}] %5 out_sharding=<@mesh, [{"x", "y"}, {"z":(1)4}]> {note} : tensor<16x16xf32>
    %7 = sdy.all_reduce {} %6 out_sharding=<@mesh, [{"x", "y"}, {"z":(1)4}]> : tensor<16x16xf32>
    return
  }
}
