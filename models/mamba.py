"""Mamba: a selective state space model. The recurrence over time is an associative scan; training step with Adam.

`scan` stacks the layers and loops over them; unrolled, every layer brings its own tree of slices, pads and
concatenations.
"""

import dataclasses
import math
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class MambaConfig(Config):
    layers: int = 48
    batch: int = 16
    sequence: int = 1024
    width: int = 1024
    inner: int = 2048
    state: int = 16
    step_rank: int = 64
    kernel: int = 4
    vocabulary: int = 50304
    dtype: Literal["float32", "bfloat16"] = "float32"
    scan: bool = False
    remat: bool = False


def layer_params(config: MambaConfig) -> layers.Params:
    c = config
    return {
        "norm": spec.constant_weight((c.width,), 1.0),
        "in": spec.weight((c.width, c.inner)),
        "gate": spec.weight((c.width, c.inner)),
        "kernel": spec.weight((c.kernel, 1, c.inner)),
        "kernel_bias": spec.constant_weight((c.inner,), 0.0),
        "step_down": spec.weight((c.inner, c.step_rank)),
        "step_up": spec.weight((c.step_rank, c.inner)),
        "step_bias": spec.uniform_weight((c.inner,), -4.0, -2.0),
        "write": spec.weight((c.inner, c.state)),
        "read": spec.weight((c.inner, c.state)),
        "log_decay": spec.uniform_weight((c.inner, c.state), 0.0, math.log(c.state) + 1e-3),
        "skip": spec.constant_weight((c.inner,), 1.0),
        "out": spec.weight((c.inner, c.width)),
    }


def params_of(config: MambaConfig) -> layers.Params:
    layer = layer_params(config)
    return {
        "embedding": spec.weight((config.vocabulary, config.width), config.width),
        "layers": spec.stack(layer, config.layers) if config.scan else [layer] * config.layers,
        "norm": spec.constant_weight((config.width,), 1.0),
    }


def causal_convolution(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """Each channel of x bsi with its own short filter over the past."""
    past = kernel.shape[0] - 1
    return jax.lax.conv_general_dilated(
        x, kernel, (1,), [(past, 0)], dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=x.shape[-1]
    )


def linear_recurrence(decay: jax.Array, inputs: jax.Array) -> jax.Array:
    """States h[s] = decay[s] * h[s-1] + inputs[s] along dim 1, all at once."""

    def combine(left: tuple[Any, Any], right: tuple[Any, Any]) -> tuple[Any, Any]:
        return left[0] * right[0], right[0] * left[1] + right[1]

    return jax.lax.associative_scan(combine, (decay, inputs), axis=1)[1]


def selective_scan(params: layers.Params, x: jax.Array) -> jax.Array:
    """The state space of x bsi, in f32: step sizes, writing and reading depend on the input (n is the state)."""
    x = x.astype(jnp.float32)
    steps = jax.nn.softplus(x @ params["step_down"] @ params["step_up"] + params["step_bias"])
    decay = jnp.exp(-steps[..., None] * jnp.exp(params["log_decay"]))
    written = (steps * x)[..., None] * (x @ params["write"])[:, :, None, :]
    states = linear_recurrence(decay, written)
    return jnp.einsum("bsin,bsn->bsi", states, x @ params["read"]) + params["skip"] * x


def block(params: layers.Params, x: jax.Array) -> jax.Array:
    narrow = layers.cast(params, x.dtype)
    normed = layers.rms_norm(x, narrow["norm"])
    inner = causal_convolution(normed @ narrow["in"], narrow["kernel"]) + narrow["kernel_bias"]
    y = selective_scan(params, jax.nn.silu(inner)).astype(x.dtype)
    return x + (y * jax.nn.silu(normed @ narrow["gate"])) @ narrow["out"]


def run_layers(config: MambaConfig, params: Any, x: jax.Array) -> jax.Array:
    apply = jax.checkpoint(block) if config.remat else block
    if config.scan:
        return jax.lax.scan(lambda x, layer: (apply(layer, x), None), x, params)[0]
    for number, layer in enumerate(params):
        with jax.named_scope(f"layer_{number}"):
            x = apply(layer, x)
    return x


def loss(config: MambaConfig, params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    """Predicts each token from those before it; inputs and targets are two slices of one array."""
    inputs, targets = batch["tokens"][:, :-1], batch["tokens"][:, 1:]
    embedding = params["embedding"].astype(config.dtype)
    x = run_layers(config, params["layers"], embedding[inputs])
    x = layers.rms_norm(x, params["norm"].astype(x.dtype))
    logits = jnp.einsum("bsd,vd->bsv", x, embedding, preferred_element_type=jnp.float32)
    return layers.cross_entropy(logits, targets)


def arguments(config: MambaConfig) -> tuple[Any, ...]:
    tokens = spec.integers((config.batch, config.sequence + 1), config.vocabulary)
    return optim.adam_state(params_of(config)), {"tokens": tokens}


MODELS = (
    Model(
        name="mamba",
        summary="selective state space language model with an associative scan, training step with Adam",
        config=MambaConfig(),
        small_config=MambaConfig(
            layers=2, batch=8, sequence=16, width=32, inner=64, state=8, step_rank=8, vocabulary=256
        ),
        arguments=arguments,
        function=lambda config: optim.training_step(partial(loss, config), optim.adam_update),
        donated=(0,),
        variants={"scan": {"scan": True}},
    ),
)
