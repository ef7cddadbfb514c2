// CHLO: elementwise ops, implicit broadcasts, top_k, ragged dots.
func.func public @main(%x: tensor<8x16xf32>, %c: tensor<8x16xcomplex<f32>>, %i: tensor<8x16xi32>, %v: tensor<16xf32>, %col: tensor<8x1xf32>, %s: tensor<f32>, %rl: tensor<64x32xf32>, %rr: tensor<4x32x16xf32>, %rc: tensor<32x16xf32>, %gs: tensor<4xi32>)
    -> (tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xi1>, tensor<8x16xi1>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x4xf32>, tensor<8x4xi32>,
        tensor<64x16xf32>, tensor<4x64x16xf32>) {
  %0 = "chlo._asin_acos_kernel"(%c) : (tensor<8x16xcomplex<f32>>) -> tensor<8x16xcomplex<f32>>
  %1 = chlo.acos %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %2 = chlo.acosh %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %3 = chlo.asin %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %4 = chlo.asinh %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %5 = chlo.atan %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %6 = chlo.atanh %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %7 = chlo.bessel_i1e %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %8 = chlo.conj %c : tensor<8x16xcomplex<f32>> -> tensor<8x16xcomplex<f32>>
  %9 = chlo.cosh %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %10 = chlo.digamma %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %11 = chlo.erf %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %12 = chlo.erf_inv %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %13 = chlo.erfc %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %14 = chlo.is_inf %x : tensor<8x16xf32> -> tensor<8x16xi1>
  %15 = chlo.is_neg_inf %x : tensor<8x16xf32> -> tensor<8x16xi1>
  %16 = chlo.is_pos_inf %x : tensor<8x16xf32> -> tensor<8x16xi1>
  %17 = chlo.lgamma %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %18 = chlo.sinh %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %19 = chlo.square %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %20 = chlo.tan %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %21 = chlo.next_after %x, %x : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %22 = chlo.polygamma %x, %x : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %23 = chlo.zeta %x, %x : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %24 = "chlo.mulhi"(%i, %i) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
  %25 = "chlo.constant_like"(%x) <{value = 1.0 : f32}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %26 = "chlo.constant"() <{value = dense<1.0> : tensor<8x16xf32>}> : () -> tensor<8x16xf32>
  %27 = chlo.broadcast_add %x, %v : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %28 = chlo.broadcast_multiply %x, %col : (tensor<8x16xf32>, tensor<8x1xf32>) -> tensor<8x16xf32>
  %29 = chlo.broadcast_subtract %s, %x : (tensor<f32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %30, %31 = chlo.top_k(%x, k = 4) : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
  // Rows in groups, each with its own matrix; then one product per group.
  %32 = "chlo.ragged_dot"(%rl, %rr, %gs) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x32xf32>, tensor<4x32x16xf32>, tensor<4xi32>) -> tensor<64x16xf32>
  %33 = "chlo.ragged_dot"(%rl, %rc, %gs) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}> : (tensor<64x32xf32>, tensor<32x16xf32>, tensor<4xi32>) -> tensor<4x64x16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20,
      %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33
      : tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xcomplex<f32>>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>, tensor<8x16xi1>, tensor<8x16xi1>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x4xf32>, tensor<8x4xi32>,
        tensor<64x16xf32>, tensor<4x64x16xf32>
}
