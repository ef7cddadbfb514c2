// Text that cannot be read.
// RUN: shardwright-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.tanh' expected a type of 1 operands and 1 result, got '(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = stablehlo.tanh %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.complex' expected a tensor of complex numbers, got 'tensor<4xf32>'}}
  %0 = stablehlo.complex %a, %a : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+2 {{custom op 'stablehlo.compare' expected ::shardwright::stablehlo::ComparisonDirection to be one of: EQ, NE, GE, GT, LE, LT}}
  // expected-error@+1 {{custom op 'stablehlo.compare' failed to parse Stablehlo_ComparisonDirectionAttr parameter 'value' which is to be a `::shardwright::stablehlo::ComparisonDirection`}}
  %0 = stablehlo.compare XX, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce_precision' expected a float format such as e8m7}}
  %0 = stablehlo.reduce_precision %a, format = e8 : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce_precision' expected a float format such as e8m7}}
  %0 = stablehlo.reduce_precision %a, format = e99999999999m7 : tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.slice' expected integer value}}
  %0 = stablehlo.slice %a [0:] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.slice' integer value too large}}
  %0 = stablehlo.slice %a [0:99999999999999999999] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{custom op 'stablehlo.constant' invalid kind of attribute specified}}
  %0 = stablehlo.constant 1 : i32
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce' expected a commutative binary op of the stablehlo dialect, got 'stablehlo.subtract'}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.subtract across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce' expected a commutative binary op of the stablehlo dialect, got 'foo.bar'}}
  %0 = stablehlo.reduce(%a init: %z) applies foo.bar across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce' expected the type of one reduced tensor, got '(tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)'}}
  %0:2 = stablehlo.reduce(%a init: %z), (%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a: i32, %z: tensor<f32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce' expected the type of one reduced tensor, got '(i32, tensor<f32>) -> tensor<4xf32>'}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (i32, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce' number of operands and types do not match: got 2 operands and 1 types}}
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{custom op 'stablehlo.reduce' invalid kind of type specified: expected builtin.function, but found 'tensor<4x8xf32>'}}
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{custom op 'stablehlo.reduce' expected 'reducer'}}
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   // expected-error@+1 {{custom op 'stablehlo.reduce' expected 1 pairs of reducer arguments, got 0}}
   reducer {
  }
  return
}

// -----

func.func @f(%a: tensor<i1>) {
  // expected-error@+1 {{custom op 'stablehlo.while' number of operands and types do not match: got 1 operands and 2 types}}
  %0 = stablehlo.while(%x = %a) : tensor<i1>, tensor<i1> cond {
    stablehlo.return %x : tensor<i1>
  } do {
    stablehlo.return %x : tensor<i1>
  }
  return
}

// -----

func.func @f(%a: tensor<i1>) {
  %0 = stablehlo.while(%x = %a) : tensor<i1> cond {
    stablehlo.return %x : tensor<i1>
  }
  // expected-error@+1 {{custom op 'stablehlo.while' expected 'do'}}
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' spatial dimension 2 is out of range for 2 spatial dimensions}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' spatial dimension 0 is given twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' dimension 'b' is given twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, b, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' expected dimensions 'b' and 'f'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' expected 'b', 'f' or the number of a spatial dimension, got 'x'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, x], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' expected two padding amounts per dimension}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' unknown or repeated part of a window: 'size'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {size = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' expected true or false, got 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [2, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

// expected-error@+1 {{unknown stablehlo attribute 'nothing'}}
func.func private @f() attributes {x = #stablehlo.nothing<1>}

// -----

// expected-error@+1 {{field 'lhs_batching_dimensions' is given twice}}
func.func private @f() attributes {x = #stablehlo.dot<lhs_batching_dimensions = [0], lhs_batching_dimensions = [0]>}

// -----

// expected-error@+1 {{unknown field 'batching'}}
func.func private @f() attributes {x = #stablehlo.dot<batching = [0]>}

// -----

// expected-error@+1 {{expected '['}}
func.func private @f() attributes {x = #stablehlo.gather<offset_dims = 1>}

// -----

// expected-error@+1 {{unknown field 'what'}}
func.func private @f() attributes {x = #stablehlo.conv<raw what = 1>}

// -----

// expected-error@+1 {{expected the name of an axis}}
func.func private @f() attributes {x = #stablehlo.axis_ref<sub_axis_info = (1)2>}

// -----

// expected-error@+1 {{expected a mesh or the name of one}}
func.func private @f() attributes {x = #stablehlo.replica_group_mesh_axes<mesh = "mesh", axes = []>}

// -----

// expected-error@+1 {{expected a list of axis references}}
func.func private @f() attributes {x = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = ["x"]>}

// -----

// expected-error@+2 {{expected ::shardwright::stablehlo::Precision to be one of: DEFAULT, HIGH, HIGHEST}}
// expected-error@+1 {{failed to parse Stablehlo_PrecisionAttr parameter 'value' which is to be a `::shardwright::stablehlo::Precision`}}
func.func private @f() attributes {x = #stablehlo<precision LOW>}

// -----

// expected-error@+1 {{expected a future of tensors, got '!stablehlo.token'}}
func.func private @f(!stablehlo.future<!stablehlo.token>)

// -----

// expected-error@+1 {{unknown  type `nothing` in dialect `stablehlo`}}
func.func private @f(!stablehlo.nothing)
