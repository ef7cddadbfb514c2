// Elementwise ops: a dim of size 1, scalars as predicate and bounds, empty tensors.
func.func public @main(%a: tensor<8x1x16xf32>, %p: tensor<i1>, %q: tensor<8x1x16xi1>, %s: tensor<f32>, %c: tensor<8x1x16xcomplex<f32>>, %i: tensor<8x16xi32>, %z: tensor<0x4xf32>)
    -> (tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xi1>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xcomplex<f32>>, tensor<8x16x4xi8>, tensor<8x16xi32>,
        tensor<8x16xf32>, tensor<8x1x16xbf16>, tensor<8x1x16xf32>, tensor<0x4xf32>, tensor<f32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x16xi32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xi1>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xi1>, tensor<8x16xi32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x16xi32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x16xi32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x16xi32>,
        tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x1x16xf32>, tensor<8x16xi32>, tensor<8x1x16xf32>) {
  %0 = stablehlo.add %a, %a : tensor<8x1x16xf32>
  %1 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<8x1x16xf32>
  %2 = stablehlo.select %q, %a, %a : tensor<8x1x16xi1>, tensor<8x1x16xf32>
  %3 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<8x1x16xf32>, tensor<f32>) -> tensor<8x1x16xf32>
  %4 = stablehlo.clamp %a, %a, %a : tensor<8x1x16xf32>
  %5 = stablehlo.clamp %s, %a, %a : (tensor<f32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>) -> tensor<8x1x16xf32>
  %6 = stablehlo.compare LT, %a, %a : (tensor<8x1x16xf32>, tensor<8x1x16xf32>) -> tensor<8x1x16xi1>
  %7 = stablehlo.real %c : (tensor<8x1x16xcomplex<f32>>) -> tensor<8x1x16xf32>
  %8 = stablehlo.imag %c : (tensor<8x1x16xcomplex<f32>>) -> tensor<8x1x16xf32>
  %9 = stablehlo.complex %a, %a : tensor<8x1x16xcomplex<f32>>
  %10 = stablehlo.bitcast_convert %i : (tensor<8x16xi32>) -> tensor<8x16x4xi8>
  %11 = stablehlo.bitcast_convert %10 : (tensor<8x16x4xi8>) -> tensor<8x16xi32>
  %12 = stablehlo.bitcast_convert %i : (tensor<8x16xi32>) -> tensor<8x16xf32>
  %13 = stablehlo.convert %a : (tensor<8x1x16xf32>) -> tensor<8x1x16xbf16>
  %14 = stablehlo.reduce_precision %a, format = e5m2 : tensor<8x1x16xf32>
  %15 = stablehlo.add %z, %z : tensor<0x4xf32>
  %16 = stablehlo.add %s, %s : tensor<f32>
  %17 = stablehlo.abs %a : tensor<8x1x16xf32>
  %18 = stablehlo.cbrt %a : tensor<8x1x16xf32>
  %19 = stablehlo.ceil %a : tensor<8x1x16xf32>
  %20 = stablehlo.cosine %a : tensor<8x1x16xf32>
  %21 = stablehlo.count_leading_zeros %i : tensor<8x16xi32>
  %22 = stablehlo.exponential %a : tensor<8x1x16xf32>
  %23 = stablehlo.exponential_minus_one %a : tensor<8x1x16xf32>
  %24 = stablehlo.floor %a : tensor<8x1x16xf32>
  %25 = stablehlo.is_finite %a : (tensor<8x1x16xf32>) -> tensor<8x1x16xi1>
  %26 = stablehlo.log %a : tensor<8x1x16xf32>
  %27 = stablehlo.log_plus_one %a : tensor<8x1x16xf32>
  %28 = stablehlo.logistic %a : tensor<8x1x16xf32>
  %29 = stablehlo.negate %a : tensor<8x1x16xf32>
  %30 = stablehlo.not %q : tensor<8x1x16xi1>
  %31 = stablehlo.popcnt %i : tensor<8x16xi32>
  %32 = stablehlo.round_nearest_afz %a : tensor<8x1x16xf32>
  %33 = stablehlo.round_nearest_even %a : tensor<8x1x16xf32>
  %34 = stablehlo.rsqrt %a : tensor<8x1x16xf32>
  %35 = stablehlo.sign %a : tensor<8x1x16xf32>
  %36 = stablehlo.sine %a : tensor<8x1x16xf32>
  %37 = stablehlo.sqrt %a : tensor<8x1x16xf32>
  %38 = stablehlo.tan %a : tensor<8x1x16xf32>
  %39 = stablehlo.tanh %a : tensor<8x1x16xf32>
  %40 = stablehlo.and %i, %i : tensor<8x16xi32>
  %41 = stablehlo.atan2 %a, %a : tensor<8x1x16xf32>
  %42 = stablehlo.divide %a, %a : tensor<8x1x16xf32>
  %43 = stablehlo.maximum %a, %a : tensor<8x1x16xf32>
  %44 = stablehlo.minimum %a, %a : tensor<8x1x16xf32>
  %45 = stablehlo.multiply %a, %a : tensor<8x1x16xf32>
  %46 = stablehlo.or %i, %i : tensor<8x16xi32>
  %47 = stablehlo.power %a, %a : tensor<8x1x16xf32>
  %48 = stablehlo.remainder %a, %a : tensor<8x1x16xf32>
  %49 = stablehlo.shift_left %i, %i : tensor<8x16xi32>
  %50 = stablehlo.shift_right_arithmetic %i, %i : tensor<8x16xi32>
  %51 = stablehlo.shift_right_logical %i, %i : tensor<8x16xi32>
  %52 = stablehlo.subtract %a, %a : tensor<8x1x16xf32>
  %53 = stablehlo.xor %i, %i : tensor<8x16xi32>
  %54 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<8x1x16xf32>, tensor<8x1x16xf32>) -> tensor<8x1x16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20,
      %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39,
      %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54
      : tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xi1>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xcomplex<f32>>, tensor<8x16x4xi8>, tensor<8x16xi32>,
        tensor<8x16xf32>, tensor<8x1x16xbf16>, tensor<8x1x16xf32>, tensor<0x4xf32>, tensor<f32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x16xi32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xi1>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xi1>, tensor<8x16xi32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x16xi32>,
        tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>,
        tensor<8x1x16xf32>, tensor<8x16xi32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x16xi32>,
        tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x1x16xf32>, tensor<8x16xi32>, tensor<8x1x16xf32>
}
