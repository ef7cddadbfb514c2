"""What a model is: a configuration, its arguments, its step, and how to turn them into text."""

import dataclasses
import typing
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

from models import lowering, spec


class ConfigError(ValueError):
    """A configuration that no model can have; the message is one line and names fields and sizes."""


@dataclasses.dataclass(frozen=True)
class Config:
    """Base of all configurations: sizes are at least 1, choices are known ones, and `check` adds the rest."""

    def __post_init__(self) -> None:
        for name, hint in self.field_types().items():
            value = getattr(self, name)
            if typing.get_origin(hint) is typing.Literal:
                _require_choice(name, value, typing.get_args(hint))
            elif hint is not bool:
                _require_sizes(name, value)
        self.check()

    @classmethod
    def field_types(cls) -> dict[str, Any]:
        """Field names with their types, in the order in which they are declared."""
        hints = typing.get_type_hints(cls)
        return {field.name: hints[field.name] for field in dataclasses.fields(cls)}

    def check(self) -> None:
        """Raises `ConfigError` when fields contradict one another."""

    def require_multiple(self, field: str, of: str) -> None:
        """Raises `ConfigError` unless `field` is a multiple of the field named by `of`."""
        size, divisor = getattr(self, field), getattr(self, of)
        if size % divisor:
            raise ConfigError(f"{field} {size} is not divisible by {of} {divisor}")

    def require_even(self, field: str) -> None:
        if getattr(self, field) % 2:
            raise ConfigError(f"{field} {getattr(self, field)} is not even")


def _require_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {value}")


def _require_sizes(name: str, value: int | float | tuple[int, ...]) -> None:
    sizes = value if isinstance(value, tuple) else (value,)
    for size in sizes:
        if isinstance(size, int) and size < 1:
            raise ConfigError(f"{name} must be at least 1, not {size}")


Step = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Model:
    """One model that can be exported at any size.

    `arguments(config)` gives the step's arguments as trees of `spec.Array`; `function(config)` gives the step itself,
    whose parameter names become the first part of each argument's path; `donated` are the arguments whose buffers the
    results take over; `variants` names settings that give the program another structure (a scan, another dispatch).
    """

    name: str
    summary: str
    config: Config
    small_config: Config
    arguments: Callable[[Any], tuple[Any, ...]]
    function: Callable[[Any], Step]
    donated: tuple[int, ...] = ()
    variants: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    def small(self) -> Config:
        """A configuration of the same structure that runs in seconds on host devices."""
        return self.small_config

    def small_variants(self) -> dict[str, Config]:
        """Every small program worth testing, by name: the plain one and, as `gemma_2b_scan`, each variant."""
        plain = {self.name: self.small()}
        return plain | {
            f"{self.name}_{variant}": dataclasses.replace(self.small(), **fields)
            for variant, fields in self.variants.items()
        }

    def step(self, config: Config | None = None) -> tuple[Step, tuple[Any, ...], tuple[int, ...]]:
        """The step, its arguments as trees of `jax.ShapeDtypeStruct`, and the donated argument numbers."""
        config = config or self.config
        abstract = jax.tree.map(spec.Array.abstract, self.arguments(config))
        return self.function(config), abstract, self.donated

    def concrete_args(self, config: Config | None = None, seed: int = 0) -> tuple[Any, ...]:
        """Random arguments of sensible magnitude; the same for the same seed. Meant for small configurations."""
        rng = np.random.default_rng(seed)
        return jax.tree.map(lambda a: a.sample(rng), self.arguments(config or self.config))

    def parameter_count(self, config: Config | None = None) -> int:
        """How many trained numbers there are (optimizer state and data not counted)."""
        arrays = jax.tree.leaves(self.arguments(config or self.config))
        return sum(a.size for a in arrays if a.role == "weight")

    def export(
        self,
        config: Config | None = None,
        *,
        generic: bool = False,
        locations: bool = True,
        platform: str = "cpu",
    ) -> str:
        """The step as StableHLO text. Nothing is run or allocated, and no such hardware is needed."""
        function, args, donated = self.step(config)
        return lowering.stablehlo_text(
            function, args, donated, generic=generic, locations=locations, platform=platform
        )
