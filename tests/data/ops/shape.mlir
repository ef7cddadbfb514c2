// Constants, iota, and the ops that move elements about.
func.func @constants() {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %3 = stablehlo.constant dense<true> : tensor<4xi1>
  %4 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %5 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %6 = stablehlo.constant {foo.bar = 1 : i32} dense<0> : tensor<ui32>
  %7 = stablehlo.constant dense<> : tensor<0x2xf32>
  %8 = stablehlo.constant dense<"0x0102030405060708"> : tensor<8xi8>
  %9 = stablehlo.constant dense<1.5> : tensor<2xf8E4M3FN>
  %10 = stablehlo.constant dense<-1> : tensor<2xi4>
  %11 = "stablehlo.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  return
}

func.func @constant_resource() -> tensor<4xf32> {
  %0 = stablehlo.constant dense_resource<blob> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @iota() {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %1 = stablehlo.iota dim = 1 {foo.bar} : tensor<4x8xf32>
  return
}

func.func @broadcast_in_dim(%s: tensor<f32>, %a: tensor<4xf32>, %b: tensor<1x8xf32>) {
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.broadcast_in_dim %b, dims = [0, 2] {foo.bar} : (tensor<1x8xf32>) -> tensor<3x5x8xf32>
  %3 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func @broadcast(%s: tensor<f32>, %a: tensor<4xf32>) {
  %0 = stablehlo.broadcast %a, sizes = [1, 2] : (tensor<4xf32>) -> tensor<1x2x4xf32>
  %1 = stablehlo.broadcast %s, sizes = [] {foo.bar} : (tensor<f32>) -> tensor<f32>
  return
}

func.func @reshape(%a: tensor<2x4x32xf32>, %d: tensor<?x4xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x4x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.reshape %a {foo.bar} : (tensor<2x4x32xf32>) -> tensor<2x4x32xf32>
  %2 = stablehlo.reshape %d : (tensor<?x4xf32>) -> tensor<16xf32>
  return
}

func.func @transpose(%a: tensor<2x3x4xf32>, %s: tensor<f32>, %q: tensor<4x4xf32>) {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.transpose %s, dims = [] : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.transpose %q, dims = [1, 0] {foo.bar} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

func.func @reverse(%a: tensor<2x3x4xf32>) {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<2x3x4xf32>
  %1 = stablehlo.reverse %a, dims = [0, 2] {foo.bar} : tensor<2x3x4xf32>
  %2 = stablehlo.reverse %a, dims = [] : tensor<2x3x4xf32>
  return
}

func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.concatenate %a, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
  %2 = stablehlo.concatenate %a, %a, %a, dim = 1 {foo.bar} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %3 = stablehlo.concatenate %a, %d, dim = 0 : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

func.func @pad(%a: tensor<2x3xf32>, %v: tensor<f32>, %s: tensor<f32>) {
  %0 = stablehlo.pad %a, %v, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  %1 = stablehlo.pad %a, %v, low = [-1, 0], high = [0, 0], interior = [0, 0] {foo.bar} : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x3xf32>
  %2 = stablehlo.pad %s, %v, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

func.func @slice(%a: tensor<8x16xf32>, %s: tensor<f32>) {
  %0 = stablehlo.slice %a [0:4, 2:16:3] : (tensor<8x16xf32>) -> tensor<4x5xf32>
  %1 = stablehlo.slice %a [0:8, 0:16] {foo.bar} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.slice %a [0:8:1, 0:0] : (tensor<8x16xf32>) -> tensor<8x0xf32>
  %3 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  return
}

func.func @dynamic_slice(%a: tensor<8x16xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 16] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
  %1 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 2] {foo.bar} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

func.func @dynamic_update_slice(%a: tensor<8x16xf32>, %u: tensor<1x16xf32>, %i: tensor<i64>, %s: tensor<f32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>, tensor<i64>) -> tensor<8x16xf32>
  %1 = stablehlo.dynamic_update_slice %a, %u, %i, %i {foo.bar} : (tensor<8x16xf32>, tensor<1x16xf32>, tensor<i64>, tensor<i64>) -> tensor<8x16xf32>
  %2 = stablehlo.dynamic_update_slice %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
