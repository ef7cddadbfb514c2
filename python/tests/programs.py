"""Small programs of many kinds, as people write them. `test_programs.py` plans and runs each."""

import dataclasses
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

RNG = np.random.default_rng(0)


class Case(NamedTuple):
  function: Callable[..., Any]
  args: tuple[Any, ...]
  kwargs: dict[str, Any]
  tolerance: float


CASES: dict[str, Case] = {}


def case(*args, tolerance=2e-5, **kwargs):
  def add(function):
    CASES[function.__name__] = Case(function, args, kwargs, tolerance)
    return function

  return add


def f32(*shape, dtype=jnp.float32):
  return jnp.asarray(RNG.normal(size=shape), dtype)


def integers(below, *shape):
  return jnp.asarray(RNG.integers(0, below, shape))


PARAMS = {"w": f32(32, 64), "b": f32(64), "o": f32(64, 8)}


def mlp(p, x):
  return jnp.tanh(x @ p["w"] + p["b"]) @ p["o"]


def square(p, x):
  return jnp.mean(mlp(p, x) ** 2)


# --- optimizers ---

CHAIN = optax.MultiSteps(
  optax.chain(
    optax.clip_by_global_norm(0.5),
    optax.adamw(
      optax.warmup_cosine_decay_schedule(0.0, 1e-2, 5, 50), mask=lambda p: jax.tree.map(lambda x: x.ndim > 1, p)
    ),
  ),
  2,
)
GROUPS = optax.multi_transform(
  {"a": optax.adafactor(1e-2), "b": optax.sgd(1e-2, momentum=0.9, nesterov=True)}, {"w": "a", "b": "b", "o": "a"}
)
INJECTED = optax.inject_hyperparams(optax.adam)(learning_rate=1e-3)


def update(optimizer, p, s, x):
  loss, gradients = jax.value_and_grad(square)(p, x)
  updates, s = optimizer.update(gradients, s, p)
  return optax.apply_updates(p, updates), s, loss


@case(PARAMS, CHAIN.init(PARAMS), f32(16, 32))
def optax_chain(p, s, x):
  return update(CHAIN, p, s, x)


@case(PARAMS, GROUPS.init(PARAMS), f32(16, 32), tolerance=1e-4)
def optax_groups(p, s, x):
  return update(GROUPS, p, s, x)


@case(PARAMS, INJECTED.init(PARAMS), f32(16, 32), tolerance=1e-4)
def optax_injected(p, s, x):
  return update(INJECTED, p, s, x)


# --- derivatives ---


@jax.custom_vjp
def clipped(x):
  return x


clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.1, 0.1),))


@jax.custom_jvp
def softplus(x):
  return jnp.logaddexp(x, 0)


softplus.defjvp(lambda p, t: (softplus(p[0]), jax.nn.sigmoid(p[0]) * t[0]))


@case(f32(32, 16), f32(8, 32))
def custom_derivatives(w, x):
  return jax.value_and_grad(lambda w: jnp.sum(softplus(clipped(x @ w))))(w)


@case(0.1 * f32(32, 32), f32(16, 32), tolerance=1e-4)
def second_derivatives(w, x):
  return jax.jvp(jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2)), (w,), (w,))


# --- control flow ---


@case(0.2 * f32(4, 32, 32), f32(16, 32))
def scan_with_remat(ws, x):
  keep = jax.checkpoint_policies.dots_saveable
  layer = jax.checkpoint(lambda x, w: (jnp.tanh(x @ w), jnp.mean(x)), policy=keep)

  def loss(ws):
    y, means = lax.scan(layer, x, ws)
    return jnp.mean(y**2) + jnp.sum(means)

  return jax.value_and_grad(loss)(ws)


@case(0.2 * f32(4, 32, 32), f32(16, 32))
def scan_in_scan(ws, x):
  def outer(x, w):
    return lax.scan(lambda c, _: (jnp.tanh(c @ w), None), x, None, length=3)[0], x.sum()

  return lax.scan(outer, x, ws, reverse=True, unroll=2)


@case(f32(16, 32), jnp.int32(5))
def while_loop(x, n):
  def more(carry):
    return (carry[0] < n) & (jnp.max(jnp.abs(carry[1])) > 1e-3)

  return lax.while_loop(more, lambda c: (c[0] + 1, c[1] * 0.5), (jnp.int32(0), x))


