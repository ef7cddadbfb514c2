// Unary, binary and ternary elementwise ops: short and function-type forms, attribute dictionaries.
module {
  func.func @unary_float(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.abs %arg0 : tensor<4x8xf32>
    %1 = stablehlo.cbrt %0 : tensor<4x8xf32>
    %2 = stablehlo.ceil %1 : tensor<4x8xf32>
    %3 = stablehlo.cosine %2 : tensor<4x8xf32>
    %4 = stablehlo.exponential %3 : tensor<4x8xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<4x8xf32>
    %6 = stablehlo.floor %5 : tensor<4x8xf32>
    %7 = stablehlo.log %6 : tensor<4x8xf32>
    %8 = stablehlo.log_plus_one %7 : tensor<4x8xf32>
    %9 = stablehlo.logistic %8 : tensor<4x8xf32>
    %10 = stablehlo.negate %9 : tensor<4x8xf32>
    %11 = stablehlo.round_nearest_afz %10 : tensor<4x8xf32>
    %12 = stablehlo.round_nearest_even %11 : tensor<4x8xf32>
    %13 = stablehlo.rsqrt %12 : tensor<4x8xf32>
    %14 = stablehlo.sign %13 : tensor<4x8xf32>
    %15 = stablehlo.sine %14 : tensor<4x8xf32>
    %16 = stablehlo.sqrt %15 : tensor<4x8xf32>
    %17 = stablehlo.tan %16 : tensor<4x8xf32>
    %18 = stablehlo.tanh %17 : tensor<4x8xf32>
    return %18 : tensor<4x8xf32>
  }

  func.func @unary_integer(%arg0: tensor<4xi32>, %arg1: tensor<4xi1>) {
    %0 = stablehlo.not %arg0 : tensor<4xi32>
    %1 = stablehlo.not %arg1 : tensor<4xi1>
    %2 = stablehlo.popcnt %arg0 : tensor<4xi32>
    %3 = stablehlo.count_leading_zeros %arg0 : tensor<4xi32>
    %4 = stablehlo.abs %arg0 : tensor<4xi32>
    %5 = stablehlo.sign %arg0 : tensor<4xi32>
    %6 = stablehlo.negate %arg0 : tensor<4xi32>
    return
  }

  func.func @binary_float(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4x8xf32>
    %1 = stablehlo.subtract %0, %arg1 : tensor<4x8xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<4x8xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<4x8xf32>
    %4 = stablehlo.remainder %3, %arg1 : tensor<4x8xf32>
    %5 = stablehlo.power %4, %arg1 : tensor<4x8xf32>
    %6 = stablehlo.maximum %5, %arg1 : tensor<4x8xf32>
    %7 = stablehlo.minimum %6, %arg1 : tensor<4x8xf32>
    %8 = stablehlo.atan2 %7, %arg1 : tensor<4x8xf32>
    return %8 : tensor<4x8xf32>
  }

  func.func @binary_integer(%arg0: tensor<4xui8>, %arg1: tensor<4xui8>, %arg2: tensor<4xi1>) {
    %0 = stablehlo.and %arg0, %arg1 : tensor<4xui8>
    %1 = stablehlo.or %arg0, %arg1 : tensor<4xui8>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<4xui8>
    %3 = stablehlo.shift_left %arg0, %arg1 : tensor<4xui8>
    %4 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<4xui8>
    %5 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<4xui8>
    %6 = stablehlo.and %arg2, %arg2 : tensor<4xi1>
    %7 = stablehlo.xor %arg2, %arg2 : tensor<4xi1>
    return
  }

  func.func @complex(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<4xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = stablehlo.imag %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %3 = stablehlo.abs %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %4 = stablehlo.exponential %0 : tensor<4xcomplex<f32>>
    %5 = stablehlo.multiply %0, %4 : tensor<4xcomplex<f32>>
    %6 = stablehlo.real %arg0 : tensor<4xf32>
    %7 = stablehlo.imag %arg0 : tensor<4xf32>
    return %3 : tensor<4xf32>
  }

  func.func @complex_dynamic(%arg0: tensor<?xf64>, %arg1: tensor<4xf64>) {
    %0 = stablehlo.complex %arg0, %arg0 : tensor<?xcomplex<f64>>
    %1 = stablehlo.complex %arg0, %arg1 : (tensor<?xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    return
  }

  func.func @compare(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xui32>, %arg3: tensor<4xi1>, %arg4: tensor<4xcomplex<f32>>) {
    %0 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare LT, %arg0, %arg0, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.compare LE, %arg1, %arg1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %4 = stablehlo.compare GT, %arg2, %arg2, UNSIGNED : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
    %5 = stablehlo.compare GE, %arg3, %arg3, NOTYPE {foo.bar = 1 : i64} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %6 = stablehlo.compare EQ, %arg4, %arg4 {foo.bar} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
    return
  }

  func.func @select_clamp(%arg0: tensor<4xi1>, %arg1: tensor<i1>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<?xf32>, %arg5: tensor<f32>) {
    %0 = stablehlo.select %arg0, %arg2, %arg3 : tensor<4xi1>, tensor<4xf32>
    %1 = stablehlo.select %arg1, %arg2, %arg3 {foo.bar} : tensor<i1>, tensor<4xf32>
    %2 = stablehlo.select %arg0, %arg2, %arg4 : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
    %3 = stablehlo.select %arg1, %arg4, %arg4 : tensor<i1>, tensor<?xf32>
    %4 = stablehlo.clamp %arg2, %arg3, %arg2 : tensor<4xf32>
    %5 = stablehlo.clamp %arg5, %arg3, %arg5 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.clamp %arg2, %arg3, %arg5 {foo.bar} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return
  }

  func.func @convert(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xf8E4M3FN>) {
    %0 = stablehlo.convert %arg0 : tensor<4xf32>
    %1 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xbf16>
    %2 = stablehlo.convert %arg1 {foo.bar} : (tensor<4xi32>) -> tensor<4xcomplex<f64>>
    %3 = stablehlo.convert %arg2 : (tensor<4xf8E4M3FN>) -> tensor<4xf8E5M2>
    %4 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
    %5 = stablehlo.convert %arg1 : (tensor<4xi32>) -> tensor<4xi4>
    %6 = stablehlo.convert %arg1 : (tensor<4xi32>) -> tensor<4xui2>
    %7 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>
    %8 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4x2xf16>
    %9 = stablehlo.bitcast_convert %arg0 {foo.bar} : (tensor<4xf32>) -> tensor<4xf32>
    %10 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>
    %11 = stablehlo.reduce_precision %arg0, format = e8m7 : tensor<4xf32>
    %12 = stablehlo.reduce_precision %arg0, format = e5m0 {foo.bar} : tensor<4xf32>
    return
  }

  // Every float kind of the type system.
  func.func @float_kinds(%arg0: tensor<2xf4E2M1FN>, %arg1: tensor<2xf6E2M3FN>, %arg2: tensor<2xf6E3M2FN>, %arg3: tensor<2xf8E3M4>, %arg4: tensor<2xf8E4M3>, %arg5: tensor<2xf8E4M3FN>, %arg6: tensor<2xf8E4M3FNUZ>, %arg7: tensor<2xf8E4M3B11FNUZ>, %arg8: tensor<2xf8E5M2>, %arg9: tensor<2xf8E5M2FNUZ>, %arg10: tensor<2xf8E8M0FNU>, %arg11: tensor<2xbf16>, %arg12: tensor<2xf16>, %arg13: tensor<2xf64>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf4E2M1FN>
    %1 = stablehlo.add %arg1, %arg1 : tensor<2xf6E2M3FN>
    %2 = stablehlo.add %arg2, %arg2 : tensor<2xf6E3M2FN>
    %3 = stablehlo.add %arg3, %arg3 : tensor<2xf8E3M4>
    %4 = stablehlo.add %arg4, %arg4 : tensor<2xf8E4M3>
    %5 = stablehlo.add %arg5, %arg5 : tensor<2xf8E4M3FN>
    %6 = stablehlo.add %arg6, %arg6 : tensor<2xf8E4M3FNUZ>
    %7 = stablehlo.add %arg7, %arg7 : tensor<2xf8E4M3B11FNUZ>
    %8 = stablehlo.add %arg8, %arg8 : tensor<2xf8E5M2>
    %9 = stablehlo.add %arg9, %arg9 : tensor<2xf8E5M2FNUZ>
    %10 = stablehlo.add %arg10, %arg10 : tensor<2xf8E8M0FNU>
    %11 = stablehlo.add %arg11, %arg11 : tensor<2xbf16>
    %12 = stablehlo.add %arg12, %arg12 : tensor<2xf16>
    %13 = stablehlo.add %arg13, %arg13 : tensor<2xf64>
    return
  }

  func.func @integer_kinds(%arg0: tensor<2xi2>, %arg1: tensor<2xui2>, %arg2: tensor<2xi4>, %arg3: tensor<2xui4>, %arg4: tensor<2xi8>, %arg5: tensor<2xi16>, %arg6: tensor<2xui16>, %arg7: tensor<2xi64>, %arg8: tensor<2xui64>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xi2>
    %1 = stablehlo.add %arg1, %arg1 : tensor<2xui2>
    %2 = stablehlo.add %arg2, %arg2 : tensor<2xi4>
    %3 = stablehlo.add %arg3, %arg3 : tensor<2xui4>
    %4 = stablehlo.add %arg4, %arg4 : tensor<2xi8>
    %5 = stablehlo.add %arg5, %arg5 : tensor<2xi16>
    %6 = stablehlo.add %arg6, %arg6 : tensor<2xui16>
    %7 = stablehlo.add %arg7, %arg7 : tensor<2xi64>
    %8 = stablehlo.add %arg8, %arg8 : tensor<2xui64>
    return
  }

  // Compatible but different types print as a function type.
  func.func @mixed_types(%arg0: tensor<4xf32>, %arg1: tensor<?xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %arg1, %arg1 : tensor<?xf32>
    %2 = stablehlo.add %arg1, %arg1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
    %3 = stablehlo.tanh %arg0 : (tensor<4xf32>) -> tensor<?xf32>
    %4 = stablehlo.maximum %arg0, %arg1 {foo.bar = "x"} : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
    %5 = stablehlo.exponential %arg1 : (tensor<?xf32>) -> tensor<4xf32>
    return
  }

  func.func @result_accuracy(%arg0: tensor<4xf32>) {
    %0 = stablehlo.exponential %arg0 : tensor<4xf32>
    %1 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %2 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, rtol = 2.000000e+00, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %3 = stablehlo.tanh %arg0 {foo.bar, result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %4 = stablehlo.log %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = 9.9999999999999995E-7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %5 = stablehlo.cbrt %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %6 = stablehlo.cosine %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %7 = stablehlo.exponential_minus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %8 = stablehlo.log_plus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %9 = stablehlo.logistic %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %10 = stablehlo.rsqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %11 = stablehlo.sine %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %12 = stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %13 = stablehlo.tan %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    return
  }

  func.func @discardable(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg1 {foo.bar = 1 : i32, mhlo.sharding = "{replicated}"} : tensor<4xf32>
    %1 = stablehlo.tanh %0 {mhlo.frontend_attributes = {x = "y"}} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
