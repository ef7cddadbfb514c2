"""Flax nnx: a model as an object, its state split by a plan.

python examples/flax_nnx.py --steps 50
"""

import argparse
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

import shardwright as sw


class Block(nnx.Module):
  def __init__(self, width, hidden, rngs):
    self.norm = nnx.LayerNorm(width, rngs=rngs)
    self.up = nnx.Linear(width, hidden, rngs=rngs)
    self.down = nnx.Linear(hidden, width, rngs=rngs)

  def __call__(self, x):
    return x + self.down(nnx.gelu(self.up(self.norm(x))))


class Model(nnx.Module):
  def __init__(self, width, hidden, rngs):
    self.first = Block(width, hidden, rngs)
    self.second = Block(width, hidden, rngs)
    self.head = nnx.Linear(width, 1, rngs=rngs)

  def __call__(self, x):
    return self.head(self.second(self.first(x)))[:, 0]


def main(steps=50):
  graph, params = nnx.split(Model(32, 128, nnx.Rngs(0)))

  def train_step(params, x, y):
    loss, gradients = jax.value_and_grad(lambda p: jnp.mean((nnx.merge(graph, p)(x) - y) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, gradients), loss

  rng = np.random.default_rng(0)
  x = jnp.asarray(rng.normal(size=(64, 32)), jnp.float32)
  y = jnp.sin(x.sum(axis=1))

  mesh = jax.make_mesh((4, 2), ("data", "model"))
  step = sw.jit(train_step, mesh=mesh, schedule=[sw.dp("data"), sw.megatron("model")], donate_argnums=0)
  print(step.plan(params, x, y))
  losses = []
  for _ in range(steps):
    params, loss = step(params, x, y)
    losses.append(float(loss))
  print(f"\nloss {losses[0]:.4f} -> {losses[-1]:.4f}")
  return losses


if __name__ == "__main__":
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--steps", type=int, default=50)
  main(parser.parse_args().steps)
