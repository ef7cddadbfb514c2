"""sw.plan and sw.jit."""

from __future__ import annotations

import dataclasses
import functools
import logging
import math
import numbers
import os
from typing import Any, Callable, Mapping, Sequence, TypedDict, Union, Unpack, overload

import jax
from jax.sharding import NamedSharding

from shardwright._src import _native, distributed, errors, meshes, progress, tactics, tracing
from shardwright._src.estimate import bytes_text, seconds_text
from shardwright._src.plan import Plan
from shardwright._src.running import check_mode
from shardwright._src.saved import SavedPlan, load

log = logging.getLogger("shardwright")

# The numbers that the native core takes, and the largest of each.
_MOST = {"seed": 2**64 - 1, "threads": 1024, "default_trip_count": 2**63 - 1}

# Of one search: seconds, or as text "10s", "20000" (evaluations), "10s,20000".
Budget = Union[float, int, str]
Amount = Union[int, float, str, None]
Positions = Union[int, Sequence[int], None]
Names = Union[str, Sequence[str], None]


@dataclasses.dataclass(frozen=True)
class Options:
  """All that says how to plan, whatever the function."""

  mesh: meshes.PlanMesh
  device: str
  topology: str
  memory: str
  tactics: tuple[str, ...]
  search: str
  budget: str
  seed: int
  threads: int
  keep_stated: bool
  keep_placed: bool
  default_trip_count: int
  progress: progress.Progress
  plan: SavedPlan | None

  def __post_init__(self) -> None:
    if self.search not in _native.search_names():
      raise errors.PlanError(f"there is no search {self.search!r}; there are {', '.join(_native.search_names())}")
    for name, most in _MOST.items():
      value = getattr(self, name)
      if isinstance(value, bool) or not isinstance(value, int):
        raise errors.PlanError(f"`{name}` is a number, not {value!r}")
      if not 0 <= value <= most:
        raise errors.PlanError(f"{name} is {value}; it is a number from 0 on, at most {most}")
    if self.plan is not None and self.plan.mesh != self.mesh.axes:
      raise errors.MeshError(f"{self.plan.name} is a plan for {self.plan.mesh}, and the mesh is {self.mesh.axes}")


def plan(
  function: Callable[..., Any],
  *args: Any,
  mesh: meshes.MeshLike,
  device: str | None = None,
  memory: Amount = None,
  schedule: tactics.Schedule | None = None,
  static_argnums: Positions = None,
  static_argnames: Names = None,
  donate_argnums: Positions = None,
  donate_argnames: Names = None,
  budget: Budget = 8.0,
  seed: int = 0,
  threads: int | None = None,
  search: str = "mcts",
  topology: str | Mapping[str, str] = "",
  keep_stated: bool = True,
  keep_placed: bool = False,
  default_trip_count: int = 10,
  progress: progress.Progress = None,
  plan: Plan | SavedPlan | str | os.PathLike[str] | None = None,
  **kwargs: Any,
) -> Plan:
  """Finds out how to split a function over a mesh. The function is traced; nothing is run and nothing allocated.

  >>> plan = sw.plan(train_step, state, batch, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  >>> plan.out_shardings[0]["w1"].spec == jax.P()
  True

  Args:
    function: any function that JAX can trace.
    *args, **kwargs: arguments for it: arrays or `jax.ShapeDtypeStruct`s, in pytrees.
    mesh: a `jax.sharding.Mesh` or `AbstractMesh`, or {"data": 4, "model": 2}.
    device: what to plan for: "h100", "tpu-v5e", …, or a .json profile. By default what the mesh is made of.
    memory: what each device may use: bytes, or "40GB". By default what the device has.
    schedule: tactics, applied in order. By default the whole mesh is searched.
    static_argnums, static_argnames, donate_argnums, donate_argnames: as for `jax.jit`.
    budget: of each search: seconds, or "20000" (evaluations), or "10s,20000".
    seed, threads: of the search; one thread and a budget in evaluations repeat exactly.
    search: "mcts", "automap", "greedy", "random" or "exhaustive".
    topology: which link an axis runs over: "data=ib,model=nvlink", or a dict.
    keep_stated: keep the shardings that the function states (`with_sharding_constraint`).
    keep_placed: keep arrays that are spread over axes of the mesh already where they are.
    default_trip_count: turns assumed of a loop whose program does not tell; each such loop is named in a remark.
    progress: show progress; a function gets (evaluations, seconds, best step seconds, its bytes, whether it fits).
    plan: a plan to use instead of a search: a `Plan`, what `sw.load` gives, or the path of a file.

  Raises:
    TraceError: the function does not trace.
    DoesNotFit: no plan keeps to the memory limit.
    PlanError: or one of its kinds: UnknownAxis, NoSuchArgument, Indivisible, Contradiction, UnknownDevice.
  """
  options = _options(
    mesh, device, memory, schedule, budget, seed, threads, search, topology, keep_stated, keep_placed,
    default_trip_count, progress, plan,
  )  # fmt: skip
  statics = _statics(static_argnums, static_argnames, donate_argnums, donate_argnames)
  return _plan(tracing.Signature(function, statics), args, kwargs, options)


