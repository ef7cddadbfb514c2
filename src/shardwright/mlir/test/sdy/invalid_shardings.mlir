// Meshes and shardings that are wrong.
// RUN: shardwright-opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

// expected-error@+1 {{custom op 'sdy.mesh' size of mesh axis "x" must be at least 1, got 0}}
sdy.mesh @m = <["x"=0]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' size of mesh axis "x" must be at least 1, got -2}}
sdy.mesh @m = <["x"=-2]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' mesh has axis "x" twice}}
sdy.mesh @m = <["x"=2, "x"=4]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' mesh has 4 devices, but 3 device ids}}
sdy.mesh @m = <["x"=2, "y"=2], device_ids=[0, 1, 2]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' device ids of a mesh must be 0 to 1 in some order}}
sdy.mesh @m = <["x"=2], device_ids=[0, 2]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' device ids of a mesh must be 0 to 1 in some order}}
sdy.mesh @m = <["x"=2], device_ids=[1, 1]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' device id must not be negative, got -1}}
sdy.mesh @m = <[], device_ids=[-1]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' mesh has 1 devices, but 2 device ids}}
sdy.mesh @m = <[], device_ids=[0, 1]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' mesh has more devices than fit into 64 bits}}
sdy.mesh @m = <["x"=4611686018427387904, "y"=4]>

// -----

func.func @f() {
  // expected-error@+1 {{'sdy.mesh' op expects parent op 'builtin.module'}}
  sdy.mesh @m = <["x"=2]>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op unknown mesh @nomesh}}
  %0 = sdy.sharding_constraint %arg0 <@nomesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op unknown mesh @f}}
  %0 = sdy.sharding_constraint %arg0 <@f, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op sharding has 1 dims, but 'tensor<8x8xf32>' has rank 2}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op sharding has 0 dims, but 'tensor<8x8xf32>' has rank 2}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, []> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 1: unknown axis "q" in mesh @mesh = #sdy.mesh<["x"=2, "y"=2, "z"=8]>}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"q"}]> : tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: unknown axis "x" in mesh #sdy.mesh<["q"=2]>}}
  %0 = sdy.sharding_constraint %arg0 <mesh<["q"=2]>, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 1: axis "x" is used more than once}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op replicated axes: axis "x" is used more than once}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}], replicated={"x"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op unreduced axes: axis "x" is used more than once}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}], replicated={"x"}, unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 1: axis "z":(1)2 overlaps "z"}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z"}, {"z":(1)2}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 1: axis "z":(2)2 overlaps "z":(1)4}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(1)4}, {"z":(2)2}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: sub-axes "z":(1)2 and "z":(2)2 make up one and must be written as it}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(1)2, "z":(2)2}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: pre-size of sub-axis "z":(0)2 must be at least 1}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(0)2}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: size of sub-axis "z":(1)1 must be at least 2}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(1)1}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: size of sub-axis "z":(2)-2 must be at least 2}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(2)-2}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: sub-axis "z":(1)3 does not divide axis "z" of size 8}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(1)3}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: sub-axis "z":(4)4 does not divide axis "z" of size 8}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(4)4}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: sub-axis "z":(1)8 is all of axis "z"}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(1)8}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 0: sub-axis "z":(4294967296)4294967296 does not divide axis "z" of size 8}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z":(4294967296)4294967296}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op replicated axes: "y" and "x" are not in the order of mesh @mesh = #sdy.mesh<["x"=2, "y"=2, "z"=8]>}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}], replicated={"y", "x"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op unreduced axes: "z":(4)2 and "z":(1)2 are not in the order of mesh @mesh = #sdy.mesh<["x"=2, "y"=2, "z"=8]>}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}], unreduced={"z":(4)2, "z":(1)2}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op dim 1: has priority 1, but is empty and closed}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}p1]> : tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op a sharding on the maximal mesh #sdy.mesh<[], device_ids=[3]> has no dims and no axes, got #sdy.sharding<mesh<[], device_ids=[3]>, [{}, {}]>}}
  %0 = sdy.sharding_constraint %arg0 <mesh<[], device_ids=[3]>, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: f32) {
  // expected-error@+1 {{'sdy.sharding_constraint' op a sharding of 'f32', which has no shape, has no dims and no axes, got #sdy.sharding<@mesh, [{}]>}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}]> : f32
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<*xf32>) {
  // expected-error@+1 {{'sdy.sharding_constraint' op a sharding needs a type with a rank, got 'tensor<*xf32>'}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, []> : tensor<*xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: f32) {
  // expected-error@+1 {{'sdy.sharding_constraint' op a sharding of 'f32', which has no shape, has no dims and no axes, got #sdy.sharding<@mesh, [], unreduced={"x"}>}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [], unreduced={"x"}> : f32
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
// On arguments, results and ops.
// expected-error@+1 {{'func.func' op argument 1: sharding has 1 dims, but 'tensor<8x8xf32>' has rank 2}}
func.func @f(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
// expected-error@+1 {{'func.func' op argument 0: dim 0: unknown axis "q" in mesh @mesh = #sdy.mesh<["x"=2, "y"=2, "z"=8]>}}
func.func private @f(tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}, {}]>})

// -----

// expected-error@+1 {{'func.func' op result 0: unknown mesh @nomesh}}
func.func @f(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@nomesh, [{"x"}, {}]>}) {
  return %arg0 : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{'func.func' op argument 0: sdy.sharding must be a #sdy.sharding, got #sdy.sharding_per_value<[]>}}
func.func @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding_per_value<[]>}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op result 0: sdy.sharding must be a #sdy.sharding, got "x"}}
func.func @f(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = "x"}) {
  return %arg0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sdy.sharding of an op must be a #sdy.sharding_per_value, got #sdy.sharding<@mesh, [{"x"}, {}]>}}
  %0 = "test.op"(%arg0) {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op has 1 results, but 0 result shardings}}
  %0 = "test.op"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=8]>
func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op result 1: dim 0: axis "x" is used more than once}}
  %0:2 = "test.op"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x", "x"}, {}]>]>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sdy.propagation_edges must be a #sdy.propagation_edges, got 3 : i64}}
  %0 = "test.op"(%arg0) {sdy.propagation_edges = 3} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
