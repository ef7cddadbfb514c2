// What the newest jaxlib knows and the one before it does not.
func.func @collective_reduce(%a: tensor<4xi64>, %root: tensor<1xi32>) {
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %3 = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %3 : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xi64>) -> tensor<4xi64>
  %1 = "stablehlo.collective_reduce"(%a, %root) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %3 = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %3 : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids, has_dynamic_root, foo.bar} : (tensor<4xi64>, tensor<1xi32>) -> tensor<4xi64>
  return
}

func.func @collective_broadcast(%a: tensor<4xi64>, %b: tensor<2xf32>, %root: tensor<1xi32>) {
  %0:2 = "stablehlo.collective_broadcast"(%a, %b) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xi64>, tensor<2xf32>) -> (tensor<4xi64>, tensor<2xf32>)
  %1 = "stablehlo.collective_broadcast"(%a, %root) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xi64>, tensor<1xi32>) -> tensor<4xi64>
  return
}

func.func @custom_call(%a: tensor<4x8xf32>) {
  %0 = stablehlo.custom_call @foo(%a) {result_tilings = []} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], result_tilings = [[dense<[8, 128]> : tensor<2xindex>]]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
