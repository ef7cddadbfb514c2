"""Optimizers as plain functions over trees, and training steps made of a loss and an optimizer.

Written out rather than taken from a library so that every location in an export points into this folder and state paths
read well: `state['params']`, `state['momentum']`, `state['m']`, `state['v']`.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from models import spec

Tree = Any
Loss = Callable[[Tree, Tree], jax.Array]

LEARNING_RATE = 1e-3
MOMENTUM = 0.9
ADAM_B1 = 0.9
ADAM_B2 = 0.999
ADAM_EPSILON = 1e-8


def momentum_state(params: Tree) -> dict[str, Tree]:
    return {"params": params, "momentum": spec.slots(params)}


def momentum_update(state: dict[str, Tree], grads: Tree) -> dict[str, Tree]:
    """SGD with momentum: one accumulator per parameter."""
    momentum = jax.tree.map(lambda m, g: MOMENTUM * m + g, state["momentum"], grads)
    params = jax.tree.map(lambda p, m: p - LEARNING_RATE * m, state["params"], momentum)
    return {"params": params, "momentum": momentum}


def adam_state(params: Tree) -> dict[str, Tree]:
    return {
        "params": params,
        "m": spec.slots(params),
        "v": spec.slots(params),
        "step": spec.state((), dtype="int32"),
    }


def adam_update(state: dict[str, Tree], grads: Tree) -> dict[str, Tree]:
    """Adam with bias correction; both moments in f32 whatever the gradients are."""
    step = state["step"] + 1
    grads = jax.tree.map(lambda g: g.astype(jnp.float32), grads)
    m = jax.tree.map(lambda m, g: ADAM_B1 * m + (1 - ADAM_B1) * g, state["m"], grads)
    v = jax.tree.map(lambda v, g: ADAM_B2 * v + (1 - ADAM_B2) * g * g, state["v"], grads)
    time = step.astype(jnp.float32)
    m_scale = 1 / (1 - ADAM_B1**time)
    v_scale = 1 / (1 - ADAM_B2**time)

    def updated(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return p - LEARNING_RATE * (m * m_scale) / (jnp.sqrt(v * v_scale) + ADAM_EPSILON)

    return {"params": jax.tree.map(updated, state["params"], m, v), "m": m, "v": v, "step": step}


def training_step(
    loss: Loss, update: Callable[[dict[str, Tree], Tree], dict[str, Tree]]
) -> Callable[[dict[str, Tree], Tree], tuple[dict[str, Tree], jax.Array]]:
    """The step `(state, batch) -> (state, loss)`: gradient of `loss(params, batch)`, then `update(state, gradient)`."""

    def train_step(state: dict[str, Tree], batch: Tree) -> tuple[dict[str, Tree], jax.Array]:
        value, grads = jax.value_and_grad(loss)(state["params"], batch)
        with jax.named_scope("optimizer"):
            return update(state, grads), value

    return train_step
