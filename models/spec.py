"""Descriptions of arrays that can be turned into shapes or into values.

A model states its arguments once, as trees of `Array`. Exporting turns each into a `jax.ShapeDtypeStruct`, so a
model of any size is traced without a byte of weights; running a small variant draws values for the very same trees
with NumPy, so there is nothing to compile before the step itself.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, Literal

import jax
import numpy as np

Shape = tuple[int, ...]
Fill = Callable[[np.random.Generator, Shape], Any]


@dataclasses.dataclass(frozen=True)
class Array:
    """One array: shape, dtype, how to fill it, and whether it is a trained weight, optimizer state or data.

    `weight((32, 64))` is a trained f32 matrix; `integers((8, 16), 100)` is int32 data in [0, 100).
    """

    shape: Shape
    dtype: str
    role: Literal["weight", "state", "data"]
    fill: Fill

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def abstract(self) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(self.shape, self.dtype)

    def sample(self, rng: np.random.Generator) -> jax.Array:
        return jax.numpy.asarray(self.fill(rng, self.shape), dtype=self.dtype)


def _normal(scale: float) -> Fill:
    return lambda rng, shape: rng.normal(0.0, scale, shape)


def _constant(value: float) -> Fill:
    return lambda rng, shape: np.full(shape, value)


def _uniform(low: float, high: float) -> Fill:
    return lambda rng, shape: rng.uniform(low, high, shape)


def weight(shape: Shape, fan_in: int | None = None, dtype: str = "float32") -> Array:
    """A trained weight of unit gain; `fan_in` defaults to all dims but the last, as in matrices and HWIO kernels."""
    inputs = fan_in if fan_in is not None else math.prod(shape[:-1])
    return Array(shape, dtype, "weight", _normal(inputs**-0.5))


def constant_weight(shape: Shape, value: float, dtype: str = "float32") -> Array:
    """A trained weight that starts at one value: biases at 0, norm scales at 1."""
    return Array(shape, dtype, "weight", _constant(value))


def uniform_weight(shape: Shape, low: float, high: float) -> Array:
    return Array(shape, "float32", "weight", _uniform(low, high))


def state(shape: Shape, value: float = 0.0, dtype: str = "float32") -> Array:
    """Carried from step to step but not trained by a gradient: optimizer slots, running statistics, caches."""
    return Array(shape, dtype, "state", _constant(value))


def data(shape: Shape, dtype: str = "float32") -> Array:
    return Array(shape, dtype, "data", _normal(1.0))


def integers(shape: Shape, high: int) -> Array:
    """Int32 data in [0, high): token ids, class labels, node numbers."""
    return Array(shape, "int32", "data", lambda rng, shape: rng.integers(0, high, shape))


def uniform_data(shape: Shape, low: float, high: float) -> Array:
    return Array(shape, "float32", "data", _uniform(low, high))


def random_key() -> Array:
    """A raw threefry key, as `jax.random.PRNGKey` makes it."""
    return Array((2,), "uint32", "data", lambda rng, shape: rng.integers(0, 2**32, shape, dtype=np.uint32))


def stack(tree: Any, copies: int) -> Any:
    """The tree with a new leading dim on every array: the parameters that `lax.scan` runs over."""
    return jax.tree.map(lambda a: dataclasses.replace(a, shape=(copies, *a.shape)), tree)


def slots(tree: Any) -> Any:
    """An optimizer slot for every weight: same shape, f32, zero."""
    return jax.tree.map(lambda a: state(a.shape), tree)
