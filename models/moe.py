"""A mixture-of-experts transformer: each token goes to its best experts, each expert takes a bounded number of tokens.

Capacity makes all shapes static: in each sequence an expert has `capacity` slots, filled in the order of the tokens,
first choices before second ones; what does not fit is dropped and passes by on the residual. Tokens reach their slots
by a product with a one-hot mask (`dispatch="einsum"`) or by scatter and gather (`dispatch="gather"`).
"""

import dataclasses
import math
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, ConfigError, Model

BALANCE_WEIGHT = 0.01


@dataclasses.dataclass(frozen=True)
class MoeConfig(Config):
    layers: int = 16
    batch: int = 64
    sequence: int = 1024
    width: int = 2048
    heads: int = 16
    head: int = 128
    ff: int = 8192
    experts: int = 8
    top_k: int = 2
    capacity_factor: float = 1.25
    vocabulary: int = 32768
    dispatch: Literal["einsum", "gather"] = "einsum"
    dtype: Literal["float32", "bfloat16"] = "bfloat16"

    def check(self) -> None:
        self.require_even("head")
        if self.top_k > self.experts:
            raise ConfigError(f"top_k {self.top_k} is more than there are experts: {self.experts}")
        if self.capacity_factor <= 0:
            raise ConfigError(f"capacity_factor must be positive, not {self.capacity_factor}")

    @property
    def capacity(self) -> int:
        """Slots of one expert for one sequence."""
        return math.ceil(self.sequence * self.top_k * self.capacity_factor / self.experts)


def layer_params(config: MoeConfig) -> layers.Params:
    c = config
    return {
        "norm1": spec.constant_weight((c.width,), 1.0),
        "wq": spec.weight((c.width, c.heads, c.head), c.width),
        "wk": spec.weight((c.width, c.heads, c.head), c.width),
        "wv": spec.weight((c.width, c.heads, c.head), c.width),
        "wo": spec.weight((c.heads, c.head, c.width)),
        "norm2": spec.constant_weight((c.width,), 1.0),
        "router": spec.weight((c.width, c.experts)),
        "w1": spec.weight((c.experts, c.width, c.ff), c.width),
        "w2": spec.weight((c.experts, c.ff, c.width), c.ff),
    }


def params_of(config: MoeConfig) -> layers.Params:
    return {
        "embedding": spec.weight((config.vocabulary, config.width), config.width),
        "layers": [layer_params(config) for _ in range(config.layers)],
        "norm": spec.constant_weight((config.width,), 1.0),
    }


