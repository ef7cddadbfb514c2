module {
  func.func @floats(%arg0: tensor<4x?xf32>, %arg1: tensor<f64>) {
    %0 = chlo.acos %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %1 = chlo.acosh %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %2 = chlo.asin %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %3 = chlo.asinh %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %4 = chlo.atan %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %5 = chlo.atanh %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %6 = chlo.bessel_i1e %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %7 = chlo.conj %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %8 = chlo.cosh %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %9 = chlo.sinh %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %10 = chlo.square %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %11 = chlo.tan %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %12 = chlo.digamma %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %13 = chlo.erf_inv %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %14 = chlo.erf %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %15 = chlo.erfc %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %16 = chlo.lgamma %arg0 : tensor<4x?xf32> -> tensor<4x?xf32>
    %17 = chlo.erf %arg1 {note, result_accuracy = 1 : i64} : tensor<f64> -> tensor<f64>
    %18 = chlo.is_inf %arg0 : tensor<4x?xf32> -> tensor<4x?xi1>
    %19 = chlo.is_neg_inf %arg0 : tensor<4x?xf32> -> tensor<4x?xi1>
    %20 = chlo.is_pos_inf %arg0 : tensor<4x?xf32> -> tensor<4x?xi1>
    return
  }
  func.func @complex(%arg0: tensor<4xcomplex<f32>>) {
    %0 = chlo.acos %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %1 = chlo.acosh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %2 = chlo.asin %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %3 = chlo.asinh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %4 = chlo.atan %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %5 = chlo.atanh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %6 = chlo.bessel_i1e %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %7 = chlo.conj %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %8 = chlo.cosh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %9 = chlo.sinh %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %10 = chlo.square %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %11 = chlo.tan %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %12 = chlo._asin_acos_kernel %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    return
  }
  func.func @types(%arg0: tensor<4xf8E4M3FN>, %arg1: tensor<4xbf16>, %arg2: tensor<?xf16>, %arg3: tensor<*xf64>) {
    %0 = chlo.tan %arg0 : tensor<4xf8E4M3FN> -> tensor<4xf8E4M3FN>
    %1 = chlo.tan %arg1 : tensor<4xbf16> -> tensor<?xbf16>
    %2 = chlo.tan %arg2 : tensor<?xf16> -> tensor<3xf16>
    %3 = chlo.tan %arg3 : tensor<*xf64> -> tensor<*xf64>
    return
  }
}
