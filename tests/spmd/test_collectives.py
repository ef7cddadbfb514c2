"""The closed forms: collectives of a transformer's training step, in our program and in XLA's."""

import functools

import pytest

from . import closed_forms, collectives, tool, xla


@functools.cache
def applied(name, layers):
  form = closed_forms.FORMS[name]
  return tool.apply(closed_forms.module(layers), closed_forms.MESH, form.tactics)


@pytest.mark.parametrize("layers", [1, 2, 4, 24])
@pytest.mark.parametrize("name", closed_forms.FORMS)
def test_our_program_has_the_closed_form(name, layers, shardwright):
  found = applied(name, layers)
  assert found.counts() == closed_forms.FORMS[name].counts(layers)
  assert collectives.counts(collectives.in_stablehlo(found.explicit)) == found.counts()


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("name", closed_forms.FORMS)
def test_xla_runs_exactly_those(name, layers, shardwright):
  """As tensors: XLA may combine several collectives into one."""
  compiled = xla.Program(applied(name, layers).explicit).compile()
  totals = collectives.total(collectives.in_hlo(compiled.hlo))
  found = {kind: total.tensors for kind, total in totals.items() if total.tensors}
  assert found == closed_forms.FORMS[name].counts(layers)


def test_report_and_text_agree_on_bytes(shardwright):
  found = applied("megatron + sequence", 2)
  totals = collectives.total(collectives.in_stablehlo(found.explicit))
  for kind, total in totals.items():
    assert found.report["collectives"][kind]["bytes"] == total.bytes, kind


@pytest.mark.parametrize("pairs, moves", [("{{0,0},{1,2},{2,1}}", True), ("{{0,1},{1,0}}", True), ("{{0,0},{1,1}}", False)])
def test_a_permute_that_leaves_the_first_device_alone_is_one(pairs, moves):
  line = f"  %p = f32[4]{{0}} collective-permute(%x), channel_id=1, source_target_pairs={pairs}, metadata={{}}"
  hlo = f"HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {{\n  %x = f32[4]{{0}} parameter(0)\n{line}\n}}\n"
  found = collectives.in_hlo(hlo)
  assert [c.devices > 1 for c in found] == [moves]