class JitOptions(TypedDict, total=False):
  """Options of `jit` beside the mesh, for type checkers."""

  mode: str
  device: str | None
  memory: Amount
  schedule: tactics.Schedule | None
  static_argnums: Positions
  static_argnames: Names
  donate_argnums: Positions
  donate_argnames: Names
  budget: Budget
  seed: int
  threads: int | None
  search: str
  topology: str | Mapping[str, str]
  keep_stated: bool
  keep_placed: bool
  default_trip_count: int
  progress: progress.Progress
  plan: Plan | SavedPlan | str | os.PathLike[str] | None


@overload
def jit(function: Callable[..., Any], *, mesh: meshes.MeshLike, **options: Unpack[JitOptions]) -> Planned: ...


@overload
def jit(
  function: None = None, *, mesh: meshes.MeshLike, **options: Unpack[JitOptions]
) -> Callable[[Callable[..., Any]], Planned]: ...


def jit(
  function: Callable[..., Any] | None = None,
  *,
  mesh: meshes.MeshLike,
  mode: str = "explicit",
  device: str | None = None,
  memory: Amount = None,
  schedule: tactics.Schedule | None = None,
  static_argnums: Positions = None,
  static_argnames: Names = None,
  donate_argnums: Positions = None,
  donate_argnames: Names = None,
  budget: Budget = 8.0,
  seed: int = 0,
  threads: int | None = None,
  search: str = "mcts",
  topology: str | Mapping[str, str] = "",
  keep_stated: bool = True,
  keep_placed: bool = False,
  default_trip_count: int = 10,
  progress: progress.Progress = None,
  plan: Plan | SavedPlan | str | os.PathLike[str] | None = None,
) -> Any:
  """`jax.jit` with a plan: the first call with new shapes plans, later ones run.

  >>> step = sw.jit(train_step, mesh=mesh, schedule=[sw.shard("batch*", 0, "data")])
  >>> new_state, loss = step(state, batch)
  >>> step.plan(state, batch).tactics
  ['shard(batch*:0, data)']

  Takes what `sw.plan` takes; without a function it is a decorator.
  """
  check_mode(mode)
  options = _options(
    mesh, device, memory, schedule, budget, seed, threads, search, topology, keep_stated, keep_placed,
    default_trip_count, progress, plan,
  )  # fmt: skip
  statics = _statics(static_argnums, static_argnames, donate_argnums, donate_argnames)
  if function is None:
    return lambda later: Planned(later, statics, options, mode)
  return Planned(function, statics, options, mode)


class Planned:
  """What `sw.jit` returns: a function that plans itself when it is called with new shapes.

  >>> step = sw.jit(train_step, mesh=mesh, schedule=[sw.dp("data")])
  >>> step.plan(state, batch).in_shardings[1]["x"].spec == jax.P("data")
  True
  """

  def __init__(self, function: Callable[..., Any], statics: tracing.Statics, options: Options, mode: str):
    self._signature = tracing.Signature(function, statics)
    self._options = options
    self._mode = mode
    self._steps: dict[Any, Any] = {}
    functools.update_wrapper(self, function, updated=())

  def __repr__(self) -> str:
    return f"<{self._signature.name} to be planned for {self._options.mesh.text}, {self._mode}>"

  def __call__(self, *args: Any, **kwargs: Any) -> Any:
    return self._step(args, kwargs)(*args, **kwargs)

  def plan(self, *args: Any, **kwargs: Any) -> Plan:
    """The plan for arguments of these shapes."""
    return self._step(args, kwargs).plan

  def lower(self, *args: Any, **kwargs: Any) -> jax.stages.Lowered:
    """As `jax.jit(f).lower`."""
    return self._step(args, kwargs).lower()

  def _step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # By position where that can be: one plan serves, however the arguments are passed.
    key = self._signature.take_apart(*self._signature.arranged(args, kwargs)).key()
    if key not in self._steps:
      # For the devices that it will run on: what it is lowered to depends on them.
      options = dataclasses.replace(self._options, mesh=self._options.mesh.concrete())
      self._steps[key] = _plan(self._signature, args, kwargs, options).jit(self._mode)
    return self._steps[key]


