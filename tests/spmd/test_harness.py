"""The harness itself: it runs what is written, sees what is wrong, and counts what XLA does."""

import os

import numpy as np
import pytest

from . import collectives, harness, workers, xla

MATMUL = """module @matmul {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(
      %x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
      %w: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
      -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %0 = sdy.manual_computation(%x, %w)
        in_shardings=[<@mesh, [{"data"}, {"model"}]>, <@mesh, [{"model"}, {}]>]
        out_shardings=[<@mesh, [{"data"}, {}]>]
        manual_axes={"data", "model"} (%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) {
      %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
         : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %2 = "stablehlo.all_reduce"(%1) ({
        ^bb0(%l: tensor<f32>, %r: tensor<f32>):
          %s = stablehlo.add %l, %r : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}
         : (tensor<4x8xf32>) -> tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
}
"""
PLAIN = """func.func @main(%x: tensor<16x32xf32>, %w: tensor<32x8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
     : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
"""
# One collective of each kind; the loop runs five times.
EVERY_KIND = """module @kinds {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(%x: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
      -> (tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{"data"}, {}]>]
        manual_axes={"data", "model"} (%a: tensor<8x8xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<8x8xf32>
      cond {
        %n = stablehlo.constant dense<5> : tensor<i32>
        %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %p = "stablehlo.collective_permute"(%v) {
             source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [6, 0]]> : tensor<4x2xi64>,
             channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
        %q = stablehlo.add %p, %v : tensor<8x8xf32>
        stablehlo.return %next, %q : tensor<i32>, tensor<8x8xf32>
      }
      %g = "stablehlo.all_gather"(%r#1) {all_gather_dim = 0 : i64,
           replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>,
           channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}
         : (tensor<8x8xf32>) -> tensor<32x8xf32>
      %s = "stablehlo.reduce_scatter"(%g) ({
        ^bb0(%l: tensor<f32>, %m: tensor<f32>):
          %sum = stablehlo.add %l, %m : tensor<f32>
          stablehlo.return %sum : tensor<f32>
      }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}
         : (tensor<32x8xf32>) -> tensor<32x2xf32>
      %t = "stablehlo.all_to_all"(%s) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64,
           replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>,
           channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>} : (tensor<32x2xf32>) -> tensor<8x8xf32>
      sdy.return %t : tensor<8x8xf32>
    } : (tensor<32x8xf32>) -> tensor<32x8xf32>
    return %0 : tensor<32x8xf32>
  }
}
"""
MOVED = {
  "collective_permute": 5 * 256, "all_gather": 3 / 4 * 1024, "reduce_scatter": 3 / 4 * 1024, "all_to_all": 3 / 4 * 256,
}  # fmt: skip


def matmul_case():
  rng = np.random.default_rng(0)
  arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((16, 32), (32, 8))]
  return harness.Case("matmul", PLAIN, arrays)


def test_explicit_text_runs_on_the_devices_of_its_mesh():
  case = matmul_case()
  assert harness.differences(case.expected, case.run(MATMUL)) == []
  rows = [index[0].start for index in xla.Program(MATMUL).compile().placements()[0]]
  assert rows == [0, 0, 4, 4, 8, 8, 12, 12]


@pytest.mark.parametrize(
  "right, wrong", [("[0, 1], [2, 3]", "[0, 2], [1, 3]"), ("stablehlo.add %l", "stablehlo.maximum %l")]
)
def test_wrong_collectives_are_seen(right, wrong):
  case = matmul_case()
  assert right in MATMUL
  lines = harness.differences(case.expected, case.run(MATMUL.replace(right, wrong)))
  assert len(lines) == 1 and lines[0].startswith("result 0: off by ")


def test_counts_in_the_text_and_in_hlo_agree():
  for text in (MATMUL, EVERY_KIND):
    written = collectives.total(collectives.in_stablehlo(text))
    compiled = collectives.total(collectives.in_hlo(xla.Program(text).compile().hlo))
    assert written == compiled
  assert {kind: total.moved for kind, total in written.items() if total.moved} == MOVED


