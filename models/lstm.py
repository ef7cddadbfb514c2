"""A stacked LSTM language model: each layer is a scan over time; training step with Adam."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class LstmConfig(Config):
    layers: int = 4
    batch: int = 128
    sequence: int = 256
    width: int = 1024
    hidden: int = 2048
    vocabulary: int = 32768


def cell_params(inputs: int, hidden: int) -> layers.Params:
    """The four gates are a dim of their own, so that the hidden dim stays whole when they are taken apart."""
    return {
        "wx": spec.weight((inputs, 4, hidden), inputs),
        "wh": spec.weight((hidden, 4, hidden), hidden),
        "b": spec.constant_weight((4, hidden), 0.0),
    }


def params_of(config: LstmConfig) -> layers.Params:
    c = config
    inputs = [c.width] + [c.hidden] * (c.layers - 1)
    return {
        "embedding": spec.weight((c.vocabulary, c.width), c.width),
        "layers": [cell_params(width, c.hidden) for width in inputs],
        "output": spec.weight((c.hidden, c.vocabulary)),
    }


def cell(params: layers.Params, carry: tuple[jax.Array, jax.Array], x: jax.Array) -> tuple[Any, jax.Array]:
    """One time step: x bd, hidden and memory bh."""
    hidden, memory = carry
    gates = jnp.einsum("bd,dgh->bgh", x, params["wx"]) + jnp.einsum("bd,dgh->bgh", hidden, params["wh"])
    gates = gates + params["b"]
    keep = jax.nn.sigmoid(gates[:, 0] + 1)  # The usual forget bias: remember unless taught otherwise.
    memory = keep * memory + jax.nn.sigmoid(gates[:, 1]) * jnp.tanh(gates[:, 2])
    hidden = jax.nn.sigmoid(gates[:, 3]) * jnp.tanh(memory)
    return (hidden, memory), hidden


def run_layer(params: layers.Params, sequence: jax.Array) -> jax.Array:
    """Scans one layer over a time-major sequence sbd."""
    zeros = jnp.zeros((sequence.shape[1], params["b"].shape[-1]))
    return jax.lax.scan(lambda carry, x: cell(params, carry, x), (zeros, zeros), sequence)[1]


def loss(params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    """Predicts each token from those before it; inputs and targets are two slices of one array."""
    inputs, targets = batch["tokens"][:, :-1], batch["tokens"][:, 1:]
    x = jnp.swapaxes(params["embedding"][inputs], 0, 1)
    for number, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{number}"):
            x = run_layer(layer, x)
    logits = jnp.einsum("sbh,hv->bsv", x, params["output"])
    return layers.cross_entropy(logits, targets)


def arguments(config: LstmConfig) -> tuple[Any, ...]:
    tokens = spec.integers((config.batch, config.sequence + 1), config.vocabulary)
    return optim.adam_state(params_of(config)), {"tokens": tokens}


MODELS = (
    Model(
        name="lstm",
        summary="stacked LSTM language model, scan over time, training step with Adam",
        config=LstmConfig(),
        small_config=LstmConfig(layers=2, batch=8, sequence=16, width=32, hidden=64, vocabulary=256),
        arguments=arguments,
        function=lambda config: optim.training_step(loss, optim.adam_update),
        donated=(0,),
    ),
)
