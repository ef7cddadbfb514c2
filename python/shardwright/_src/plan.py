"""Plans: how a function is split over a mesh, what that costs, and how to run it."""

from __future__ import annotations

import functools
import json
import os
from typing import Any, Sequence

from jax.sharding import Mesh, NamedSharding

from shardwright._src import _native, errors, meshes, render, running, saved, tracing
from shardwright._src.estimate import Estimate


class Plan:
  """How a function is split over a mesh. Made by `sw.plan`; nothing has been run yet.

  >>> plan = sw.plan(train_step, state, batch, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  >>> plan.in_shardings[1]["x"].spec == jax.P("data")
  True
  >>> step = plan.jit()
  >>> new_state, loss = step(state, batch)
  """

  def __init__(self, program: tracing.Program, mesh: meshes.PlanMesh, native: _native.Planned, device: str):
    self._program = program
    self._mesh = mesh
    self._native = native
    self.device: str = device

  # --- what lies where ---

  @property
  def mesh(self) -> Any:
    """The mesh that shardings are made of, its axes being automatic ones."""
    return self._mesh.mesh

  @functools.cached_property
  def in_shardings(self) -> tuple[Any, ...]:
    """A `NamedSharding` for every array of every positional argument, static ones left out; `None` where there is no
    array. For `jax.jit(f, in_shardings=plan.in_shardings)`."""
    return self._argument_tree()[0]

  @functools.cached_property
  def kwarg_shardings(self) -> dict[str, Any]:
    """The same for keyword arguments."""
    return self._argument_tree()[1]

  @functools.cached_property
  def out_shardings(self) -> Any:
    """A `NamedSharding` for every array that the function returns, in the shape of what it returns."""
    shardings = self._shardings(self._native.result_specs, self._program.results, self._mesh)
    return self._program.result_tree.build(shardings, lambda value: None)

  def place(self, *args: Any, **kwargs: Any) -> Any:
    """The arguments where the plan wants them. One positional argument comes back as it is, several as a tuple.

    >>> state, batch = plan.place(state, batch)
    """
    call = self._program.called(args, kwargs)
    mesh = self._mesh.concrete()
    shardings = self._shardings(self._native.argument_specs, self._program.arguments, mesh)
    if mesh.given_is_used(call.arrays):
      shardings = list(map(mesh.as_given, shardings))
    arrays = running.place(call.arrays, shardings)
    signature = self._program.signature
    placed, named = signature.arranged(*signature.put_together(call, arrays), len(args))
    if named:
      return placed, named
    return placed[0] if len(placed) == 1 else placed

  def _argument_tree(self) -> Any:
    shardings = self._shardings(self._native.argument_specs, self._program.arguments, self._mesh)
    return self._program.call.tree.build(shardings, lambda value: None)

  def _shardings(
    self, specs: Sequence[list[list[str]]], leaves: Sequence[tracing.Leaf], mesh: meshes.PlanMesh
  ) -> list[NamedSharding]:
    # Random keys have more dims in the program than they have for JAX.
    return [mesh.sharding(spec[: len(leaf.shape)]) for spec, leaf in zip(specs, leaves, strict=True)]

  # --- what it costs and why ---

  @functools.cached_property
  def report(self) -> dict[str, Any]:
    """What `shardwright partition --json` gives: estimate, search, decisions in words, comparisons."""
    return json.loads(self._native.report_json())

  @functools.cached_property
  def estimate(self) -> Estimate:
    """What one step costs.

    >>> plan.estimate.fits
    True
    >>> plan.estimate.collectives["all_reduce"].count
    3.0
    """
    return Estimate.from_report(self.report)

  @property
  def tactics(self) -> list[str]:
    """The schedule, as written."""
    return list(self.report["tactics"])

  def explain(self, *, rows: int = 10) -> str:
    """What each axis splits and why, how that compares with plans people know, where time and memory go, and what
    stays whole. `rows=0` lists everything."""
    return self._native.report_text(rows)

  def why(self, *, rows: int = 10) -> str:
    """Of each argument which decision splits it, or why an axis leaves it whole; of each collective what it moves, for
    which op, and why. `rows=0` lists everything.

    >>> print(plan.why())
    mesh data=4,model=2
    ...
    """
    return self._native.why_text(rows)

  def diff(self, other: Plan | saved.SavedPlan) -> str:
    """What `other` does differently: specs of arguments, and what that changes in the estimate."""
    return render.diff(self, other)

  def timeline(self) -> dict[str, Any]:
    """The predicted timeline as trace events; written to a file as JSON, Perfetto shows it."""
    return json.loads(self._native.trace_json())

  # --- the program ---

  @functools.cached_property
  def explicit(self) -> str:
    """The program of one device, every collective written out, as StableHLO text."""
    with errors.native_errors():
      return self._native.explicit_text()

  @functools.cached_property
  def annotated(self) -> str:
    """The program as it was, with a Shardy sharding on every op, as StableHLO text."""
    with errors.native_errors():
      return self._native.annotated_text()

  def jit(self, mode: str = "explicit", *, mesh: Mesh | None = None) -> running.Step:
    """The function, planned: called like the one it was made from.

    Args:
      mode: "explicit" runs exactly the collectives of the plan; "annotated" hands XLA a sharding for every op.
      mesh: the devices to run on, for a plan made for an abstract mesh. By default the first devices there are.
    """
    running.check_mode(mode)
    return running.Step(self, self._mesh_to_run_on(mesh), mode)

  def _mesh_to_run_on(self, mesh: Mesh | None) -> meshes.PlanMesh:
    chosen = self._mesh.concrete() if mesh is None else meshes.plan_mesh(mesh)
    if chosen.axes != self._mesh.axes:
      raise errors.MeshError(f"the plan is for {self._mesh.text}, and the mesh is {chosen.text}")
    self._check_platform(chosen, chosen.platform(self.device))
    return chosen

  def _check_platform(self, mesh: meshes.PlanMesh, platform: str) -> None:
    program = self._program
    foreign = tracing.foreign_calls(program, mesh.abstract, platform)
    if foreign:
      raise errors.MeshError(
        f"{program.name} was planned for {self.device}, as a program for {program.platform} that calls "
        f"{', '.join(foreign[:3])}, which a program for {platform} does not; to run it here, plan it with a "
        "jax.sharding.Mesh of the devices here"
      )

  # --- files ---

  def save(self, path: str | os.PathLike[str]) -> None:
    """Writes the plan as a file that `sw.load` and the command `shardwright` read."""
    saved.write(path, self.plan_json)

  @functools.cached_property
  def plan_json(self) -> str:
    """The plan as the text of a plan file."""
    return self._native.plan_text()

  # --- for people ---

  def __repr__(self) -> str:
    return render.text(self)

  def _repr_html_(self) -> str:
    return render.html(self)
