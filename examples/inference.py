"""Inference with a key-value cache: one token at a time, weights and cache split over the devices.

python examples/inference.py --tokens 16
"""

import argparse
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
import jax.numpy as jnp
import numpy as np

import shardwright as sw

WIDTH, HEADS, HEAD, FF, VOCABULARY = 64, 8, 8, 256, 128
BATCH, LENGTH = 8, 32


def make_params():
  rng = np.random.default_rng(0)

  def weight(*shape):
    return jnp.asarray(rng.normal(0, 1 / np.sqrt(shape[0]), shape), jnp.float32)

  return {
    "embedding": weight(VOCABULARY, WIDTH), "wq": weight(WIDTH, HEADS, HEAD), "wk": weight(WIDTH, HEADS, HEAD),
    "wv": weight(WIDTH, HEADS, HEAD), "wo": weight(HEADS, HEAD, WIDTH),
    "up": weight(WIDTH, FF), "down": weight(FF, WIDTH),
  }  # fmt: skip


def make_cache():
  empty = jnp.zeros((BATCH, LENGTH, HEADS, HEAD))
  return {"keys": empty, "values": empty}


def decode(params, cache, tokens, position):
  """The next token of each sequence, and the cache with this one in it."""
  x = params["embedding"][tokens]
  q, k, v = (jnp.einsum("bd,dhk->bhk", x, params[name]) for name in ("wq", "wk", "wv"))
  cache = {
    "keys": jax.lax.dynamic_update_slice_in_dim(cache["keys"], k[:, None], position, 1),
    "values": jax.lax.dynamic_update_slice_in_dim(cache["values"], v[:, None], position, 1),
  }
  scores = jnp.einsum("bhk,bshk->bhs", q, cache["keys"]) / np.sqrt(HEAD)
  weights = jax.nn.softmax(jnp.where(jnp.arange(LENGTH) <= position, scores, -1e9))
  x = x + jnp.einsum("bhs,bshk,hkd->bd", weights, cache["values"], params["wo"])
  x = x + jax.nn.relu(x @ params["up"]) @ params["down"]
  return jnp.argmax(x @ params["embedding"].T, axis=-1).astype(jnp.int32), cache


def generate(step, params, count):
  tokens, cache, all_tokens = jnp.arange(BATCH, dtype=jnp.int32), make_cache(), []
  for position in range(count):
    tokens, cache = step(params, cache, tokens, jnp.int32(position))
    all_tokens.append(np.asarray(tokens))
  return np.stack(all_tokens, axis=1)


def main(tokens=16):
  mesh = jax.make_mesh((2, 4), ("data", "model"))
  params = make_params()
  example = (params, make_cache(), jnp.zeros(BATCH, jnp.int32), jnp.int32(0))
  schedule = [sw.shard("tokens", 0, "data"), sw.auto("model")]
  plan = sw.plan(decode, *example, mesh=mesh, schedule=schedule, donate_argnums=1, budget="500")
  print(plan)
  made = generate(plan.jit(), plan.place(*example)[0], tokens)
  alone = generate(jax.jit(decode), params, tokens)
  print(f"\nfirst sequence: {made[0].tolist()}")
  assert (made == alone).all(), "partitioned and unpartitioned inference must choose the same tokens"
  return made


if __name__ == "__main__":
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--tokens", type=int, default=16)
  main(parser.parse_args().tokens)
