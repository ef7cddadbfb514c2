"""Planned steps: what `plan.jit()` returns."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Sequence

import jax
from jax.sharding import NamedSharding

from shardwright._src import errors, jax_private, tracing

if TYPE_CHECKING:
  from shardwright._src.meshes import PlanMesh
  from shardwright._src.plan import Plan

MODES = ("explicit", "annotated")

# Custom calls into Python: an exported module cannot carry them.
_CALLBACKS = tuple(
  f"xla{kind}_python_{platform}_callback" for kind in ("", "_ffi", "_ffi_partitioned") for platform in ("cpu", "gpu")
)


def check_mode(mode: str) -> None:
  if mode not in MODES:
    raise errors.PlanError(f"the mode is one of {', '.join(MODES)}, not {mode!r}")


class Step:
  """A planned function: called like the one it was made from, with arguments of the same shapes.

  >>> step = plan.jit()
  >>> state, loss = step(state, batch)
  >>> "all-reduce" in step.lower().compile().as_text()
  True

  Arguments are placed as planned; those that lie so already are used as they are. Donated ones are used up.
  """

  def __init__(self, plan: Plan, mesh: PlanMesh, mode: str):
    self.plan = plan
    self.mode = mode
    self._program = plan._program
    self._in = plan._shardings(plan._native.argument_specs, self._program.arguments, mesh)
    self._out = plan._shardings(plan._native.result_specs, self._program.results, mesh)
    self._mesh = mesh
    functools.update_wrapper(self, self._program.signature.function, updated=())

  def __call__(self, *args: Any, **kwargs: Any) -> Any:
    call = self._program.signature.take_apart(args, kwargs)
    self._program.check(call)
    results = self._jitted(*place(call.arrays, self._in))
    return self._program.result_tree.build(results)

  def lower(self, *args: Any, **kwargs: Any) -> jax.stages.Lowered:
    """As `jax.jit(f).lower`, without arguments for those that were planned; `.compile().as_text()` is what XLA runs."""
    if args or kwargs:
      self._program.check(self._program.signature.take_apart(args, kwargs))
    return self._jitted.lower(*[jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in self._program.arguments])

  def __repr__(self) -> str:
    return f"<{self._program.name} planned for {self._mesh.text}, {self.mode}>"

  @functools.cached_property
  def _jitted(self) -> Any:
    # XLA partitions nothing for one device, so it would not take a program apart either.
    text = self.plan.explicit if self.mode == "explicit" and self._mesh.size > 1 else self.plan.annotated
    callback = next((name for name in _CALLBACKS if name in text), None)
    if callback is not None:
      raise errors.PlanError(
        f"{self._program.name} calls back into Python (`{callback}`), which a partitioned program cannot; "
        "use plan.in_shardings and plan.out_shardings with jax.jit"
      )
    donated = tuple(i for i, leaf in enumerate(self._program.arguments) if leaf.donated)
    run = self._flat_function(text)
    return jax.jit(
      run, in_shardings=tuple(self._in), out_shardings=tuple(self._out), donate_argnums=donated, keep_unused=True
    )

  def _flat_function(self, text: str) -> Any:
    program = self._program
    arguments, results = map(_bits, program.arguments), list(map(_bits, program.results))
    inner = jax_private.function_of(text, list(arguments), results, self._mesh.platform, program.name)

    def run(*arrays: Any) -> Any:
      pairs = zip(arrays, program.arguments, strict=True)
      bits = inner(*(jax.random.key_data(a) if leaf.is_key else a for a, leaf in pairs))
      return tuple(_from_bits(a, leaf) for a, leaf in zip(bits, program.results, strict=True))

    run.__name__ = program.name
    return _not_differentiable(run, program.name)


def _not_differentiable(function: Callable[..., Any], name: str) -> Callable[..., Any]:
  """A plan is one program; it has no derivative. Without this, JAX would take that of the vessel, which is zero."""

  def forward(*_: Any) -> Any:
    raise errors.PlanError(
      f"{name} was planned as it is and cannot be differentiated; plan the function that differentiates, "
      "as in sw.plan(jax.value_and_grad(loss), …)"
    )

  guarded = jax.custom_vjp(function)
  guarded.defvjp(forward, forward)
  return guarded


def place(arrays: Sequence[Any], shardings: Sequence[NamedSharding]) -> list[Any]:
  """The arrays where the shardings say; those that are there already are not touched."""
  return [a if _lies_there(a, s) else jax.device_put(a, s) for a, s in zip(arrays, shardings, strict=True)]


def _lies_there(array: Any, sharding: NamedSharding) -> bool:
  if isinstance(array, jax.core.Tracer):  # Inside another jit: it is placed there.
    return True
  if not isinstance(array, jax.Array):
    return False
  return array.sharding == sharding or array.sharding.is_equivalent_to(sharding, array.ndim)


def _bits(leaf: tracing.Leaf) -> jax.ShapeDtypeStruct:
  """What the program has in the place of a leaf: for random keys their bits."""
  if not leaf.is_key:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
  return jax.eval_shape(jax.random.key_data, jax.ShapeDtypeStruct(leaf.shape, leaf.dtype))


def _from_bits(array: Any, leaf: tracing.Leaf) -> Any:
  if not leaf.is_key:
    return array
  return jax.random.wrap_key_data(array, impl=_key_impl(leaf))


def _key_impl(leaf: tracing.Leaf) -> Any:
  """The kind of random keys of a leaf; JAX tells it of a key, not of its dtype."""
  found: list[Any] = []
  jax.eval_shape(lambda key: found.append(jax.random.key_impl(key)), jax.ShapeDtypeStruct(leaf.shape, leaf.dtype))
  return found[0]
