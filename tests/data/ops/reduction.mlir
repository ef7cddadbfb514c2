// reduce in its short and long forms, and the other ops whose region combines elements.
func.func @reduce_applies(%a: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<4x8xi32>, %iz: tensor<i32>, %p: tensor<4x8xi1>, %pz: tensor<i1>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%a init: %z) applies stablehlo.minimum across dimensions = [0] {foo.bar = 1 : i32} : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %4 = stablehlo.reduce(%i init: %iz) applies stablehlo.and across dimensions = [1] : (tensor<4x8xi32>, tensor<i32>) -> tensor<4xi32>
  %5 = stablehlo.reduce(%p init: %pz) applies stablehlo.or across dimensions = [1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<4xi1>
  %6 = stablehlo.reduce(%p init: %pz) applies stablehlo.xor across dimensions = [1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<4xi1>
  return
}

// Bodies that look like one op, but are not what the short form stands for.
func.func @reduce_almost_short(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %5 = stablehlo.add %y, %x : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  %1 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %5 = stablehlo.add %x, %x : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  %3 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    stablehlo.return %y : tensor<f32>
  }
  %4 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %5 = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  %6 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %x : tensor<f32>
  }
  %7 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %5 = stablehlo.divide %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  return
}

func.func @reduce_captures(%a: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %5 = stablehlo.add %x, %z : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

// The accumulator may be of another type than the elements.
func.func @reduce_promotes(%a: tensor<4x8xbf16>, %z: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xbf16>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

func.func @reduce_argmax(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>, %z: tensor<f32>, %iz: tensor<i32>) {
  %0:2 = stablehlo.reduce(%a init: %z), (%i init: %iz) across dimensions = [1] {foo.bar} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>)  {
    %1 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %x, %y : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return
}

func.func @reduce_dynamic(%a: tensor<?x8xf32>, %z: tensor<f32>) -> tensor<?xf32> {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @reduce_window(%a: tensor<1x8x8x4xf32>, %z: tensor<f32>, %i: tensor<1x8x8x4xi32>, %iz: tensor<i32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>} : (tensor<1x8x8x4xf32>, tensor<f32>) -> tensor<1x4x4x4xf32>
  %1:2 = "stablehlo.reduce_window"(%a, %i, %z, %iz) ({
  ^bb0(%x: tensor<f32>, %j: tensor<i32>, %y: tensor<f32>, %k: tensor<i32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    %3 = stablehlo.add %j, %k : tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, foo.bar} : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x8x8x4xf32>, tensor<1x8x8x4xi32>)
  return
}

func.func @cumulative_sum(%a: tensor<8xf32>, %z: tensor<f32>) -> tensor<8xf32> {
  %0 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {window_dimensions = array<i64: 8>, padding = dense<[[7, 0]]> : tensor<1x2xi64>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @select_and_scatter(%a: tensor<1x8x8x4xf32>, %s: tensor<1x4x4x4xf32>, %z: tensor<f32>) -> tensor<1x8x8x4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<0> : tensor<4x2xi64>, foo.bar} : (tensor<1x8x8x4xf32>, tensor<1x4x4x4xf32>, tensor<f32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

func.func @sort(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1:2 = "stablehlo.sort"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %j: tensor<i32>, %k: tensor<i32>):
    %2 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {foo.bar} : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  %3 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {dimension = -2 : i64, is_stable = false} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

func.func @map(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
