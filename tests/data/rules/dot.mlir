// Dots: plain, batched, transposed, with several dims of a kind, with dims of size 1 and 0.
func.func public @main(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %wt: tensor<64x32xf32>, %v: tensor<32xf32>, %q: tensor<2x128x8x64xf32>, %k: tensor<2x256x8x64xf32>, %b: tensor<8x16x32xf32>, %one: tensor<1x32xf32>, %z: tensor<0x32xf32>)
    -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16xf32>, tensor<f32>, tensor<32x32xf32>,
        tensor<2x8x128x256xf32>, tensor<2x8x128x64xf32>, tensor<32x32xf32>, tensor<32x32xf32>,
        tensor<8x16x32xf32>, tensor<1x64xf32>, tensor<0x64xf32>, tensor<16x64xf32>, tensor<f32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.dot_general %x, %wt, contracting_dims = [1] x [1] : (tensor<16x32xf32>, tensor<64x32xf32>) -> tensor<16x64xf32>
  %2 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32xf32>) -> tensor<16xf32>
  %3 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<32xf32>, tensor<32xf32>) -> tensor<f32>
  %4 = stablehlo.dot_general %v, %v, contracting_dims = [] x [] : (tensor<32xf32>, tensor<32xf32>) -> tensor<32x32xf32>
  // Attention scores and the values they weigh.
  %5 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x128x8x64xf32>, tensor<2x256x8x64xf32>) -> tensor<2x8x128x256xf32>
  %6 = stablehlo.dot_general %5, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x8x128x256xf32>, tensor<2x256x8x64xf32>) -> tensor<2x8x128x64xf32>
  // A weight gradient: two contracting dims.
  %7 = stablehlo.dot_general %b, %b, contracting_dims = [0, 1] x [0, 1] : (tensor<8x16x32xf32>, tensor<8x16x32xf32>) -> tensor<32x32xf32>
  %8 = stablehlo.dot_general %b, %b, contracting_dims = [0, 1] x [0, 1], precision = [HIGHEST, HIGHEST] : (tensor<8x16x32xf32>, tensor<8x16x32xf32>) -> tensor<32x32xf32>
  %9 = stablehlo.dot_general %b, %b, batching_dims = [0, 1, 2] x [0, 1, 2], contracting_dims = [] x [] : (tensor<8x16x32xf32>, tensor<8x16x32xf32>) -> tensor<8x16x32xf32>
  %10 = stablehlo.dot_general %one, %w, contracting_dims = [1] x [0] : (tensor<1x32xf32>, tensor<32x64xf32>) -> tensor<1x64xf32>
  %11 = stablehlo.dot_general %z, %w, contracting_dims = [1] x [0] : (tensor<0x32xf32>, tensor<32x64xf32>) -> tensor<0x64xf32>
  // The old op.
  %12 = stablehlo.dot %x, %w : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %13 = stablehlo.dot %v, %v : (tensor<32xf32>, tensor<32xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13
      : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16xf32>, tensor<f32>, tensor<32x32xf32>,
        tensor<2x8x128x256xf32>, tensor<2x8x128x64xf32>, tensor<32x32xf32>, tensor<32x32xf32>,
        tensor<8x16x32xf32>, tensor<1x64xf32>, tensor<0x64xf32>, tensor<16x64xf32>, tensor<f32>
}
