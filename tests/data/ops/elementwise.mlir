// Unary, binary and ternary elementwise ops: short and function-type forms, attribute dictionaries.
func.func @unary_float(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.abs %a : tensor<4x8xf32>
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

func.func @unary_integer(%a: tensor<4xi32>, %b: tensor<4xi1>) {
  %0 = stablehlo.not %a : tensor<4xi32>
  %1 = stablehlo.not %b : tensor<4xi1>
  %2 = stablehlo.popcnt %a : tensor<4xi32>
  %3 = stablehlo.count_leading_zeros %a : tensor<4xi32>
  %4 = stablehlo.abs %a : tensor<4xi32>
  %5 = stablehlo.sign %a : tensor<4xi32>
  %6 = stablehlo.negate %a : tensor<4xi32>
  return
}

func.func @binary_float(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<4x8xf32>
  %1 = stablehlo.subtract %0, %b : tensor<4x8xf32>
  %2 = stablehlo.multiply %1, %b : tensor<4x8xf32>
  %3 = stablehlo.divide %2, %b : tensor<4x8xf32>
  %4 = stablehlo.remainder %3, %b : tensor<4x8xf32>
  %5 = stablehlo.power %4, %b : tensor<4x8xf32>
  %6 = stablehlo.maximum %5, %b : tensor<4x8xf32>
  %7 = stablehlo.minimum %6, %b : tensor<4x8xf32>
  %8 = stablehlo.atan2 %7, %b : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

func.func @binary_integer(%a: tensor<4xui8>, %b: tensor<4xui8>, %p: tensor<4xi1>) {
  %0 = stablehlo.and %a, %b : tensor<4xui8>
  %1 = stablehlo.or %a, %b : tensor<4xui8>
  %2 = stablehlo.xor %a, %b : tensor<4xui8>
  %3 = stablehlo.shift_left %a, %b : tensor<4xui8>
  %4 = stablehlo.shift_right_arithmetic %a, %b : tensor<4xui8>
  %5 = stablehlo.shift_right_logical %a, %b : tensor<4xui8>
  %6 = stablehlo.and %p, %p : tensor<4xi1>
  %7 = stablehlo.xor %p, %p : tensor<4xi1>
  return
}

func.func @complex(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.imag %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %3 = stablehlo.abs %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %4 = stablehlo.exponential %0 : tensor<4xcomplex<f32>>
  %5 = stablehlo.multiply %0, %4 : tensor<4xcomplex<f32>>
  %6 = stablehlo.real %a : tensor<4xf32>
  %7 = stablehlo.imag %a : tensor<4xf32>
  return %3 : tensor<4xf32>
}

func.func @complex_dynamic(%a: tensor<?xf64>, %b: tensor<4xf64>) {
  %0 = stablehlo.complex %a, %a : tensor<?xcomplex<f64>>
  %1 = "stablehlo.complex"(%a, %b) : (tensor<?xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
  return
}

func.func @compare(%f: tensor<4xf32>, %i: tensor<4xi32>, %u: tensor<4xui32>, %p: tensor<4xi1>,
                   %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.compare EQ, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare NE, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.compare LT, %f, %f, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = stablehlo.compare LE, %i, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %4 = stablehlo.compare GT, %u, %u, UNSIGNED : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %5 = stablehlo.compare GE, %p, %p, NOTYPE {foo.bar = 1 : i64} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %6 = stablehlo.compare EQ, %c, %c {foo.bar} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

func.func @select_clamp(%p: tensor<4xi1>, %s: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>,
                        %d: tensor<?xf32>, %m: tensor<f32>) {
  %0 = stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
  %1 = stablehlo.select %s, %a, %b {foo.bar} : tensor<i1>, tensor<4xf32>
  %2 = stablehlo.select %p, %a, %d : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %3 = stablehlo.select %s, %d, %d : tensor<i1>, tensor<?xf32>
  %4 = stablehlo.clamp %a, %b, %a : tensor<4xf32>
  %5 = stablehlo.clamp %m, %b, %m : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = stablehlo.clamp %a, %b, %m {foo.bar} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

func.func @convert(%a: tensor<4xf32>, %i: tensor<4xi32>, %f8: tensor<4xf8E4M3FN>) {
  %0 = stablehlo.convert %a : tensor<4xf32>
  %1 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = stablehlo.convert %i {foo.bar} : (tensor<4xi32>) -> tensor<4xcomplex<f64>>
  %3 = stablehlo.convert %f8 : (tensor<4xf8E4M3FN>) -> tensor<4xf8E5M2>
  %4 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
  %5 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xi4>
  %6 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xui2>
  %7 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xi32>
  %8 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x2xf16>
  %9 = stablehlo.bitcast_convert %a {foo.bar} : (tensor<4xf32>) -> tensor<4xf32>
  %10 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>
  %11 = stablehlo.reduce_precision %a, format = e8m7 : tensor<4xf32>
  %12 = stablehlo.reduce_precision %a, format = e5m0 {foo.bar} : tensor<4xf32>
  return
}

// Every float kind of the type system.
func.func @float_kinds(%0: tensor<2xf4E2M1FN>, %1: tensor<2xf6E2M3FN>, %2: tensor<2xf6E3M2FN>, %3: tensor<2xf8E3M4>,
                       %4: tensor<2xf8E4M3>, %5: tensor<2xf8E4M3FN>, %6: tensor<2xf8E4M3FNUZ>,
                       %7: tensor<2xf8E4M3B11FNUZ>, %8: tensor<2xf8E5M2>, %9: tensor<2xf8E5M2FNUZ>,
                       %10: tensor<2xf8E8M0FNU>, %11: tensor<2xbf16>, %12: tensor<2xf16>, %13: tensor<2xf64>) {
  %20 = stablehlo.add %0, %0 : tensor<2xf4E2M1FN>
  %21 = stablehlo.add %1, %1 : tensor<2xf6E2M3FN>
  %22 = stablehlo.add %2, %2 : tensor<2xf6E3M2FN>
  %23 = stablehlo.add %3, %3 : tensor<2xf8E3M4>
  %24 = stablehlo.add %4, %4 : tensor<2xf8E4M3>
  %25 = stablehlo.add %5, %5 : tensor<2xf8E4M3FN>
  %26 = stablehlo.add %6, %6 : tensor<2xf8E4M3FNUZ>
  %27 = stablehlo.add %7, %7 : tensor<2xf8E4M3B11FNUZ>
  %28 = stablehlo.add %8, %8 : tensor<2xf8E5M2>
  %29 = stablehlo.add %9, %9 : tensor<2xf8E5M2FNUZ>
  %30 = stablehlo.add %10, %10 : tensor<2xf8E8M0FNU>
  %31 = stablehlo.add %11, %11 : tensor<2xbf16>
  %32 = stablehlo.add %12, %12 : tensor<2xf16>
  %33 = stablehlo.add %13, %13 : tensor<2xf64>
  return
}

func.func @integer_kinds(%0: tensor<2xi2>, %1: tensor<2xui2>, %2: tensor<2xi4>, %3: tensor<2xui4>, %4: tensor<2xi8>,
                         %5: tensor<2xi16>, %6: tensor<2xui16>, %7: tensor<2xi64>, %8: tensor<2xui64>) {
  %20 = stablehlo.add %0, %0 : tensor<2xi2>
  %21 = stablehlo.add %1, %1 : tensor<2xui2>
  %22 = stablehlo.add %2, %2 : tensor<2xi4>
  %23 = stablehlo.add %3, %3 : tensor<2xui4>
  %24 = stablehlo.add %4, %4 : tensor<2xi8>
  %25 = stablehlo.add %5, %5 : tensor<2xi16>
  %26 = stablehlo.add %6, %6 : tensor<2xui16>
  %27 = stablehlo.add %7, %7 : tensor<2xi64>
  %28 = stablehlo.add %8, %8 : tensor<2xui64>
  return
}

// Compatible but different types print as a function type.
func.func @mixed_types(%a: tensor<4xf32>, %d: tensor<?xf32>) {
  %0 = stablehlo.add %a, %d : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %d, %d : tensor<?xf32>
  %2 = stablehlo.add %d, %d : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  %3 = stablehlo.tanh %a : (tensor<4xf32>) -> tensor<?xf32>
  %4 = stablehlo.maximum %a, %d {foo.bar = "x"} : (tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
  %5 = stablehlo.exponential %d : (tensor<?xf32>) -> tensor<4xf32>
  return
}

func.func @result_accuracy(%a: tensor<4xf32>) {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %1 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %2 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 2.0, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %3 = stablehlo.tanh %a {foo.bar, result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %4 = stablehlo.log %a {result_accuracy = #stablehlo.result_accuracy<rtol = 1.0e-6, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %5 = stablehlo.cbrt %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %6 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %7 = stablehlo.exponential_minus_one %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %8 = stablehlo.log_plus_one %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %9 = stablehlo.logistic %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %10 = stablehlo.rsqrt %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %11 = stablehlo.sine %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %12 = stablehlo.sqrt %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %13 = stablehlo.tan %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  return
}

func.func @discardable(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b {foo.bar = 1 : i32, mhlo.sharding = "{replicated}"} : tensor<4xf32>
  %1 = stablehlo.tanh %0 {mhlo.frontend_attributes = {x = "y"}} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
