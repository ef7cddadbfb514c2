"""The annotated form: jaxlib accepts it, Shardy has nothing to add to it, XLA splits what the plan splits, and it gives
back the plan it was made of."""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

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


# What says a sharding and computes nothing.
SAYINGS = ("sdy.sharding_constraint", "sdy.reshard")


def placed(text, wanted=lambda op: True):
  """(op, sharding) of every op that runs, in order."""
  with xla.parsed(text) as module:
    ops = [op for op, _, _ in weighted_ops(module) if op.name not in SAYINGS and wanted(op) and not in_a_body(op)]
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


def converts_nothing(op):
  """XLA gives its sharding to the op before, so such an op has none."""
  return op.name == "stablehlo.convert" and op.operands[0].type == op.results[0].type


def test_every_op_has_a_sharding(cell):
  wanted = lambda op: op.results and not converts_nothing(op)
  assert [name for name, sharding in placed(applied(*cell).annotated, wanted) if not sharding] == []


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
  assert again.annotated == first.annotated


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


PRODUCT = """func.func public @main(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %1 = stablehlo.tanh %0 : tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}"""


def test_xla_splits_what_only_the_plan_splits(shardwright):
  """Arguments and results are whole, so nothing but the ops can tell XLA to split them."""
  mesh = (("a", 8),)
  plan = tool.apply(PRODUCT, mesh, ["shard(arg0:0, a)", "pin(result0, replicated)"]).plan
  plan["pins"].append({"argument": "arg0", "spec": "replicated"})
  hlo = xla.Program(tool.apply(PRODUCT, mesh, plan=plan).annotated).compile().hlo
  assert set(re.findall(r"f32\[(\d+),48\]\S* (?:dot|tanh)\(", hlo)) == {"8"}, hlo


def convolution(image, kernel, groups=1, stride=1):
  numbers = ("NHWC", "HWIO", "NHWC")
  return lax.conv_general_dilated(
    image, kernel, (stride, stride), "SAME", dimension_numbers=numbers, feature_group_count=groups)


def kernel_gradient(kernel, image):
  return jax.grad(lambda k: (convolution(image, k) ** 2).sum())(kernel)


def depthwise_gradient(image, kernel, mixer):
  loss = lambda k, m: (convolution(image @ m, k, groups=32) ** 2).sum()
  return jax.grad(loss, (0, 1))(kernel, mixer)


def outer_product_gradient(weight, left, right, slope):
  return jax.grad(lambda w: (jnp.einsum("bsic,bsjd,cde->bije", left, right, w) * slope).sum())(weight)


def grouped_points(image, kernel):
  return convolution(image, kernel, groups=4)


def patches(image, kernel):
  return convolution(image, kernel, stride=4)


def depthwise_patch_gradient(image, kernel):
  return jax.grad(lambda k: (convolution(image, k, groups=8, stride=4) ** 2).sum())(kernel)


