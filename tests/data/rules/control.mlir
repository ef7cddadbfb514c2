// Loops, branches, barriers and calls: what is inside has rules like anything else.
func.func private @twice(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.add %x, %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
func.func public @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %p: tensor<i1>, %i: tensor<i32>)
    -> (tensor<i32>, tensor<i32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<16x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%n = %zero, %a = %x) : tensor<i32>, tensor<8x16xf32>
    cond {
      %limit = stablehlo.constant dense<10> : tensor<i32>
      %more = stablehlo.compare LT, %n, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n, %one : tensor<i32>
      stablehlo.return %next, %b : tensor<i32>, tensor<8x16xf32>
    }
  %1 = "stablehlo.if"(%p) ({
      %a = stablehlo.tanh %x : tensor<8x16xf32>
      stablehlo.return %a : tensor<8x16xf32>
    }, {
      stablehlo.return %x : tensor<8x16xf32>
    }) : (tensor<i1>) -> tensor<8x16xf32>
  %2:2 = stablehlo.optimization_barrier %x, %w : tensor<8x16xf32>, tensor<16x16xf32>
  %3 = func.call @twice(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = func.call @twice(%3) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %zero, %0#0, %0#1, %1, %2#0, %2#1, %3, %4
      : tensor<i32>, tensor<i32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<16x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
