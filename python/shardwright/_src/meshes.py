"""Meshes as JAX has them, and as the native core and the printed programs want them."""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
import re
from typing import Any, Sequence, Union

import jax
import jax.export
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec

from shardwright._src import _native, errors

MeshLike = Union[Mesh, AbstractMesh, dict[str, int], str]


@dataclasses.dataclass(frozen=True)
class PlanMesh:
  """Axes and their sizes, and the mesh that NamedShardings are made of.

  Its axes are automatic ones: what is planned here is decided for all of them, so JAX must not check them itself as it
  does those that `jax.make_mesh` makes by default.
  """

  mesh: Mesh | AbstractMesh
  given: Mesh | AbstractMesh  # The same with the kinds of axes that the user gave it.

  @property
  def axes(self) -> dict[str, int]:
    return dict(self.mesh.shape)

  @property
  def size(self) -> int:
    return math.prod(self.axes.values())

  @property
  def text(self) -> str:
    """`data=4,model=2`."""
    return ",".join(f"{name}={size}" for name, size in self.axes.items())

  @property
  def devices(self) -> list[Any]:
    """In mesh order; none for an abstract mesh."""
    return list(self.mesh.devices.flat) if isinstance(self.mesh, Mesh) else []

  @property
  def abstract(self) -> AbstractMesh:
    return self.mesh.abstract_mesh if isinstance(self.mesh, Mesh) else self.mesh

  def platform(self, device: str) -> str:
    """What to lower for: "cpu", "cuda", "rocm" or "tpu". That of the mesh's devices, or of those here that it could run
    on; where these are too few, that of the profile, so that the plan is one of the program that such devices get."""
    runs_on = self.devices or jax.devices()
    if len(runs_on) >= self.size:
      return _platform(runs_on[0].platform)
    with errors.native_errors():
      return _platform(_native.device_flavor(device))

  def sharding(self, spec: list[list[str]]) -> NamedSharding:
    return NamedSharding(self.mesh, partition_spec(spec))

  def as_given(self, sharding: NamedSharding) -> NamedSharding:
    """The same on the mesh that the user gave."""
    return NamedSharding(self.given, sharding.spec)

  def given_is_used(self, arrays: Sequence[Any]) -> bool:
    """Whether the mesh that the user gave has explicit axes and these arrays live with it: one lies on it, or it is
    set. JAX mixes no arrays on explicit axes with those on automatic ones. Inside another program it places them."""
    if self.given == self.mesh or any(isinstance(array, jax.core.Tracer) for array in arrays):
      return False
    if jax.sharding.get_abstract_mesh() == self.given.abstract_mesh:
      return True
    return any(isinstance(array, jax.Array) and getattr(array.sharding, "mesh", None) == self.given for array in arrays)

  def concrete(self) -> PlanMesh:
    """This mesh with devices to run on."""
    if isinstance(self.mesh, Mesh):
      return self
    there = jax.devices()
    if len(there) < self.size:
      raise errors.MeshError(
        f"the mesh {self.text} has {self.size} devices and JAX has {len(there)} ({there[0].device_kind}): "
        "planning works without devices, running does not"
      )
    sizes, names = tuple(self.axes.values()), tuple(self.axes)
    return _plan_mesh(jax.make_mesh(sizes, names, self.given.axis_types, devices=there[: self.size]))


def _platform(kind: str) -> str:
  """JAX calls every GPU a "gpu", and lowers for those of one maker."""
  if kind == jax.default_backend():
    return jax.export.default_export_platform()
  return "cuda" if kind == "gpu" else kind


def partition_spec(spec: list[list[str]]) -> PartitionSpec:
  """PartitionSpec("data", None, ("model", "tensor")) for [["data"], [], ["model", "tensor"]]."""
  entries = [tuple(axes) if len(axes) > 1 else axes[0] if axes else None for axes in spec]
  while entries and entries[-1] is None:
    entries.pop()
  return PartitionSpec(*entries)


