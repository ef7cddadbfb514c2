// Reshapes that merge, split, do both, move dims of size 1, or share no product.
func.func public @main(%a0: tensor<8x4x16xf32>, %a1: tensor<4x6x8xf32>, %a2: tensor<192xf32>, %a3: tensor<32x16xf32>, %a4: tensor<8x4xf32>, %a5: tensor<2x16xf32>, %a6: tensor<6x35xf32>, %a7: tensor<1x8x1x16xf32>, %a8: tensor<f32>, %a9: tensor<1x1xf32>, %a10: tensor<8x1x4xf32>, %a11: tensor<0x4xf32>)
    -> (tensor<32x16xf32>, tensor<8x64xf32>, tensor<192xf32>, tensor<4x6x8xf32>, tensor<8x4x16xf32>,
        tensor<2x4x1x64xf32>, tensor<2x16xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x3x8xf32>,
        tensor<12x16xf32>, tensor<4x3x16xf32>, tensor<3x14x5xf32>, tensor<2x105xf32>,
        tensor<1x8x1x4x16x1xf32>, tensor<8x1x16x1xf32>, tensor<128xf32>, tensor<4x1x1x1x32xf32>,
        tensor<1x1xf32>, tensor<1xf32>, tensor<f32>, tensor<1x8x16xf32>, tensor<1x8x4xf32>,
        tensor<8x4x1xf32>, tensor<8x1x4xf32>, tensor<1x32x1xf32>, tensor<1x8x1x4x4xf32>,
        tensor<8x4xf32>, tensor<10x21xf32>, tensor<6x32xf32>, tensor<3x64xf32>, tensor<32x6xf32>,
        tensor<4x16x3xf32>, tensor<4x0xf32>, tensor<0x2x2xf32>, tensor<0xf32>) {
  // Merge.
  %0 = stablehlo.reshape %a0 : (tensor<8x4x16xf32>) -> tensor<32x16xf32>
  %1 = stablehlo.reshape %a0 : (tensor<8x4x16xf32>) -> tensor<8x64xf32>
  // Merge all.
  %2 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<192xf32>
  // Split.
  %3 = stablehlo.reshape %a2 : (tensor<192xf32>) -> tensor<4x6x8xf32>
  %4 = stablehlo.reshape %a3 : (tensor<32x16xf32>) -> tensor<8x4x16xf32>
  // Split and merge.
  %5 = stablehlo.reshape %a0 : (tensor<8x4x16xf32>) -> tensor<2x4x1x64xf32>
  %6 = stablehlo.reshape %a4 : (tensor<8x4xf32>) -> tensor<2x16xf32>
  %7 = stablehlo.reshape %a4 : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %8 = stablehlo.reshape %a5 : (tensor<2x16xf32>) -> tensor<8x4xf32>
  %9 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<8x3x8xf32>
  %10 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<12x16xf32>
  %11 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<4x3x16xf32>
  %12 = stablehlo.reshape %a6 : (tensor<6x35xf32>) -> tensor<3x14x5xf32>
  %13 = stablehlo.reshape %a6 : (tensor<6x35xf32>) -> tensor<2x105xf32>
  // Ones.
  %14 = stablehlo.reshape %a0 : (tensor<8x4x16xf32>) -> tensor<1x8x1x4x16x1xf32>
  %15 = stablehlo.reshape %a7 : (tensor<1x8x1x16xf32>) -> tensor<8x1x16x1xf32>
  %16 = stablehlo.reshape %a7 : (tensor<1x8x1x16xf32>) -> tensor<128xf32>
  %17 = stablehlo.reshape %a7 : (tensor<1x8x1x16xf32>) -> tensor<4x1x1x1x32xf32>
  %18 = stablehlo.reshape %a8 : (tensor<f32>) -> tensor<1x1xf32>
  %19 = stablehlo.reshape %a9 : (tensor<1x1xf32>) -> tensor<1xf32>
  %20 = stablehlo.reshape %a9 : (tensor<1x1xf32>) -> tensor<f32>
  %21 = stablehlo.reshape %a7 : (tensor<1x8x1x16xf32>) -> tensor<1x8x16xf32>
  %22 = stablehlo.reshape %a4 : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %23 = stablehlo.reshape %a4 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
  %24 = stablehlo.reshape %a4 : (tensor<8x4xf32>) -> tensor<8x1x4xf32>
  %25 = stablehlo.reshape %a10 : (tensor<8x1x4xf32>) -> tensor<1x32x1xf32>
  %26 = stablehlo.reshape %a7 : (tensor<1x8x1x16xf32>) -> tensor<1x8x1x4x4xf32>
  // Same.
  %27 = stablehlo.reshape %a4 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // Nothing in common.
  %28 = stablehlo.reshape %a6 : (tensor<6x35xf32>) -> tensor<10x21xf32>
  %29 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<6x32xf32>
  %30 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<3x64xf32>
  %31 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<32x6xf32>
  %32 = stablehlo.reshape %a1 : (tensor<4x6x8xf32>) -> tensor<4x16x3xf32>
  // Empty.
  %33 = stablehlo.reshape %a11 : (tensor<0x4xf32>) -> tensor<4x0xf32>
  %34 = stablehlo.reshape %a11 : (tensor<0x4xf32>) -> tensor<0x2x2xf32>
  %35 = stablehlo.reshape %a11 : (tensor<0x4xf32>) -> tensor<0xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20,
      %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35
      : tensor<32x16xf32>, tensor<8x64xf32>, tensor<192xf32>, tensor<4x6x8xf32>, tensor<8x4x16xf32>,
        tensor<2x4x1x64xf32>, tensor<2x16xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x3x8xf32>,
        tensor<12x16xf32>, tensor<4x3x16xf32>, tensor<3x14x5xf32>, tensor<2x105xf32>,
        tensor<1x8x1x4x16x1xf32>, tensor<8x1x16x1xf32>, tensor<128xf32>, tensor<4x1x1x1x32xf32>,
        tensor<1x1xf32>, tensor<1xf32>, tensor<f32>, tensor<1x8x16xf32>, tensor<1x8x4xf32>,
        tensor<8x4x1xf32>, tensor<8x1x4xf32>, tensor<1x32x1xf32>, tensor<1x8x1x4x4xf32>,
        tensor<8x4xf32>, tensor<10x21xf32>, tensor<6x32xf32>, tensor<3x64xf32>, tensor<32x6xf32>,
        tensor<4x16x3xf32>, tensor<4x0xf32>, tensor<0x2x2xf32>, tensor<0xf32>
}