def route(config: MoeConfig, router: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """For x bsd: weight and expert of each choice, both bsj, and the loss that keeps experts equally busy."""
    probabilities = jax.nn.softmax(x.astype(jnp.float32) @ router, axis=-1)
    weights, experts = jax.lax.top_k(probabilities, config.top_k)
    weights = weights / jnp.sum(weights, axis=-1, keepdims=True)
    first_choice = jax.nn.one_hot(experts[..., 0], config.experts)
    busy = jnp.mean(first_choice, axis=(0, 1)) * jnp.mean(probabilities, axis=(0, 1))
    return weights, experts, config.experts * jnp.sum(busy)


def slot_numbers(config: MoeConfig, experts: jax.Array) -> jax.Array:
    """Position of each choice bsj in its expert's queue: first choices of all tokens come before second ones."""
    batch, length, choices = experts.shape
    by_choice = jnp.swapaxes(experts, 1, 2).reshape(batch, choices * length)
    chosen = jax.nn.one_hot(by_choice, config.experts, dtype=jnp.int32)
    positions = jnp.sum(chosen * (jnp.cumsum(chosen, axis=1) - 1), axis=-1)
    return jnp.swapaxes(positions.reshape(batch, choices, length), 1, 2)


def run_experts(params: layers.Params, slots: jax.Array) -> jax.Array:
    """The experts' MLPs over slots becd (e experts, c capacity)."""
    hidden = jax.nn.gelu(jnp.einsum("becd,edf->becf", slots, params["w1"]))
    return jnp.einsum("becf,efd->becd", hidden, params["w2"])


def einsum_experts(
    config: MoeConfig, params: layers.Params, x: jax.Array, weights: jax.Array, experts: jax.Array
) -> jax.Array:
    # A slot beyond the capacity has an all-zero one-hot row, which is what drops the token.
    expert_mask = jax.nn.one_hot(experts, config.experts, dtype=x.dtype)
    slot_mask = jax.nn.one_hot(slot_numbers(config, experts), config.capacity, dtype=x.dtype)
    dispatch = jnp.einsum("bsje,bsjc->bsec", expert_mask, slot_mask)
    combine = jnp.einsum("bsj,bsje,bsjc->bsec", weights.astype(x.dtype), expert_mask, slot_mask)
    slots = jnp.einsum("bsec,bsd->becd", dispatch, x)
    return jnp.einsum("bsec,becd->bsd", combine, run_experts(params, slots))


def gather_experts(
    config: MoeConfig, params: layers.Params, x: jax.Array, weights: jax.Array, experts: jax.Array
) -> jax.Array:
    batch, length, width = x.shape
    all_slots = config.experts * config.capacity
    numbers = slot_numbers(config, experts)
    # Dropped choices point one past the end, where scatter writes nothing and gather reads zero.
    addresses = jnp.where(numbers < config.capacity, experts * config.capacity + numbers, all_slots)
    addresses = addresses.reshape(batch, length * config.top_k)
    copies = jnp.repeat(x, config.top_k, axis=1)

    def scatter(rows: jax.Array, to: jax.Array) -> jax.Array:
        return jnp.zeros((all_slots, width), x.dtype).at[to].add(rows, mode="drop")

    def gather(rows: jax.Array, source: jax.Array) -> jax.Array:
        return rows.at[source].get(mode="fill", fill_value=0)

    slots = jax.vmap(scatter)(copies, addresses).reshape(batch, config.experts, config.capacity, width)
    results = run_experts(params, slots).reshape(batch, all_slots, width)
    chosen = jax.vmap(gather)(results, addresses).reshape(batch, length, config.top_k, width)
    return jnp.einsum("bsj,bsjd->bsd", weights.astype(x.dtype), chosen)


def block(config: MoeConfig, params: layers.Params, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    router = params["router"]
    params = layers.cast(params, x.dtype)
    positions = jnp.arange(x.shape[1])
    with jax.named_scope("attention"):
        normed = layers.rms_norm(x, params["norm1"])
        q = layers.rope(jnp.einsum("bsd,dhk->bshk", normed, params["wq"]), positions)
        k = layers.rope(jnp.einsum("bsd,dhk->bshk", normed, params["wk"]), positions)
        v = jnp.einsum("bsd,dhk->bshk", normed, params["wv"])
        mixed = layers.attention(q, k, v, layers.causal_mask(x.shape[1]))
        x = x + jnp.einsum("bshk,hkd->bsd", mixed, params["wo"])
    with jax.named_scope("experts"):
        normed = layers.rms_norm(x, params["norm2"])
        weights, experts, balance = route(config, router, normed)
        mix = einsum_experts if config.dispatch == "einsum" else gather_experts
        return x + mix(config, params, normed, weights, experts), balance


def loss(config: MoeConfig, params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    embedding = params["embedding"].astype(config.dtype)
    x = embedding[batch["tokens"]]
    balance = jnp.float32(0)
    for number, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{number}"):
            x, layer_balance = block(config, layer, x)
        balance = balance + layer_balance
    x = layers.rms_norm(x, params["norm"].astype(x.dtype))
    logits = jnp.einsum("bsd,vd->bsv", x, embedding, preferred_element_type=jnp.float32)
    return layers.cross_entropy(logits, batch["targets"]) + BALANCE_WEIGHT * balance


def arguments(config: MoeConfig) -> tuple[Any, ...]:
    tokens = spec.integers((config.batch, config.sequence), config.vocabulary)
    return optim.adam_state(params_of(config)), {"tokens": tokens, "targets": tokens}


MODELS = (
    Model(
        name="moe",
        summary="mixture-of-experts transformer (8 experts, top 2), training step with Adam",
        config=MoeConfig(),
        small_config=MoeConfig(
            layers=2, batch=8, sequence=32, width=64, heads=8, head=16, ff=128, capacity_factor=2.0, vocabulary=256,
            dtype="float32",
        ),  # fmt: skip
        arguments=arguments,
        function=lambda config: optim.training_step(partial(loss, config), optim.adam_update),
        donated=(0,),
        variants={"gather": {"dispatch": "gather"}},
    ),
)
