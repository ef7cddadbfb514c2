"""Pictures and sound."""

import jax
import jax.numpy as jnp
from jax import lax

from .common import arg, attend, cross_entropy, i32, layer_norm, like, mlp, program, trained


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
