"""Products of groups of rows with a matrix each (`jax.lax.ragged_dot`), split along the rows.

XLA for hosts does not know the op, so each one in the explicit form is replaced by a call of what JAX makes of it for hosts.
"""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from . import harness, tool, xla

pytestmark = pytest.mark.usefixtures("shardwright")

ROWS, WIDTH, HIDDEN, GROUPS = 64, 8, 16, 4
RAGGED = re.compile(r'"chlo\.ragged_dot"\(([^)]*)\) <\{.*?#chlo\.ragged_dot<(.*?)>\}> : (\(.*\) -> tensor<\S+>)')
LISTS = ("lhs_contracting_dimensions", "rhs_contracting_dimensions", "lhs_ragged_dimensions", "rhs_group_dimensions")


def gradients(x, w, sizes):
  return jax.value_and_grad(lambda x, w: jnp.sum(lax.ragged_dot(x, w, sizes) ** 2), argnums=(0, 1))(x, w)


def lowered(function, arrays, platform):
  return jax.jit(function).trace(*arrays).lower(lowering_platforms=(platform,)).as_text()


def for_hosts(text):
  """The module with calls in the place of ragged dots."""
  helpers = []

  def call(found):
    operands, dims, types = found.groups()
    shapes = [
      jax.ShapeDtypeStruct([int(size) for size in sizes.split("x")[:-1]], xla.DTYPES[sizes.rsplit("x", 1)[1]])
      for sizes in re.findall(r"tensor<(.*?)>", types)[:3]
    ]
    lhs, rhs, ragged, group = ([int(d) for d in re.findall(r"\d+", (re.findall(rf"{name} = \[(.*?)\]", dims) or [""])[0])] for name in LISTS)
    numbers = lax.RaggedDotDimensionNumbers(((lhs, rhs), ([], [])), ragged, group)
    name = f"helper{len(helpers)}"
    body = lowered(lambda *arrays: lax.ragged_dot_general(*arrays, numbers), shapes, "cpu")
    body = body[body.index("func.func") : body.rindex("}")].replace("public @main", f"private @{name}")
    helpers.append(re.sub(r" \{jax.result_info = .*?\}", "", body.replace("@cumsum", f"@sums{len(helpers)}")))
    return f"func.call @{name}({operands}) : {types}"

  text = RAGGED.sub(call, text)
  end = text.rindex("}")
  return text[:end] + "\n".join(helpers) + text[end:]


@pytest.mark.parametrize("sizes", [(16, 16, 16, 16), (3, 40, 0, 21), (0, 0, 5, 7), (64, 0, 0, 0)], ids=str)
def test_rows_of_groups_are_split(sizes):
  rng = np.random.default_rng(0)
  x, w = (rng.normal(size=shape).astype(np.float32) for shape in ((ROWS, WIDTH), (GROUPS, WIDTH, HIDDEN)))
  arrays = x, w, np.array(sizes, np.int32)
  explicit = tool.apply(lowered(gradients, arrays, "cuda"), (("a", 4), ("b", 2)), ("shard(arg0:0, a)", "shard(arg1:2, b)")).explicit
  types = [types for _, _, types in RAGGED.findall(explicit)]
  assert len(types) == 3 and all(f"tensor<{ROWS // 4}x" in text for text in types)
  actual = xla.Program(for_hosts(explicit)).compile()(*arrays)
  assert harness.differences([np.asarray(e) for e in jax.tree.leaves(gradients(*arrays))], actual) == []
