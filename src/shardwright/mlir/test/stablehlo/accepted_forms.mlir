// Text that is read in more ways than it is printed, and what is printed otherwise than jaxlib does.
// RUN: shardwright-opt %s | FileCheck %s
// RUN: shardwright-opt %s | shardwright-opt | FileCheck %s
// RUN: shardwright-opt %S/../../../../../tests/data/ops/second_forms.mlir | FileCheck %s --check-prefix=SECOND
// RUN: shardwright-opt --mlir-print-op-generic %S/../../../../../tests/data/ops/second_forms.mlir | FileCheck %s --check-prefix=GENERIC

// Defaults that were written out are left out, but not forgotten.
// SECOND-LABEL: func.func @defaults
// SECOND: stablehlo.exponential %arg0 : tensor<4xf32>
// SECOND: stablehlo.cholesky %arg1 {foo.bar} : tensor<2x4x4xf32>
// SECOND: stablehlo.custom_call @foo(%arg2) : (
// SECOND: stablehlo.custom_call @foo(%arg0) {api_version = 0 : i32} : (
// SECOND: "stablehlo.recv"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false}>
// SECOND: stablehlo.slice %arg0 [0:4] :
// GENERIC: "stablehlo.exponential"(%{{.*}}) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}>
// GENERIC: "stablehlo.cholesky"(%{{.*}}) <{lower = false}> {foo.bar}
// GENERIC: "stablehlo.custom_call"(%{{.*}}) <{api_version = 1 : i32, call_target_name = "foo", has_side_effect = false}>
// GENERIC: "stablehlo.custom_call"(%{{.*}}) <{api_version = 0 : i32, call_target_name = "foo", called_computations = [], output_operand_aliases = []}>

// SECOND-LABEL: func.func @composite
// SECOND: stablehlo.composite "my.op" %arg0 {decomposition = @decomposition} :
// GENERIC: "stablehlo.composite"(%{{.*}}) <{composite_attributes = {}, decomposition = @decomposition, name = "my.op", version = 0 : i32}>

// SECOND-LABEL: func.func @function_types
// SECOND: stablehlo.tanh %arg0 : tensor<4xf32>
// SECOND: stablehlo.add %arg0, %arg0 {foo.bar} : tensor<4xf32>
// SECOND: stablehlo.select %arg1, %arg0, %arg0 : tensor<4xi1>, tensor<4xf32>
// SECOND: stablehlo.clamp %arg0, %arg0, %arg0 : tensor<4xf32>
// SECOND: stablehlo.complex %arg0, %arg0 : tensor<4xcomplex<f32>>
// SECOND: stablehlo.reverse %arg0, dims = [0] : tensor<4xf32>
// SECOND: stablehlo.reduce_precision %arg0, format = e8m7 : tensor<4xf32>
// SECOND: stablehlo.cholesky %arg3, lower = true : tensor<2x2xf32>
// SECOND: stablehlo.after_all %arg2, %arg2 : !stablehlo.token
// SECOND: stablehlo.convert %arg0 : tensor<4xf32>

// SECOND-LABEL: func.func @generic
// SECOND: %c = stablehlo.constant dense<7> : tensor<i64>
// SECOND: stablehlo.add %arg0, %arg0 {foo.bar} : tensor<4xf32>
// SECOND: stablehlo.dot_general %arg0, %arg0, contracting_dims = [0] x [0] :
// SECOND: stablehlo.reduce(%arg1 init: %arg2) applies stablehlo.add across dimensions = [1] :
// SECOND: stablehlo.optimization_barrier %arg0 : tensor<4xf32>

// SECOND-LABEL: func.func @layout
// SECOND: stablehlo.while(%iterArg = %arg0) : tensor<i1>
// SECOND-NEXT: cond {
// SECOND: stablehlo.constant dense<1> : tensor<i32>
// SECOND: window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :

// SECOND-LABEL: func.func private @attributes
// SECOND-SAME: foo.bounds = #stablehlo.bounds<4, ?>
// SECOND-SAME: foo.channel = #stablehlo.channel_handle<handle = 0, type = 1>
// SECOND-SAME: foo.dot = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>
// SECOND-SAME: foo.gather = #stablehlo.gather<start_index_map = [0], index_vector_dim = 2>
// SECOND-SAME: foo.scatter = #stablehlo.scatter<scatter_dims_to_operand_dims = [0]>

// jaxlib prints `%arg0, , sizes`, which it cannot read.
// CHECK-LABEL: func.func @slice_of_scalar
func.func @slice_of_scalar(%arg0: tensor<f32>) {
  // CHECK: stablehlo.dynamic_slice %arg0, sizes = [] : (tensor<f32>) -> tensor<f32>
  %0 = stablehlo.dynamic_slice %arg0, sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_slice %arg0, sizes = [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_slice %arg0, , sizes = [] : (tensor<f32>) -> tensor<f32>
  return
}

// jaxlib prints this short and so loses the attributes of the body.
// CHECK-LABEL: func.func @attributes_in_body
func.func @attributes_in_body(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
  // CHECK: stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] :
  // CHECK-NEXT: reducer(%arg2: tensor<f32>, %arg3: tensor<f32>) {
  // CHECK-NEXT: stablehlo.add %arg2, %arg3 {foo.bar} : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
    %1 = stablehlo.add %arg2, %arg3 {foo.bar} : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return
}

// A constant of a quantized type holds values of the storage type.
// CHECK-LABEL: func.func @quantized_constant
func.func @quantized_constant() {
  // CHECK: stablehlo.constant() {value = dense<1> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
  %0 = stablehlo.constant() {value = dense<1> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
  return
}

// What no convolution accepts has a long form.
// CHECK: func.func private @raw_convolution() attributes {foo.conv = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [-1, 7], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [], output_batch_dimension = 1, output_feature_dimension = 5, output_spatial_dimensions = []>, foo.mesh = #stablehlo.mesh<axes=[]>}
func.func private @raw_convolution() attributes {
  foo.conv = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [-1, 7], kernel_output_feature_dimension = 3, output_batch_dimension = 1, output_feature_dimension = 5>,
  foo.mesh = #stablehlo.mesh<axes=[]>
}
