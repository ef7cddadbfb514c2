"""A diffusion U-Net with attention at low resolutions for 64x64 images; training step with Adam.

Channels grow by `multipliers` while the image halves from level to level; on the way up each block takes one saved
activation of the way down. The forward pass follows the tree of parameters, so the shape of the network is stated once.
"""

import dataclasses
import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, ConfigError, Model


@dataclasses.dataclass(frozen=True)
class UnetConfig(Config):
    """`attention` lists the resolutions with attention; `draw_noise` draws noise and times from a key."""

    batch: int = 64
    image: int = 64
    image_channels: int = 3
    channels: int = 192
    multipliers: tuple[int, ...] = (1, 2, 3, 4)
    blocks: int = 3
    attention: tuple[int, ...] = (32, 16, 8)
    head: int = 64
    groups: int = 32
    draw_noise: bool = False

    def check(self) -> None:
        self.require_multiple("channels", of="groups")
        self.require_multiple("channels", of="head")
        self.require_even("channels")
        if self.image % 2 ** (len(self.multipliers) - 1):
            raise ConfigError(f"image {self.image} cannot be halved {len(self.multipliers) - 1} times")

    @property
    def time_width(self) -> int:
        return 4 * self.channels


def convolution_params(size: int, inputs: int, outputs: int) -> layers.Params:
    return {"w": spec.weight((size, size, inputs, outputs)), "b": spec.constant_weight((outputs,), 0.0)}


def convolution(params: layers.Params, x: jax.Array, stride: int = 1) -> jax.Array:
    return layers.convolution(x, params["w"], stride) + params["b"]


def dense_params(inputs: int, outputs: int) -> layers.Params:
    return {"w": spec.weight((inputs, outputs)), "b": spec.constant_weight((outputs,), 0.0)}


def dense(params: layers.Params, x: jax.Array) -> jax.Array:
    return x @ params["w"] + params["b"]


