"""Small functions that the tests plan, and what it means that two results are the same."""

import jax
import jax.numpy as jnp
import numpy as np


def mlp_state(width=32, hidden=64, dtype=jnp.float32):
  rng = np.random.default_rng(0)
  return {
    "w1": jnp.asarray(rng.normal(0, 0.1, (width, hidden)), dtype),
    "w2": jnp.asarray(rng.normal(0, 0.1, (hidden, width)), dtype),
  }


def mlp_batch(rows=16, width=32, dtype=jnp.float32):
  rng = np.random.default_rng(1)
  return {
    "x": jnp.asarray(rng.normal(size=(rows, width)), dtype),
    "y": jnp.asarray(rng.normal(size=(rows, width)), dtype),
  }


def mlp_loss(params, batch):
  prediction = jnp.tanh(batch["x"] @ params["w1"]) @ params["w2"]
  return jnp.mean((prediction - batch["y"]) ** 2)


def mlp_step(state, batch):
  loss, gradients = jax.value_and_grad(mlp_loss)(state, batch)
  return jax.tree.map(lambda p, g: p - 0.1 * g, state, gradients), loss


def deep_arguments():
  """For `deep_step`: so many widths that no search looks at all plans."""
  widths = [16 * (i + 2) for i in range(12)]
  return [jnp.zeros((a, b)) for a, b in zip(widths, widths[1:])], jnp.zeros((16, widths[0]))


def deep_step(weights, x):
  for weight in weights:
    x = jnp.tanh(x @ weight)
  return jnp.mean(x)


def assert_same(actual, expected, tolerance=1e-5):
  """Equal trees of numbers equal to rounding: the order of additions differs between devices."""
  assert jax.tree.structure(actual) == jax.tree.structure(expected)
  for (path, a), e in zip(jax.tree_util.tree_flatten_with_path(actual)[0], jax.tree.leaves(expected)):
    if jax.dtypes.issubdtype(a.dtype, jax.dtypes.prng_key):
      a, e = jax.random.key_data(a), jax.random.key_data(e)
    a, e = np.asarray(a, np.float64), np.asarray(e, np.float64)
    scale = np.sqrt(np.mean(np.square(e))) + 1e-6
    np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance * scale, err_msg=jax.tree_util.keystr(path))
