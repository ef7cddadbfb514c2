// Attributes that are not well formed.
// RUN: shardwright-opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

// expected-error@+1 {{expected ','}}
"test.op"() {value = #sdy.sharding<@mesh>} : () -> ()

// -----

// expected-error@+1 {{invalid kind of attribute specified}}
"test.op"() {value = #sdy.sharding<"mesh", []>} : () -> ()

// -----

// expected-error@+1 {{invalid kind of attribute specified}}
"test.op"() {value = #sdy.sharding<@mesh::@inner, []>} : () -> ()

// -----

// expected-error@+1 {{expected string}}
"test.op"() {value = #sdy.sharding<@mesh, [{x}]>} : () -> ()

// -----

// expected-error@+1 {{expected '}'}}
"test.op"() {value = #sdy.sharding<@mesh, [{?, "x"}]>} : () -> ()

// -----

// expected-error@+1 {{expected '}'}}
"test.op"() {value = #sdy.sharding<@mesh, [{"x" "y"}]>} : () -> ()

// -----

// expected-error@+1 {{expected a priority such as 'p1', got 'q1'}}
"test.op"() {value = #sdy.sharding<@mesh, [{"x"}q1]>} : () -> ()

// -----

// expected-error@+1 {{expected a priority such as 'p1', got 'p01'}}
"test.op"() {value = #sdy.sharding<@mesh, [{"x"}p01]>} : () -> ()

// -----

// expected-error@+1 {{expected a priority such as 'p1', got 'p99999999999999999999'}}
"test.op"() {value = #sdy.sharding<@mesh, [{"x"}p99999999999999999999]>} : () -> ()

// -----

// expected-error@+1 {{expected integer value}}
"test.op"() {value = #sdy.sharding<@mesh, [{"x":(1)}]>} : () -> ()

// -----

// expected-error@+1 {{integer value too large}}
"test.op"() {value = #sdy.sharding<@mesh, [{"x":(99999999999999999999)2}]>} : () -> ()

// -----

// expected-error@+1 {{expected one replicated={...} and one unreduced={...}, got 'partial'}}
"test.op"() {value = #sdy.sharding<@mesh, [], partial={"x"}>} : () -> ()

// -----

// expected-error@+1 {{expected one replicated={...} and one unreduced={...}, got 'replicated'}}
"test.op"() {value = #sdy.sharding<@mesh, [], replicated={"x"}, replicated={"y"}>} : () -> ()

// -----

// expected-error@+1 {{expected sum, max, min or '{', got 'mul'}}
"test.op"() {value = #sdy.sharding<@mesh, [], unreduced=mul{"x"}>} : () -> ()

// -----

// expected-error@+1 {{integer value too large}}
"test.op"() {value = #sdy.mesh<["x"=99999999999999999999]>} : () -> ()

// -----

// expected-error@+1 {{expected string}}
"test.op"() {value = #sdy.mesh<[x=2]>} : () -> ()

// -----

// expected-error@+1 {{expected 'device_ids'}}
"test.op"() {value = #sdy.mesh<["x"=2], ids=[0]>} : () -> ()

// -----

// expected-error@+1 {{unknown attribute `nothing` in dialect `sdy`}}
"test.op"() {value = #sdy.nothing<3>} : () -> ()

// -----

// expected-error@+1 {{step must not be negative, got -1}}
"test.op"() {value = #sdy.propagation_edges<[{step--1 = [{"x" = operand-0 -> [result-0]}]}]>} : () -> ()

// -----

// expected-error@+1 {{expected 'operand' or 'result', got 'value'}}
"test.op"() {value = #sdy.propagation_edges<[{step-1 = [{"x" = value-0 -> []}]}]>} : () -> ()

// -----

// expected-error@+1 {{expected string}}
"test.op"() {value = #sdy<manual_axes{x}>} : () -> ()

// -----

// expected-error@+1 {{expected '->'}}
"test.op"() {value = #sdy<all_to_all_param{"x"}: 0>} : () -> ()
