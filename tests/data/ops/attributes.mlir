// Every attribute of the dialect by itself, with fields left out, in other orders, and in their second forms.
func.func private @attributes() attributes {
  foo.dot = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>,
  foo.dot_empty = #stablehlo.dot<>,
  foo.dot_order = #stablehlo.dot<rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [2]>,
  foo.dot_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>,
  foo.gather = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>,
  foo.gather_empty = #stablehlo.gather<>,
  foo.gather_order = #stablehlo.gather<index_vector_dim = 2, offset_dims = [], start_index_map = [0]>,
  foo.scatter = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>,
  foo.scatter_empty = #stablehlo.scatter<>,
  foo.conv = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
  foo.conv_swapped = #stablehlo.conv<[1, f, 0, b]x[o, 1, i, 0]->[f, b, 1, 0]>,
  foo.conv_flat = #stablehlo.conv<[b, f]x[i, o]->[b, f]>,
  foo.alias = #stablehlo.output_operand_alias<output_tuple_indices = [1, 2], operand_index = 3, operand_tuple_indices = []>,
  foo.channel = #stablehlo.channel_handle<handle = 1, type = 2>,
  foo.channel_order = #stablehlo.channel_handle<type = 1, handle = 0>,
  foo.bounds = #stablehlo.bounds<1, ?, 3>,
  foo.bounds_empty = #stablehlo.bounds<>,
  foo.bounds_long = #stablehlo.type_extensions<bounds = [4, ?]>,
  foo.accuracy = #stablehlo.result_accuracy<atol = 1.5, rtol = 1.0e-3, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>,
  foo.accuracy_default = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>,
  foo.accuracy_mode = #stablehlo.result_accuracy_mode<HIGHEST>,
  foo.precision = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>],
  foo.fft = [#stablehlo<fft_type FFT>, #stablehlo<fft_type IFFT>, #stablehlo<fft_type RFFT>, #stablehlo<fft_type IRFFT>],
  foo.direction = [#stablehlo<comparison_direction EQ>, #stablehlo<comparison_direction NE>, #stablehlo<comparison_direction GE>, #stablehlo<comparison_direction GT>, #stablehlo<comparison_direction LE>, #stablehlo<comparison_direction LT>],
  foo.comparison = [#stablehlo<comparison_type NOTYPE>, #stablehlo<comparison_type FLOAT>, #stablehlo<comparison_type TOTALORDER>, #stablehlo<comparison_type SIGNED>, #stablehlo<comparison_type UNSIGNED>],
  foo.transpose = [#stablehlo<transpose TRANSPOSE_INVALID>, #stablehlo<transpose NO_TRANSPOSE>, #stablehlo<transpose TRANSPOSE>, #stablehlo<transpose ADJOINT>],
  foo.distribution = [#stablehlo<rng_distribution UNIFORM>, #stablehlo<rng_distribution NORMAL>],
  foo.algorithm = [#stablehlo<rng_algorithm DEFAULT>, #stablehlo<rng_algorithm THREE_FRY>, #stablehlo<rng_algorithm PHILOX>]
}

func.func private @types(!stablehlo.token, !stablehlo.future<tensor<f32>>, !stablehlo.future<tensor<4x?xf32>, tensor<i1>>, tuple<!stablehlo.token, tensor<f32>>, tensor<2x?xf32, #stablehlo.bounds<?, 5>>)
