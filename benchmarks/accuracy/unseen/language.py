"""Language models of several kinds."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from .common import arg, attend, cross_entropy, f32, i32, layer_norm, program, rms_norm, rotary, trained


def llama_layer(x, w):
  batch, length, _ = x.shape
  h = rms_norm(x, w["n1"])
  q = rotary(jnp.einsum("btd,dhk->bthk", h, w["q"]))
  k = rotary(jnp.einsum("btd,dhk->bthk", h, w["k"]))
  v = jnp.einsum("btd,dhk->bthk", h, w["v"])
  groups = q.shape[2] // k.shape[2]
  k, v = (jnp.repeat(t, groups, axis=2) for t in (k, v))
  causal = jnp.tril(jnp.ones((length, length), bool))
  x = x + jnp.einsum("bthk,hkd->btd", attend(q, k, v, causal), w["o"])
  h = rms_norm(x, w["n2"])
  return x + (jax.nn.silu(h @ w["gate"]) * (h @ w["up"])) @ w["down"]


def llama_weights(d, *stack):
  heads, keys = 16, 8
  return {"n1": arg(*stack, d), "n2": arg(*stack, d), "q": arg(*stack, d, heads, d // heads), "k": arg(*stack, d, keys, d // heads),
          "v": arg(*stack, d, keys, d // heads), "o": arg(*stack, heads, d // heads, d), "gate": arg(*stack, d, 3 * d),
          "up": arg(*stack, d, 3 * d), "down": arg(*stack, 3 * d, d)}  # fmt: skip


def llama_loss(run_layers):
  def loss(p, batch):
    x = run_layers(p["embed"][batch["tokens"]], p["layers"])
    return cross_entropy(rms_norm(x, p["norm"]) @ p["head"], batch["labels"])

  return loss


def llama_rest(n):
  d, vocabulary = 128 * n, 1024 * n
  batch = {"tokens": arg(8 * n, 128, dtype=i32), "labels": arg(8 * n, 128, dtype=i32)}
  return d, {"embed": arg(vocabulary, d), "norm": arg(d), "head": arg(d, vocabulary)}, batch


@program
def llama_unrolled(n):
  d, rest, batch = llama_rest(n)
  run = lambda x, layers: functools.reduce(llama_layer, layers, x)
  return trained(llama_loss(run), rest | {"layers": [llama_weights(d) for _ in range(3)]}, batch)


@program
def llama_scan_remat(n):
  d, rest, batch = llama_rest(n)
  run = lambda x, layers: lax.scan(lambda x, w: (jax.checkpoint(llama_layer)(x, w), None), x, layers)[0]
  return trained(llama_loss(run), rest | {"layers": llama_weights(d, 4)}, batch)


@program
def accumulation(n):
  """Gradients of four parts of the batch, one after the other, and one update."""
  d, rest, batch = llama_rest(n)
  loss = llama_loss(lambda x, layers: functools.reduce(llama_layer, layers, x))

  def step(params, batch):
    parts = jax.tree.map(lambda t: t.reshape(4, -1, *t.shape[1:]), batch)
    zeros = jax.tree.map(jnp.zeros_like, params)

    def one(total, part):
      value, grads = jax.value_and_grad(loss)(params, part)
      return jax.tree.map(jnp.add, total, grads), value

    grads, values = lax.scan(one, zeros, parts)
    return jax.tree.map(lambda p, g: p - 0.01 * g / 4, params, grads), values.mean()

  params = rest | {"layers": [llama_weights(d) for _ in range(2)]}
  batch = {name: arg(4 * t.shape[0], *t.shape[1:], dtype=t.dtype) for name, t in batch.items()}
  return step, (params, batch), (0,)


@program
def masked_language(n):
  """An encoder; the loss looks at some places of each sequence."""
  d, heads, length, picked, vocabulary = 128 * n, 8, 128, 16, 2048 * n

  def layer(x, w):
    q, k, v = jnp.split(x @ w["qkv"], 3, -1)
    q, k, v = (t.reshape(*t.shape[:2], heads, -1) for t in (q, k, v))
    x = layer_norm(x + attend(q, k, v).reshape(x.shape) @ w["o"], w["n1"])
    return layer_norm(x + jax.nn.gelu(x @ w["up"]) @ w["down"], w["n2"])

  def loss(p, batch):
    x = p["embed"][batch["tokens"]] + p["places"]
    for w in p["layers"]:
      x = layer(x, w)
    x = jnp.take_along_axis(x, batch["where"][..., None], 1)
    return cross_entropy(x @ p["embed"].T, batch["labels"])

  weights = {"qkv": arg(d, 3 * d), "o": arg(d, d), "n1": arg(d), "n2": arg(d), "up": arg(d, 4 * d), "down": arg(4 * d, d)}
  params = {"embed": arg(vocabulary, d), "places": arg(length, d), "layers": [weights] * 2}
  batch = {"tokens": arg(8 * n, length, dtype=i32), "where": arg(8 * n, picked, dtype=i32), "labels": arg(8 * n, picked, dtype=i32)}
  return trained(loss, params, batch)


@program
def experts(n):
  """Two experts for each token, found by top_k, fed through one-hot tensors."""
  d, e, tokens, room = 64 * n, 8, 1024 * n, 512 * n

  def loss(p, batch):
    x = batch["x"]
    gates, chosen = lax.top_k(jax.nn.softmax(x @ p["router"]), 2)
    hot = jax.nn.one_hot(chosen, e)
    place = jnp.cumsum(hot.sum(1), 0) - 1
    dispatch = (hot * gates[..., None]).sum(1)[..., None] * jax.nn.one_hot(place, room)
    inside = jnp.einsum("tec,td->ecd", (dispatch > 0).astype(f32), x)
    inside = jnp.einsum("ecf,efd->ecd", jax.nn.relu(jnp.einsum("ecd,edf->ecf", inside, p["up"])), p["down"])
    out = jnp.einsum("tec,ecd->td", dispatch, inside)
    return jnp.mean((out - batch["y"]) ** 2)

  params = {"router": arg(d, e), "up": arg(e, d, 4 * d), "down": arg(e, 4 * d, d)}
  return trained(loss, params, {"x": arg(tokens, d), "y": arg(tokens, d)})


@program
def linear_attention(n):
  """Chunks of a sequence, one after the other, with a matrix that is carried."""
  d, heads, chunk = 128 * n, 4, 64

  def loss(p, batch):
    x = batch["x"]
    q, k, v = (jnp.einsum("btd,dhk->bhtk", x, p[name]).reshape(x.shape[0], heads, -1, chunk, d // heads) for name in "qkv")
    q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
    causal = jnp.tril(jnp.ones((chunk, chunk)))

    def one(state, part):
      q, k, v = part
      inner = jnp.einsum("bhqk,bhsk->bhqs", q, k) * causal
      out = jnp.einsum("bhqs,bhsv->bhqv", inner, v) + jnp.einsum("bhqk,bhkv->bhqv", q, state)
      return state + jnp.einsum("bhsk,bhsv->bhkv", k, v), out

    state = jnp.zeros((x.shape[0], heads, d // heads, d // heads))
    _, out = lax.scan(one, state, tuple(jnp.moveaxis(t, 2, 0) for t in (q, k, v)))
    out = jnp.moveaxis(out, 0, 2).reshape(x.shape[0], heads, -1, d // heads)
    out = jnp.einsum("bhtk,hkd->btd", out, p["o"])
    return jnp.mean((out - batch["y"]) ** 2)

  weight = arg(d, heads, d // heads)
  params = {"q": weight, "k": weight, "v": weight, "o": arg(heads, d // heads, d)}
  return trained(loss, params, {"x": arg(8 * n, 512, d), "y": arg(8 * n, 512, d)})


@program
def generation(n):
  """Tokens one by one from a prompt's keys and values; nothing is trained."""
  d, heads, layers, room, vocabulary = 128 * n, 8, 2, 256, 1024 * n

  def run(p, cache, token, start):
    def one(carry, _):
      token, place, cache = carry
      x = p["embed"][token]
      filled = []
      for w, (keys, values) in zip(p["layers"], cache, strict=True):
        h = rms_norm(x, w["norm"])
        q, k, v = (jnp.einsum("bd,dhk->bhk", h, w[name]) for name in "qkv")
        keys = lax.dynamic_update_slice(keys, k[:, None], (0, place, 0, 0))
        values = lax.dynamic_update_slice(values, v[:, None], (0, place, 0, 0))
        scores = jnp.where(jnp.arange(room) <= place, jnp.einsum("bhk,bthk->bht", q, keys), -1e9)
        x = x + jnp.einsum("bhk,hkd->bd", jnp.einsum("bht,bthk->bhk", jax.nn.softmax(scores), values), w["o"])
        x = x + jax.nn.gelu(x @ w["up"]) @ w["down"]
        filled.append((keys, values))
      token = jnp.argmax(x @ p["embed"].T, -1)
      return (token, place + 1, filled), token

    (_, _, cache), tokens = lax.scan(one, (token, start, cache), None, length=16)
    return cache, tokens

  qkv = arg(d, heads, d // heads)
  layer = {"norm": arg(d), "q": qkv, "k": qkv, "v": qkv, "o": arg(heads, d // heads, d), "up": arg(d, 4 * d), "down": arg(4 * d, d)}
  kept = arg(16 * n, room, heads, d // heads)
  arguments = ({"embed": arg(vocabulary, d), "layers": [layer] * layers}, [(kept, kept)] * layers, arg(16 * n, dtype=i32), arg(dtype=i32))
  return run, arguments, (1,)


@program
def translation(n):
  """A recurrent encoder, a recurrent decoder, and attention between them."""
  d, vocabulary, length = 128 * n, 1024 * n, 32

  def gru(w, h, x):
    z, r = jnp.split(jax.nn.sigmoid(x @ w["x"][:, : 2 * d] + h @ w["h"][:, : 2 * d]), 2, -1)
    new = jnp.tanh(x @ w["x"][:, 2 * d :] + (r * h) @ w["h"][:, 2 * d :])
    return (1 - z) * h + z * new

  def loss(p, batch):
    x = p["embed"][batch["from"]].swapaxes(0, 1)
    start = jnp.zeros((batch["from"].shape[0], d))
    last, states = lax.scan(lambda h, x: (gru(p["encoder"], h, x),) * 2, start, x)

    def decode(h, y):
      scores = jax.nn.softmax(jnp.einsum("bd,tbd->bt", h @ p["match"], states))
      h = gru(p["decoder"], h, y + jnp.einsum("bt,tbd->bd", scores, states))
      return h, h

    _, out = lax.scan(decode, last, p["embed"][batch["to"]].swapaxes(0, 1))
    return cross_entropy(out @ p["out"], batch["next"].swapaxes(0, 1))

  cell = {"x": arg(d, 3 * d), "h": arg(d, 3 * d)}
  params = {"embed": arg(vocabulary, d), "encoder": cell, "decoder": cell, "match": arg(d, d), "out": arg(d, vocabulary)}
  return trained(loss, params, {name: arg(16 * n, length, dtype=i32) for name in ("from", "to", "next")})
