"""Programs that no rule of the estimates was fitted to, written as people write them, each at a size of one's own.

    step, arguments, donated = PROGRAMS["gat"](2)     twice as wide, and twice the batch, as at 1
    text("gat", 2)                                    the step as StableHLO

`models/` has what the rules were made with. These are for holding the rules against something else: when one of them shows a fault, the
rule is mended for all programs of its kind, and the program stays as it is.
"""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from models import lowering

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


# --- language ---


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


# --- pictures and sound ---


def convolve(x, w, stride=1, **options):
  return lax.conv_general_dilated(x, w, (stride,) * (x.ndim - 2), "SAME", dimension_numbers=DIMS[x.ndim], **options)


DIMS = {3: ("NWC", "WIO", "NWC"), 4: ("NHWC", "HWIO", "NHWC")}


@program
def autoencoder(n):
  """A variational one, of convolutions, with noise that is drawn in the step."""
  c = 32 * n

  def loss(p, batch):
    x = batch["image"]
    for w in p["down"]:
      x = jax.nn.relu(convolve(x, w, 2))
    mean, log = jnp.split(x.reshape(x.shape[0], -1) @ p["code"], 2, -1)
    noise = jax.random.normal(jax.random.wrap_key_data(batch["key"]), mean.shape)
    z = (mean + jnp.exp(log / 2) * noise) @ p["back"]
    x = z.reshape(x.shape)
    for w in p["up"]:
      x = lax.conv_transpose(jax.nn.relu(x), w, (2, 2), "SAME")
    divergence = 0.5 * jnp.mean(mean**2 + jnp.exp(log) - 1 - log)
    return jnp.mean((x - batch["image"]) ** 2) + divergence

  params = {"down": [arg(4, 4, 3, c), arg(4, 4, c, 2 * c), arg(4, 4, 2 * c, 4 * c)], "code": arg(16 * 4 * c, 256), "back": arg(128, 16 * 4 * c),
            "up": [arg(4, 4, 4 * c, 2 * c), arg(4, 4, 2 * c, c), arg(4, 4, c, 3)]}  # fmt: skip
  return trained(loss, params, {"image": arg(16 * n, 32, 32, 3), "key": arg(2, dtype=jnp.uint32)})


@program
def batch_norm(n):
  """A residual network that keeps running means."""
  c = 32 * n

  def normal(x, w, running):
    mean, square = x.mean((0, 1, 2)), (x * x).mean((0, 1, 2))
    variance = square - mean * mean
    kept = {"mean": 0.9 * running["mean"] + 0.1 * mean, "variance": 0.9 * running["variance"] + 0.1 * variance}
    return (x - mean) * lax.rsqrt(variance + 1e-5) * w["scale"] + w["shift"], kept

  def forward(p, running, batch):
    x = convolve(batch["image"], p["stem"], 2)
    kept = []
    for w, r in zip(p["blocks"], running, strict=True):
      h, r1 = normal(convolve(x, w["c1"]), w["n1"], r[0])
      h, r2 = normal(convolve(jax.nn.relu(h), w["c2"]), w["n2"], r[1])
      x = jax.nn.relu(x + h)
      kept.append((r1, r2))
    return cross_entropy(x.mean((1, 2)) @ p["head"], batch["label"]), kept

  def step(state, batch):
    params, running, momentum = state
    (value, running), grads = jax.value_and_grad(forward, has_aux=True)(params, running, batch)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
    return (jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), running, momentum), value

  norm = {"scale": arg(c), "shift": arg(c)}
  block = {"c1": arg(3, 3, c, c), "c2": arg(3, 3, c, c), "n1": norm, "n2": norm}
  params = {"stem": arg(7, 7, 3, c), "blocks": [block] * 3, "head": arg(c, 1024)}
  running = {"mean": arg(c), "variance": arg(c)}
  state = (params, [(running, running)] * 3, like(params))
  return step, (state, {"image": arg(16 * n, 64, 64, 3), "label": arg(16 * n, dtype=i32)}), (0,)


