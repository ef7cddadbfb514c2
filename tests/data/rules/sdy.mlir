// Ops of the sdy dialect that stand between others.
sdy.mesh @mesh = <["a"=2]>
func.func public @main(%x: tensor<8x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}]> : tensor<8x16xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8x16xf32>
  %2 = sdy.reshard %1 <@mesh, [{"a"}, {}]> : tensor<8x16xf32>
  %3 = sdy.all_gather [{"a"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %4 = sdy.all_slice [{"a"}, {}] %3 out_sharding=<@mesh, [{"a"}, {}]> : tensor<8x16xf32>
  %5 = sdy.all_reduce {"a"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %6 = sdy.constant dense<0.0> : tensor<8x16xf32>
  %7 = sdy.named_computation<"named">(%x) (%q: tensor<8x16xf32>) {
    %n = stablehlo.negate %q : tensor<8x16xf32>
    sdy.return %n : tensor<8x16xf32>
  } : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>,
        tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
