module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @rules(%arg0: tensor<8x8xf32>, %arg1: tensor<64xf32>, %arg2: tensor<f32>) {
    %0 = chlo.tan %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32> -> tensor<8x8xf32>
    %1 = chlo.tan %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, j]) {i=8, j=8, k=8} reduction={k} need_replication={j} permutation={i} blocked_propagation={i, k}>} : tensor<8x8xf32> -> tensor<8x8xf32>
    %2 = chlo.tan %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([ij, k]) {i=2, j=4, k=8} blocked_propagation={k}, custom>} : tensor<8x8xf32> -> tensor<8x8xf32>
    %3 = chlo.tan %arg2 {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : tensor<f32> -> tensor<f32>
    %4 = chlo.tan %arg2 {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([]), custom>} : tensor<f32> -> tensor<f32>
    %5 = chlo.tan %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([ijklmnopqrstuvwxyzz_1z_2])->([z_2zz_1i]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2, p=2, q=2, r=2, s=2, t=2, u=2, v=2, w=2, x=2, y=2, z=2, z_1=2, z_2=2} reduction={j, k} permutation={z_1, z_2}>} : tensor<64xf32> -> tensor<64xf32>
    %6 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={i, j}, custom>} : tensor<8x8xf32>
    %7 = chlo.tan %arg0 {note = [#sdy<tensor_mapping[ij, k]>, #sdy<tensor_mapping[]>]} : tensor<8x8xf32> -> tensor<8x8xf32>
    return
  }
}
