// Ops whose shapes are operands, and types with unknown or bounded dimensions.
func.func @dynamic_broadcast_in_dim(%a: tensor<1x3xi64>, %s: tensor<3xi64>, %d: tensor<?x?xf32>, %t: tensor<3xindex>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [2, 1] : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  %1 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>, foo.bar} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  %2 = stablehlo.dynamic_broadcast_in_dim %d, %t, dims = [1, 2] : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
  return
}

func.func @dynamic_iota(%s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<4x5xi64>
  %1 = stablehlo.dynamic_iota %s, dim = 1 {foo.bar} : (tensor<2xi64>) -> tensor<?x?xf32>
  return
}

func.func @dynamic_pad(%a: tensor<2x3xi64>, %v: tensor<i64>, %p: tensor<2xi64>) {
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %p : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  %1 = stablehlo.dynamic_pad %a, %v, %p, %p, %p {foo.bar} : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  return
}

func.func @dynamic_reshape(%a: tensor<2x3xi64>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<3x2xi64>
  %1 = stablehlo.dynamic_reshape %a, %s {foo.bar} : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  return
}

func.func @real_dynamic_slice(%a: tensor<256x?xf32>, %i: tensor<2xindex>) {
  %0 = stablehlo.real_dynamic_slice %a, %i, %i, %i : (tensor<256x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<256x?xf32>
  %1 = stablehlo.real_dynamic_slice %a, %i, %i, %i {foo.bar} : (tensor<256x?xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<256x?xf32>
  return
}

func.func @dimension_size(%a: tensor<4x?xf32>, %n: tensor<i32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<4x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %a, dim = 0 {foo.bar} : (tensor<4x?xf32>) -> tensor<i32>
  return
}

func.func @set_dimension_size(%a: tensor<4x2xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 2>>
  %1 = stablehlo.set_dimension_size %a, %n, dim = 0 {foo.bar} : (tensor<4x2xf32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  return
}

func.func @bounds(%a: tensor<?x?xf32, #stablehlo.bounds<3, 5>>, %b: tensor<?x4xf32, #stablehlo.type_extensions<bounds = [3, ?]>>) {
  %0 = stablehlo.add %a, %a : tensor<?x?xf32, #stablehlo.bounds<3, 5>>
  %1 = stablehlo.tanh %b : tensor<?x4xf32, #stablehlo.type_extensions<bounds = [3, ?]>>
  %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x?xf32, #stablehlo.bounds<3, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 3>>
  return
}
