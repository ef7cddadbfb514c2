// Loops, branches, barriers, tuples, composites and custom calls.
func.func @while(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%iterArg = %n, %iterArg_0 = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %iterArg, %one : tensor<i32>
    %2 = stablehlo.tanh %iterArg_0 : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

func.func @while_attributes(%x: tensor<i1>) -> tensor<i1> {
  %0 = stablehlo.while(%iterArg = %x) : tensor<i1> attributes {foo.bar = 1 : i32, mhlo.frontend_attributes = {a = "b"}}
  cond {
    stablehlo.return %iterArg : tensor<i1>
  } do {
    stablehlo.return %iterArg : tensor<i1>
  }
  return %0 : tensor<i1>
}

func.func @while_nested(%x: tensor<i1>) -> tensor<i1> {
  %0 = stablehlo.while(%a = %x) : tensor<i1>
  cond {
    stablehlo.return %a : tensor<i1>
  } do {
    %1 = stablehlo.while(%b = %a) : tensor<i1>
    cond {
      stablehlo.return %b : tensor<i1>
    } do {
      %2 = stablehlo.not %a : tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }
    stablehlo.return %1 : tensor<i1>
  }
  return %0 : tensor<i1>
}

func.func @while_nothing(%x: tensor<i1>) {
  stablehlo.while() cond {
    stablehlo.return %x : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

func.func @while_token(%x: tensor<i1>, %t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = stablehlo.while(%a = %x, %b = %t) : tensor<i1>, !stablehlo.token
  cond {
    stablehlo.return %a : tensor<i1>
  } do {
    %1 = stablehlo.after_all %b : !stablehlo.token
    stablehlo.return %a, %1 : tensor<i1>, !stablehlo.token
  }
  return %0#1 : !stablehlo.token
}

func.func @if(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) {foo.bar} : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @if_nothing(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

func.func @case(%i: tensor<i32>, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1, %i : tensor<4xf32>, tensor<i32>
  }, {
    stablehlo.return %a, %i : tensor<4xf32>, tensor<i32>
  }, {
    stablehlo.return %a, %i : tensor<4xf32>, tensor<i32>
  }) {foo.bar} : (tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<i32>
}

func.func @optimization_barrier(%a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = stablehlo.optimization_barrier %a : tensor<4xf32>
  %1:2 = stablehlo.optimization_barrier {foo.bar} %a, %b : tensor<4xf32>, tensor<i32>
  return
}

func.func @optimization_barrier_nothing() {
  stablehlo.optimization_barrier()
  stablehlo.optimization_barrier {foo.bar}()
  return
}

func.func @tuple(%a: tensor<4xf32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<4xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  %2 = stablehlo.tuple %0, %b {foo.bar} : tuple<tuple<tensor<4xf32>, tensor<i32>>, tensor<i32>>
  %3 = stablehlo.get_tuple_element %2[0] {foo.bar} : (tuple<tuple<tensor<4xf32>, tensor<i32>>, tensor<i32>>) -> tuple<tensor<4xf32>, tensor<i32>>
  %4 = stablehlo.tuple %a : tuple<tensor<4xf32>>
  return %1 : tensor<i32>
}

func.func private @decomposition(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @nothing() {
  return
}

func.func @composite(%a: tensor<f32>, %b: tensor<f32>) {
  %0 = stablehlo.composite "my.op" %a, %b {composite_attributes = {x = "y", n = 1 : i32}, decomposition = @decomposition, version = 1 : i32} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.composite "my.op" %a, %b {decomposition = @decomposition} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.composite "my.op" %a, %b {composite_attributes = {}, decomposition = @decomposition, version = 0 : i32, foo.bar} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  stablehlo.composite "my.nothing" {decomposition = @nothing} : () -> ()
  return
}

func.func @composite_regions(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.composite"(%a, %b) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) {name = "my.op", decomposition = @decomposition} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @called(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

func.func @custom_call(%a: tensor<4xf32>, %b: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @foo(%a) {api_version = 2 : i32, backend_config = "opaque", has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @foo(%a) {backend_config = {x = 1 : i32, y = "z"}, api_version = 4 : i32, mhlo.backend_config = {foo}} : (tensor<4xf32>) -> tensor<4xf32>
  %3:2 = stablehlo.custom_call @foo(%b, %a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>, tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)
  %4 = stablehlo.custom_call @foo(%a) {called_computations = [@called], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @foo() : () -> ()
  stablehlo.custom_call @"strange name"(%a) {has_side_effect = true, backend_config = ""} : (tensor<4xf32>) -> ()
  %5 = stablehlo.custom_call @foo(%t) {api_version = 1 : i32, has_side_effect = false} : (!stablehlo.token) -> !stablehlo.token
  %6 = stablehlo.custom_call @foo(%a) {api_version = 3 : i32} : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %7 = stablehlo.custom_call @foo(%a) {api_version = 0 : i32, called_computations = []} : (tensor<4xf32>) -> tensor<4xf32>
  %8 = stablehlo.custom_call @foo(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tuple<tensor<f32>, tensor<4xf32>>
  return
}