def gradients_of_each_example(image, kernel):
  loss = lambda k, x: (convolution(x[None], k, stride=kernel.shape[0] // 2 + 1) ** 2).sum()
  return jax.vmap(jax.grad(loss), (None, 0))(kernel, image)


# What XLA's partitioner gets wrong, or refuses, where it splits otherwise than planned.
LEFT_TO_XLA = {
  "height of an image": (kernel_gradient, [(3, 3, 3, 16), (2, 8, 8, 3)], ["shard(arg1:1, a)"]),
  "depthwise, two axes": (depthwise_gradient, [(8, 16, 16, 32), (3, 3, 1, 32), (32, 32)],
                          ["shard(arg0:0, a)", "shard(arg1:3, a)", "shard(arg1:3, b)"]),
  "groups, one point": (grouped_points, [(8, 16, 16, 8), (1, 1, 2, 8)], ["shard(arg0:0, b)", "shard(arg1:3, a)"]),
  "gradient, one point": (jax.grad(lambda *a: (grouped_points(*a) ** 2).sum(), (0, 1)), [(8, 16, 16, 8), (1, 1, 2, 8)],
                          ["shard(arg1:3, a)"]),
  "gradient, groups of two": (jax.grad(lambda x, k: (lax.conv_general_dilated(
    x, k, (1,), "VALID", dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=8) ** 2).sum(), 1),
    [(8, 16, 8), (1, 1, 16)], ["shard(arg1:2, a)"]),
  "patches by height and features": (patches, [(8, 16, 16, 8), (4, 4, 8, 16)], ["shard(arg0:1, a)", "shard(arg1:3, b)"]),
  "short cut by height and features": (lambda x, k: convolution(x, k, stride=2), [(8, 16, 16, 8), (1, 1, 8, 16)],
                                       ["shard(arg0:1, a)", "shard(arg1:3, b)"]),
  "gradient, depthwise patches": (depthwise_patch_gradient, [(8, 16, 16, 8), (4, 4, 1, 8)],
                                  ["shard(arg0:2, a)", "shard(arg0:0, b)", "shard(arg0:3, c)"]),
  "gradients of each example": (gradients_of_each_example, [(16, 8, 8, 1), (3, 3, 1, 8)],
                                ["shard(arg0:0, a)", "shard(arg0:0, b)"]),
  "gradients of each example, colours": (gradients_of_each_example, [(8, 8, 8, 3), (3, 3, 3, 8)],
                                         ["shard(arg0:0, a)", "shard(arg0:0, b)"]),
  "gradients of each example, one point": (gradients_of_each_example, [(8, 8, 8, 4), (1, 1, 4, 8)],
                                           ["shard(arg0:0, a)"]),
  "gradients of each example, one point, features": (gradients_of_each_example, [(8, 8, 8, 4), (1, 1, 4, 8)],
                                                     ["shard(arg0:3, a)", "shard(arg0:2, b)"]),
  "gradients of each model, one point": (
    jax.vmap(jax.grad(lambda x, k: (convolution(x, k) ** 2).sum(), 1)), [(8, 4, 8, 8, 4), (8, 1, 1, 4, 8)],
    ["shard(arg0:0, a)", "shard(arg1:4, b)"]),
  "pages of a cache": (lambda table, ids: table[jnp.abs(ids).astype(jnp.int32)], [(32, 4, 4, 8), (8, 4)],
                       ["shard(arg1:1, a)", "shard(arg0:2, b)", "shard(arg0:0, c)", "shard(arg1:1, c)"]),
  "outer product": (outer_product_gradient, [(8, 8, 16), (2, 8, 16, 8), (2, 8, 16, 8), (2, 16, 16, 16)],
                    ["shard(arg1:0, a)", "shard(arg1:2, b)", "shard(arg2:2, b)"]),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT_TO_XLA)
def test_xla_computes_what_the_plan_says(shardwright, name):
  function, shapes, tactics = LEFT_TO_XLA[name]
  arguments = [np.random.default_rng(n).standard_normal(shape).astype(np.float32) for n, shape in enumerate(shapes)]
  text = jax.jit(function, keep_unused=True).lower(*arguments).as_text()
  three = any("c)" in tactic for tactic in tactics)
  made = tool.apply(text, (("a", 2), ("b", 2), ("c", 2)) if three else (("a", 2), ("b", 4)), tactics)
  expected = xla.Program(text).compile()(*arguments)
  for form in (made.explicit, made.annotated):
    assert harness.differences(expected, xla.Program(form).compile()(*arguments)) == []


# The sum over features is to be scattered along the width, which is dilated.
SCATTERED = """func.func public @main(%image: tensor<4x8x4x2xf32>, %kernel: tensor<2x2x4x3xf32>) -> tensor<4x2x4x6xf32> {
  %0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [2, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 2], rhs_dilate = [1, 1]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x4x2xf32>, tensor<2x2x4x3xf32>) -> tensor<4x2x4x6xf32>
  return %0 : tensor<4x2x4x6xf32>
}"""


def test_what_convolutions_sum_is_not_scattered_by_xla(shardwright):
  made = tool.apply(SCATTERED, (("a", 2), ("b", 4)), ["shard(arg0:3, a)", "pin(result0, [-, -, -, a])"])
  assert "reduce_scatter" in made.explicit
  arguments = [np.random.default_rng(n).standard_normal(shape).astype(np.float32)
               for n, shape in enumerate([(4, 8, 4, 2), (2, 2, 4, 3)])]  # fmt: skip
  expected = xla.Program(SCATTERED).compile()(*arguments)
  for text in (made.explicit, made.annotated):
    assert harness.differences(expected, xla.Program(text).compile()(*arguments)) == []


# JAX writes such a convert where a loop's carry is weakly typed.
CONVERTED = """func.func public @main(%x: tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %r:3 = stablehlo.while(%i = %zero, %v = %x, %s = %half) : tensor<i32>, tensor<16x4xf32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.negate %v : tensor<16x4xf32>
    %t = stablehlo.multiply %s, %s : tensor<f32>
    stablehlo.return %j, %w, %t : tensor<i32>, tensor<16x4xf32>, tensor<f32>
  }
  %0 = stablehlo.convert %r#1 : (tensor<16x4xf32>) -> tensor<16x4xf32>
  %1 = stablehlo.convert %r#2 : (tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<16x4xf32>, tensor<f32>
}"""


def test_a_convert_to_the_same_type_behind_a_loop(shardwright):
  mesh = (("a", 8),)
  made = tool.apply(CONVERTED, mesh, ["shard(arg0:0, a)"])
  argument = np.arange(64, dtype=np.float32).reshape(16, 4)
  found = xla.Program(made.annotated).compile()(argument)
  assert harness.differences([-argument, np.float32(0.5**8)], found) == []
  assert tool.apply(made.annotated, mesh).plan == made.plan


# Carried values that only seem to change, and a bound that is converted to its own type.
UNCHANGED = """func.func public @main(%x: tensor<16x4xf32>, %y: tensor<16x4xf32>, %z: tensor<f32>, %nothing: tensor<0x4xf32>)
    -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<0x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:5 = stablehlo.while(%i = %zero, %e = %nothing, %s = %z, %k = %y, %v = %x)
      : tensor<i32>, tensor<0x4xf32>, tensor<f32>, tensor<16x4xf32>, tensor<16x4xf32>
  cond {
    %3 = stablehlo.constant dense<3> : tensor<i32>
    %n = stablehlo.convert %3 : (tensor<i32>) -> tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %f = stablehlo.add %e, %e : tensor<0x4xf32>
    %t = stablehlo.MOVE %s : (tensor<f32>) -> tensor<f32>
    %l = stablehlo.MOVE %k : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %0 = stablehlo.subtract %b, %v : tensor<16x4xf32>
    %w = stablehlo.subtract %k, %0 : tensor<16x4xf32>
    stablehlo.return %j, %f, %t, %l, %w : tensor<i32>, tensor<0x4xf32>, tensor<f32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
  return %r#4, %r#3, %r#2, %r#1 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<f32>, tensor<0x4xf32>
}"""


@pytest.mark.parametrize("move", ["reshape", "convert"])
@pytest.mark.parametrize("tactics", [["shard(arg0:0, a)"], ["shard(arg0:1, b)", "pin(arg1, [a, -])"]], ids=["same", "other"])
def test_a_loop_that_carries_what_never_changes(shardwright, move, tactics):
  """XLA takes such values out of loops, and the shardings of the others do not fit then."""
  text, mesh = UNCHANGED.replace("MOVE", move), (("a", 2), ("b", 4))
  draw = np.random.default_rng(0).standard_normal
  arguments = [draw(shape).astype(np.float32) for shape in [(16, 4), (16, 4), (), (0, 4)]]
  made = tool.apply(text, mesh, tactics)
  found = xla.Program(made.annotated).compile()(*arguments)
  assert harness.differences(xla.Program(text).compile()(*arguments), found) == []
  assert tool.apply(made.annotated, mesh).plan == made.plan


def test_what_is_said_to_xla_is_no_part_of_the_program(shardwright):
  mesh = (("a", 2), ("b", 4))
  made = tool.apply(PRODUCT, mesh, ["shard(arg0:0, a)"])
  assert "shardwright.for_xla" in made.annotated
  for tactics in ([], ["pin(arg1, replicated)"]):
    assert tool.apply(made.annotated, mesh, tactics).plan["program"] == made.plan["program"]
