// Quantized element types. jaxlib's Python contexts lack the quant dialect; its serializer, which reads text, has it.
module {
  func.func @quantize(%arg0: tensor<2xf32>) {
    %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>
    %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>) -> tensor<2xf32>
    %2 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {1.000000e-01:-30,5.000000e-01:-20}>>
    %3 = stablehlo.uniform_dequantize %2 : (tensor<2x!quant.uniform<i8:f32:0, {1.000000e-01:-30,5.000000e-01:-20}>>) -> tensor<2xf32>
    %4 = stablehlo.uniform_quantize %0 : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>) -> tensor<2x!quant.uniform<u8:f32, 2.000000e+00:15>>
    %5 = stablehlo.add %0, %0 : tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>
    %6 = stablehlo.tanh %0 : tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>
    return
  }

  func.func @quantized_dot(%arg0: tensor<2x3x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<3x4x!quant.uniform<i8<-127:127>:f32, 1.000000e+00>>) -> tensor<2x4x!quant.uniform<i32:f32, 1.000000e+00>> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<3x4x!quant.uniform<i8<-127:127>:f32, 1.000000e+00>>) -> tensor<2x4x!quant.uniform<i32:f32, 1.000000e+00>>
    return %0 : tensor<2x4x!quant.uniform<i32:f32, 1.000000e+00>>
  }
}
