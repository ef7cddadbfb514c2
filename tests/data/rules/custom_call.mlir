// Custom calls: those Shardy knows, those JAX emits, one with a rule of its own, one unknown.
func.func public @main(%x: tensor<8x16xf32>, %i: tensor<8x16xi32>, %s: tensor<f32>, %n: tensor<i32>, %l: tensor<8x16x16xf32>, %t: tensor<8x16xui32>)
    -> (tensor<8x4xf32>, tensor<8x4xi32>, tensor<4x16xf32>, tensor<4x16xi32>, tensor<8x4xf32>,
        tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xi32>,
        tensor<8x16x16xf32>, tensor<8x16xf32>, tensor<8x16x16xf32>, tensor<8x16xf32>,
        tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>,
        tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16xui32>, tensor<8x16xui32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xui64>, tensor<8x16xui32>, tensor<8x16xui32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %s, %n) {mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.9 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 4 : i64}} : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %s, %n) {mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.9 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 4 : i64}} : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x16xf32>, tensor<4x16xi32>)
  %2:2 = stablehlo.custom_call @PartialReduce(%x, %i, %s, %n) {mhlo.backend_config = {log2_reduction = 2 : i64, reduction_dim = 1 : i64, to_apply_type = "comparator", top_k = 3 : i64, recall_target = 0.9 : f32}} : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  %3:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 4 : i64, largest = true}} : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  %4:2 = stablehlo.custom_call @TopK(%x) : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
  %5:2 = stablehlo.custom_call @Eigh(%l) : (tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16xf32>)
  %6:2 = stablehlo.custom_call @Qr(%l) : (tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16xf32>)
  %7 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%l, %x) : (tensor<8x16x16xf32>, tensor<8x16xf32>) -> tensor<8x16x16xf32>
  %8:3 = stablehlo.custom_call @LuDecomposition(%l) : (tensor<8x16x16xf32>) -> (tensor<8x16x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>)
  %9 = stablehlo.custom_call @CompactWyHelper(%l) : (tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  %10 = stablehlo.custom_call @Cholesky(%l) : (tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  %11:2 = stablehlo.custom_call @cu_threefry2x32_ffi(%t, %t, %t, %t) : (tensor<8x16xui32>, tensor<8x16xui32>, tensor<8x16xui32>, tensor<8x16xui32>) -> (tensor<8x16xui32>, tensor<8x16xui32>)
  %12 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %13 = stablehlo.custom_call @mhlo.erf(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %14 = stablehlo.custom_call @X64Combine(%t, %t) : (tensor<8x16xui32>, tensor<8x16xui32>) -> tensor<8x16xui64>
  %15 = stablehlo.custom_call @X64SplitLow(%14) : (tensor<8x16xui64>) -> tensor<8x16xui32>
  %16 = stablehlo.custom_call @X64SplitHigh(%14) : (tensor<8x16xui64>) -> tensor<8x16xui32>
  %17 = stablehlo.custom_call @LayoutConstraint(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %18 = stablehlo.custom_call @MoveToHost(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %19 = stablehlo.custom_call @MoveToDevice(%18) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %20 = stablehlo.custom_call @annotate_device_placement(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %21 = stablehlo.custom_call @InspectSharding(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %22 = stablehlo.custom_call @with_a_rule(%x, %l) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k, j])->([i, k]) {i=8, j=16, k=16} reduction={j}, custom>} : (tensor<8x16xf32>, tensor<8x16x16xf32>) -> tensor<8x16xf32>
  %23 = stablehlo.custom_call @unknown(%x, %s) : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1, %4#0, %4#1, %5#0, %5#1, %6#0, %6#1, %7, %8#0,
      %8#1, %8#2, %9, %10, %11#0, %11#1, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23
      : tensor<8x4xf32>, tensor<8x4xi32>, tensor<4x16xf32>, tensor<4x16xi32>, tensor<8x4xf32>,
        tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xi32>, tensor<8x4xf32>, tensor<8x4xi32>,
        tensor<8x16x16xf32>, tensor<8x16xf32>, tensor<8x16x16xf32>, tensor<8x16xf32>,
        tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16xi32>, tensor<8x16xi32>,
        tensor<8x16x16xf32>, tensor<8x16x16xf32>, tensor<8x16xui32>, tensor<8x16xui32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xui64>, tensor<8x16xui32>, tensor<8x16xui32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>
}
