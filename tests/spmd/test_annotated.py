"""The annotated form: jaxlib accepts it, Shardy has nothing to add to it, and it gives back the plan it was made of."""

import functools

import numpy as np
import pytest

from . import harness, shardy, strategies, tool, xla
from .mlir_walk import owner, weighted_ops

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
def applied(model, strategy, mesh_name):
  mesh = strategies.MESHES[mesh_name]
  return tool.apply(model_text(model), mesh, strategies.tactics(model, strategy, mesh))


@pytest.fixture(params=CELLS, ids=" | ".join)
def cell(request, shardwright):
  return request.param


def placed(text, wanted=lambda op: True):
  """(op, sharding) of every op that runs, in order."""
  with xla.parsed(text) as module:
    ops = [op for op, _, _ in weighted_ops(module) if wanted(op) and not in_a_body(op)]
    return [(op.name, str(op.attributes["sdy.sharding"]) if "sdy.sharding" in op.attributes else "") for op in ops]


# Ops whose regions compute one element and are no ops of the program.
BODIES = (
  "stablehlo.reduce", "stablehlo.scatter", "stablehlo.sort", "stablehlo.reduce_window", "stablehlo.select_and_scatter",
  "stablehlo.map",
)  # fmt: skip


def in_a_body(op):
  return op.parent.operation.name in BODIES


def depends_on_arguments(op):
  """False for constants and what is computed from constants alone."""
  if op.name in ("stablehlo.while", "stablehlo.case", "stablehlo.if"):
    return True
  return any(owner(v) is None or depends_on_arguments(owner(v)) for v in op.operands)


def spreads_a_scalar(op):
  return op.name == "stablehlo.broadcast_in_dim" and not op.operands[0].type.shape


def is_heavy(op):
  return op.name.removeprefix("stablehlo.") in ("dot_general", "convolution", "gather", "scatter", "sort", "while")


def test_jaxlib_verifies_it(cell):
  program = xla.Program(applied(*cell).annotated)
  assert program.mesh == strategies.MESHES[cell[2]]
  assert all(tensor.axes is not None for tensor in program.arguments + program.results)


def test_every_op_has_a_sharding(cell):
  assert [name for name, sharding in placed(applied(*cell).annotated, lambda op: op.results) if not sharding] == []


def test_propagation_changes_nothing(cell):
  text = applied(*cell).annotated
  assert placed(shardy.run_passes(text, shardy.PROPAGATE)) == placed(text)


def test_the_whole_pipeline_changes_nothing(cell):
  """As XLA runs it. It makes copies of constants and of scalars and merges them again; all else must stay."""
  wanted = lambda op: depends_on_arguments(op) and not spreads_a_scalar(op)
  text = applied(*cell).annotated
  assert placed(shardy.run_passes(text, shardy.PIPELINE), wanted) == placed(text, wanted)


def test_the_program_is_the_one_that_was_read(cell):
  """With its functions inlined and less what nobody uses."""
  names = lambda text: [name for name, _ in placed(text, is_heavy)]
  assert names(applied(*cell).annotated) == names(model_text(cell[0]))


def test_importing_it_gives_the_same_plan(cell):
  first = applied(*cell)
  again = tool.apply(first.annotated, strategies.MESHES[cell[2]])
  assert again.plan == first.plan
  assert again.explicit == first.explicit


# The gradient of a patch embedding's kernel: the image is cut along a dim of the dilated kernel.
PATCHES = """func.func public @main(%image: tensor<8x32x32x3xf32>, %slope: tensor<8x8x8x16xf32>) -> tensor<4x4x3x16xf32> {
  %0 = stablehlo.convolution(%image, %slope) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], rhs_dilate = [4, 4]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x32x32x3xf32>, tensor<8x8x8x16xf32>) -> tensor<4x4x3x16xf32>
  return %0 : tensor<4x4x3x16xf32>
}"""


def test_dilated_convolutions_are_not_left_to_xla(shardwright):
  """Which computes something else when they are split along a dilated dim."""
  mesh = (("a", 2), ("b", 2), ("c", 2))
  made = tool.apply(PATCHES, mesh, ["shard(arg0:0, a)", "shard(arg0:2, b)"])
  arguments = [np.random.default_rng(n).standard_normal(shape).astype(np.float32)
               for n, shape in enumerate([(8, 32, 32, 3), (8, 8, 8, 16)])]  # fmt: skip
  expected = xla.Program(tool.apply(PATCHES, mesh, ["pin(arg0, replicated)"]).explicit).compile()(*arguments)
  for text in (made.explicit, made.annotated, tool.apply(made.annotated, mesh).annotated):
    assert '"b"' in text
    assert harness.differences(expected, xla.Program(text).compile()(*arguments)) == []


# The gradient of a depthwise kernel: the batch is summed over, in groups.
DEPTHWISE = """func.func public @main(%image: tensor<8x14x8xf32>, %slope: tensor<8x14x8xf32>) -> tensor<3x1x8xf32> {
  %0 = stablehlo.convolution(%image, %slope) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f],
    window = {pad = [[1, 1]]} {batch_group_count = 8 : i64, feature_group_count = 1 : i64}
    : (tensor<8x14x8xf32>, tensor<8x14x8xf32>) -> tensor<3x1x8xf32>
  return %0 : tensor<3x1x8xf32>
}"""


# The gradient of an ordinary one: an image that is split along a spatial dim is gathered.
ORDINARY = """func.func public @main(%image: tensor<8x14x8xf32>, %slope: tensor<8x14x8xf32>) -> tensor<3x8x8xf32> {
  %0 = stablehlo.convolution(%image, %slope) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f],
    window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x14x8xf32>, tensor<8x14x8xf32>) -> tensor<3x8x8xf32>
  return %0 : tensor<3x8x8xf32>
}"""


@pytest.mark.parametrize("module, tactics", [
  (DEPTHWISE, ["shard(arg0:0, a)"]), (DEPTHWISE, ["shard(arg0:2, a)"]), (DEPTHWISE, ["pin(arg0, [a, -, -])", "pin(arg1, [a, -, -])"]),
  (ORDINARY, ["pin(arg0, [-, a, -])", "pin(arg1, [-, a, -])"])], ids=["batch", "channels", "gathered", "spatial"])  # fmt: skip
def test_gradients_of_kernels_are_not_left_to_xla(shardwright, module, tactics):
  """Which adds up over the idle axis too."""
  mesh = (("a", 2), ("b", 4))
  made = tool.apply(module, mesh, tactics)
  arguments = [np.random.default_rng(n).standard_normal((8, 14, 8)).astype(np.float32) for n in range(2)]
  expected = xla.Program(tool.apply(module, mesh, ["pin(arg0, replicated)"]).explicit).compile()(*arguments)
  for text in (made.explicit, made.annotated, tool.apply(made.annotated, mesh).annotated):
    assert '"a"' in text
    assert harness.differences(expected, xla.Program(text).compile()(*arguments)) == []
