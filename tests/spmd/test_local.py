"""The local form: what a device runs, on one device. Collectives have given way to ops with operands and results of their shapes."""

import functools
import re

import jax.numpy as jnp
import numpy as np
import pytest

from . import harness, strategies, tool, xla
from .mlir_walk import weighted_ops

CELLS = [
  ("mlp_train", "data parallel", "8"),
  ("transformer", "data parallel + megatron + sequence", "2x4"),
  ("gpt", "zero3 + megatron", "2x4"),
  ("gemma_2b_scan", "zero2", "8"),
  ("decoder", "multi-query", "2x4"),
  ("moe", "data parallel + experts", "2x4"),
  ("gns", "edges and nodes", "2x4"),
]
COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_permute")


@functools.cache
def both_forms(model, strategy, mesh):
  """The local and the explicit form."""
  text = (harness.MODEL_TEXTS / f"{model}.mlir").read_text()
  tactics = strategies.tactics(model, strategy, strategies.MESHES[mesh])
  words = [word for tactic in tactics for word in ("--tactic", tactic)]
  mesh = tool.mesh_text(strategies.MESHES[mesh])
  local = tool.run("apply", "-", "--mesh", mesh, *words, "--emit", "local=-", stdin=text)
  return local, tool.run("apply", "-", "--mesh", mesh, *words, "--emit", "explicit=-", stdin=text)


@pytest.fixture(params=CELLS, ids=" | ".join)
def forms(request, shardwright):
  return both_forms(*request.param)


def names(text):
  with xla.parsed(text) as module:
    return [op.name.removeprefix("stablehlo.") for op, _, _ in weighted_ops(module)]


def local_shapes(program):
  """Of the arguments of an explicit program."""
  sizes = dict(program.mesh)
  parts = [[int(np.prod([sizes[axis] for axis in axes], dtype=int)) for axes in tensor.axes] for tensor in program.arguments]
  return [tuple(size // n for size, n in zip(tensor.shape, part)) for tensor, part in zip(program.arguments, parts)]


def test_has_no_mesh_and_no_collective(forms):
  local = names(forms[0])
  assert "sdy" not in forms[0]
  assert not {*COLLECTIVES, "partition_id"} & set(local)
  assert any(name in COLLECTIVES for name in names(forms[1]))


def test_every_collective_leaves_a_barrier(forms):
  local, explicit = map(names, forms)
  collectives = sum(name in COLLECTIVES for name in explicit)
  assert local.count("optimization_barrier") >= explicit.count("optimization_barrier") + collectives


def test_arguments_are_what_a_device_has(forms):
  program = xla.Program(forms[0])
  assert program.mesh is None
  assert [tensor.shape for tensor in program.arguments] == local_shapes(xla.Program(forms[1]))


def test_donation_stays(forms):
  donated = [re.findall(r"tf.aliasing_output = (\d+)", text) for text in forms]
  assert donated[0] == donated[1]


def test_runs_on_one_device(forms):
  program = xla.Program(forms[0])
  arguments = [np.asarray(jnp.zeros(tensor.shape, tensor.dtype)) for tensor in program.arguments]
  results = program.compile()(*arguments)
  assert [result.shape for result in results] == [tensor.shape for tensor in program.results]
