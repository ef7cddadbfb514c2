"""Inference: a multi-query decoder that generates tokens in a loop, reading and updating a key-value cache.

The one key-value head is why this program is hard to partition: heads can be sharded everywhere but in the cache,
which is the largest thing there is.
"""

import dataclasses
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp

from models import layers, spec
from models.model import Config, ConfigError, Model


@dataclasses.dataclass(frozen=True)
class DecoderConfig(Config):
    layers: int = 32
    batch: int = 256
    width: int = 4096
    heads: int = 32
    head: int = 128
    ff: int = 16384
    vocabulary: int = 32768
    cache: int = 2048
    generate: int = 1024
    prompt: int = 512
    prefill: bool = False
    dtype: Literal["float32", "bfloat16"] = "bfloat16"

    def check(self) -> None:
        self.require_even("head")
        needed = self.generate + self.prompt
        if needed > self.cache:
            raise ConfigError(
                f"cache {self.cache} cannot hold prompt {self.prompt} and generate {self.generate} tokens: {needed}"
            )


def layer_params(config: DecoderConfig) -> layers.Params:
    c = config
    weight = partial(spec.weight, dtype=c.dtype)
    return {
        "norm1": spec.constant_weight((c.width,), 1.0, c.dtype),
        "wq": weight((c.width, c.heads, c.head), c.width),
        "wk": weight((c.width, c.head)),
        "wv": weight((c.width, c.head)),
        "wo": weight((c.heads, c.head, c.width)),
        "norm2": spec.constant_weight((c.width,), 1.0, c.dtype),
        "w1": weight((c.width, c.ff)),
        "w2": weight((c.ff, c.width)),
    }


def params_of(config: DecoderConfig) -> layers.Params:
    return {
        "embedding": spec.weight((config.vocabulary, config.width), config.width, config.dtype),
        "layers": [layer_params(config) for _ in range(config.layers)],
        "norm": spec.constant_weight((config.width,), 1.0, config.dtype),
    }


def cache_of(config: DecoderConfig) -> list[layers.Params]:
    rows = spec.state((config.batch, config.cache, config.head), dtype=config.dtype)
    return [{"k": rows, "v": rows} for _ in range(config.layers)]


def write(rows: jax.Array, new: jax.Array, position: jax.Array) -> jax.Array:
    """Puts `new` bsk into the cache's rows btk from `position` on."""
    return jax.lax.dynamic_update_slice(rows, new, (0, position, 0))


def block(
    params: layers.Params, cache: layers.Params, x: jax.Array, position: jax.Array
) -> tuple[jax.Array, layers.Params]:
    """One layer over x bsd, whose first token stands at `position`; earlier tokens are in the cache."""
    positions = position + jnp.arange(x.shape[1])
    normed = layers.rms_norm(x, params["norm1"])
    q = layers.rope(jnp.einsum("bsd,dhk->bshk", normed, params["wq"]), positions)
    k = layers.rope((normed @ params["wk"])[:, :, None], positions)[:, :, 0]
    cache = {"k": write(cache["k"], k, position), "v": write(cache["v"], normed @ params["wv"], position)}
    mixed = multi_query_attention(q, cache, positions)
    x = x + jnp.einsum("bshk,hkd->bsd", mixed, params["wo"])
    normed = layers.rms_norm(x, params["norm2"])
    return x + jax.nn.gelu(normed @ params["w1"]) @ params["w2"], cache


def multi_query_attention(q: jax.Array, cache: layers.Params, positions: jax.Array) -> jax.Array:
    visible = positions[:, None] >= jnp.arange(cache["k"].shape[1])[None, :]
    scaled = q * q.shape[-1] ** -0.5
    scores = jnp.einsum("bshk,btk->bhst", scaled, cache["k"], preferred_element_type=jnp.float32)
    weights = layers.masked_softmax(scores, visible).astype(q.dtype)
    return jnp.einsum("bhst,btk->bshk", weights, cache["v"])


def decode(
    params: layers.Params, cache: list[layers.Params], tokens: jax.Array, position: jax.Array
) -> tuple[jax.Array, list[layers.Params]]:
    """Runs tokens bs through all layers; returns the likeliest next token of each sequence and the new cache."""
    x = params["embedding"][tokens]
    new_cache = []
    for number, (layer, layer_cache) in enumerate(zip(params["layers"], cache, strict=True)):
        with jax.named_scope(f"layer_{number}"):
            x, layer_cache = block(layer, layer_cache, x, position)
        new_cache.append(layer_cache)
    last = layers.rms_norm(x[:, -1], params["norm"])
    logits = jnp.einsum("bd,vd->bv", last, params["embedding"], preferred_element_type=jnp.float32)
    return jnp.argmax(logits, axis=-1).astype(jnp.int32), new_cache


def generate_from(
    config: DecoderConfig, params: layers.Params, cache: list[layers.Params], token: jax.Array, position: jax.Array
) -> tuple[list[layers.Params], jax.Array]:
    """Greedy generation: each token is fed back; returns the cache and the tokens b x generate."""

    def one_token(carry: tuple[Any, ...], _: None) -> tuple[tuple[Any, ...], jax.Array]:
        cache, token, position = carry
        token, cache = decode(params, cache, token[:, None], position)
        return (cache, token, position + 1), token

    carry, tokens = jax.lax.scan(one_token, (cache, token, position), length=config.generate)
    return carry[0], tokens.T


def function(config: DecoderConfig) -> Any:
    """Without `prefill` the cache already holds the prompt; with it the prompt is run first, in one piece."""

    def generate(
        params: layers.Params, cache: list[layers.Params], token: jax.Array, position: jax.Array
    ) -> tuple[list[layers.Params], jax.Array]:
        return generate_from(config, params, cache, token, position)

    def prefill_and_generate(
        params: layers.Params, cache: list[layers.Params], prompt: jax.Array
    ) -> tuple[list[layers.Params], jax.Array]:
        with jax.named_scope("prefill"):
            token, cache = decode(params, cache, prompt, jnp.int32(0))
        return generate_from(config, params, cache, token, jnp.int32(config.prompt))

    return prefill_and_generate if config.prefill else generate


def arguments(config: DecoderConfig) -> tuple[Any, ...]:
    state = (params_of(config), cache_of(config))
    if config.prefill:
        return (*state, spec.integers((config.batch, config.prompt), config.vocabulary))
    # A single value in range: the position after the prompt.
    position = dataclasses.replace(spec.state((), config.prompt, "int32"), role="data")
    return (*state, spec.integers((config.batch,), config.vocabulary), position)


MODELS = (
    Model(
        name="decoder",
        summary="multi-query decoder, inference loop with a key-value cache",
        config=DecoderConfig(),
        small_config=DecoderConfig(
            layers=2, batch=8, width=64, heads=8, head=16, ff=128, vocabulary=256, cache=32, generate=8, prompt=16,
            dtype="float32",
        ),  # fmt: skip
        arguments=arguments,
        function=function,
        donated=(1,),
        variants={"prefill": {"prefill": True}},
    ),
)
