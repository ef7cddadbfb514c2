// Constants, iota, and the ops that move elements about.
module {
  func.func @constants() {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %c_1 = stablehlo.constant dense<true> : tensor<4xi1>
    %c_2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %cst_3 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
    %c_4 = stablehlo.constant {foo.bar = 1 : i32} dense<0> : tensor<ui32>
    %cst_5 = stablehlo.constant dense<> : tensor<0x2xf32>
    %c_6 = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8>
    %cst_7 = stablehlo.constant dense<1.500000e+00> : tensor<2xf8E4M3FN>
    %c_8 = stablehlo.constant dense<-1> : tensor<2xi4>
    %c_9 = stablehlo.constant dense<7> : tensor<i64>
    return
  }

  func.func @constant_resource() -> tensor<4xf32> {
    %cst = stablehlo.constant dense_resource<blob> : tensor<4xf32>
    return %cst : tensor<4xf32>
  }

  func.func @iota() {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = stablehlo.iota dim = 1 {foo.bar} : tensor<4x8xf32>
    return
  }

  func.func @broadcast_in_dim(%arg0: tensor<f32>, %arg1: tensor<4xf32>, %arg2: tensor<1x8xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [0, 2] {foo.bar} : (tensor<1x8xf32>) -> tensor<3x5x8xf32>
    %3 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
    return
  }

  func.func @broadcast(%arg0: tensor<f32>, %arg1: tensor<4xf32>) {
    %0 = stablehlo.broadcast %arg1, sizes = [1, 2] : (tensor<4xf32>) -> tensor<1x2x4xf32>
    %1 = stablehlo.broadcast %arg0, sizes = [] {foo.bar} : (tensor<f32>) -> tensor<f32>
    return
  }

  func.func @reshape(%arg0: tensor<2x4x32xf32>, %arg1: tensor<?x4xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x4x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.reshape %arg0 {foo.bar} : (tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
    %2 = stablehlo.reshape %arg1 : (tensor<?x4xf32>) -> tensor<16xf32>
    return
  }

  func.func @transpose(%arg0: tensor<2x3x4xf32>, %arg1: tensor<f32>, %arg2: tensor<4x4xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %1 = stablehlo.transpose %arg1, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.transpose %arg2, dims = [1, 0] {foo.bar} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }

  func.func @reverse(%arg0: tensor<2x3x4xf32>) {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<2x3x4xf32>
    %1 = stablehlo.reverse %arg0, dims = [0, 2] {foo.bar} : tensor<2x3x4xf32>
    %2 = stablehlo.reverse %arg0, dims = [] : tensor<2x3x4xf32>
    return
  }

  func.func @concatenate(%arg0: tensor<2x3xf32>, %arg1: tensor<5x3xf32>, %arg2: tensor<?x3xf32>) {
    %0 = stablehlo.concatenate %arg0, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
    %2 = stablehlo.concatenate %arg0, %arg0, %arg0, dim = 1 {foo.bar} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
    %3 = stablehlo.concatenate %arg0, %arg2, dim = 0 : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    return
  }

  func.func @pad(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) {
    %0 = stablehlo.pad %arg0, %arg1, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
    %1 = stablehlo.pad %arg0, %arg1, low = [-1, 0], high = [0, 0], interior = [0, 0] {foo.bar} : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x3xf32>
    %2 = stablehlo.pad %arg2, %arg1, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return
  }

  func.func @slice(%arg0: tensor<8x16xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.slice %arg0 [0:4, 2:16:3] : (tensor<8x16xf32>) -> tensor<4x5xf32>
    %1 = stablehlo.slice %arg0 [0:8, 0:16] {foo.bar} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = stablehlo.slice %arg0 [0:8, 0:0] : (tensor<8x16xf32>) -> tensor<8x0xf32>
    %3 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
    return
  }

  func.func @dynamic_slice(%arg0: tensor<8x16xf32>, %arg1: tensor<i32>) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 16] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %1 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 2] {foo.bar} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    return
  }

  func.func @dynamic_update_slice(%arg0: tensor<8x16xf32>, %arg1: tensor<1x16xf32>, %arg2: tensor<i64>, %arg3: tensor<f32>) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>, tensor<i64>) -> tensor<8x16xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 {foo.bar} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>, tensor<i64>) -> tensor<8x16xf32>
    %2 = stablehlo.dynamic_update_slice %arg3, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return
  }
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
