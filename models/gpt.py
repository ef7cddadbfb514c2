"""A GPT-2 style language model (24 layers of width 1024), training step with Adam."""

import dataclasses
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class GptConfig(Config):
    layers: int = 24
    batch: int = 32
    sequence: int = 512
    width: int = 1024
    heads: int = 16
    ff: int = 4096
    vocabulary: int = 50304
    dtype: Literal["float32", "bfloat16"] = "float32"
    remat: bool = False

    def check(self) -> None:
        self.require_multiple("width", of="heads")


def params_of(config: GptConfig) -> layers.Params:
    c = config
    return {
        "embedding": spec.weight((c.vocabulary, c.width), c.width),
        "positions": spec.weight((c.sequence, c.width), c.width),
        "layers": [layers.block_params(c.width, c.heads, c.width // c.heads, c.ff) for _ in range(c.layers)],
        "norm": layers.layer_norm_params(c.width),
    }


def logits(config: GptConfig, params: layers.Params, tokens: jax.Array) -> jax.Array:
    """The embedding is tied: it also turns the last activations into logits."""
    x = (params["embedding"][tokens] + params["positions"]).astype(config.dtype)
    mask = layers.causal_mask(config.sequence)
    block = jax.checkpoint(layers.block) if config.remat else layers.block
    for number, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{number}"):
            x = block(layer, x, mask)
    x = layers.layer_norm(layers.cast(params["norm"], x.dtype), x)
    embedding = params["embedding"].astype(x.dtype)
    return jnp.einsum("bsd,vd->bsv", x, embedding, preferred_element_type=jnp.float32)


def loss(config: GptConfig, params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    return layers.cross_entropy(logits(config, params, batch["tokens"]), batch["targets"])


def arguments(config: GptConfig) -> tuple[Any, ...]:
    tokens = spec.integers((config.batch, config.sequence), config.vocabulary)
    return optim.adam_state(params_of(config)), {"tokens": tokens, "targets": tokens}


MODELS = (
    Model(
        name="gpt",
        summary="GPT-2 style language model with learned positions, training step with Adam",
        config=GptConfig(),
        small_config=GptConfig(layers=2, batch=8, sequence=16, width=64, heads=8, ff=128, vocabulary=256),
        arguments=arguments,
        function=lambda config: optim.training_step(partial(loss, config), optim.adam_update),
        donated=(0,),
    ),
)
