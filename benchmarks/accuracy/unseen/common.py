"""What the programs share."""

import jax
import jax.numpy as jnp
from jax import lax

f32, i32 = jnp.float32, jnp.int32
PROGRAMS = {}


def program(function):
  PROGRAMS[function.__name__] = function
  return function


def arg(*shape, dtype=f32):
  return jax.ShapeDtypeStruct(shape, dtype)


def like(tree):
  return jax.tree.map(lambda leaf: arg(*leaf.shape), tree)


def adam(loss):
  """step((params, m, v), batch)"""

  def step(state, batch):
    params, m, v = state
    value, grads = jax.value_and_grad(loss)(params, batch)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
    v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, grads)
    params = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), params, m, v)
    return (params, m, v), value

  return step


def trained(loss, params, batch):
  return adam(loss), ((params, like(params), like(params)), batch), (0,)


def sgd(loss):
  def step(params, batch):
    value, grads = jax.value_and_grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), value

  return step


def rms_norm(x, scale):
  return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def layer_norm(x, scale):
  centred = x - x.mean(-1, keepdims=True)
  return centred * lax.rsqrt(jnp.mean(centred * centred, -1, keepdims=True) + 1e-6) * scale


def cross_entropy(logits, labels):
  picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)
  return -picked.mean()


def mlp(params, x):
  for weight in params[:-1]:
    x = jax.nn.gelu(x @ weight)
  return x @ params[-1]


def rotary(x):
  """x[b, t, h, d]"""
  half = x.shape[-1] // 2
  angles = jnp.arange(x.shape[1])[:, None] * jnp.exp(-jnp.arange(half) / half * 9.2)
  cos, sin = jnp.cos(angles)[:, None], jnp.sin(angles)[:, None]
  a, b = x[..., :half], x[..., half:]
  return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def attend(q, k, v, mask=None):
  scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
  if mask is not None:
    scores = jnp.where(mask, scores, -1e9)
  return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
