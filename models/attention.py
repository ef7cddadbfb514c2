"""One head of attention, bare: the smallest program in which one dim (the sequence) meets itself in an op."""

import dataclasses
from typing import Any

import jax

from models import spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class AttentionConfig(Config):
    sequence: int = 128
    width: int = 64
    head: int = 32
    value_head: int = 16


def attention(x: jax.Array, wq: jax.Array, wk: jax.Array, wv: jax.Array) -> jax.Array:
    q, k, v = x @ wq, x @ wk, x @ wv
    return jax.nn.softmax(q @ k.T, axis=-1) @ v


def arguments(config: AttentionConfig) -> tuple[Any, ...]:
    return (
        spec.data((config.sequence, config.width)),
        spec.weight((config.width, config.head)),
        spec.weight((config.width, config.head)),
        spec.weight((config.width, config.value_head)),
    )


MODELS = (
    Model(
        name="attention",
        summary="one-head attention, forward: softmax(q k^T) v",
        config=AttentionConfig(),
        small_config=AttentionConfig(),
        arguments=arguments,
        function=lambda config: attention,
    ),
)