def _plan(signature: tracing.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], options: Options) -> Plan:
  program = tracing.trace(signature, args, kwargs, options.mesh.abstract, options.mesh.platform(options.device))
  with errors.native_errors():
    stated = [i for i, leaf in enumerate(program.arguments) if leaf.stated]
    module = _native.Module.load(
      program.text, program.name, default_trip_count=options.default_trip_count, stated=stated
    )
    _check_arguments(program, module)
    native = distributed.agreed(
      lambda: _searched(module, program, options), lambda text: _applied(module, text, options)
    )
  made = Plan(program, options.mesh, native, options.device)
  log.info("%s for %s on %s: step %s, %s", program.name, options.mesh.text, options.device,
           seconds_text(native.step_seconds), bytes_text(native.peak_bytes))  # fmt: skip
  if not native.fits:
    raise _does_not_fit(made)
  return made


def _searched(module: _native.Module, program: tracing.Program, options: Options) -> _native.Planned:
  if options.plan is not None:
    try:
      return _applied(module, options.plan.text, options)
    except _native.Error as error:
      if not isinstance(errors.typed(str(error)), errors.OtherProgram):
        raise
      raise _native.Error(f"{error}{_left_out(module, options.plan)}") from None
  line = progress.shown(options.progress)
  try:
    return _native.partition(
      module,
      mesh=options.mesh.text,
      tactics=[*(_placed_pins(program, options) if options.keep_placed else ()), *_schedule(options)],
      device=options.device,
      topology=options.topology,
      memory=options.memory,
      algorithm=options.search,
      budget=options.budget,
      seed=options.seed,
      threads=options.threads,
      keep_stated=options.keep_stated,
      progress=line,
    )
  finally:
    line.close()


def _applied(module: _native.Module, text: str, options: Options) -> _native.Planned:
  return _native.apply(module, text, device=options.device, topology=options.topology, memory=options.memory)


def _left_out(module: _native.Module, plan: SavedPlan) -> str:
  """Words for a plan that lacks some arguments and has the others: modules that `jax.jit` lowers are without those that
  the function does not use, while this package keeps them."""
  stated = [[a.get(key) for key in ("path", "shape", "dtype")] for a in plan.arguments if isinstance(a, dict)]
  missing, found = [], 0
  for argument in map(list, module.arguments):
    if found < len(stated) and stated[found] == argument:
      found += 1
    else:
      missing.append(argument[0])
  if found < len(stated) or not missing:
    return ""
  return (
    f"; the plan has no `{missing[0]}`: jax.jit leaves arguments that are not used out of the modules that it lowers; "
    "if this is one, lower with jax.jit(…, keep_unused=True) and plan that module"
  )


def _schedule(options: Options) -> Sequence[str]:
  """Pins alone would stop the native core from searching the whole mesh."""
  return options.tactics or [str(tactics.auto(*options.mesh.axes))]


def _placed_pins(program: tracing.Program, options: Options) -> list[str]:
  """A pin for each array that lies on axes of the mesh already."""
  pins = []
  for leaf, array in zip(program.arguments, program.call.arrays, strict=True):
    sharding = getattr(array, "sharding", None)
    if isinstance(sharding, NamedSharding) and dict(sharding.mesh.shape) == options.mesh.axes:
      entries = [*sharding.spec, *[None] * (len(leaf.shape) - len(sharding.spec))]
      pins.append(str(tactics.pin(leaf.path, tactics.spec_text(entries))))
  return pins


def _check_arguments(program: tracing.Program, module: _native.Module) -> None:
  """The native core must see the arguments that JAX does, in that order."""
  if "{jax.token = true}" in program.text:
    raise errors.PlanError(
      f"{program.name} calls back into Python in order (`ordered=True`), which a plan cannot say; leave the order out"
    )
  if len(module.arguments) != len(program.arguments) or len(module.results) != len(program.results):
    raise errors.PlanError(
      f"{program.name}: the module has {len(module.arguments)} arguments and {len(module.results)} results, "
      f"the function {len(program.arguments)} and {len(program.results)}"
    )


