"""Graph network simulator: encode, `layers` rounds of message passing, decode; training step with Adam.

Nodes and edges are two dims that meet only through gathers (senders, receivers) and scatter-adds (segment sums).
"""

import dataclasses
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from models import layers, optim, spec
from models.model import Config, Model


@dataclasses.dataclass(frozen=True)
class GnsConfig(Config):
    """`layers` counts message-passing steps, `mlp_layers` the matrices of each MLP, of width `hidden` inside."""

    layers: int = 24
    nodes: int = 2048
    edges: int = 65536
    latent: int = 512
    hidden: int = 1024
    mlp_layers: int = 5
    node_features: int = 32
    edge_features: int = 8
    outputs: int = 3


def mlp_params(config: GnsConfig, inputs: int, outputs: int) -> list[layers.Params]:
    widths = [inputs, *[config.hidden] * (config.mlp_layers - 1), outputs]
    pairs = zip(widths, widths[1:])
    return [{"w": spec.weight((i, o)), "b": spec.constant_weight((o,), 0.0)} for i, o in pairs]


def mlp(params: list[layers.Params], x: jax.Array) -> jax.Array:
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def normed_mlp_params(config: GnsConfig, inputs: int) -> layers.Params:
    """An MLP to the latent width with a norm behind it."""
    return {"mlp": mlp_params(config, inputs, config.latent), "norm": layers.layer_norm_params(config.latent)}


def normed_mlp(params: layers.Params, *inputs: jax.Array) -> jax.Array:
    return layers.layer_norm(params["norm"], mlp(params["mlp"], jnp.concatenate(inputs, axis=-1)))


def params_of(config: GnsConfig) -> layers.Params:
    c = config
    return {
        "encoder": {"node": normed_mlp_params(c, c.node_features), "edge": normed_mlp_params(c, c.edge_features)},
        "layers": [
            {"edge": normed_mlp_params(c, 3 * c.latent), "node": normed_mlp_params(c, 2 * c.latent)}
            for _ in range(c.layers)
        ],
        "decoder": mlp_params(c, c.latent, c.outputs),
    }


def message_passing(
    params: layers.Params, nodes: jax.Array, edges: jax.Array, senders: jax.Array, receivers: jax.Array
) -> tuple[jax.Array, jax.Array]:
    messages = normed_mlp(params["edge"], edges, nodes[senders], nodes[receivers])
    received = jax.ops.segment_sum(messages, receivers, num_segments=nodes.shape[0])
    return nodes + normed_mlp(params["node"], nodes, received), edges + messages


def loss(params: layers.Params, batch: dict[str, jax.Array]) -> jax.Array:
    nodes = normed_mlp(params["encoder"]["node"], batch["nodes"])
    edges = normed_mlp(params["encoder"]["edge"], batch["edges"])
    for number, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{number}"):
            nodes, edges = message_passing(layer, nodes, edges, batch["senders"], batch["receivers"])
    return layers.mean_squared_error(mlp(params["decoder"], nodes), batch["target"])


def arguments(config: GnsConfig) -> tuple[Any, ...]:
    ends = spec.integers((config.edges,), config.nodes)
    batch = {
        "nodes": spec.data((config.nodes, config.node_features)),
        "edges": spec.data((config.edges, config.edge_features)),
        "senders": ends,
        "receivers": ends,
        "target": spec.data((config.nodes, config.outputs)),
    }
    return optim.adam_state(params_of(config)), batch


MODELS = (
    Model(
        name="gns",
        summary="graph network simulator (24 message-passing steps), training step with Adam",
        config=GnsConfig(),
        small_config=GnsConfig(layers=2, nodes=64, edges=256, latent=32, hidden=48, mlp_layers=3),
        arguments=arguments,
        function=lambda config: optim.training_step(loss, optim.adam_update),
        donated=(0,),
    ),
)
