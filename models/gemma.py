"""Gemma 2B and 7B: RoPE, GeGLU, RMSNorm, grouped-query attention, tied embedding; training step with Adam.

State is f32, the computation bf16. Layers are unrolled, or with `scan` stacked and looped over; `remat` keeps only each
layer's input for the backward pass.
"""

import dataclasses
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class GemmaConfig(Config):
    layers: int
    width: int
    ff: int
    heads: int
    kv_heads: int
    head: int = 256
    vocabulary: int = 256128
    batch: int = 32
    sequence: int = 4096
    dtype: Literal["float32", "bfloat16"] = "bfloat16"
    scan: bool = False
    remat: bool = False

    def check(self) -> None:
        self.require_multiple("heads", of="kv_heads")
        self.require_even("head")


def layer_params(config: GemmaConfig) -> layers.Params:
    c = config
    return {
        "norm1": spec.constant_weight((c.width,), 0.0),
        "wq": spec.weight((c.width, c.heads, c.head), c.width),
        "wk": spec.weight((c.width, c.kv_heads, c.head), c.width),
        "wv": spec.weight((c.width, c.kv_heads, c.head), c.width),
        "wo": spec.weight((c.heads, c.head, c.width)),
        "norm2": spec.constant_weight((c.width,), 0.0),
        "gate": spec.weight((c.width, c.ff)),
        "up": spec.weight((c.width, c.ff)),
        "down": spec.weight((c.ff, c.width)),
    }


def params_of(config: GemmaConfig) -> layers.Params:
    layer = layer_params(config)
    return {
        "embedding": spec.weight((config.vocabulary, config.width), config.width),
        "layers": spec.stack(layer, config.layers) if config.scan else [layer] * config.layers,
        "norm": spec.constant_weight((config.width,), 0.0),
    }


def grouped_attention(q: jax.Array, k: jax.Array, v: jax.Array, mask: jax.Array) -> jax.Array:
    """Each group of g query heads shares one of n key and value heads."""
    batch, length, heads, size = q.shape
    kv_heads = k.shape[2]
    grouped = (q * size**-0.5).reshape(batch, length, kv_heads, heads // kv_heads, size)
    scores = jnp.einsum("bsngk,btnk->bngst", grouped, k, preferred_element_type=jnp.float32)
    weights = layers.masked_softmax(scores, mask).astype(v.dtype)
    return jnp.einsum("bngst,btnk->bsngk", weights, v).reshape(q.shape)


def block(params: layers.Params, x: jax.Array) -> jax.Array:
    params = layers.cast(params, x.dtype)
    positions = jnp.arange(x.shape[1])
    with jax.named_scope("attention"):
        normed = layers.rms_norm(x, 1 + params["norm1"])
        q = layers.rope(jnp.einsum("bsd,dhk->bshk", normed, params["wq"]), positions)
        k = layers.rope(jnp.einsum("bsd,dhk->bshk", normed, params["wk"]), positions)
        v = jnp.einsum("bsd,dhk->bshk", normed, params["wv"])
        mixed = grouped_attention(q, k, v, layers.causal_mask(x.shape[1]))
        x = x + jnp.einsum("bshk,hkd->bsd", mixed, params["wo"])
    with jax.named_scope("mlp"):
        normed = layers.rms_norm(x, 1 + params["norm2"])
        hidden = jax.nn.gelu(normed @ params["gate"]) * (normed @ params["up"])
        return x + hidden @ params["down"]


def run_layers(config: GemmaConfig, params: Any, x: jax.Array) -> jax.Array:
    apply = jax.checkpoint(block) if config.remat else block
    if config.scan:
        return jax.lax.scan(lambda x, layer: (apply(layer, x), None), x, params)[0]
    for number, layer in enumerate(params):
        with jax.named_scope(f"layer_{number}"):
            x = apply(layer, x)
    return x


def loss(config: GemmaConfig, params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    embedding = params["embedding"].astype(config.dtype)
    x = embedding[batch["tokens"]] * config.width**0.5
    x = run_layers(config, params["layers"], x)
    x = layers.rms_norm(x, 1 + params["norm"].astype(x.dtype))
    logits = jnp.einsum("bsd,vd->bsv", x, embedding, preferred_element_type=jnp.float32)
    return layers.cross_entropy(logits, batch["targets"])


def arguments(config: GemmaConfig) -> tuple[Any, ...]:
    tokens = spec.integers((config.batch, config.sequence), config.vocabulary)
    return optim.adam_state(params_of(config)), {"tokens": tokens, "targets": tokens}


def _model(
    name: str, summary: str, config: GemmaConfig, small_kv_heads: int, variants: Mapping[str, Mapping[str, Any]]
) -> Model:
    small = GemmaConfig(
        layers=2, width=64, ff=128, heads=8, kv_heads=small_kv_heads, head=16, vocabulary=256, batch=8,
        sequence=32, dtype="float32",
    )  # fmt: skip
    return Model(
        name=name,
        summary=summary,
        config=config,
        small_config=small,
        arguments=arguments,
        function=lambda config: optim.training_step(partial(loss, config), optim.adam_update),
        donated=(0,),
        variants=variants,
    )


MODELS = (
    _model(
        "gemma_2b",
        "Gemma 2B (one key-value head), training step with Adam",
        GemmaConfig(layers=18, width=2048, ff=16384, heads=8, kv_heads=1),
        small_kv_heads=1,
        variants={"scan": {"scan": True}, "remat": {"scan": True, "remat": True}},
    ),
    _model(
        "gemma_7b",
        "Gemma 7B, training step with Adam",
        GemmaConfig(layers=28, width=3072, ff=24576, heads=16, kv_heads=16),
        small_kv_heads=8,
        variants={},
    ),
)
