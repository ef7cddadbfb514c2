"""ResNet-50 (stride in the 3x3 convolutions): batch norm with running statistics, training step with momentum."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model

EXPANSION = 4
STATISTICS_DECAY = 0.9


@dataclasses.dataclass(frozen=True)
class ResnetConfig(Config):
    """`blocks` are the bottleneck blocks of each stage; each stage doubles the channels and halves the image."""

    blocks: tuple[int, ...] = (3, 4, 6, 3)
    batch: int = 256
    image: int = 224
    channels: int = 64
    classes: int = 1000


def norm_params(channels: int, scale: float = 1.0) -> layers.Params:
    return {"scale": spec.constant_weight((channels,), scale), "bias": spec.constant_weight((channels,), 0.0)}


def block_params(inputs: int, channels: int, stride: int) -> layers.Params:
    outputs = EXPANSION * channels
    params = {
        "conv1": spec.weight((1, 1, inputs, channels)),
        "norm1": norm_params(channels),
        "conv2": spec.weight((3, 3, channels, channels)),
        "norm2": norm_params(channels),
        "conv3": spec.weight((1, 1, channels, outputs)),
        # Blocks start close to the identity, which keeps early steps of a deep network finite.
        "norm3": norm_params(outputs, 0.1),
    }
    if stride > 1 or inputs != outputs:
        params["projection"] = spec.weight((1, 1, inputs, outputs))
        params["projection_norm"] = norm_params(outputs)
    return params


def stage_params(stage: int, blocks: int, inputs: int, channels: int) -> list[layers.Params]:
    first = block_params(inputs, channels, first_stride(stage))
    return [first] + [block_params(EXPANSION * channels, channels, 1) for _ in range(blocks - 1)]


def first_stride(stage: int) -> int:
    """The stem has already halved the image twice, so only later stages shrink it."""
    return 1 if stage == 0 else 2


def params_of(config: ResnetConfig) -> layers.Params:
    stages = []
    inputs = config.channels
    for stage, blocks in enumerate(config.blocks):
        channels = config.channels * 2**stage
        stages.append(stage_params(stage, blocks, inputs, channels))
        inputs = EXPANSION * channels
    return {
        "stem": spec.weight((7, 7, 3, config.channels)),
        "stem_norm": norm_params(config.channels),
        "stages": stages,
        "head": spec.weight((inputs, config.classes)),
        "head_bias": spec.constant_weight((config.classes,), 0.0),
    }


def is_norm(node: Any) -> bool:
    return isinstance(node, dict) and set(node) == {"scale", "bias"}


def statistics_of(params: Any) -> Any:
    """Running mean and variance for every norm in the tree, under the same names; nothing for anything else."""
    if is_norm(params):
        shape = params["scale"].shape
        return {"mean": spec.state(shape), "variance": spec.state(shape, 1.0)}
    if isinstance(params, list):
        return [statistics_of(child) for child in params]
    return {name: statistics_of(child) for name, child in params.items() if not isinstance(child, spec.Array)}


def batch_norm(params: layers.Params, running: layers.Params, x: jax.Array) -> tuple[jax.Array, layers.Params]:
    """Normalises over batch and image; returns the new running statistics too."""
    mean = jnp.mean(x, axis=(0, 1, 2))
    variance = jnp.mean(jnp.square(x - mean), axis=(0, 1, 2))
    normed = (x - mean) * jax.lax.rsqrt(variance + 1e-5) * params["scale"] + params["bias"]
    measured = {"mean": mean, "variance": variance}
    return normed, jax.tree.map(decayed, running, measured)


def decayed(old: jax.Array, new: jax.Array) -> jax.Array:
    return STATISTICS_DECAY * old + (1 - STATISTICS_DECAY) * new


def block(params: layers.Params, running: layers.Params, x: jax.Array, stride: int) -> tuple[jax.Array, Any]:
    new: layers.Params = {}
    y = layers.convolution(x, params["conv1"])
    y, new["norm1"] = batch_norm(params["norm1"], running["norm1"], y)
    y = layers.convolution(jax.nn.relu(y), params["conv2"], stride)
    y, new["norm2"] = batch_norm(params["norm2"], running["norm2"], y)
    y = layers.convolution(jax.nn.relu(y), params["conv3"])
    y, new["norm3"] = batch_norm(params["norm3"], running["norm3"], y)
    if "projection" in params:
        x = layers.convolution(x, params["projection"], stride)
        x, new["projection_norm"] = batch_norm(params["projection_norm"], running["projection_norm"], x)
    return jax.nn.relu(x + y), new


def max_pool(x: jax.Array) -> jax.Array:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def loss(params: layers.Params, running: layers.Params, batch: dict[str, jax.Array]) -> tuple[jax.Array, Any]:
    new: layers.Params = {"stages": []}
    x = layers.convolution(batch["images"], params["stem"], stride=2)
    x, new["stem_norm"] = batch_norm(params["stem_norm"], running["stem_norm"], x)
    x = max_pool(jax.nn.relu(x))
    for stage, blocks in enumerate(params["stages"]):
        new["stages"].append([])
        for number, layer in enumerate(blocks):
            stride = first_stride(stage) if number == 0 else 1
            with jax.named_scope(f"stage_{stage}_block_{number}"):
                x, statistics = block(layer, running["stages"][stage][number], x, stride)
            new["stages"][stage].append(statistics)
    logits = jnp.mean(x, axis=(1, 2)) @ params["head"] + params["head_bias"]
    return layers.cross_entropy(logits, batch["labels"]), new


def train_step(state: dict[str, Any], batch: dict[str, jax.Array]) -> tuple[dict[str, Any], jax.Array]:
    gradient = jax.value_and_grad(loss, has_aux=True)
    (value, statistics), grads = gradient(state["params"], state["statistics"], batch)
    with jax.named_scope("optimizer"):
        updated = optim.momentum_update(state, grads)
    return {**updated, "statistics": statistics}, value


def arguments(config: ResnetConfig) -> tuple[Any, ...]:
    params = params_of(config)
    batch = {
        "images": spec.data((config.batch, config.image, config.image, 3)),
        "labels": spec.integers((config.batch,), config.classes),
    }
    return {**optim.momentum_state(params), "statistics": statistics_of(params)}, batch


MODELS = (
    Model(
        name="resnet50",
        summary="ResNet-50 with batch norm, training step with momentum",
        config=ResnetConfig(),
        small_config=ResnetConfig(blocks=(2, 1), batch=8, image=32, channels=16, classes=32),
        arguments=arguments,
        function=lambda config: train_step,
        donated=(0,),
    ),
)