@pytest.mark.parametrize(
  "groups, devices",
  [
    ("{{0,1,2},{3,4,5}}", 3),
    ("[4,2]<=[8]", 2),
    ("[2,4]<=[4,2]T(1,0)", 4),
    ("mesh['axis_0'=2,'axis_1'=4] {'axis_1'}", 4),
    ("mesh['axis_0'=2,'axis_1'=4] {'axis_0','axis_1'}", 8),
    ("mesh['axis_0'=8] {'axis_0':(2)2}", 2),
    ("mesh['axis_0'=4,'axis_1'=1,'axis_2'=2], device_ids=([2,4]T(1,0)) {'axis_0'}", 4),
  ],
)
def test_all_spellings_of_groups_are_read(groups, devices):
  rest = f"%x), channel_id=1, replica_groups={groups}, use_global_device_ids=true"
  assert collectives.group_size("all_reduce", rest) == devices


def test_first_halves_count_and_second_halves_do_not():
  hlo = """HloModule m
%body (p: (f32[8], s32[])) -> (f32[8], s32[]) {
  %p = (f32[8]{0}, s32[]) parameter(0)
  %g = f32[8]{0} get-tuple-element(%p), index=0
  %s = (f32[8]{0}, f32[16]{0}) all-gather-start(%g), channel_id=1, replica_groups=[4,2]<=[8], dimensions={0}
  %d = f32[16]{0} all-gather-done(%s)
}

ENTRY %main (a: f32[8], b: bf16[4,2]) -> f32[8] {
  %a = f32[8]{0} parameter(0)
  %b = bf16[4,2]{1,0} parameter(1)
  %w = (f32[8]{0}, s32[]) while(%t), condition=%c, body=%body, backend_config={"known_trip_count":{"n":"3"}}
  %r = (f32[8]{0}, /*index=1*/bf16[4,2]{1,0}) all-reduce(%a, %b), replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=%add
}

%c (p: (f32[8], s32[])) -> pred[] {
  %p = (f32[8]{0}, s32[]) parameter(0)
}
"""
  found = collectives.total(collectives.in_hlo(hlo))
  assert found["all_gather"] == collectives.Total(count=3, tensors=3, bytes=3 * 64, moved=3 * 32)
  assert found["all_reduce"] == collectives.Total(count=1, tensors=2, bytes=48, moved=2 * 3 / 4 * 48)


@pytest.mark.parametrize(
  "expected, actual, same",
  [
    (np.float32([1, 2]), np.float32([1, 2.00001]), True),
    (np.float32([1, 2]), np.float32([1, 2.001]), False),
    (np.float32([1000, 1e-3]), np.float32([1000, 2e-3]), True),  # Lost in the rounding of the larger ones.
    (np.float32([np.nan, 1]), np.float32([np.nan, 1]), True),
    (np.float32([np.nan, 1]), np.float32([0, 1]), False),
    (np.float32([np.inf, 1]), np.float32([np.inf, 1]), True),
    (np.float32([0, 1]), np.float32([np.nan, 1]), False),
    (np.int32([1, 2]), np.int32([1, 3]), False),
    (np.float32([1, 2]), np.float32([[1, 2]]), False),
  ],
)
def test_same_means_to_rounding(expected, actual, same):
  assert (harness.difference(expected, actual) is None) == same


def half_or_die(number):
  if number == 3:
    os.abort()
  if number == 4:
    raise ValueError("four")
  return number / 2


def test_workers_survive_the_death_of_one():
  outcomes = {item[0]: outcome for item, outcome in workers.run_all(half_or_die, [(n,) for n in range(8)])}
  assert {n: o.value for n, o in outcomes.items() if not o.failure} == {n: n / 2 for n in (0, 1, 2, 5, 6, 7)}
  assert outcomes[3].failure.startswith("process ended by SIGABRT")
  assert "ValueError: four" in outcomes[4].failure