@case(f32(16, 32), f32(32, 32), True, jnp.int32(1))
def branches(x, w, flag, which):
  return lax.cond(flag, lambda x: x @ w, lambda x: x * 2, x), lax.switch(which, [jnp.sin, jnp.cos, jnp.tanh], x)


@case(f32(64, 64))
def prefixes(x):
  loop = lax.fori_loop(0, 4, lambda i, c: c + i * x, x)
  return lax.associative_scan(jnp.add, x, axis=0), lax.map(lambda row: row * row.sum(), x), loop, jnp.cumsum(x, axis=1)


# --- kinds of ops ---

NHWC = ("NHWC", "HWIO", "NHWC")


@case(
  {"c": f32(3, 3, 3, 16), "d": f32(3, 3, 16, 32), "o": f32(32, 10)}, f32(8, 16, 16, 3), integers(10, 8), tolerance=1e-4
)
def convolutions(p, x, y):
  def loss(p):
    h = jax.nn.relu(lax.conv_general_dilated(x, p["c"], (1, 1), "SAME", dimension_numbers=NHWC))
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    h = lax.conv_general_dilated(h, p["d"], (2, 2), "SAME", dimension_numbers=NHWC)
    return optax.softmax_cross_entropy_with_integer_labels(h.mean((1, 2)) @ p["o"], y).mean()

  return jax.value_and_grad(loss)(p)


@case({"g": f32(16), "b": f32(16), "w": f32(3, 3, 3, 16)}, jnp.zeros(16), f32(8, 8, 8, 3), tolerance=1e-4)
def batch_norm(p, running, x):
  def loss(p):
    h = lax.conv_general_dilated(x, p["w"], (1, 1), "SAME", dimension_numbers=NHWC)
    mean, variance = h.mean((0, 1, 2)), h.var((0, 1, 2))
    h = (h - mean) * lax.rsqrt(variance + 1e-5) * p["g"] + p["b"]
    return jnp.mean(jax.nn.relu(h) ** 2), 0.9 * running + 0.1 * mean

  return jax.value_and_grad(loss, has_aux=True)(p)


@case(f32(8, 16, 4, 8), f32(8, 16, 4, 8), f32(8, 16, 4, 8), tolerance=1e-4)
def attention(q, k, v):
  return jax.nn.dot_product_attention(q, k, v, is_causal=True)


@case(f32(16, 16), f32(8, 16, 16), f32(8, 16), tolerance=1e-3)
def linear_algebra(a, stack, b):
  spd = a @ a.T + 16 * jnp.eye(16)
  solved = jax.vmap(jnp.linalg.solve)(stack @ stack.mT + 16 * jnp.eye(16), b[..., None])
  return jnp.linalg.cholesky(spd), jnp.linalg.eigh(spd)[0], jnp.linalg.inv(spd), solved


@case(f32(64), f32(16, 64))
def orders(w, x):
  return jnp.sort(x, axis=1), jnp.argsort(x * w, axis=0), lax.top_k(x, 5), jnp.median(x, axis=1)


@case(f32(16, 64), integers(16, 64))
def updates_in_place(x, i):
  parts = lax.dynamic_slice(x, (i[0] % 8, 0), (8, 32)), lax.dynamic_update_slice(x, x[:4] * 2, (i[1] % 8, 0))
  return x.at[i[:8]].add(1.0), x.at[:, 3:9].set(0.0), jax.ops.segment_sum(x.T, i, 16), parts


@case(f32(8, 32), f32(32, 4, 8))
def movements(x, w):
  mixed = jnp.einsum("bi,ihk->bhk", x, w).transpose(1, 0, 2).reshape(4, 64)
  padded = jnp.pad(x, ((1, 1), (0, 3)), mode="edge")
  return mixed, padded, jnp.concatenate([x, x[::-1]], 1), jnp.roll(x, 3, 0), jnp.repeat(x, 2, 1), x[:, None, ::3]


# --- kinds of numbers ---


@case(f32(100, 16), integers(100, 8, 12), np.uint8(3))
def whole_numbers(table, ids, k):
  return table[ids].sum(1), jnp.bincount(ids.ravel(), length=100), ids // 7 + k, (ids.astype(jnp.uint32) << 3) ^ 5


@case(f32(16, 4, 4) > 0, integers(5, 16, 4).astype(jnp.int8))
def truth_values(m, i):
  return m.any(1), jnp.where(m[:, 0], i, -i), lax.population_count(i), ~m, i.argmax(0)


@case(f32(16, 32) + 1j * f32(16, 32), f32(32, 8), tolerance=1e-4)
def complex_numbers(z, w):
  return jnp.fft.fft(z, axis=-1), jnp.abs(z), z.conj() @ (w + 0j), jnp.real(z * 1j)


