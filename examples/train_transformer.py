"""Trains a small transformer on eight host devices with an automatic plan, beside the same training on one device.

    python examples/train_transformer.py --steps 200

The two loss curves must agree: in float32 each loss to a relative 1e-3 (sums are taken in another order on several
devices, and training carries that along).
"""

import argparse
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
import jax.numpy as jnp
import numpy as np
import optax

import shardwright as sw

LAYERS, WIDTH, HEADS, FF, VOCABULARY = 2, 64, 4, 128, 128
BATCH, SEQUENCE = 16, 32
TOLERANCE = 1e-3

optimizer = optax.adam(3e-3)


def make_params(key):
  def weight(*shape):
    nonlocal key
    key, now = jax.random.split(key)
    return jax.random.normal(now, shape) / np.sqrt(shape[0])

  def layer():
    return {
      "wq": weight(WIDTH, HEADS, WIDTH // HEADS), "wk": weight(WIDTH, HEADS, WIDTH // HEADS),
      "wv": weight(WIDTH, HEADS, WIDTH // HEADS), "wo": weight(HEADS, WIDTH // HEADS, WIDTH),
      "up": weight(WIDTH, FF), "down": weight(FF, WIDTH),
    }  # fmt: skip

  return {"embedding": weight(VOCABULARY, WIDTH), "layers": [layer() for _ in range(LAYERS)]}


def norm(x):
  return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def attention(layer, x):
  q, k, v = (jnp.einsum("bsd,dhk->bshk", x, layer[name]) for name in ("wq", "wk", "wv"))
  scores = jnp.einsum("bqhk,bshk->bhqs", q, k) / np.sqrt(q.shape[-1])
  scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
  return jnp.einsum("bhqs,bshk,hkd->bqd", jax.nn.softmax(scores), v, layer["wo"])


def loss_of(params, tokens):
  x = params["embedding"][tokens[:, :-1]]
  for layer in params["layers"]:
    x = x + attention(layer, norm(x))
    x = x + jax.nn.relu(norm(x) @ layer["up"]) @ layer["down"]
  logits = norm(x) @ params["embedding"].T
  return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def train_step(state, tokens):
  loss, gradients = jax.value_and_grad(loss_of)(state["params"], tokens)
  updates, optimizer_state = optimizer.update(gradients, state["optimizer"])
  return {"params": optax.apply_updates(state["params"], updates), "optimizer": optimizer_state}, loss


def make_state():
  params = make_params(jax.random.key(0))
  return {"params": params, "optimizer": optimizer.init(params)}


def batches(steps):
  """Sequences that count up from a random start, so that there is something to learn."""
  rng = np.random.default_rng(0)
  for _ in range(steps):
    start = rng.integers(0, VOCABULARY, (BATCH, 1))
    yield jnp.asarray((start + np.arange(SEQUENCE + 1)) % VOCABULARY, jnp.int32)


def curve(step, steps):
  state, losses = make_state(), []
  for tokens in batches(steps):
    state, loss = step(state, tokens)
    losses.append(float(loss))
  return np.array(losses)


def main(steps=200, budget=5.0):
  mesh = jax.make_mesh((2, 4), ("data", "model"))
  shapes = jax.eval_shape(lambda: (make_state(), next(batches(1))))
  plan = sw.plan(train_step, *shapes, mesh=mesh, donate_argnums=0, budget=budget)
  print(plan)
  partitioned, alone = curve(plan.jit(), steps), curve(jax.jit(train_step), steps)
  apart = np.max(np.abs(partitioned - alone) / np.abs(alone))
  print(
    f"\nloss {alone[0]:.4f} -> {alone[-1]:.4f} on one device, {partitioned[0]:.4f} -> {partitioned[-1]:.4f} on eight"
  )
  print(f"largest difference over {steps} steps: {apart:.1e} (relative; {TOLERANCE:.0e} allowed)")
  assert apart < TOLERANCE
  return partitioned


if __name__ == "__main__":
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--steps", type=int, default=200)
  parser.add_argument("--budget", type=float, default=5.0, help="seconds for the search")
  arguments = parser.parse_args()
  main(arguments.steps, arguments.budget)
