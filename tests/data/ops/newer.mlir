// What the newest jaxlib knows and the one before it does not.
module {
  func.func @collective_reduce(%arg0: tensor<4xi64>, %arg1: tensor<1xi32>) {
    %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg2: tensor<i64>, %arg3: tensor<i64>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<i64>
      stablehlo.return %2 : tensor<i64>
    }) : (tensor<4xi64>) -> tensor<4xi64>
    %1 = "stablehlo.collective_reduce"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<i64>, %arg3: tensor<i64>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<i64>
      stablehlo.return %2 : tensor<i64>
    }) {foo.bar} : (tensor<4xi64>, tensor<1xi32>) -> tensor<4xi64>
    return
  }

  func.func @collective_broadcast(%arg0: tensor<4xi64>, %arg1: tensor<2xf32>, %arg2: tensor<1xi32>) {
    %0:2 = "stablehlo.collective_broadcast"(%arg0, %arg1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xi64>, tensor<2xf32>) -> (tensor<4xi64>, tensor<2xf32>)
    %1 = "stablehlo.collective_broadcast"(%arg0, %arg2) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xi64>, tensor<1xi32>) -> tensor<4xi64>
    return
  }

  func.func @custom_call(%arg0: tensor<4x8xf32>) {
    %0 = stablehlo.custom_call @foo(%arg0) {result_tilings = []} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.custom_call @foo(%arg0) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], result_tilings = [[dense<[8, 128]> : tensor<2xindex>]]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return
  }
}