def plan_mesh(mesh: MeshLike) -> PlanMesh:
  """Takes a jax.sharding.Mesh, an AbstractMesh, {"data": 4, "model": 2} or "data=4,model=2"."""
  if isinstance(mesh, str):
    mesh = _parsed(mesh)
  if isinstance(mesh, dict):
    _check_sizes(mesh)
    mesh = AbstractMesh(tuple(int(size) for size in mesh.values()), tuple(mesh), axis_types=_automatic(mesh))
  if not isinstance(mesh, (Mesh, AbstractMesh)):
    raise errors.MeshError(
      f"the mesh is {type(mesh).__name__}; give a jax.sharding.Mesh, as jax.make_mesh makes, an AbstractMesh, "
      'or sizes as in {"data": 4}'
    )
  made = _plan_mesh(mesh)
  if not made.axes:
    raise errors.MeshError("the mesh has no axes")
  for name in made.axes:
    if not isinstance(name, str) or not re.fullmatch(r"\w+", name, re.ASCII):
      raise errors.MeshError(f"axis {name!r} of the mesh: names are letters, digits and underscores")
  return made


def _plan_mesh(mesh: Mesh | AbstractMesh) -> PlanMesh:
  automatic = _automatic(mesh.axis_names)
  if isinstance(mesh, Mesh):
    made: Mesh | AbstractMesh = Mesh(mesh.devices, mesh.axis_names, axis_types=automatic)
  else:
    made = AbstractMesh(mesh.axis_sizes, mesh.axis_names, axis_types=automatic)
  return PlanMesh(made, made if AxisType.Manual in mesh.axis_types else mesh)  # No array lies on manual axes.


def from_plan(axes: list[dict[str, Any]]) -> PlanMesh:
  """The mesh of a plan file."""
  return plan_mesh({axis["axis"]: axis["size"] for axis in axes})


def _automatic(axes: Any) -> tuple[AxisType, ...]:
  return (AxisType.Auto,) * len(axes)


def _check_sizes(axes: dict[str, int]) -> None:
  for name, size in axes.items():
    if not isinstance(size, numbers.Integral) or size < 1:
      raise errors.MeshError(f"axis {name!r} of the mesh has size {size!r}; a size is a number from 1 on")


def _parsed(text: str) -> dict[str, int]:
  pairs = [part.split("=") for part in text.split(",")]
  if not all(len(pair) == 2 and pair[1].strip().isdigit() for pair in pairs):
    raise errors.MeshError(f"`{text}` is no mesh; write data=4,model=2")
  axes = {name.strip(): int(size) for name, size in pairs}
  if len(axes) < len(pairs):
    raise errors.MeshError(f"`{text}` is no mesh: it names an axis twice")
  return axes


def known_devices() -> list[str]:
  """Names of the device profiles that are built in.

  >>> "h100" in sw.known_devices()
  True
  """
  return _native.known_devices()


# What `device_kind` says of a device, and the profile that describes it. The first that is found in it counts.
_KINDS = (
  ("h100", "h100"), ("h200", "h200"), ("b200", "b200"), ("a100-sxm4-80", "a100-80"), ("a100 80", "a100-80"),
  ("a100", "a100-40"), ("v100", "v100"), ("p100", "p100"), ("tpu v6", "tpu-v6e"), ("tpu v5 lite", "tpu-v5e"),
  ("tpu v5e", "tpu-v5e"), ("tpu v5", "tpu-v5p"), ("tpu v4", "tpu-v4"), ("tpu v3", "tpu-v3"), ("cpu", "host-cpu"),
)  # fmt: skip


@functools.lru_cache
def profile_of(kind: str) -> str | None:
  """The device profile for a `device_kind`: "NVIDIA H100 80GB HBM3" is an h100."""
  lower = kind.lower()
  return next((profile for words, profile in _KINDS if words in lower), None)


def device_name(device: str | None, mesh: PlanMesh) -> str:
  """The profile to plan for: the one named, else that of the mesh's devices."""
  if device is not None:
    return _native.device_name(str(device))
  kinds = [d.device_kind for d in mesh.devices[:1] or jax.devices()[:1]]
  found = profile_of(kinds[0])
  if found is None:
    raise errors.UnknownDevice(
      f"no profile is known for {kinds[0]!r}; name one with device=, or a .json file that `shardwright calibrate` wrote"
    )
  return found