def _does_not_fit(made: Plan) -> errors.DoesNotFit:
  peak, limit = made._native.peak_bytes, made._native.limit_bytes
  largest = max(made.report["residents"], key=lambda resident: resident["bytes"], default=None)
  holds = f"; most of it is {bytes_text(largest['bytes'])} of {largest['kind']} ({largest['where']})" if largest else ""
  remedy = f"; {made.report['remedy']}" if "remedy" in made.report else ""
  return errors.DoesNotFit(
    f"{made._program.name}: no plan found for {made._mesh.text} fits: the smallest peak is {bytes_text(peak)}, "
    f"the limit is {bytes_text(limit)}{holds}{_tried(made.report['searches'])}{remedy}",
    smallest_peak=peak, limit=limit, plan=made,
  )  # fmt: skip


def _tried(searches: list[Any]) -> str:
  """What was found is no fact about the program: how many plans were tried, and whether more would have been."""
  if not searches:
    return ""
  tried = sum(search["evaluations"] for search in searches)
  spent = any(search["stopped_by"] in ("evaluations", "seconds") for search in searches)
  count = f"{tried} plan was" if tried == 1 else f"{tried} plans were"
  return f"; {count} tried" + (", the budget ended the search and a larger one may find more" if spent else "")


def _options(
  mesh: meshes.MeshLike, device: str | None, memory: Amount, schedule: tactics.Schedule | None, budget: Budget,
  seed: int, threads: int | None, search: str, topology: str | Mapping[str, str], keep_stated: bool, keep_placed: bool,
  default_trip_count: int, show: progress.Progress, plan: Plan | SavedPlan | str | os.PathLike[str] | None,
) -> Options:  # fmt: skip
  made = meshes.plan_mesh(mesh)
  if plan is not None and schedule is not None:
    raise errors.PlanError("`plan` and `schedule` are both given: a plan says everything, leave one of them out")
  return Options(
    mesh=made,
    device=meshes.device_name(device, made),
    topology=_links(topology),
    memory=_amount(memory),
    tactics=tuple(_tactics(schedule)),
    search=search,
    budget=_budget(budget),
    seed=_whole(seed),
    threads=0 if threads is None else _whole(threads),
    keep_stated=keep_stated,
    keep_placed=keep_placed,
    default_trip_count=_whole(default_trip_count),
    progress=show,
    plan=_saved(plan),
  )


def _whole(number: Any) -> Any:
  """NumPy's whole numbers as Python's; what is none is left to the checks."""
  return int(number) if isinstance(number, numbers.Integral) and not isinstance(number, bool) else number


def _tactics(schedule: tactics.Schedule | None) -> list[str]:
  texts = tactics.texts(schedule)
  if schedule is not None and not texts:
    raise errors.PlanError("the schedule is empty: leave `schedule` out, or give None, to have the whole mesh searched")
  return texts


def _amount(memory: Amount) -> str:
  if memory is None:
    return ""
  if isinstance(memory, str) and memory:
    return memory
  if isinstance(memory, numbers.Real) and not isinstance(memory, bool) and 1 <= memory < math.inf:
    return str(int(memory))
  raise errors.PlanError(f"`memory` is a number of bytes or a text as \"40GB\", not {memory!r}")


def _budget(budget: Budget) -> str:
  if isinstance(budget, str):
    return budget
  if isinstance(budget, numbers.Real) and not isinstance(budget, bool):
    return f"{budget}s"
  raise errors.PlanError(f"`budget` is a number of seconds or a text as \"10s,20000\", not {budget!r}")


def _links(topology: str | Mapping[str, str]) -> str:
  if isinstance(topology, Mapping):
    return ",".join(f"{axis}={link}" for axis, link in topology.items())
  if isinstance(topology, str):
    return topology
  raise errors.PlanError(f"`topology` is a text as \"data=ib,model=nvlink\" or a dict, not {topology!r}")


def _saved(plan: Plan | SavedPlan | str | os.PathLike[str] | None) -> SavedPlan | None:
  if isinstance(plan, Plan):
    return SavedPlan(plan.plan_json)
  if plan is None or isinstance(plan, SavedPlan):
    return plan
  if isinstance(plan, (str, os.PathLike)):
    return load(plan)
  raise errors.PlanError(f"`plan` is a sw.Plan, what sw.load gives or the path of a file, not {plan!r}")


def _statics(
  static_argnums: Positions, static_argnames: Names, donate_argnums: Positions, donate_argnames: Names
) -> tracing.Statics:
  def positions(given: Positions) -> tuple[int, ...]:
    return () if given is None else (int(given),) if isinstance(given, numbers.Integral) else tuple(given)

  def names(given: Names) -> tuple[str, ...]:
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)

  return tracing.Statics(
    positions(static_argnums), names(static_argnames), positions(donate_argnums), names(donate_argnames)
  )
