// Sharding rules that are wrong.
// RUN: shardwright-opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sdy.sharding_rule must be a #sdy.op_sharding_rule, got 3 : i64}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = 3} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op has 1 operands, but its sharding rule maps 2}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op has 1 results, but its sharding rule maps 2}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], []) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule, operand 0: mapping has 1 dims, but 'tensor<8x8xf32>' has rank 2}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule, operand 0: factor k has no size; the rule has 2 factors}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule, operand 0: factor i is used more than once}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, i]) {i=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule, result 0: factor k of size 1 shares a dim with others}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, jk]) {i=8, j=8, k=1}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule: factor k is in no operand and no result}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8, k=2}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule: reduction factor j is in a result}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} reduction={j}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule: need_replication factors must ascend, got i after j}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={j, i}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule: factor i is in more than one special set}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={i} permutation={i}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{'test.op' op sharding rule: blocked_propagation factor z_3 has no size}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} blocked_propagation={z_3}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected factor i, got j}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {j=8, i=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected factors named i to z, z_1, z_2 and so on, got 'a'}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([a, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected factors named i to z, z_1, z_2 and so on, got 'z_0'}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([z_0, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected factors named i to z, z_1, z_2 and so on, got 'z_99999999999999999999'}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([z_99999999999999999999, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected valid keyword}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, ])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected one factor, got 2}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} reduction={ij}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{integer value too large}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=99999999999999999999}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8x8xf32>) {
  // expected-error@+1 {{expected '>'}}
  %0 = "test.op"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