@case(
  f32(32, 32, dtype=jnp.float16), f32(32, 32, dtype=jnp.float8_e4m3fn), f32(16, 32, dtype=jnp.bfloat16), tolerance=5e-2
)
def short_floats(half, eighth, x):
  return x.astype(jnp.float16) @ half, x @ eighth.astype(jnp.bfloat16), (x * 2).astype(jnp.float8_e5m2)


@case(3, 2.5, True, np.float32(1), jnp.float32(2), 2 + 1j)
def scalars(a, b, c, d, e, g):
  return a + 1, b * d, jnp.logical_not(c), e**2, g * b


@case(f32(0, 8), f32(8, 4), f32(4, 8))
def without_elements(e, w, x):
  # Not joined with others: XLA of JAX 0.11.2 fails on that inside `shard_map`, too.
  return e @ w, e.sum(), e * 2, x[:0], jnp.zeros((0, 3))


@case(f32(7, 13), f32(13, 5))
def primes(x, w):
  return jax.nn.softmax(x @ w), x.mean()


# --- random numbers ---


@case(PARAMS, f32(16, 32), jax.random.key(0), jax.random.PRNGKey(1))
def dropout(p, x, key, raw):
  key, drop = jax.random.split(key)
  first, second = jax.random.split(jax.random.fold_in(raw, 3))

  def loss(p):
    hidden = jnp.tanh((x + jax.random.normal(first, x.shape)) @ p["w"] + p["b"])
    return jnp.mean((jnp.where(jax.random.bernoulli(drop, 0.8, hidden.shape), hidden / 0.8, 0) @ p["o"]) ** 2)

  return jax.value_and_grad(loss)(p), key, jax.random.randint(second, (8,), 0, 10), first


@case(jax.random.split(jax.random.key(1, impl="rbg"), 8), f32(8, 16))
def arrays_of_keys(keys, x):
  noise = jax.vmap(lambda k, row: row + jax.random.uniform(k, row.shape))(keys, x)
  return noise, jax.vmap(jax.random.split)(keys)


# --- kinds of trees and calls ---


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
  params: dict[str, jax.Array]
  step: jax.Array
  name: str = dataclasses.field(metadata={"static": True}, default="state")


class Outcome(NamedTuple):
  state: State
  loss: jax.Array


@case(State(PARAMS, jnp.int32(0), "mine"), f32(16, 32))
def dataclasses_and_tuples(state, x):
  loss, gradients = jax.value_and_grad(square)(state.params, x)
  params = jax.tree.map(lambda p, g: p - 0.1 * g, state.params, gradients)
  return Outcome(State(params, state.step + 1, state.name), loss)


@case({}, (), {"x": f32(8, 16), "mask": None}, (None, f32(16, 8)))
def nothing_in_places(a, b, c, d):
  return {"a": a, "b": b, "y": c["x"] @ d[1], "mask": c["mask"], "rest": [None, {}]}


@case(f32(16, 32), f32(32, 8), scale=2.0, bias=f32(8))
def keywords(x, w, *rest, bias, scale=1.0, **more):
  return x @ w * scale + bias


@case(f32(16, 32), f32(32, 32))
def jit_in_jit(x, w):
  inner = jax.jit(lambda a, b: jnp.tanh(a @ b))
  outer = jax.jit(lambda a: inner(inner(a, w), w))
  return outer(x) + outer(x * 2), inner(x, w)


LARGE = f32(512, 256)


@case(f32(16, 32))
def constants_inside(x):
  return x @ LARGE[:32], jnp.eye(8), jnp.arange(10), 1.0, np.arange(3.0)


@case(f32(16, 32))
def results_twice(x):
  y = x * 2
  return y, y, x, {"x": x}


@case()
def no_arguments():
  return jnp.arange(8.0).sum(), jnp.ones((8, 8))


@case(f32(8, 8))
def no_results(x):
  return None


@case(f32(8, 14, 8), f32(3, 1, 8))
def gradient_of_a_depthwise_kernel(x, kernel):
  dims = ("NWC", "WIO", "NWC")
  loss = lambda k: (lax.conv_general_dilated(x, k, (1,), "SAME", feature_group_count=8, dimension_numbers=dims) ** 2).sum()
  return jax.grad(loss)(kernel)


@case(f32(16, 64))
def approximate_maxima(x):
  return lax.approx_max_k(x, 4)
