"""What can go wrong, as typed exceptions. Texts name the argument path, the dim, the axis and the sizes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Iterator

from shardwright._src import _native

if TYPE_CHECKING:
  from shardwright._src.plan import Plan


class ShardwrightError(Exception):
  """The base of all that this package raises on purpose.

  >>> try:
  ...   sw.shard("batch*", 0.5, "data")
  ... except sw.ShardwrightError as error:
  ...   print(error)
  shard: a dim is a whole number, not 0.5
  """


class TraceError(ShardwrightError):
  """The function does not trace; the cause is the exception of JAX.

  >>> sw.plan(lambda x: x.no_such, batch["x"], mesh=mesh, device="h100")
  Traceback (most recent call last):
  ...
  shardwright.TraceError: <lambda> does not trace: AttributeError: ...
  """


class MeshError(ShardwrightError):
  """The mesh cannot be used: not a mesh, an axis with a strange name, or too few devices to run on.

  >>> plan = sw.plan(train_step, state, batch, mesh={"data": 16}, device="h100", schedule=[sw.dp("data")])
  >>> plan.jit()
  Traceback (most recent call last):
  ...
  shardwright.MeshError: the mesh data=16 has 16 devices and JAX has 8 (cpu): planning works without devices, ...
  """


class PlanError(ShardwrightError, ValueError):
  """No plan can be made of what was asked for.

  >>> sw.plan(train_step, state, batch, mesh=mesh, device="h100", schedule=["shard(batch*:0)"])
  Traceback (most recent call last):
  ...
  shardwright.PlanError: tactic `shard(batch*:0)`: shard takes PATTERN:DIM, AXIS[+AXIS…]
  """


class UnknownAxis(PlanError):
  """A tactic names an axis that the mesh does not have.

  >>> sw.plan(train_step, state, batch, mesh=mesh, device="h100", schedule=[sw.dp("dta")])
  Traceback (most recent call last):
  ...
  shardwright.UnknownAxis: tactic `dp(dta)`: the mesh has no axis `dta`; it is data=4,model=2
  """


class NoSuchArgument(PlanError):
  """A pattern matches no argument; the text names patterns that do.

  >>> sw.plan(train_step, state, batch, mesh=mesh, device="h100", schedule=[sw.shard("btch*", 0, "data")])
  Traceback (most recent call last):
  ...
  shardwright.NoSuchArgument: tactic `shard(btch*:0, data)`: `btch*` matches no argument; did you mean ...
  """


class Indivisible(PlanError):
  """An axis does not divide the dim that it is to split.

  >>> sw.plan(train_step, state, batch, mesh={"data": 3}, device="h100", schedule=[sw.shard("batch*", 0, "data")])
  Traceback (most recent call last):
  ...
  shardwright.Indivisible: ...argument `batch['x']` f32[16,32]: dim 0 has size 16, which axis `data` of size 3 ...
  """


class Contradiction(PlanError):
  """Two tactics ask for different things.

  >>> pins = [sw.pin("*w1", jax.P("data", None)), sw.pin("*w1", jax.P(None, "data"))]
  >>> sw.plan(train_step, state, batch, mesh=mesh, device="h100", schedule=pins)
  Traceback (most recent call last):
  ...
  shardwright.Contradiction: ...argument `state['w1']` f32[32,64] is pinned to [data, -] by `pin(...` and ...
  """


class UnknownDevice(PlanError):
  """There is no profile of that name; the text lists those there are.

  >>> sw.plan(train_step, state, batch, mesh=mesh, device="h20")
  Traceback (most recent call last):
  ...
  shardwright.UnknownDevice: unknown device `h20`; known are a100-40, ...
  """


class OtherProgram(PlanError):
  """A saved plan belongs to another program; the text names the first difference.

  >>> sw.plan(lambda x: x + 1, batch["x"], mesh=mesh, device="h100", plan=sw.load(path))
  Traceback (most recent call last):
  ...
  shardwright.OtherProgram: ...the plan was made for another program: ...
  """


class ArgumentMismatch(ShardwrightError, TypeError):
  """A planned step is called with other arguments than it was planned for.

  >>> plan.jit()(state, {"x": batch["x"][:8], "y": batch["y"]})
  Traceback (most recent call last):
  ...
  shardwright.ArgumentMismatch: ...: batch['x'] is float32[8,32], and it was planned for float32[16,32]
  """


class DoesNotFit(PlanError):
  """No plan was found that keeps to the memory limit.

  >>> try:
  ...   sw.plan(train_step, state, batch, mesh=mesh, device="h100", memory="2kB", schedule=[sw.dp("data")])
  ... except sw.DoesNotFit as error:
  ...   print(error.limit, error.smallest_peak > error.limit)
  2000 True

  Attributes:
    smallest_peak: bytes that the best plan found needs on each device.
    limit: bytes that there are.
    plan: that best plan, to look at.
  """

  def __init__(self, message: str, *, smallest_peak: int, limit: int, plan: Plan | None = None):
    super().__init__(message)
    self.smallest_peak = smallest_peak
    self.limit = limit
    self.plan = plan


# The native core says in words what is wrong; these words tell the kinds apart. Tests hold each row to its kind.
_KINDS: tuple[tuple[str, type[PlanError]], ...] = (
  ("the mesh has no axis", UnknownAxis),
  ("matches no argument", NoSuchArgument),
  ("does not divide", Indivisible),
  ("contradict each other", Contradiction),
  ("is pinned to", Contradiction),
  ("already, by `", Contradiction),
  ("unknown device", UnknownDevice),
  ("the plan was made for another program", OtherProgram),
)


def typed(message: str) -> PlanError:
  """The exception for a message of the native core."""
  return next((kind(message) for words, kind in _KINDS if words in message), PlanError(message))


@contextlib.contextmanager
def native_errors() -> Iterator[None]:
  """Turns what the native core raises into typed exceptions."""
  try:
    yield
  except _native.Error as error:
    raise typed(str(error)) from None
