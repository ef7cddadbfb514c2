// Ops whose shapes are operands, and types with unknown or bounded dimensions.
module {
  func.func @dynamic_broadcast_in_dim(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>, %arg2: tensor<?x?xf32>, %arg3: tensor<3xindex>) {
    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [2, 1] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
    %1 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [2, 1] {foo.bar, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
    %2 = stablehlo.dynamic_broadcast_in_dim %arg2, %arg3, dims = [1, 2] : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
    return
  }

  func.func @dynamic_iota(%arg0: tensor<2xi64>) {
    %0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi64>) -> tensor<4x5xi64>
    %1 = stablehlo.dynamic_iota %arg0, dim = 1 {foo.bar} : (tensor<2xi64>) -> tensor<?x?xf32>
    return
  }

  func.func @dynamic_pad(%arg0: tensor<2x3xi64>, %arg1: tensor<i64>, %arg2: tensor<2xi64>) {
    %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
    %1 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 {foo.bar} : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
    return
  }

  func.func @dynamic_reshape(%arg0: tensor<2x3xi64>, %arg1: tensor<2xi64>) {
    %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<3x2xi64>
    %1 = stablehlo.dynamic_reshape %arg0, %arg1 {foo.bar} : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<?x?xi64>
    return
  }

  func.func @real_dynamic_slice(%arg0: tensor<256x?xf32>, %arg1: tensor<2xindex>) {
    %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<256x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<256x?xf32>
    %1 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 {foo.bar} : (tensor<256x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<256x?xf32>
    return
  }

  func.func @dimension_size(%arg0: tensor<4x?xf32>, %arg1: tensor<i32>) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<4x?xf32>) -> tensor<i32>
    %1 = stablehlo.get_dimension_size %arg0, dim = 0 {foo.bar} : (tensor<4x?xf32>) -> tensor<i32>
    return
  }

  func.func @set_dimension_size(%arg0: tensor<4x2xf32>, %arg1: tensor<i32>) {
    %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 1 : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 2>>
    %1 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 {foo.bar} : (tensor<4x2xf32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
    return
  }

  func.func @bounds(%arg0: tensor<?x?xf32, #stablehlo.bounds<3, 5>>, %arg1: tensor<?x4xf32, #stablehlo.bounds<3, ?>>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<?x?xf32, #stablehlo.bounds<3, 5>>
    %1 = stablehlo.tanh %arg1 : tensor<?x4xf32, #stablehlo.bounds<3, ?>>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<?x?xf32, #stablehlo.bounds<3, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 3>>
    return
  }
}
