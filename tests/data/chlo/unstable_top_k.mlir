module {
  func.func @top_k(%arg0: tensor<8x16xf32>) {
    %values, %indices = chlo.top_k(%arg0, k = 4, is_stable = false) : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 4) {note} : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %values_2, %indices_3 = chlo.top_k(%arg0, k = 4) : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)
    return
  }
}
