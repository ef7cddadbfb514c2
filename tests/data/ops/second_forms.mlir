// Text that jaxlib reads in more ways than it prints: defaults written out, other orders, function types of equal
// types. The other files hold what it prints, letter by letter.
module {
  func.func @defaults(%arg0: tensor<4xf32>, %arg1: tensor<2x4x4xf32>, %arg2: !stablehlo.token) {
    %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
    %1 = stablehlo.cholesky %arg1, lower = false {foo.bar} : tensor<2x4x4xf32>
    %2 = stablehlo.custom_call @foo(%arg2) {api_version = 1 : i32, has_side_effect = false} : (!stablehlo.token) -> !stablehlo.token
    %3 = stablehlo.custom_call @foo(%arg0) {api_version = 0 : i32, called_computations = [], output_operand_aliases = []} : (tensor<4xf32>) -> tensor<4xf32>
    %4:2 = "stablehlo.recv"(%arg2) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %5 = stablehlo.slice %arg0 [0:4:1] : (tensor<4xf32>) -> tensor<4xf32>
    return
  }

  func.func private @decomposition(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }

  func.func @composite(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "my.op" %arg0 {composite_attributes = {}, decomposition = @decomposition, version = 0 : i32} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }

  func.func @sort(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) {dimension = -1 : i64, is_stable = false} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }

  func.func @function_types(%arg0: tensor<4xf32>, %arg1: tensor<4xi1>, %arg2: !stablehlo.token, %arg3: tensor<2x2xf32>) {
    %0 = stablehlo.tanh %arg0 : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %arg0, %arg0 {foo.bar} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.select %arg1, %arg0, %arg0 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.clamp %arg0, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.complex %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %5 = stablehlo.reverse %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
    %6 = stablehlo.reduce_precision %arg0, format = e8m7 : (tensor<4xf32>) -> tensor<4xf32>
    %7 = stablehlo.cholesky %arg3, lower = true : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %8 = stablehlo.after_all %arg2, %arg2 : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %9 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xf32>
    return
  }

  func.func @generic(%arg0: tensor<4xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<f32>) {
    %0 = "stablehlo.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
    %1 = "stablehlo.add"(%arg0, %arg0) {foo.bar} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<rhs_contracting_dimensions = [0], lhs_contracting_dimensions = [0]>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %3 = "stablehlo.reduce"(%arg1, %arg2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %5 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = "stablehlo.optimization_barrier"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }

  func.func @layout(%arg0: tensor<i1>, %arg1: tensor<1x8x8x4xf32>, %arg2: tensor<3x3x4x2xf32>) -> tensor<1x8x8x2xf32> {
    %0 = stablehlo.while(%a = %arg0) : tensor<i1> cond { stablehlo.return %a : tensor<i1> } do { stablehlo.return %a : tensor<i1> }
    %1 = stablehlo.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %2 = stablehlo.convolution(%arg1, %arg2)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {reverse = [0, 1], pad = [[1, 1], [1, 1]], stride = [1, 1]}
      {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x8x8x2xf32>
    return %2 : tensor<1x8x8x2xf32>
  }

  func.func private @attributes() attributes {
    foo.accuracy = #stablehlo.result_accuracy<atol = 1.5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>,
    foo.bounds = #stablehlo.type_extensions<bounds = [4, ?]>,
    foo.channel = #stablehlo.channel_handle<type = 1, handle = 0>,
    foo.dot = #stablehlo.dot<rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [2]>,
    foo.gather = #stablehlo.gather<index_vector_dim = 2, offset_dims = [], start_index_map = [0]>,
    foo.scatter = #stablehlo.scatter<index_vector_dim = 0, scatter_dims_to_operand_dims = [0]>,
    foo.mesh_axis = #stablehlo.mesh_axis<size = 2, name = "x">,
    foo.axis_ref = #stablehlo.axis_ref<sub_axis_info = (2)4, name = "x">
  }
}
