"""The annotated form: jaxlib accepts it, Shardy has nothing to add to it, and it gives back the plan it was made of."""

import functools
import re

import pytest

from . import harness, shardy, strategies, tool, xla
from .mlir_walk import weighted_ops

CELLS = [
  ("mlp", "data parallel", "8"),
  ("attention", "sequence, key side", "2x4"),
  ("transformer", "data parallel + megatron + sequence", "2x4"),
  ("gpt", "data parallel + megatron + vocabulary", "2x2x2"),
  ("gemma_2b_scan", "zero3 + megatron", "2x4"),
  ("decoder", "multi-query", "8"),
  ("moe_gather", "data parallel + experts", "2x4"),
  ("gns", "edges", "8"),
  ("resnet50", "channels", "2x4"),
  ("lstm", "zero2", "2x2x2"),
]


@functools.cache
def model_text(model):
  return (harness.MODEL_TEXTS / f"{model}.mlir").read_text()


@functools.cache
def applied(model, strategy, mesh):
  return tool.apply(model_text(model), strategies.MESHES[mesh], strategies.tactics(model, strategy, strategies.MESHES[mesh]))


@pytest.fixture(params=CELLS, ids=" | ".join)
def cell(request, shardwright):
  return request.param


def shardings(text):
  """The sharding of every op, in order; ops that Shardy's import adds or renames are left out."""
  with xla.parsed(text) as module:
    return [str(op.attributes["sdy.sharding"]) if "sdy.sharding" in op.attributes else "" for op, _, _ in weighted_ops(module)]


def test_jaxlib_verifies_it(cell):
  program = xla.Program(applied(*cell).annotated)
  assert program.mesh == strategies.MESHES[cell[2]]
  assert all(tensor.axes is not None for tensor in program.arguments + program.results)


def test_every_op_has_a_sharding(cell):
  with xla.parsed(applied(*cell).annotated) as module:
    bare = [op.name for op, _, _ in weighted_ops(module) if op.results and "sdy.sharding" not in op.attributes and not inside_a_reduction(op)]
  assert bare == []


def inside_a_reduction(op):
  """Bodies of reduce, scatter, sort, … are no ops of the program: they compute one element."""
  while op.name not in ("func.func", "stablehlo.while", "stablehlo.case", "stablehlo.if"):
    op = op.parent.operation if hasattr(op.parent, "operation") else op.parent
    if op.name in ELEMENTWISE_BODIES:
      return True
  return False


ELEMENTWISE_BODIES = (
  "stablehlo.reduce", "stablehlo.scatter", "stablehlo.sort", "stablehlo.reduce_window", "stablehlo.select_and_scatter",
  "stablehlo.map", "stablehlo.all_reduce", "stablehlo.reduce_scatter",
)  # fmt: skip


def test_shardy_adds_nothing(cell):
  """Propagation changes no sharding. Its pipeline rewrites some ops (constants); the same rewriting without propagation is
  what to compare with."""
  text = applied(*cell).annotated
  assert shardings(shardy.run_passes(text, shardy.PROPAGATION)) == shardings(shardy.run_passes(text, shardy.IMPORT))


def test_only_shardings_are_added(cell):
  """Without them the module is the one that was read."""
  found = shardy.run_passes(applied(*cell).annotated, "sdy-drop-sharding-and-mesh")
  plain = shardy.run_passes(model_text(cell[0]), "canonicalize{max-iterations=0}")
  assert without_attributes(found) == without_attributes(plain)


def without_attributes(text):
  """Ops and types alone."""
  text = re.sub(r"^module.*$", "module", text, count=1, flags=re.M)
  return re.sub(r" \\{sdy[^{}]*\\}", "", text)


def test_importing_it_gives_the_same_plan(cell):
  first = applied(*cell)
  again = tool.apply(first.annotated, strategies.MESHES[cell[2]])
  assert again.plan == first.plan
  assert again.explicit == first.explicit
