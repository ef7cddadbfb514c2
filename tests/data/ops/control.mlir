// Loops, branches, barriers, tuples, composites and custom calls.
module {
  func.func @while(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      %2 = stablehlo.tanh %iterArg_1 : tensor<4xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }

  func.func @while_attributes(%arg0: tensor<i1>) -> tensor<i1> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i1> attributes {foo.bar = 1 : i32, mhlo.frontend_attributes = {a = "b"}}
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<i1>
    }
    return %0 : tensor<i1>
  }

  func.func @while_nested(%arg0: tensor<i1>) -> tensor<i1> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i1>
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      %1 = stablehlo.while(%iterArg_0 = %iterArg) : tensor<i1>
      cond {
        stablehlo.return %iterArg_0 : tensor<i1>
      } do {
        %2 = stablehlo.not %iterArg : tensor<i1>
        stablehlo.return %2 : tensor<i1>
      }
      stablehlo.return %1 : tensor<i1>
    }
    return %0 : tensor<i1>
  }

  func.func @while_nothing(%arg0: tensor<i1>) {
    stablehlo.while()
    cond {
      stablehlo.return %arg0 : tensor<i1>
    } do {
      stablehlo.return 
    }
    return
  }

  func.func @while_token(%arg0: tensor<i1>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i1>, !stablehlo.token
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      %1 = stablehlo.after_all %iterArg_0 : !stablehlo.token
      stablehlo.return %iterArg, %1 : tensor<i1>, !stablehlo.token
    }
    return %0#1 : !stablehlo.token
  }

  func.func @if(%arg0: tensor<i1>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) {foo.bar} : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }

  func.func @if_nothing(%arg0: tensor<i1>) {
    "stablehlo.if"(%arg0) ({
      stablehlo.return 
    }, {
      stablehlo.return 
    }) : (tensor<i1>) -> ()
    return
  }

  func.func @case(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
    %0:2 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<4xf32>
      stablehlo.return %1, %arg0 : tensor<4xf32>, tensor<i32>
    }, {
      stablehlo.return %arg1, %arg0 : tensor<4xf32>, tensor<i32>
    }, {
      stablehlo.return %arg1, %arg0 : tensor<4xf32>, tensor<i32>
    }) {foo.bar} : (tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<i32>
  }

  func.func @optimization_barrier(%arg0: tensor<4xf32>, %arg1: tensor<i32>) {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<4xf32>
    %1:2 = stablehlo.optimization_barrier {foo.bar} %arg0, %arg1 : tensor<4xf32>, tensor<i32>
    return
  }

  func.func @optimization_barrier_nothing() {
    stablehlo.optimization_barrier()
    stablehlo.optimization_barrier {foo.bar}()
    return
  }

  func.func @tuple(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<4xf32>, tensor<i32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
    %2 = stablehlo.tuple %0, %arg1 {foo.bar} : tuple<tuple<tensor<4xf32>, tensor<i32>>, tensor<i32>>
    %3 = stablehlo.get_tuple_element %2[0] {foo.bar} : (tuple<tuple<tensor<4xf32>, tensor<i32>>, tensor<i32>>) -> tuple<tensor<4xf32>, tensor<i32>>
    %4 = stablehlo.tuple %arg0 : tuple<tensor<4xf32>>
    return %1 : tensor<i32>
  }

  func.func private @decomposition(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }

  func.func private @nothing() {
    return
  }

  func.func @composite(%arg0: tensor<f32>, %arg1: tensor<f32>) {
    %0 = stablehlo.composite "my.op" %arg0, %arg1 {composite_attributes = {n = 1 : i32, x = "y"}, decomposition = @decomposition, version = 1 : i32} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.composite "my.op" %arg0, %arg1 {decomposition = @decomposition} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.composite "my.op" %arg0, %arg1 {decomposition = @decomposition, foo.bar} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.composite "my.nothing"  {decomposition = @nothing} : () -> ()
    return
  }

  func.func @composite_regions(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "my.op" %arg0, %arg1 ({
    ^bb0(%arg2: tensor<f32>):
      stablehlo.return %arg2 : tensor<f32>
    }, {
      stablehlo.return %arg0 : tensor<f32>
    }) {decomposition = @decomposition} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }

  func.func private @called(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }

  func.func @custom_call(%arg0: tensor<4xf32>, %arg1: tensor<2x3xf32>, %arg2: !stablehlo.token) {
    %0 = stablehlo.custom_call @foo(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @foo(%arg0) {api_version = 2 : i32, backend_config = "opaque", has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @foo(%arg0) {api_version = 4 : i32, backend_config = {x = 1 : i32, y = "z"}, mhlo.backend_config = {foo}} : (tensor<4xf32>) -> tensor<4xf32>
    %3:2 = stablehlo.custom_call @foo(%arg1, %arg0) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>, tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)
    %4 = stablehlo.custom_call @foo(%arg0) {called_computations = [@called], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.custom_call @foo() : () -> ()
    stablehlo.custom_call @"strange name"(%arg0) {backend_config = "", has_side_effect = true} : (tensor<4xf32>) -> ()
    %5 = stablehlo.custom_call @foo(%arg2) : (!stablehlo.token) -> !stablehlo.token
    %6 = stablehlo.custom_call @foo(%arg0) {api_version = 3 : i32} : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %7 = stablehlo.custom_call @foo(%arg0) {api_version = 0 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %8 = stablehlo.custom_call @foo(%arg0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tuple<tensor<f32>, tensor<4xf32>>
    return
  }
}