@program
def wavenet(n):
  """Dilated convolutions over sound, with gates and a sum of all layers."""
  c = 64 * n

  def loss(p, batch):
    x, total = convolve(batch["sound"], p["in"]), 0
    for i, w in enumerate(p["layers"]):
      h = convolve(x, w["mix"], rhs_dilation=(2**i,))
      h = jnp.tanh(h[..., :c]) * jax.nn.sigmoid(h[..., c:])
      total = total + h @ w["skip"]
      x = x + h @ w["on"]
    return cross_entropy(jax.nn.relu(total) @ p["out"], batch["next"])

  layer = {"mix": arg(2, c, 2 * c), "skip": arg(c, c), "on": arg(c, c)}
  params = {"in": arg(2, 1, c), "layers": [layer] * 5, "out": arg(c, 256)}
  return trained(loss, params, {"sound": arg(8 * n, 1024, 1), "next": arg(8 * n, 1024, dtype=i32)})


@program
def mixer(n):
  """Patches mixed over places and over channels, in a scan."""
  d, places = 128 * n, 64

  def loss(p, batch):
    x = batch["patches"] @ p["in"]

    def layer(x, w):
      h = layer_norm(x, w["n1"])
      x = x + jnp.einsum("bqd,qp->bpd", jax.nn.gelu(jnp.einsum("bpd,pq->bqd", h, w["p1"])), w["p2"])
      h = layer_norm(x, w["n2"])
      return x + jax.nn.gelu(h @ w["c1"]) @ w["c2"], None

    x, _ = lax.scan(layer, x, p["layers"])
    return cross_entropy(x.mean(1) @ p["head"], batch["label"])

  layers = {"n1": arg(4, d), "n2": arg(4, d), "p1": arg(4, places, 2 * places), "p2": arg(4, 2 * places, places), "c1": arg(4, d, 4 * d),
            "c2": arg(4, 4 * d, d)}  # fmt: skip
  params = {"in": arg(192, d), "layers": layers, "head": arg(d, 1024)}
  return trained(loss, params, {"patches": arg(16 * n, places, 192), "label": arg(16 * n, dtype=i32)})


@program
def contrast(n):
  """Pictures and words in one space; each picture is held against all words of the batch."""
  d = 128 * n

  def loss(p, batch):
    picture, words = mlp(p["picture"], batch["picture"]), mlp(p["words"], p["embed"][batch["words"]].mean(1))
    picture, words = (t / jnp.linalg.norm(t, axis=-1, keepdims=True) for t in (picture, words))
    scores = picture @ words.T * jnp.exp(p["warmth"])
    labels = jnp.arange(scores.shape[0])
    return cross_entropy(scores, labels) + cross_entropy(scores.T, labels)

  tower = [arg(d, 4 * d), arg(4 * d, 4 * d), arg(4 * d, d)]
  params = {"picture": tower, "words": tower, "embed": arg(4096, d), "warmth": arg()}
  return trained(loss, params, {"picture": arg(256 * n, d), "words": arg(256 * n, 16, dtype=i32)})


@program
def perceiver(n):
  """Few latents look at a long input, in turn with themselves."""
  d, heads, latents, length = 128 * n, 8, 64, 1024

  def look(w, x, y):
    q, k, v = (jnp.einsum("btd,dhk->bthk", t, w[name]) for t, name in ((x, "q"), (y, "k"), (y, "v")))
    return jnp.einsum("bthk,hkd->btd", attend(q, k, v), w["o"])

  def loss(p, batch):
    y = batch["points"] @ p["in"]
    x = jnp.broadcast_to(p["latents"], (y.shape[0], latents, d))
    for w in p["layers"]:
      x = x + look(w["cross"], layer_norm(x, w["n1"]), y)
      x = x + look(w["self"], *[layer_norm(x, w["n2"])] * 2)
      x = x + mlp(w["mlp"], x)
    return cross_entropy(x.mean(1) @ p["head"], batch["label"])

  weight = arg(d, heads, d // heads)
  views = {"q": weight, "k": weight, "v": weight, "o": arg(heads, d // heads, d)}
  layer = {"cross": views, "self": views, "n1": arg(d), "n2": arg(d), "mlp": [arg(d, 4 * d), arg(4 * d, d)]}
  params = {"in": arg(16, d), "latents": arg(latents, d), "layers": [layer] * 2, "head": arg(d, 128)}
  return trained(loss, params, {"points": arg(8 * n, length, 16), "label": arg(8 * n, dtype=i32)})


# --- graphs, tables, games, science ---


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


def text(name, n, platform="cpu"):
  """The step as StableHLO."""
  step, arguments, donated = PROGRAMS[name](n)
  return lowering.stablehlo_text(step, arguments, donated, platform=platform)
