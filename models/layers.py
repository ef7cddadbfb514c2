"""Layers that several models really share. Shapes are written as einsum letters:

b batch, s query position, t key position, d model width, h heads, k head size, f feed-forward width, v vocabulary.
"""

from typing import Any

import jax
import jax.numpy as jnp

from models import spec

Params = dict[str, Any]


def cast(tree: Any, dtype: str) -> Any:
    """Weights in the dtype of the computation; they stay f32 in the state."""
    return jax.tree.map(lambda a: a.astype(dtype), tree)


def rms_norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    """Root-mean-square norm over the last dim; the statistics are f32 whatever x is."""
    wide = x.astype(jnp.float32)
    mean_square = jnp.mean(wide * wide, axis=-1, keepdims=True)
    return (wide * jax.lax.rsqrt(mean_square + 1e-6)).astype(x.dtype) * scale


def layer_norm_params(width: int) -> Params:
    return {"scale": spec.constant_weight((width,), 1.0), "bias": spec.constant_weight((width,), 0.0)}


def layer_norm(params: Params, x: jax.Array) -> jax.Array:
    wide = x.astype(jnp.float32)
    centred = wide - jnp.mean(wide, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    normed = (centred * jax.lax.rsqrt(variance + 1e-5)).astype(x.dtype)
    return normed * params["scale"] + params["bias"]


def causal_mask(length: int) -> jax.Array:
    """True where position s may look at position t. Made inside the program, so that it is no constant in the text."""
    positions = jnp.arange(length)
    return positions[:, None] >= positions[None, :]


def masked_softmax(scores: jax.Array, mask: jax.Array | None) -> jax.Array:
    if mask is not None:
        scores = jnp.where(mask, scores, jnp.finfo(scores.dtype).min)
    return jax.nn.softmax(scores, axis=-1)


def attention(q: jax.Array, k: jax.Array, v: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    """Multi-head attention; scores and softmax in f32. q bshk, k bthk, v bthk (its head size may differ) -> bshk."""
    scaled = q * q.shape[-1] ** -0.5
    scores = jnp.einsum("bshk,bthk->bhst", scaled, k, preferred_element_type=jnp.float32)
    weights = masked_softmax(scores, mask).astype(v.dtype)
    return jnp.einsum("bhst,bthk->bshk", weights, v)


def rope(x: jax.Array, positions: jax.Array) -> jax.Array:
    """Rotary position embedding of x bshk at `positions` s: the two halves of each head turn together."""
    half = x.shape[-1] // 2
    wavelengths = 10_000.0 ** (jnp.arange(half, dtype=jnp.float32) / half)
    angles = positions.astype(jnp.float32)[:, None, None] / wavelengths
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    first, second = jnp.split(x.astype(jnp.float32), 2, axis=-1)
    turned = jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
    return turned.astype(x.dtype)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean over all positions of the negative log likelihood of integer labels; in f32."""
    logits = logits.astype(jnp.float32)
    picked = jnp.take_along_axis(logits, labels[..., None], axis=-1)[..., 0]
    return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - picked)


def mean_squared_error(prediction: jax.Array, target: jax.Array) -> jax.Array:
    return jnp.mean(jnp.square(prediction - target))


def convolution(x: jax.Array, kernel: jax.Array, stride: int = 1, padding: str = "SAME") -> jax.Array:
    """Two-dimensional convolution, images NHWC and kernels HWIO."""
    return jax.lax.conv_general_dilated(
        x, kernel.astype(x.dtype), (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def block_params(width: int, heads: int, head_size: int, ff: int) -> Params:
    """The classic pre-norm block with biases, as in GPT-2 and ViT."""

    def bias(*shape: int) -> spec.Array:
        return spec.constant_weight(shape, 0.0)

    return {
        "norm1": layer_norm_params(width),
        "wq": spec.weight((width, heads, head_size), width),
        "bq": bias(heads, head_size),
        "wk": spec.weight((width, heads, head_size), width),
        "bk": bias(heads, head_size),
        "wv": spec.weight((width, heads, head_size), width),
        "bv": bias(heads, head_size),
        "wo": spec.weight((heads, head_size, width)),
        "bo": bias(width),
        "norm2": layer_norm_params(width),
        "w1": spec.weight((width, ff)),
        "b1": bias(ff),
        "w2": spec.weight((ff, width)),
        "b2": bias(width),
    }


def block(params: Params, x: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    params = cast(params, x.dtype)
    with jax.named_scope("attention"):
        normed = layer_norm(params["norm1"], x)
        q = jnp.einsum("bsd,dhk->bshk", normed, params["wq"]) + params["bq"]
        k = jnp.einsum("bsd,dhk->bshk", normed, params["wk"]) + params["bk"]
        v = jnp.einsum("bsd,dhk->bshk", normed, params["wv"]) + params["bv"]
        mixed = attention(q, k, v, mask)
        x = x + jnp.einsum("bshk,hkd->bsd", mixed, params["wo"]) + params["bo"]
    with jax.named_scope("mlp"):
        normed = layer_norm(params["norm2"], x)
        hidden = jax.nn.gelu(normed @ params["w1"] + params["b1"])
        return x + hidden @ params["w2"] + params["b2"]
