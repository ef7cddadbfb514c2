module {
  func.func @scan(%arg0: tensor<8x4xf32>, %arg1: tensor<8x2xf32>, %arg2: tensor<4xf32>, %arg3: tensor<2xf32>, %arg4: tensor<?x4xf32>) {
    %0:2 = chlo.scan(%arg0) inits (%arg2) dimension=0  {
    ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
      %5 = chlo.broadcast_add %input, %carry : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %5, %5 : tensor<4xf32>, tensor<4xf32>
    } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
    %1:4 = chlo.scan(%arg0, %arg1) inits (%arg2, %arg3) dimension=0  attributes {is_associative = true, is_reverse = true, note, scan_dim_size = 8 : i64} {
    ^bb0(%input: tensor<4xf32>, %input_0: tensor<2xf32>, %carry: tensor<4xf32>, %carry_1: tensor<2xf32>):
      stablehlo.return %input, %input_0, %carry, %carry_1 : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>
    } : (tensor<8x4xf32>, tensor<8x2xf32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<8x4xf32>, tensor<8x2xf32>, tensor<4xf32>, tensor<2xf32>)
    %2 = chlo.scan(%arg0) inits () dimension=1  {
    ^bb0(%input: tensor<8xf32>):
      stablehlo.return %input : tensor<8xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %3:2 = chlo.scan() inits (%arg2) dimension=0  attributes {scan_dim_size = 3 : i64} {
    ^bb0(%carry: tensor<4xf32>):
      stablehlo.return %carry, %carry : tensor<4xf32>, tensor<4xf32>
    } : (tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
    %4 = chlo.scan(%arg4) inits (%arg2) dimension=0  attributes {is_reverse = false} {
    ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
      stablehlo.return %carry : tensor<4xf32>
    } : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return
  }
}
