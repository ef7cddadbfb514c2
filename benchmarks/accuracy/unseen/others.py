"""Graphs, tables, games, science, and optimizers."""

import jax
import jax.numpy as jnp
from jax import lax

from .common import arg, cross_entropy, i32, mlp, program, sgd, trained


@program
def gat(n):
  """Attention over the edges of a graph."""
  nodes, edges, d, heads = 512 * n, 4096 * n, 64 * n, 4

  def layer(w, x, batch):
    h = jnp.einsum("nd,dhk->nhk", x, w["w"])
    score = jax.nn.leaky_relu((h @ w["from"])[batch["from"]].sum(-1) + (h @ w["to"])[batch["to"]].sum(-1))
    top = jax.ops.segment_max(score, batch["to"], nodes)
    score = jnp.exp(score - top[batch["to"]])
    total = jax.ops.segment_sum(score, batch["to"], nodes)
    share = score / (total[batch["to"]] + 1e-9)
    out = jax.ops.segment_sum(h[batch["from"]] * share[..., None], batch["to"], nodes)
    return jax.nn.elu(out.reshape(nodes, -1))

  def loss(p, batch):
    x = batch["x"]
    for w in p["layers"]:
      x = layer(w, x, batch)
    return cross_entropy(x @ p["head"], batch["label"])

  weights = {"w": arg(d, heads, d // heads), "from": arg(d // heads, 4), "to": arg(d // heads, 4)}
  params = {"layers": [weights] * 2, "head": arg(d, 64)}
  batch = {"x": arg(nodes, d), "label": arg(nodes, dtype=i32), "from": arg(edges, dtype=i32), "to": arg(edges, dtype=i32)}
  return trained(loss, params, batch)


@program
def towers(n):
  """A recommender of two towers: tables, bags of items, and the other items of the batch as what was not chosen."""
  d, people, items = 64, 8192 * n, 4096 * n

  def loss(p, batch):
    person = mlp(p["person"], jnp.concatenate([p["people"][batch["who"]], p["items"][batch["seen"]].mean(1)], -1))
    item = mlp(p["item"], p["items"][batch["what"]])
    return cross_entropy(person @ item.T, jnp.arange(person.shape[0]))

  params = {"people": arg(people, d), "items": arg(items, d), "person": [arg(2 * d, 256), arg(256, d)], "item": [arg(d, 256), arg(256, d)]}
  batch = {"who": arg(512 * n, dtype=i32), "seen": arg(512 * n, 8, dtype=i32), "what": arg(512 * n, dtype=i32)}
  return sgd(loss), (params, batch), (0,)


@program
def policy(n):
  """Proximal policy optimization: advantages by a scan from the end, then three passes over the steps."""
  d, envs, length, actions = 128 * n, 64 * n, 64, 16

  def step(params, batch):
    def advantage(carry, at):
      reward, value, after = at
      carry = reward + 0.99 * after - value + 0.95 * carry
      return carry, carry

    after = jnp.concatenate([batch["value"][1:], batch["last"][None]])
    _, gains = lax.scan(advantage, jnp.zeros(envs), (batch["reward"], batch["value"], after), reverse=True)

    def loss(p):
      h = mlp(p["body"], batch["seen"])
      logs = jnp.take_along_axis(jax.nn.log_softmax(h @ p["act"]), batch["act"][..., None], -1)[..., 0]
      ratio = jnp.exp(logs - batch["log"])
      won = jnp.minimum(ratio * gains, jnp.clip(ratio, 0.8, 1.2) * gains)
      return jnp.mean(((h @ p["worth"])[..., 0] - gains - batch["value"]) ** 2) - won.mean()

    value = 0.0
    for _ in range(3):
      value, grads = jax.value_and_grad(loss)(params)
      params = jax.tree.map(lambda p, g: p - 1e-3 * g, params, grads)
    return params, value

  params = {"body": [arg(64, d), arg(d, d), arg(d, d)], "act": arg(d, actions), "worth": arg(d, 1)}
  line = arg(length, envs)
  batch = {"seen": arg(length, envs, 64), "act": arg(length, envs, dtype=i32), "reward": line, "value": line, "log": line, "last": arg(envs)}
  return step, (params, batch), (0,)


@program
def physics(n):
  """A network that is to obey u_t + u u_x = c u_xx: derivatives of derivatives, point by point."""
  d = 64 * n

  def loss(p, batch):
    u = lambda t, x: mlp(p, jnp.stack([t, x]))[0]

    def residual(t, x):
      u_x = jax.grad(u, 1)
      return jax.grad(u)(t, x) + u(t, x) * u_x(t, x) - 0.01 * jax.grad(u_x, 1)(t, x)

    return jnp.mean(jax.vmap(residual)(batch["t"], batch["x"]) ** 2)

  return trained(loss, [arg(2, d), arg(d, d), arg(d, d), arg(d, 1)], {"t": arg(2048 * n), "x": arg(2048 * n)})


@program
def flow(n):
  """A normalizing flow: coupled halves, and a determinant that adds up."""
  d = 64 * n

  def loss(p, batch):
    x, total = batch["x"], 0.0
    for w in p:
      a, b = jnp.split(x, 2, -1)
      shift, log = jnp.split(mlp(w, a), 2, -1)
      log = jnp.tanh(log)
      x, total = jnp.concatenate([b * jnp.exp(log) + shift, a], -1), total + log.sum(-1)
    return jnp.mean(0.5 * (x * x).sum(-1) - total)

  layer = [arg(d, 8 * d), arg(8 * d, 8 * d), arg(8 * d, 2 * d)]
  return trained(loss, [layer] * 4, {"x": arg(256 * n, 2 * d)})


@program
def meta(n):
  """Learning to learn: two steps of descent inside the loss, for many tasks."""
  d = 64 * n

  def loss(p, batch):
    error = lambda w, x, y: jnp.mean((mlp(w, x) - y) ** 2)

    def task(x1, y1, x2, y2):
      w = p
      for _ in range(2):
        w = jax.tree.map(lambda w, g: w - 0.01 * g, w, jax.grad(error)(w, x1, y1))
      return error(w, x2, y2)

    return jax.vmap(task)(*batch).mean()

  x, y = arg(16 * n, 32, d), arg(16 * n, 32, 1)
  return trained(loss, [arg(d, d), arg(d, d), arg(d, 1)], (x, y, x, y))


@program
def long_convolution(n):
  """Convolutions as long as the sequence, by Fourier transforms."""
  d, length = 64 * n, 512

  def loss(p, batch):
    x = batch["x"]
    for w in p:
      kernel = jnp.einsum("ds,st->dt", w["mix"], jnp.exp(-jnp.abs(w["decay"])[:, None] * jnp.arange(length)))
      spectrum = jnp.fft.rfft(x, 2 * length, axis=1) * jnp.fft.rfft(kernel.T, 2 * length, axis=0)
      x = x + jax.nn.gelu(jnp.fft.irfft(spectrum, axis=1)[:, :length]) @ w["out"]
    return jnp.mean((x - batch["y"]) ** 2)

  layer = {"mix": arg(d, 16), "decay": arg(16), "out": arg(d, d)}
  return trained(loss, [layer] * 2, {"x": arg(8 * n, length, d), "y": arg(8 * n, length, d)})


@program
def orthogonal(n):
  """An optimizer that makes momentum orthogonal by a few products (Muon)."""
  d = 128 * n

  def loss(p, batch):
    return jnp.mean((mlp(p, batch["x"]) - batch["y"]) ** 2)

  def straight(m):
    x = m / (jnp.linalg.norm(m) + 1e-7)
    for _ in range(5):
      square = x @ x.T
      x = 3.4 * x + (-4.8 * square + 2.0 * square @ square) @ x
    return x

  def step(state, batch):
    params, momentum = state
    value, grads = jax.value_and_grad(loss)(params, batch)
    momentum = jax.tree.map(lambda m, g: 0.95 * m + g, momentum, grads)
    return (jax.tree.map(lambda p, m: p - 0.02 * straight(m), params, momentum), momentum), value

  params = [arg(d, 4 * d), arg(4 * d, 4 * d), arg(4 * d, d)]
  return step, ((params, params), {"x": arg(256 * n, d), "y": arg(256 * n, d)}), (0,)


@program
def factored(n):
  """An optimizer that keeps a row and a column for each matrix (Adafactor), over an embedding and a scan of layers."""
  d, vocabulary = 128 * n, 2048 * n

  def loss(p, batch):
    x = p["embed"][batch["tokens"]].mean(1)
    x, _ = lax.scan(lambda x, w: (x + jax.nn.relu(x @ w["up"]) @ w["down"], None), x, p["layers"])
    return cross_entropy(x @ p["embed"].T, batch["label"])

  def update(p, g, row, column):
    square = g * g + 1e-30
    row, column = 0.9 * row + 0.1 * square.mean(-1), 0.9 * column + 0.1 * square.mean(-2)
    scale = row[..., None] * column[..., None, :] / row.mean(-1, keepdims=True)[..., None]
    change = g * lax.rsqrt(scale)
    change = change / jnp.maximum(1.0, jnp.sqrt(jnp.mean(change * change)))
    return p - 1e-2 * change, row, column

  def step(state, batch):
    params, rows, columns = state
    value, grads = jax.value_and_grad(loss)(params, batch)
    leaves, tree = jax.tree.flatten(params)
    parts = [leaves, *map(jax.tree.leaves, (grads, rows, columns))]
    new = [update(*each) for each in zip(*parts, strict=True)]
    return tuple(jax.tree.unflatten(tree, part) for part in zip(*new, strict=True)), value

  params = {"embed": arg(vocabulary, d), "layers": {"up": arg(4, d, 4 * d), "down": arg(4, 4 * d, d)}}
  rows = jax.tree.map(lambda t: arg(*t.shape[:-1]), params)
  columns = jax.tree.map(lambda t: arg(*t.shape[:-2], t.shape[-1]), params)
  return step, ((params, rows, columns), {"tokens": arg(64 * n, 32, dtype=i32), "label": arg(64 * n, dtype=i32)}), (0,)


@program
def clusters(n):
  """Ten rounds of k-means: no weights, no gradients."""
  points, d, k = 8192 * n, 64 * n, 256

  def run(x, centres):
    def one(centres, _):
      distance = (x * x).sum(-1)[:, None] - 2 * x @ centres.T + (centres * centres).sum(-1)
      hot = jax.nn.one_hot(jnp.argmin(distance, -1), k)
      return hot.T @ x / (hot.sum(0)[:, None] + 1e-6), distance.min(-1).mean()

    return lax.scan(one, centres, None, length=10)

  return run, (arg(points, d), arg(k, d)), ()


@program
def ensemble(n):
  """Sixteen networks at once, each with its own data order: everything has a leading dim of networks."""
  d = 64 * n

  def one(params, x, y):
    value, grads = jax.value_and_grad(lambda p: jnp.mean((mlp(p, x) - y) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), value

  params = [arg(16, d, 4 * d), arg(16, 4 * d, 4 * d), arg(16, 4 * d, 1)]
  return jax.vmap(one), (params, arg(16, 64 * n, d), arg(16, 64 * n, 1)), (0,)
