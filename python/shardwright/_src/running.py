"""Planned steps: what `plan.jit()` returns."""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING, Any, Callable, Sequence

import jax
import jax.custom_batching
import jax.numpy as jnp
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

  Arguments are placed as planned; those that lie so already are used as they are. Donated ones are used up. Results lie
  on the mesh that the plan was made for; its axes are automatic ones, unless they are explicit and arguments lie on
  them or the mesh is set.
  """

  def __init__(self, plan: Plan, mesh: PlanMesh, mode: str):
    self.plan = plan
    self.mode = mode
    self._program = plan._program
    self._in = plan._shardings(plan._native.argument_specs, self._program.arguments, mesh)
    self._out = plan._shardings(plan._native.result_specs, self._program.results, mesh)
    self._mesh = mesh
    self._donates = any(leaf.donated for leaf in self._program.arguments)
    functools.update_wrapper(self, self._program.signature.function, updated=())

  def __call__(self, *args: Any, **kwargs: Any) -> Any:
    call = self._program.called(args, kwargs)
    if self._mesh.given_is_used(call.arrays):
      results = self._jitted_as_given(*self._placed(call.arrays, self._in_as_given))
    else:
      results = self._jitted(*self._placed(call.arrays, self._in))
    return self._program.result_tree.build(results)

  def lower(self, *args: Any, **kwargs: Any) -> jax.stages.Lowered:
    """As `jax.jit(f).lower`, without arguments for those that were planned; `.compile().as_text()` is what XLA runs."""
    if args or kwargs:
      self._program.called(args, kwargs)
    return self._jitted.lower(*[jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in self._program.arguments])

  def __repr__(self) -> str:
    return f"<{self._program.name} planned for {self._mesh.text}, {self.mode}>"

  def _placed(self, arrays: Sequence[Any], shardings: Sequence[NamedSharding]) -> list[Any]:
    if self._donates and len(set(map(id, arrays))) < len(arrays):
      arrays = self._apart(arrays)
    return place(arrays, shardings)

  def _apart(self, arrays: Sequence[Any]) -> list[Any]:
    """The arrays, those that come twice and are to be moved as copies: moving alone may leave a part where it is. Of
    those that would be used as they are none may be donated: XLA refuses that on each device by itself, and others that
    wait for it wait for ever."""
    times = collections.Counter(map(id, arrays))
    apart = []
    first: dict[int, tracing.Leaf] = {}
    for leaf, array, sharding in zip(self._program.arguments, arrays, self._in, strict=True):
      if times[id(array)] > 1 and isinstance(array, jax.Array) and not isinstance(array, jax.core.Tracer):
        if _lies_there(array, sharding):
          self._check_donated(first.setdefault(id(array), leaf), leaf)
        else:
          array = jnp.copy(array)
      apart.append(array)
    return apart

  def _check_donated(self, first: tracing.Leaf, second: tracing.Leaf) -> None:
    donated = first if first.donated else second
    if first is not second and donated.donated:
      raise errors.ArgumentMismatch(
        f"{self._program.name}: {second.path} is the same array as {first.path}, and {donated.path} is donated, so it "
        "is used up: pass a copy (jnp.copy) for one of them"
      )

  @functools.cached_property
  def _in_as_given(self) -> list[NamedSharding]:
    return list(map(self._mesh.as_given, self._in))

  @functools.cached_property
  def _jitted(self) -> Any:
    return self._jitted_to(self._out)

  @functools.cached_property
  def _jitted_as_given(self) -> Any:
    return self._jitted_to(list(map(self._mesh.as_given, self._out)))

  def _jitted_to(self, out: Sequence[NamedSharding]) -> Any:
    donated = tuple(i for i, leaf in enumerate(self._program.arguments) if leaf.donated)
    return jax.jit(
      self._run, in_shardings=tuple(self._in), out_shardings=tuple(out), donate_argnums=donated, keep_unused=True
    )

  @functools.cached_property
  def _run(self) -> Any:
    text = self.plan.explicit if self.mode == "explicit" and self._can_be_explicit() else self.plan.annotated
    callback = next((name for name in _CALLBACKS if name in text), None)
    if callback is not None:
      raise errors.PlanError(
        f"{self._program.name} calls back into Python (`{callback}`), which a partitioned program cannot; "
        "use plan.in_shardings and plan.out_shardings with jax.jit"
      )
    return self._flat_function(text)

  def _can_be_explicit(self) -> bool:
    """XLA partitions nothing for one device, so it would not take a program apart either. Where all arguments are
    empty it makes constants of them, and then finds nothing to take apart."""
    arguments = self._program.arguments
    return self._mesh.size > 1 and (not arguments or any(0 not in leaf.shape for leaf in arguments))

  def _flat_function(self, text: str) -> Any:
    program = self._program
    arguments, results = map(_bits, program.arguments), list(map(_bits, program.results))
    inner = jax_private.function_of(text, list(arguments), results, self._mesh.platform(self.plan.device), program.name)

    def run(*arrays: Any) -> Any:
      pairs = zip(arrays, program.arguments, strict=True)
      bits = inner(*(jax.random.key_data(a) if leaf.is_key else a for a, leaf in pairs))
      return tuple(_from_bits(a, leaf) for a, leaf in zip(bits, program.results, strict=True))

    run.__name__ = program.name
    return _not_differentiable(_not_batched(run, program.name), program.name)


def _not_batched(function: Callable[..., Any], name: str) -> Callable[..., Any]:
  """A plan is one program, for the shapes that it was made for."""

  def rule(*_: Any) -> Any:
    raise errors.PlanError(
      f"{name} was planned as it is and has no batched form; plan the function that batches, as in "
      "sw.plan(jax.vmap(f), …)"
    )

  guarded = jax.custom_batching.custom_vmap(function)
  guarded.def_vmap(rule)
  return guarded


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
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=leaf.weak_type)
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
