"""Plans in files."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from typing import Any

from shardwright._src import errors, meshes


class SavedPlan:
  """A plan from a file. It belongs to one program, whatever its sizes: give it to `sw.plan` or `sw.jit` together with the
  function.

  >>> saved = sw.load(path)
  >>> saved.mesh
  {'data': 4, 'model': 2}
  >>> step = sw.jit(train_step, mesh=mesh, plan=saved)
  """

  def __init__(self, text: str, name: str = "<plan>"):
    self.text = text
    self.name = name
    try:
      self._json = json.loads(text)
      self.mesh: dict[str, int] = meshes.from_plan(self._json["mesh"]).axes
      self.program: dict[str, Any] = self._json["program"]  # Its hash and its number of ops.
    except (ValueError, KeyError, TypeError, RecursionError) as error:
      reason = f"it has no {error}" if isinstance(error, KeyError) else error
      raise errors.PlanError(f"{name} is no plan file: {reason}") from error

  @property
  def tactics(self) -> list[str]:
    """The schedule that it was made from."""
    return [tactic["tactic"] for tactic in self._json.get("tactics", ())]

  @property
  def arguments(self) -> list[dict[str, Any]]:
    """Of each argument: path, shape, dtype and spec."""
    return list(self._json.get("arguments", ()))

  def __repr__(self) -> str:
    axes = ", ".join(f"{axis}={size}" for axis, size in self.mesh.items())
    schedule = ", ".join(self.tactics) or "no tactics"
    return f"<plan from {self.name} for {axes}: {schedule}; {len(self.arguments)} arguments>"


def load(path: str | os.PathLike[str]) -> SavedPlan:
  """Reads a plan file, as `Plan.save` and `shardwright partition -o` write it.

  >>> plan.save(path)
  >>> sw.load(path).tactics
  ['dp(data)']
  """
  with open(path, encoding="utf-8") as file:
    try:
      text = file.read()
    except UnicodeDecodeError as error:
      raise errors.PlanError(f"{os.fspath(path)} is no plan file: it is no text, {error}") from None
  return SavedPlan(text, os.fspath(path))


def write(path: str | os.PathLike[str], text: str) -> None:
  """The file appears whole or not at all: where a link points, if the path is one. What is there and no file, as a pipe
  or a device, is written to."""
  named = os.fspath(path)
  if not _is_file(named):
    with open(named, "w", encoding="utf-8") as stream:
      stream.write(text)
    return
  target = os.path.realpath(named) if os.path.islink(named) else named
  folder = os.path.dirname(target)
  if folder and not os.path.isdir(folder):
    raise FileNotFoundError(f"cannot save the plan as {named}: there is no folder {folder}")
  temporary = f"{target}.tmp{os.getpid()}"
  try:
    with open(temporary, "w", encoding="utf-8") as file:
      file.write(text)
    os.replace(temporary, target)
  except OSError as error:
    raise OSError(error.errno, error.strerror, named) from None  # What the user named, not what stands for it.
  finally:
    with contextlib.suppress(FileNotFoundError):
      os.unlink(temporary)


def _is_file(path: str) -> bool:
  """Whether there is a file, or nothing so far. Raises OSError for links in a circle."""
  try:
    return stat.S_ISREG(os.stat(path).st_mode)
  except (FileNotFoundError, NotADirectoryError):
    return True
