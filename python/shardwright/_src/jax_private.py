"""All that this package uses of JAX and jaxlib that is not public API.

Tested with JAX 0.12.0, 0.11.2 and 0.10.2. A module text becomes a function of flat arrays by way of `jax.export`: an
exported function of the same types is the vessel, and its serialized module is replaced by ours. Private are the
serialisation (`_module_to_bytecode`), the context that knows the dialects (`make_ir_context`), the bindings of MLIR in
`jaxlib.mlir`, `update` of a result's type, and what a function that `jax.jit` made knows of itself (`_jit_info`).
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Sequence

import jax
import jax.export
import jax.numpy as jnp
from jax._src.export import _export
from jax._src.interpreters import mlir
from jaxlib.mlir import ir


def function_of(
  text: str, arguments: Sequence[Any], results: Sequence[Any], platform: str, name: str
) -> Callable[..., Any]:
  """The module as a function that `jax.jit` can compile, for these argument and result types."""

  def vessel(*_: Any) -> Any:
    return tuple(jnp.zeros(result.shape, result.dtype) for result in results)

  vessel.__name__ = name
  types = [jax.ShapeDtypeStruct(argument.shape, argument.dtype) for argument in arguments]
  exported = jax.export.export(jax.jit(vessel, keep_unused=True), platforms=(platform,))(*types)
  # An exported function forgets which results are weakly typed.
  weak = tuple(a.update(weak_type=r.weak_type) for a, r in zip(exported.out_avals, results, strict=True))
  return dataclasses.replace(exported, mlir_module_serialized=_serialized(text), out_avals=weak).call


def _serialized(text: str) -> bytes:
  with mlir.make_ir_context():
    module = ir.Module.parse(text)
    module.operation.verify()
    return _export._module_to_bytecode(module)


def static_arguments(function: Callable[..., Any]) -> tuple[tuple[int, ...], tuple[str, ...]]:
  """Positions and names of what a function that `jax.jit` made takes as static; of others, nothing."""
  info = getattr(function, "_jit_info", None)
  return tuple(getattr(info, "static_argnums", ())), tuple(getattr(info, "static_argnames", ()))
