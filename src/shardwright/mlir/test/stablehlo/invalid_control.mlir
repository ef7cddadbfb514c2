// Verifiers of loops, branches, calls, tuples and barriers.
// RUN: shardwright-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.while' op value 0 that condition returns has type 'tensor<i32>', expected 'tensor<i1>'}}
  %0 = stablehlo.while(%x = %a) : tensor<i32> cond {
    stablehlo.return %x : tensor<i32>
  } do {
    stablehlo.return %x : tensor<i32>
  }
  return
}

// -----

func.func @f(%a: tensor<i1>, %b: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.while' op value 0 that body returns has type 'tensor<i32>', expected 'tensor<i1>'}}
  %0 = stablehlo.while(%x = %a) : tensor<i1> cond {
    stablehlo.return %x : tensor<i1>
  } do {
    stablehlo.return %b : tensor<i32>
  }
  return
}

// -----

func.func @f(%a: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op body returns 0 values, expected 1}}
  %0 = stablehlo.while(%x = %a) : tensor<i1> cond {
    stablehlo.return %x : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// -----

func.func @f(%a: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op condition takes 2 arguments, expected 1}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i1>, %y: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }, {
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return
}

// -----

func.func @f(%a: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op has 1 operands, but 0 results}}
  "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }, {
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @f(%a: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op region #0 ('cond') failed to verify constraint: region with 1 blocks}}
  %0 = "stablehlo.while"(%a) ({
  }, {
  }) : (tensor<i1>) -> tensor<i1>
  return
}

// -----

func.func @f(%a: tensor<i1>) {
  // expected-error@+1 {{'stablehlo.while' op expected 2 regions}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return
}

// -----

func.func @f(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.if' op value 0 that false branch returns has type 'tensor<i1>', expected 'tensor<4xf32>'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.if' op true branch takes 1 arguments, expected 0}}
  %0 = "stablehlo.if"(%p) ({
  ^bb0(%x: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.case' op expected at least one branch}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.case' op branch 1 returns 0 values, expected 1}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.optimization_barrier' op operands and results must have the same types}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.tuple' op operands have types 'tensor<4xf32>', but the result has 'tuple<tensor<4xf32>, tensor<4xf32>>'}}
  %0 = "stablehlo.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return
}

// -----

func.func @f(%a: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{'stablehlo.get_tuple_element' op index 1 is out of range for a tuple of 1 elements}}
  %0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{'stablehlo.get_tuple_element' op result has type 'tensor<5xf32>', but element 0 has 'tensor<4xf32>'}}
  %0 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<4xf32>>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op no function @missing to decompose to}}
  %0 = stablehlo.composite "my.op" %a {decomposition = @missing} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @g(%a: tensor<f32>) -> tensor<i32>
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op results have types 'tensor<f32>', but @g returns 'tensor<i32>'}}
  %0 = stablehlo.composite "my.op" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @g(%a: tensor<f32>) -> tensor<f32>
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op operands have types 'tensor<f32>', 'tensor<f32>', but @g takes 'tensor<f32>'}}
  %0 = stablehlo.composite "my.op" %a, %a {decomposition = @g} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func private @g(%a: tensor<f32>) -> tensor<f32>
func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.composite' op name 'op' must be a namespaced op name such as my_namespace.my_op}}
  %0 = stablehlo.composite "op" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op layouts must be given for both operands and results, or for neither}}
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op entry 0 of operand_layouts is no layout of 'tensor<2x3xf32>': dense<0> : tensor<2xindex>}}
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op an alias names operand 1 of 1}}
  %0 = stablehlo.custom_call @foo(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: i32) {
  // expected-error@+1 {{'stablehlo.custom_call' op operand #0 must be variadic of tensor, buffer, token, tuple or future or unranked tensor of any type values, but got 'i32'}}
  %0 = stablehlo.custom_call @foo(%a) : (i32) -> tensor<2x3xf32>
  return
}
