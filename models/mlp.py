"""The smallest useful programs: two matrices with a relu between them, forward alone and as a training step."""

import dataclasses
from typing import Any

import jax

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class MlpConfig(Config):
    batch: int = 256
    inputs: int = 32
    hidden: int = 64
    outputs: int = 16


def forward(x: jax.Array, w1: jax.Array, w2: jax.Array) -> jax.Array:
    return jax.nn.relu(x @ w1) @ w2


def forward_arguments(config: MlpConfig) -> tuple[Any, ...]:
    weights = _weights(config)
    return spec.data((config.batch, config.inputs)), weights["w1"], weights["w2"]


def train_arguments(config: MlpConfig) -> tuple[Any, ...]:
    batch = {
        "x": spec.data((config.batch, config.inputs)),
        "y": spec.data((config.batch, config.outputs)),
    }
    return optim.momentum_state(_weights(config)), batch


def loss(params: dict[str, jax.Array], batch: dict[str, jax.Array]) -> jax.Array:
    return layers.mean_squared_error(forward(batch["x"], params["w1"], params["w2"]), batch["y"])


def _weights(config: MlpConfig) -> dict[str, spec.Array]:
    return {
        "w1": spec.weight((config.inputs, config.hidden)),
        "w2": spec.weight((config.hidden, config.outputs)),
    }


MODELS = (
    Model(
        name="mlp",
        summary="two-layer perceptron, forward: relu(x w1) w2",
        config=MlpConfig(),
        small_config=MlpConfig(),
        arguments=forward_arguments,
        function=lambda config: forward,
    ),
    Model(
        name="mlp_train",
        summary="two-layer perceptron, training step with momentum",
        config=MlpConfig(),
        small_config=MlpConfig(),
        arguments=train_arguments,
        function=lambda config: optim.training_step(loss, optim.momentum_update),
        donated=(0,),
    ),
)
