"""`r = x + x W` with a square W: the smallest program whose residual forces two dims of one weight together."""

import dataclasses
from typing import Any

import jax

from models import spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class ResidualConfig(Config):
    batch: int = 64
    width: int = 32


def residual(x: jax.Array, w: jax.Array) -> jax.Array:
    return x + x @ w


def arguments(config: ResidualConfig) -> tuple[Any, ...]:
    return spec.data((config.batch, config.width)), spec.weight((config.width, config.width))


MODELS = (
    Model(
        name="residual",
        summary="residual connection around a square matrix: x + x w",
        config=ResidualConfig(),
        small_config=ResidualConfig(),
        arguments=arguments,
        function=lambda config: residual,
    ),
)
