module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @edges(%arg0: tensor<8x16xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"b" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>, sdy.sharding_origins = {b = "constraint_0"}}) {
    %0 = chlo.broadcast_add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-1, result-0]}, {"c":(1)2 = operand-1 -> [result-0]}]}, {step-20 = [{"b" = result-0 -> [operand-0]}]}]>, sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = [{a = "input: 0", "c:(1)2" = "input: 1"}]} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    return
  }
}
