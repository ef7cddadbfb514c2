// Collectives that are in the program already.
func.func public @main(%x: tensor<8x32xf32>, %y: tensor<4x6xf32>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x32xf32>, tensor<8x32xf32>,
        tensor<8x32xf32>, tensor<8x16xf32>, tensor<16x16xf32>, tensor<8x32xf32>, tensor<8x32xf32>,
        tensor<8x32xf32>, tensor<8x32xf32>, !stablehlo.token, !stablehlo.token) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x32xf32>) -> tensor<8x64xf32>
  %1:2 = "stablehlo.all_gather"(%x, %x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>)
  %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %k = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %3:2 = "stablehlo.all_reduce"(%x, %x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %k = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>)
  %4 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %k = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %k : tensor<f32>
    }) : (tensor<8x32xf32>) -> tensor<8x16xf32>
  %5 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x32xf32>) -> tensor<16x16xf32>
  %6 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %7 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %8 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %9 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %10 = stablehlo.create_token : !stablehlo.token
  %11 = stablehlo.after_all %10, %10 : !stablehlo.token
  return %0, %1#0, %1#1, %2, %3#0, %3#1, %4, %5, %6, %7, %8, %9, %10, %11
      : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x32xf32>, tensor<8x32xf32>,
        tensor<8x32xf32>, tensor<8x16xf32>, tensor<16x16xf32>, tensor<8x32xf32>, tensor<8x32xf32>,
        tensor<8x32xf32>, tensor<8x32xf32>, !stablehlo.token, !stablehlo.token
}
