"""Pre-norm transformer blocks and nothing else: the program whose partitioning has closed forms.

No vocabulary, no final norm, no mask, eight parameter tensors a layer. The sizes all differ, full and small, so that
each dim of each tensor is known by its size alone.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class TransformerConfig(Config):
    layers: int = 12
    batch: int = 32
    sequence: int = 2048
    width: int = 1024
    heads: int = 16
    head: int = 64
    value_head: int = 128
    ff: int = 4096


def layer_params(config: TransformerConfig) -> layers.Params:
    c = config
    return {
        "norm1": spec.constant_weight((c.width,), 1.0),
        "wq": spec.weight((c.width, c.heads, c.head), c.width),
        "wk": spec.weight((c.width, c.heads, c.head), c.width),
        "wv": spec.weight((c.width, c.heads, c.value_head), c.width),
        "wo": spec.weight((c.heads, c.value_head, c.width)),
        "norm2": spec.constant_weight((c.width,), 1.0),
        "w1": spec.weight((c.width, c.ff)),
        "w2": spec.weight((c.ff, c.width)),
    }


def block(params: layers.Params, x: jax.Array) -> jax.Array:
    normed = layers.rms_norm(x, params["norm1"])
    q = jnp.einsum("bsd,dhk->bshk", normed, params["wq"])
    k = jnp.einsum("bsd,dhk->bshk", normed, params["wk"])
    v = jnp.einsum("bsd,dhk->bshk", normed, params["wv"])
    x = x + jnp.einsum("bshk,hkd->bsd", layers.attention(q, k, v), params["wo"])
    normed = layers.rms_norm(x, params["norm2"])
    return x + jnp.tanh(normed @ params["w1"]) @ params["w2"]


def loss(params: dict[str, Any], batch: dict[str, jax.Array]) -> jax.Array:
    x = batch["x"]
    for number, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{number}"):
            x = block(layer, x)
    return layers.mean_squared_error(x, batch["target"])


def arguments(config: TransformerConfig) -> tuple[Any, ...]:
    params = {"layers": [layer_params(config) for _ in range(config.layers)]}
    shape = (config.batch, config.sequence, config.width)
    return optim.momentum_state(params), {"x": spec.data(shape), "target": spec.data(shape)}


MODELS = (
    Model(
        name="transformer",
        summary="pre-norm blocks without vocabulary, training step with momentum (the closed forms)",
        config=TransformerConfig(),
        small_config=TransformerConfig(
            layers=2, batch=8, sequence=32, width=64, heads=16, head=24, value_head=40, ff=96
        ),
        arguments=arguments,
        function=lambda config: optim.training_step(loss, optim.momentum_update),
        donated=(0,),
    ),
)