def group_norm(config: UnetConfig, params: layers.Params, x: jax.Array) -> jax.Array:
    """Normalises each group of channels over the whole image."""
    batch, height, width, channels = x.shape
    grouped = x.reshape(batch, height, width, config.groups, channels // config.groups)
    centred = grouped - jnp.mean(grouped, axis=(1, 2, 4), keepdims=True)
    variance = jnp.mean(centred * centred, axis=(1, 2, 4), keepdims=True)
    normed = (centred * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape)
    return normed * params["scale"] + params["bias"]


def residual_params(config: UnetConfig, inputs: int, outputs: int) -> layers.Params:
    params = {
        "norm1": layers.layer_norm_params(inputs),
        "conv1": convolution_params(3, inputs, outputs),
        "time_scale": dense_params(config.time_width, outputs),
        "time_shift": dense_params(config.time_width, outputs),
        "norm2": layers.layer_norm_params(outputs),
        "conv2": convolution_params(3, outputs, outputs),
    }
    if inputs != outputs:
        params["skip"] = convolution_params(1, inputs, outputs)
    return params


def residual(config: UnetConfig, params: layers.Params, x: jax.Array, time: jax.Array) -> jax.Array:
    y = convolution(params["conv1"], jax.nn.silu(group_norm(config, params["norm1"], x)))
    scale = dense(params["time_scale"], time)[:, None, None, :]
    shift = dense(params["time_shift"], time)[:, None, None, :]
    y = group_norm(config, params["norm2"], y) * (1 + scale) + shift
    y = convolution(params["conv2"], jax.nn.silu(y))
    return y + (convolution(params["skip"], x) if "skip" in params else x)


def attention_params(config: UnetConfig, channels: int) -> layers.Params:
    heads = channels // config.head
    return {
        "norm": layers.layer_norm_params(channels),
        "wq": spec.weight((channels, heads, config.head), channels),
        "wk": spec.weight((channels, heads, config.head), channels),
        "wv": spec.weight((channels, heads, config.head), channels),
        "wo": spec.weight((heads, config.head, channels)),
        "bo": spec.constant_weight((channels,), 0.0),
    }


def attention(config: UnetConfig, params: layers.Params, x: jax.Array) -> jax.Array:
    """All pixels look at all pixels."""
    normed = group_norm(config, params["norm"], x).reshape(x.shape[0], -1, x.shape[-1])
    q, k, v = (jnp.einsum("bsd,dhk->bshk", normed, params[name]) for name in ("wq", "wk", "wv"))
    mixed = jnp.einsum("bshk,hkd->bsd", layers.attention(q, k, v), params["wo"]) + params["bo"]
    return x + mixed.reshape(x.shape)


def unit_params(config: UnetConfig, resolution: int, inputs: int, outputs: int) -> layers.Params:
    """A residual block, and attention behind it where the resolution is low enough."""
    params = {"residual": residual_params(config, inputs, outputs)}
    if resolution in config.attention:
        params["attention"] = attention_params(config, outputs)
    return params


def unit(config: UnetConfig, params: layers.Params, x: jax.Array, time: jax.Array) -> jax.Array:
    with jax.named_scope("residual"):
        x = residual(config, params["residual"], x, time)
    if "attention" not in params:
        return x
    with jax.named_scope("attention"):
        return attention(config, params["attention"], x)


def down_params(config: UnetConfig) -> tuple[list[layers.Params], list[int]]:
    """The levels on the way down, and the channels of every activation that the way up will take."""
    current = config.channels
    saved = [current]
    levels = []
    for level, multiplier in enumerate(config.multipliers):
        outputs = config.channels * multiplier
        inputs = [current] + [outputs] * (config.blocks - 1)
        params: layers.Params = {"units": [unit_params(config, config.image >> level, i, outputs) for i in inputs]}
        saved += [outputs] * config.blocks
        current = outputs
        if level + 1 < len(config.multipliers):
            params["downsample"] = convolution_params(3, current, current)
            saved.append(current)
        levels.append(params)
    return levels, saved


def up_params(config: UnetConfig, saved: list[int]) -> list[layers.Params]:
    current = config.channels * config.multipliers[-1]
    levels = []
    for level, multiplier in reversed(list(enumerate(config.multipliers))):
        outputs = config.channels * multiplier
        units = []
        for _ in range(config.blocks + 1):
            units.append(unit_params(config, config.image >> level, current + saved.pop(), outputs))
            current = outputs
        params: layers.Params = {"units": units}
        if level > 0:
            params["upsample"] = convolution_params(3, current, current)
        levels.append(params)
    return levels


def params_of(config: UnetConfig) -> layers.Params:
    down, saved = down_params(config)
    deepest = config.channels * config.multipliers[-1]
    return {
        "time1": dense_params(config.channels, config.time_width),
        "time2": dense_params(config.time_width, config.time_width),
        "stem": convolution_params(3, config.image_channels, config.channels),
        "down": down,
        "middle1": {
            "residual": residual_params(config, deepest, deepest),
            "attention": attention_params(config, deepest),
        },
        "middle2": {"residual": residual_params(config, deepest, deepest)},
        "up": up_params(config, saved),
        "norm": layers.layer_norm_params(config.channels),
        "output": convolution_params(3, config.channels, config.image_channels),
    }


def time_embedding(config: UnetConfig, params: layers.Params, times: jax.Array) -> jax.Array:
    half = config.channels // 2
    frequencies = jnp.exp(-math.log(10_000.0) * jnp.arange(half, dtype=jnp.float32) / half)
    angles = 1000.0 * times[:, None] * frequencies
    waves = jnp.concatenate([jnp.cos(angles), jnp.sin(angles)], axis=-1)
    hidden = jax.nn.silu(dense(params["time1"], waves))
    return jax.nn.silu(dense(params["time2"], hidden))


def upsample(x: jax.Array) -> jax.Array:
    """Nearest neighbour: every pixel becomes two by two."""
    return jnp.repeat(jnp.repeat(x, 2, axis=1), 2, axis=2)


def predict_noise(config: UnetConfig, params: layers.Params, images: jax.Array, times: jax.Array) -> jax.Array:
    time = time_embedding(config, params, times)
    x = convolution(params["stem"], images)
    saved = [x]
    for level, layer in enumerate(params["down"]):
        with jax.named_scope(f"down_{level}"):
            for one in layer["units"]:
                x = unit(config, one, x, time)
                saved.append(x)
            if "downsample" in layer:
                x = convolution(layer["downsample"], x, stride=2)
                saved.append(x)
    with jax.named_scope("middle"):
        x = unit(config, params["middle1"], x, time)
        x = unit(config, params["middle2"], x, time)
    for level, layer in enumerate(params["up"]):
        with jax.named_scope(f"up_{level}"):
            for one in layer["units"]:
                x = unit(config, one, jnp.concatenate([x, saved.pop()], axis=-1), time)
            if "upsample" in layer:
                x = convolution(layer["upsample"], upsample(x))
    return convolution(params["output"], jax.nn.silu(group_norm(config, params["norm"], x)))


def noise_and_times(batch: dict[str, jax.Array]) -> tuple[jax.Array, jax.Array]:
    if "key" not in batch:
        return batch["noise"], batch["times"]
    images = batch["images"]
    noise_key, time_key = jax.random.split(batch["key"])
    return jax.random.normal(noise_key, images.shape), jax.random.uniform(time_key, images.shape[:1])


def loss(config: UnetConfig, params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    """Mean squared error of the noise, mixed in by a cosine schedule at times in [0, 1)."""
    noise, times = noise_and_times(batch)
    angles = (times * (jnp.pi / 2))[:, None, None, None]
    noisy = jnp.cos(angles) * batch["images"] + jnp.sin(angles) * noise
    return layers.mean_squared_error(predict_noise(config, params, noisy, times), noise)


def arguments(config: UnetConfig) -> tuple[Any, ...]:
    shape = (config.batch, config.image, config.image, config.image_channels)
    batch: dict[str, Any] = {"images": spec.data(shape)}
    if config.draw_noise:
        batch["key"] = spec.random_key()
    else:
        batch["noise"] = spec.data(shape)
        batch["times"] = spec.uniform_data((config.batch,), 0.0, 1.0)
    return optim.adam_state(params_of(config)), batch


MODELS = (
    Model(
        name="unet",
        summary="diffusion U-Net with attention at low resolutions, training step with Adam",
        config=UnetConfig(),
        small_config=UnetConfig(
            batch=8, image=16, channels=32, multipliers=(1, 2), blocks=1, attention=(8,), head=8, groups=8
        ),
        arguments=arguments,
        function=lambda config: optim.training_step(partial(loss, config), optim.adam_update),
        donated=(0,),
        variants={"noise": {"draw_noise": True}},
    ),
)
