"""A vision transformer (ViT-L/16): patches by convolution, class token, classic blocks; training step with Adam."""

import dataclasses
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class VitConfig(Config):
    """`pool="class"` reads the class token, which makes the sequence one longer; `pool="mean"` averages all patches."""

    layers: int = 24
    batch: int = 256
    image: int = 224
    patch: int = 16
    width: int = 1024
    heads: int = 16
    ff: int = 4096
    classes: int = 1000
    pool: Literal["class", "mean"] = "class"
    dtype: Literal["float32", "bfloat16"] = "float32"

    def check(self) -> None:
        self.require_multiple("width", of="heads")
        self.require_multiple("image", of="patch")

    @property
    def sequence(self) -> int:
        patches = (self.image // self.patch) ** 2
        return patches + 1 if self.pool == "class" else patches


def params_of(config: VitConfig) -> layers.Params:
    c = config
    params = {
        "patches": spec.weight((c.patch, c.patch, 3, c.width)),
        "patches_bias": spec.constant_weight((c.width,), 0.0),
        "positions": spec.weight((c.sequence, c.width), c.width),
        "layers": [layers.block_params(c.width, c.heads, c.width // c.heads, c.ff) for _ in range(c.layers)],
        "norm": layers.layer_norm_params(c.width),
        "head": spec.weight((c.width, c.classes)),
        "head_bias": spec.constant_weight((c.classes,), 0.0),
    }
    if c.pool == "class":
        params["class_token"] = spec.weight((1, 1, c.width), c.width)
    return params


def embed(config: VitConfig, params: layers.Params, images: jax.Array) -> jax.Array:
    patches = layers.convolution(images, params["patches"], config.patch, "VALID") + params["patches_bias"]
    x = patches.reshape(images.shape[0], -1, config.width)
    if config.pool == "class":
        token = jnp.broadcast_to(params["class_token"], (images.shape[0], 1, config.width))
        x = jnp.concatenate([token, x], axis=1)
    return (x + params["positions"]).astype(config.dtype)


def loss(config: VitConfig, params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    x = embed(config, params, batch["images"])
    for number, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{number}"):
            x = layers.block(layer, x)
    x = layers.layer_norm(layers.cast(params["norm"], x.dtype), x)
    pooled = x[:, 0] if config.pool == "class" else jnp.mean(x, axis=1)
    logits = pooled.astype(jnp.float32) @ params["head"] + params["head_bias"]
    return layers.cross_entropy(logits, batch["labels"])


def arguments(config: VitConfig) -> tuple[Any, ...]:
    batch = {
        "images": spec.data((config.batch, config.image, config.image, 3)),
        "labels": spec.integers((config.batch,), config.classes),
    }
    return optim.adam_state(params_of(config)), batch


MODELS = (
    Model(
        name="vit",
        summary="vision transformer ViT-L/16, training step with Adam",
        config=VitConfig(),
        small_config=VitConfig(layers=2, batch=8, image=32, patch=8, width=64, heads=8, ff=128, classes=32),
        arguments=arguments,
        function=lambda config: optim.training_step(partial(loss, config), optim.adam_update),
        donated=(0,),
    ),
)
