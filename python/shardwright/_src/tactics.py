"""Tactics: named producers of decisions, applied in order. docs/reference/tactics.md describes each."""

from __future__ import annotations

import dataclasses
import numbers
from typing import Any, Sequence, Union

from jax.sharding import PartitionSpec

from shardwright._src import _native, errors

# A dim of arguments: ("*wq", 1), or as text "*wq:1". Negative ones count from the last.
Dim = Union[str, tuple[str, int]]


@dataclasses.dataclass(frozen=True)
class Tactic:
  """One step of a schedule. Made by `sw.shard`, `sw.dp` and the like.

  >>> print(sw.shard("batch*", 0, "data"))
  shard(batch*:0, data)
  """

  text: str

  def __str__(self) -> str:
    return self.text

  def __repr__(self) -> str:
    return f"sw.Tactic({self.text!r})"


Schedule = Sequence[Union[Tactic, str]]


def shard(pattern: str, dim: int, axis: str | Sequence[str]) -> Tactic:
  """The dims like this one of the arguments that match are split along the axis, or along several as in a
  `PartitionSpec`. Negative dims count from the last.

  >>> sw.shard("batch*", 0, "data")
  sw.Tactic('shard(batch*:0, data)')
  >>> sw.shard("*w", -1, ("data", "model"))
  sw.Tactic('shard(*w:-1, data+model)')
  """
  return _made("shard", _dim("shard", (pattern, dim)), _joined("shard", axis))


def pin(pattern: str, spec: Any) -> Tactic:
  """The arguments or results that match lie on the devices as the `PartitionSpec` says, whatever else is decided.
  Dims that it leaves out at its end are whole; those that it does not constrain lie as is decided.

  >>> sw.pin("params*", jax.P())
  sw.Tactic('pin(params*, replicated)')
  >>> sw.pin("*w1", jax.P("data", None, ("model", "tensor")))
  sw.Tactic('pin(*w1, [data, -, model+tensor])')
  >>> sw.pin("x", jax.P(jax.P.UNCONSTRAINED, "model"))
  sw.Tactic('pin(x, [?, model])')
  """
  return _made("pin", pattern, spec if isinstance(spec, str) else spec_text(tuple(spec)))


def dp(axis: str, *dims: Dim) -> Tactic:
  """Data parallelism: the leading dim of the inputs.

  >>> sw.dp("data")
  sw.Tactic('dp(data)')
  >>> sw.dp("data", "tokens*:0")
  sw.Tactic('dp(data, tokens*:0)')
  """
  return _strategy("dp", axis, dims)


def megatron(axis: str, *dims: Dim) -> Tactic:
  """Tensor parallelism: dims that are columns of one weight and rows of the next (heads, feed-forward).

  >>> sw.megatron("model")
  sw.Tactic('megatron(model)')
  """
  return _strategy("megatron", axis, dims)


def sequence(axis: str, *dims: Dim, side: str | None = None) -> Tactic:
  """The sequence; inside attention on the `"query"` side (keys are gathered) or the `"key"` side.

  >>> sw.sequence("model", side="key")
  sw.Tactic('sequence(model, key)')
  """
  if side not in (None, "query", "key"):
    raise errors.PlanError(f'sequence: the side is "query" or "key", not {side!r}')
  return _made("sequence", axis, *([side] if side else []), *(_dim("sequence", dim) for dim in dims))


def zero2(axis: str, *dims: Dim) -> Tactic:
  """Gradients and optimizer state split along the axis, parameters whole between steps. Dims as for `zero3`.

  >>> sw.zero2("data")
  sw.Tactic('zero2(data)')
  """
  return _strategy("zero2", axis, dims)


def zero3(axis: str, *dims: Dim) -> Tactic:
  """Parameters, gradients and optimizer state split along the axis (FSDP). Dims of inputs name the batch; dims of
  parameters alone name all that is split.

  >>> sw.zero3("data")
  sw.Tactic('zero3(data)')
  >>> sw.zero3("data", "tokens*:0")
  sw.Tactic('zero3(data, tokens*:0)')
  """
  return _strategy("zero3", axis, dims)


def vocab(axis: str, *dims: Dim) -> Tactic:
  """The vocabulary of embedding and logits.

  >>> sw.vocab("model", "*embedding:0")
  sw.Tactic('vocab(model, *embedding:0)')
  """
  return _strategy("vocab", axis, dims)


def expert(axis: str, *dims: Dim) -> Tactic:
  """The experts of a mixture.

  >>> sw.expert("model")
  sw.Tactic('expert(model)')
  """
  return _strategy("expert", axis, dims)


def auto(*axes: str) -> Tactic:
  """Search over these axes.

  >>> sw.auto("data", "model")
  sw.Tactic('auto(data, model)')
  """
  return _made("auto", *axes)


def turn(first: Dim, second: Dim, axis: str) -> Tactic:
  """Where both dims want the axis, the first gets it, though it came later.

  >>> sw.turn(("cache*", 0), ("*wq", 1), "model")
  sw.Tactic('turn(cache*:0, *wq:1, model)')
  """
  return _made("turn", _dim("turn", first), _dim("turn", second), axis)


def remake(gap: int) -> Tactic:
  """A gathered copy is made again if more than `gap` ops lie between two uses: less memory, more communication.

  >>> sw.remake(200)
  sw.Tactic('remake(200)')
  """
  return _made("remake", str(gap))


def spec_text(entries: Sequence[Any]) -> str:
  """`[data, ?, model+tensor]` for the entries of a `PartitionSpec`; `replicated` where none says anything."""
  names = ["?" if entry is PartitionSpec.UNCONSTRAINED else _joined("pin", entry or ()) for entry in entries]
  if not any(names):
    return "replicated"
  return "[" + ", ".join(axes or "-" for axes in names) + "]"


def texts(schedule: Schedule | None) -> list[str]:
  """The tactics of a schedule as the native core reads them."""
  if isinstance(schedule, (str, Tactic)):
    raise errors.PlanError(f"a schedule is a list of tactics, as in [{schedule!r}]")
  all_texts = [str(tactic) for tactic in schedule or ()]
  with errors.native_errors():
    for text in all_texts:
      _native.check_tactic(text)
  return all_texts


def _strategy(name: str, axis: str, dims: Sequence[Dim]) -> Tactic:
  return _made(name, axis, *(_dim(name, dim) for dim in dims))


def _made(name: str, *parts: str) -> Tactic:
  wrong = next((part for part in parts if not isinstance(part, str)), None)
  if wrong is not None:
    raise errors.PlanError(f"{name}: {wrong!r} is no text")
  return Tactic(f"{name}({', '.join(parts)})")


def _dim(name: str, dim: Dim) -> str:
  if isinstance(dim, str):
    return dim
  pattern, number = dim
  if isinstance(number, bool) or not isinstance(number, numbers.Integral):
    raise errors.PlanError(f"{name}: a dim is a whole number, not {number!r}")
  return f"{pattern}:{number}"


def _joined(name: str, axes: Any) -> str:
  """`data+model`: the axes of one dim, the outermost first."""
  names = [axes] if isinstance(axes, str) else axes
  if not isinstance(names, (tuple, list)) or not all(isinstance(axis, str) for axis in names):
    raise errors.PlanError(f"{name}: {axes!r} is neither the name of an axis nor several")
  return "+".join(names)
